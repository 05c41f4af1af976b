"""The server of the Model Context Protocol, asked by the client of the same package, over standard input and output."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from holdsfor.diagnostics import HoldsforError
from holdsfor.verifier import tools

mcp = pytest.importorskip("mcp")

RULES = """
initiatedAt(inRoom(P)=true, T) :- happensAt(comes(P), T).
terminatedAt(inRoom(P)=true, T) :- happensAt(goes(P), T).
happensAt(visit(P), T) :- happensAt(goes(P), T), holdsAt(inRoom(P)=true, T).
"""
EVENTS = "10 comes(ann)\n20 goes(ann)\n30 comes(bob)"


def asked(work: Callable[[Any], Awaitable[Any]]) -> Any:
    """What a client gets from a server of its own."""

    async def main() -> Any:
        command = mcp.StdioServerParameters(
            command=sys.executable, args=["-m", "holdsfor", "mcp"], env=dict(os.environ)
        )
        async with mcp.Client(command) as client:
            return await work(client)

    return asyncio.run(asyncio.wait_for(main(), 120))


def test_a_client_writes_rules() -> None:
    async def work(client: Any) -> dict[str, Any]:
        async def call(name: str, **arguments: Any) -> Any:
            found = await client.call_tool(name, arguments)
            assert not found.is_error, found
            return found.structured_content

        listed = await client.list_tools()
        wrong = await client.call_tool("run_rules", {"rules": "initiatedAt(a=true, T) :- b(X", "events": ""})
        edited = RULES.replace("comes(P)", "enters(P)")
        return {
            "names": [tool.name for tool in listed.tools],
            "described": all(tool.description for tool in listed.tools),
            "topics": await call("language_reference"),
            "topic": await call("language_reference", topic="derived events"),
            "check": await call("check_rules", rules=RULES),
            "typo": await call(
                "check_rules", rules=RULES.replace("happensAt(goes(P), T), holds", "hapensAt(goes(P), T), holds")
            ),
            "fmt": await call("format_rules", rules="a:-b,c."),
            "run": await call("run_rules", rules=RULES, events=EVENTS),
            "right": await call(
                "test_rules", rules=RULES, events=EVENTS, expected="inRoom(ann)=true [11,21)\ninRoom(bob) [31,inf)"
            ),
            "wrong": await call("test_rules", rules=RULES, events=EVENTS, expected="visit(ann) at 21"),
            "why": await call("explain_holds", rules=RULES, events=EVENTS, question="inRoom(ann)=true", at="15"),
            "why_not": await call("explain_why_not", rules=RULES, events=EVENTS, question="inRoom(ann)=true", at="25"),
            "diff": await call("diff_rules", old=RULES, new=edited, events=EVENTS + "\n12 enters(ann)"),
            "backtest": await call("backtest_rules", rules=RULES, events=EVENTS, labels="inRoom(ann)=true [11,26)"),
            "error": (wrong.is_error, wrong.content[0].text),
        }

    found = asked(work)
    assert found["names"] == [
        "language_reference",
        "check_rules",
        "format_rules",
        "run_rules",
        "test_rules",
        "explain_holds",
        "explain_why_not",
        "diff_rules",
        "backtest_rules",
    ]
    assert found["described"]
    assert "Simple fluents" in found["topics"]["topics"]
    assert found["topic"]["text"].startswith("## Derived events")
    assert found["check"]["ok"]
    assert found["check"]["inputs"] == ["comes/1", "goes/1"]
    assert "hapensAt" in found["typo"]["findings"][0]["text"]
    assert found["fmt"]["rules"] == "a :-\n    b,\n    c.\n"
    assert {one["what"]: one["times"] for one in found["run"]["found"]} == {
        "inRoom(ann)=true": ["[11,21)"],
        "inRoom(bob)=true": ["[31,inf)"],
        "visit(ann)": ["20"],
    }
    assert found["right"] == {"passed": True, "differences": []}
    assert found["wrong"]["differences"] == [{"what": "visit(ann)", "expected": ["21"], "found": ["20"]}]
    assert "comes(ann)" in found["why"]["text"]
    assert "goes(ann)" in found["why_not"]["text"]
    assert "inRoom" in found["diff"]["text"]
    assert "precision" in found["backtest"]["text"]
    is_error, text = found["error"]
    assert is_error
    assert "rules.prolog:1" in text


def test_no_file_is_read() -> None:
    with pytest.raises(HoldsforError, match="cannot load a file"):
        tools.run(":- consult('other.prolog').\n" + RULES, EVENTS)


def test_an_unknown_topic() -> None:
    with pytest.raises(HoldsforError, match="did you mean 'Conditions'"):
        tools.language("condtions")


def test_too_much_text() -> None:
    with pytest.raises(HoldsforError, match="a sample is enough"):
        tools.run(RULES, "10 comes(ann)\n" * 300_000)
