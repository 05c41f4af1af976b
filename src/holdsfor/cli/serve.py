"""`serve`: the workbench."""

from __future__ import annotations

import socket
import webbrowser
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from holdsfor.cli.common import BACKGROUND, friendly_errors
from holdsfor.diagnostics import HoldsforError


def serve(
    rules: Annotated[
        list[Path], typer.Argument(help="Rule files; without any, the page begins with examples.", metavar="[RULES…]")
    ] = [],  # noqa: B006
    events: Annotated[list[Path], typer.Option(help="Events (.dmtl: facts) to try the rules on.")] = [],  # noqa: B006
    background: Annotated[list[Path], typer.Option(help=BACKGROUND)] = [],  # noqa: B006
    mapping: Annotated[Path | None, typer.Option(help="TOML file: which columns of a table are which event.")] = None,
    unit: Annotated[
        str | None,
        typer.Option(help="Time unit: ns, us, ms, s, min, h or d. Without it, dates are counted in seconds."),
    ] = None,
    tracks: Annotated[
        Path | None, typer.Option(help="For the map: a table with columns entity, time, lon, lat.", metavar="FILE")
    ] = None,
    areas: Annotated[Path | None, typer.Option(help="For the map: areas as GeoJSON.", metavar="FILE")] = None,
    sample: Annotated[
        int, typer.Option(min=0, help="Number of rows to use of each event file; 0 for all.", metavar="ROWS")
    ] = 200_000,
    attach: Annotated[
        Path | None, typer.Option(help="Monitor a running stream: the folder of its --sink.", metavar="FOLDER")
    ] = None,
    reports: Annotated[
        Path | None, typer.Option(help="With --attach: the file of its --reports.", metavar="FILE")
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port on this machine; 0 for any free port.")] = 8765,
    browser: Annotated[bool, typer.Option(help="Open the page in a browser.")] = True,
) -> None:
    """Open the workbench: edit rules, run them over a sample, see timelines and explanations, watch a stream."""
    with friendly_errors():
        try:
            import uvicorn

            from holdsfor.workbench.app import make_app
            from holdsfor.workbench.guard import new_token
        except ImportError:
            raise HoldsforError("the page needs FastAPI: pip install 'holdsfor[serve]'") from None
        from holdsfor.workbench.desk import Desk, Setting
        from holdsfor.workbench.live import Follower
        from holdsfor.workbench.watching import Watch

        if reports is not None and attach is None:
            raise HoldsforError("--reports belongs to a stream: say which with --attach")
        if events and not rules:
            raise HoldsforError("--events belongs to rules: name a rule file, such as holdsfor serve rules.prolog")
        setting = Setting(tuple(rules), tuple(events), tuple(background), mapping, unit, tracks, areas, sample)
        desk = Desk(setting) if rules else None
        watch = None if attach is None else Watch(Follower(attach, reports))
        token = new_token()
        with _listening(port) as listening:
            # The token follows #, so that it is neither sent nor logged; `localhost` could be ::1 of another user's server.
            address = f"http://127.0.0.1:{listening.getsockname()[1]}/#{token}"
            typer.echo(f"holdsfor is at {address}\nCtrl-C ends it.")
            if browser:
                webbrowser.open(address)
            made = make_app(desk, token, watch)
            server = uvicorn.Server(
                uvicorn.Config(made, log_level="warning", access_log=False, timeout_graceful_shutdown=3)
            )
            if watch is not None:
                watch.is_over = lambda: server.should_exit
            # Ctrl-C is how it ends; nothing is interrupted by it.
            with suppress(KeyboardInterrupt):
                server.run(sockets=[listening])


def _listening(port: int) -> socket.socket:
    """A socket of the loopback interface."""
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind(("127.0.0.1", port))
        made.listen()
    except OSError as problem:
        made.close()
        raise HoldsforError(f"port {port} is in use ({problem.strerror}); choose another with --port") from problem
    return made
