"""Rules and conditions know the Python expression they were written as."""

from __future__ import annotations

import linecache
from pathlib import Path

from holdsfor import from_program
from holdsfor.diagnostics import NOWHERE, Diagnostic, Severity
from holdsfor.frontend.builder import Rules, event, fact, fluent, var
from holdsfor.ir import EffectRule, Not

X = var("X")
lamp, press, ok = fluent("lamp"), event("press"), fact("ok")


def build() -> Rules:
    rules = Rules()
    rules.initiate(lamp(X) == "on").when(
        press(X),
        ~(lamp(X) == "brökèn"), ok(X),
    )  # fmt: skip
    rules.fact(ok("kitchen"))
    return rules


def test_spans() -> None:
    rule, known = build().program().rules
    assert isinstance(rule, EffectRule)
    assert rule.span.source.name == __file__
    assert rule.span.text.startswith('rules.initiate(lamp(X) == "on").when(')
    assert rule.span.text.endswith("ok(X),\n    )")
    assert rule.fvp.span.text == rule.fvp.value.span.text == 'lamp(X) == "on"'
    happens, broken, is_ok = rule.body
    assert happens.span.text == "press(X)"
    assert isinstance(broken, Not) and broken.span.text == '~(lamp(X) == "brökèn")'
    assert is_ok.span.text == "ok(X)"
    assert known.span.text == 'rules.fact(ok("kitchen"))'


def test_diagnostics_show_the_python_line() -> None:
    rule = build().program().rules[0]
    shown = Diagnostic("HF999", Severity.WARNING, "look", rule.body[0].span).render()
    line = rule.body[0].span.line
    assert shown.splitlines()[0] == f"{__file__}:{line}:9: warning[HF999]: look"
    assert shown.splitlines()[1].endswith("|         press(X),")
    assert shown.splitlines()[2].endswith("|         ^^^^^^^^")


def test_the_compiler_points_at_python() -> None:
    rules, unbound = Rules(), var("Unbound")
    rules.initiate(lamp(X)).when(press(X), unbound < X)
    found = [item for item in from_program(rules.program()).diagnostics if item.severity is Severity.ERROR]
    assert [item.span.text for item in found] == ["unbound < X"]


def test_code_without_text_is_nowhere() -> None:
    names = {"rules": Rules(), "ok": ok}
    exec(compile("rules.fact(ok(1))", "<nothing to read>", "exec"), names)
    assert names["rules"].program().rules[0].span == NOWHERE


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "lamps.py"
    for text in ("rules.fact(ok(1))", "\n\nrules.fact(ok(2), ok(3))"):
        path.write_text(text)
        linecache.checkcache(str(path))
        names = {"rules": Rules(), "ok": ok}
        exec(compile(text, str(path), "exec"), names)
        assert names["rules"].program().rules[0].span.text == text.strip()
