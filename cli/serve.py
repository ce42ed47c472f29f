"""`sottovoce serve`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sottovoce.agents.kinds import AFAR
from sottovoce.cli.output import say
from sottovoce.cli.place import Place

if TYPE_CHECKING:
    from sottovoce.server.hall import Hall
    from sottovoce.server.http.journal import Journal
    from sottovoce.server.http.metrics import Metrics
    from sottovoce.server.http.settings import Settings


@click.command()
@click.option("--host", metavar="HOST", help="Address or host name to listen on.  [default: 127.0.0.1]")
@click.option("--port", metavar="PORT", type=int, help="Port; 0 picks a free one.  [default: 8642]")
@click.option("--address", metavar="URL", help="Public URL to use in links.")
@click.option(
    "--agents",
    metavar="AGENT",
    multiple=True,
    help=f"Agent that players on this server may choose: {', '.join(AFAR)}, openai:MODEL=TOKENS. Repeatable.",
)
@click.option("--campaign", "campaigns", metavar="NAME=DIR", multiple=True, help="Campaign folder to offer.")
@click.option("--folder", "folders", metavar="NAME=DIR", multiple=True, help="Work folder to offer.")
@click.option(
    "--metrics",
    metavar="[HOST:]PORT",
    help="Show Prometheus metrics at /metrics on this port. Only this computer can read them unless you give a HOST.",
)
@click.option("--no-play", is_flag=True, help="Don't play agents here; leave them to `worker`.")
@click.option("--quiet", is_flag=True, help="Don't print a line for each request.")
@click.option(
    "--config", metavar="FILE", type=click.Path(path_type=Path), help="TOML settings file; options override it."
)
@click.pass_obj
def serve(
    place: Place,
    /,
    campaigns: tuple[str, ...],
    folders: tuple[str, ...],
    no_play: bool,
    quiet: bool,
    config: Path | None,
    **flags: Any,
) -> None:
    """Start the web server.

    Prints the host link, which creates games, when the server is ready. Ctrl-C or SIGTERM finishes pending writes,
    tells clients to reconnect, and stops. On PostgreSQL, several servers can share a database.

    \b
    Example:  sottovoce serve --port 0 --agents house --agents outside
    """
    from sottovoce.server.http.settings import settings_from

    given = {
        **flags,
        "campaigns": _named("--campaign", campaigns),
        "folders": _named("--folder", folders),
        "plays": False if no_play else None,
        "log_requests": False if quiet else None,
    }
    settings = settings_from(config, given)
    try:
        code = _serve(place, settings)
    except KeyboardInterrupt:  # it was told to stop before it answered
        code = 0
    sys.exit(code)


def _named(option: str, given: tuple[str, ...]) -> dict[str, Path] | None:
    """`NAME=DIR` given several times; None if it was not given."""
    found: dict[str, Path] = {}
    for text in given:
        name, equals, path = text.partition("=")
        if not (name and equals and path):
            raise click.UsageError(f"{option} takes NAME=DIR, such as {option} alarm=campaigns/alarm; got {text!r}")
        found[name] = Path(path)
    return found or None


def _serve(place: Place, settings: Settings) -> int:
    """The exit code. The port is taken first, so that one in use is found at once and callers wait in line."""
    from sottovoce.server.http.journal import Journal
    from sottovoce.server.http.process import listen
    from sottovoce.server.http.process import serve as serve_app

    journal = Journal()
    listening, settings = listen(settings)
    with listening, place.games(create=True, report=lambda notice: journal(note=notice)) as games:
        from sottovoce.server.budget import AllowedAgents
        from sottovoce.server.hall import Hall
        from sottovoce.server.http.app import build
        from sottovoce.server.links import Kind, Links, digest_of, new_token

        token = None if settings.host_digest else new_token(Kind.HOST)
        digest = digest_of(token) if token else bytes.fromhex(settings.host_digest or "")
        links = Links(games, digest)
        hall = Hall(
            games,
            links,
            plays=settings.plays,
            allowed=AllowedAgents(settings.agents),
            report=lambda line: journal(note=line),
        )
        app = build(hall, links, settings)
        if app.state.office.bundle is None:
            journal(note="The web page is not built, so only the HTTP API is served. To build the page: make page")
        link = f"{settings.url}/" + (f"#{token}" if token else "")
        with _shown(settings, hall, app.state.metrics, journal):
            return serve_app(
                *(app, settings, hall, listening, app.state.metrics, journal),
                ready=lambda: say(link),
                afterwards=app.state.mcp.load,
            )


@contextmanager
def _shown(settings: Settings, hall: Hall, metrics: Metrics, journal: Journal) -> Iterator[None]:
    """Show the metrics to whoever runs the server, if they are to be shown, for the length of the block."""
    if settings.metrics is None:
        yield
        return
    from sottovoce.server.http.metrics_door import metrics_door

    with metrics_door(settings.metrics, hall.pulse, metrics) as taken:
        journal(note=f"Metrics: http://{taken}/metrics")
        yield
