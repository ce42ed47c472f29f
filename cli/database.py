"""`sottovoce db`."""

from __future__ import annotations

import click

from sottovoce.cli.output import say
from sottovoce.cli.place import FindingsReported, Place, UnknownName, find_game
from sottovoce.domain.reading import readable
from sottovoce.domain.safe_text import one_line
from sottovoce.eventlog import EventLog


@click.group("db")
def database() -> None:
    """Check, upgrade or rebuild the database.

    \b
    Example:  sottovoce db check
    """


@database.command()
@click.option("--app-role", metavar="ROLE", help="PostgreSQL role for the server; it can't change events.")
@click.pass_obj
def upgrade(place: Place, app_role: str | None) -> None:
    """Upgrade the schema; create the database if needed.

    \b
    Example:  sottovoce db upgrade
              sottovoce --db postgresql://owner@host/games db upgrade --app-role app
    """
    from sottovoce.eventlog import upgrade as upgrade_log

    for notice in upgrade_log(place.url, app_role):
        say(f"sottovoce: {notice}", err=True)
    say("The schema is up to date." if app_role is None else f"The schema is up to date, for {app_role} to use.")


@database.command()
@click.pass_obj
def check(place: Place) -> None:
    """Check the schema, settings, guards and read models.

    Compares heads, links, open turns, leases, the list of games and the rows of batches with the events and receipts.
    To check events and receipts themselves, run: sottovoce audit verify

    \b
    Example:  sottovoce db check
    """
    from sottovoce.eventlog import check as check_log
    from sottovoce.eventlog.errors import LogError
    from sottovoce.server.batch_rows import findings as batch_findings
    from sottovoce.server.games import now
    from sottovoce.server.summaries import findings as summary_findings

    findings = check_log(place.url, now())
    try:
        with place.log() as log:
            findings += [*summary_findings(log), *batch_findings(log)]
    except LogError as error:  # which has a reason that was found before
        if not findings:
            raise
        findings.append(str(error))
    for finding in findings:
        say(one_line(finding))
    if findings:
        raise FindingsReported(f"{_times(len(findings), 'finding')}.")
    say("No problems found.")


@database.command()
@click.option(
    "--head",
    "heads",
    metavar="GAME",
    multiple=True,
    help="Also recompute the head of GAME from its events and receipts. Repeatable.",
)
@click.pass_obj
def rebuild(place: Place, heads: tuple[str, ...]) -> None:
    """Rebuild links, open turns, batches and the game list.

    Games can continue during a rebuild. Heads stay as they are, because a head shows whether events are missing. Find
    out what happened before you use --head. Afterwards, only a head that you saved elsewhere can show it.

    \b
    Example:  sottovoce db rebuild
    """
    from sottovoce.server.batch_rows import rebuild as rebuild_batches
    from sottovoce.server.summaries import rebuild as rebuild_summaries

    with place.games() as games:
        for name in heads:
            game = _with_events(games.log, name)
            games.log.rebuild_head(game)
            head = games.log.head(game)
            say(f"The head of game {game} is now {head}. Compare it with a head that you saved elsewhere.")
        mended = games.log.rebuild(games.clock())
        rows = rebuild_batches(games.log)
        count = rebuild_summaries(games.log)
    for number, what in (
        (mended.links, "Rebuilt the links of {}."),
        (mended.turns, "Rebuilt the open turns of {}."),
    ):
        if number:
            say(what.format(_times(number, "game")))
    if rows:
        say(f"Rebuilt {_times(rows, 'row')} of batches.")
    say(f"Rebuilt the list of {_times(count, 'game')}.")


def _with_events(log: EventLog, name: str) -> str:
    """The game of that name, or of that very id if its head is lost."""
    try:
        return find_game(log, name)
    except UnknownName:
        name = readable(name)
        if not log.read(name, 0, 1):
            raise
        return name


def _times(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
