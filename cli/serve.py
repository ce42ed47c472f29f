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
@click.option("--host", metavar="HOST", help="The address or name to listen on; 127.0.0.1 unless given.")
@click.option("--port", metavar="PORT", type=int, help="The port; 8642 unless given, 0 for any that is free.")
@click.option("--address", metavar="URL", help="How others reach the server, as links are to name it.")
@click.option(
    "--agents",
    metavar="AGENT",
    multiple=True,
    help=f"An agent that may be chosen from afar: {', '.join(AFAR)}, openai:MODEL=TOKENS. May be given often.",
)
@click.option("--campaign", "campaigns", metavar="NAME=DIR", multiple=True, help="A campaign that may be played.")
@click.option("--folder", "folders", metavar="NAME=DIR", multiple=True, help="A folder that work may be done in.")
@click.option(
    "--metrics",
    metavar="[HOST:]PORT",
    help="Show metrics for Prometheus at /metrics there; on this machine only unless you give a HOST.",
)
@click.option("--no-play", is_flag=True, help="Leave the agents to `worker` processes on the same log.")
@click.option("--quiet", is_flag=True, help="Do not print a line for each request.")
@click.option("--config", metavar="FILE", type=click.Path(path_type=Path), help="Settings as TOML; options go before.")
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
    """Serve the games over HTTP, until stopped.

    Prints the host's link, with which games are opened, once it answers. Ctrl-C or SIGTERM lets through what is being
    appended, tells streams to come back, and ends it. Any number may share a log on PostgreSQL.

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
            journal(note="The page in the browser is not built here; the interface is served. To build it: make page")
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
