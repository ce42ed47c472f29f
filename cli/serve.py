"""`sottovoce serve`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

import click

from sottovoce.agents.kinds import AFAR
from sottovoce.cli.limits import limits_of_each_game
from sottovoce.cli.output import say
from sottovoce.cli.place import Place
from sottovoce.cli.setup_options import offered_places

if TYPE_CHECKING:
    from sottovoce.server.http.access_log import AccessLog
    from sottovoce.server.http.metrics import Metrics
    from sottovoce.server.http.settings import Settings
    from sottovoce.server.live_games import LiveGames


@click.command()
@click.option("--host", metavar="HOST", help="Address or host name to listen on.  [default: 127.0.0.1]")
@click.option("--port", metavar="PORT", type=int, help="Port; 0 picks a free one.  [default: 8642]")
@click.option("--address", metavar="URL", help="Public URL to use in links.")
@click.option(
    "--agents",
    metavar="AGENT",
    multiple=True,
    help=f"Agent that players on this server may choose: {', '.join(AFAR)}, "
    "openai:MODEL=TOKENS, model:NAME=TOKENS. Repeatable.",
)
@offered_places
@click.option(
    "--library",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Folder: offer every campaign and work folder in it.",
)
@click.option("--no-samples", is_flag=True, help="Don't offer the sample campaign and work folder.")
@click.option(
    "--metrics",
    metavar="[HOST:]PORT",
    help="Show Prometheus metrics at /metrics on this port. Only this computer can read them unless you give a HOST.",
)
@limits_of_each_game
@click.option("--no-play", is_flag=True, help="Don't play agents here; leave them to `worker`.")
@click.option("--verbose", is_flag=True, help="Print a line for each request.")
@click.option("--quiet", is_flag=True, help="Print only the host link.")
@click.option(
    "--config", metavar="FILE", type=click.Path(path_type=Path), help="TOML settings file; options override it."
)
@click.pass_obj
def serve(
    place: Place,
    /,
    places: dict[str, dict[str, Path]],
    no_play: bool,
    no_samples: bool,
    verbose: bool,
    quiet: bool,
    config: Path | None,
    **flags: Any,
) -> None:
    """Start the web server.

    When the server is ready, the last line it prints is the host link. Open it in a browser to play. Press Enter to see
    it again. Ctrl-C or SIGTERM finishes pending writes, tells clients to reconnect, and stops. On PostgreSQL, several
    servers can share a database.

    \b
    Example:  sottovoce serve --port 0 --agents house --agents outside
    """
    from sottovoce.server.http.settings import settings_from
    from sottovoce.server.samples import merged, sample_places

    given = {
        **flags,
        "places": places,
        "plays": False if no_play else None,
        "log_requests": True if verbose else None,
    }
    settings = settings_from(config, given)
    if not no_samples:
        settings = settings.model_copy(update={"places": merged(sample_places(), settings.places)})
    try:
        code = _serve(place, settings, quiet)
    except KeyboardInterrupt:  # it was told to stop before it answered
        code = 0
    sys.exit(code)


def _serve(place: Place, settings: Settings, quiet: bool) -> int:
    """The exit code. The port is taken first, so that one in use is found at once and callers wait in line."""
    from sottovoce.server.http.access_log import AccessLog
    from sottovoce.server.http.process import listen
    from sottovoce.server.http.process import serve as serve_app

    access_log = AccessLog()
    listening, settings = listen(settings)
    with listening, place.games(create=True, report=lambda notice: access_log(note=notice)) as games:
        from sottovoce.server.budget import AllowedAgents
        from sottovoce.server.http.app import build
        from sottovoce.server.links import LinkKind, Links, digest_of, new_token
        from sottovoce.server.live_games import LiveGames

        token = None if settings.host_digest else new_token(LinkKind.HOST)
        digest = digest_of(token) if token else bytes.fromhex(settings.host_digest or "")
        links = Links(games, digest)
        live_games = LiveGames(
            games,
            links,
            plays=settings.plays,
            allowed=AllowedAgents(settings.agents),
            report=lambda line: access_log(note=line),
        )
        app = build(live_games, links, settings)
        if app.state.services.bundle is None:
            access_log(note="The web page is not built, so only the HTTP API is served. To build the page: make page")
        link = f"{settings.url}/" + (f"#{token}" if token else "")
        with _shown(settings, live_games, app.state.metrics, access_log):
            return serve_app(
                *(app, settings, live_games, listening, app.state.metrics, access_log),
                ready=lambda: _ready(settings, link, quiet),
                afterwards=app.state.mcp.load,
            )


def _ready(settings: Settings, link: str, quiet: bool) -> None:
    """Print what is offered and, last, the host link; and again whenever somebody presses Enter.

    Only a person at a terminal is told more than the link: programs read objects from stderr.
    """
    if not quiet and sys.stderr.isatty():
        for kind, named in sorted(settings.places.items()):
            say(f"{kind.capitalize()}: {', '.join(named)}", err=True)
        again = " Press Enter to see the link again." if sys.stdin.isatty() else ""
        say(f"The server is ready. Open this link in your browser to play.{again} Ctrl-C stops it.", err=True)
    say(link)
    if not quiet and sys.stdin.isatty():
        Thread(target=_repeat, args=(link,), name="link", daemon=True).start()


def _repeat(link: str) -> None:
    with suppress(OSError, ValueError):
        for _ in sys.stdin:
            say(link)


@contextmanager
def _shown(settings: Settings, live_games: LiveGames, metrics: Metrics, access_log: AccessLog) -> Iterator[None]:
    """Show the metrics, if the settings say so, for the length of the block."""
    if settings.metrics is None:
        yield
        return
    from sottovoce.server.http.metrics_endpoint import metrics_endpoint

    with metrics_endpoint(settings.metrics, live_games.pulse, metrics) as taken:
        access_log(note=f"Metrics: http://{taken}/metrics")
        yield
