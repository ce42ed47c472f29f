"""`sottovoce db`."""

from __future__ import annotations

import click

from cli.output import say
from cli.place import Finding, Place


@click.group("db")
def database() -> None:
    """Look after the database.

    \b
    Example:  sottovoce db check
    """


@database.command()
@click.option(
    "--app-role", metavar="ROLE", help="PostgreSQL: the role that plays, which gets no right to change events."
)
@click.pass_obj
def upgrade(place: Place, app_role: str | None) -> None:
    """Bring the schema up to date, making the database if there is none.

    \b
    Example:  sottovoce db upgrade
              sottovoce --db postgresql://owner@host/games db upgrade --app-role app
    """
    from eventlog import upgrade as upgrade_log

    for notice in upgrade_log(place.url, app_role):
        say(f"sottovoce: {notice}", err=True)
    say("The schema is up to date." if app_role is None else f"The schema is up to date, for {app_role} to use.")


@database.command()
@click.pass_obj
def check(place: Place) -> None:
    """Look for what is wrong with the database's schema, settings, guards and read models.

    \b
    Example:  sottovoce db check
    """
    from eventlog import check as check_log
    from server.summaries import findings as summary_findings

    findings = check_log(place.url)
    if not findings:
        with place.log() as log:
            findings = summary_findings(log)
    for finding in findings:
        say(finding)
    if findings:
        raise Finding(f"{len(findings)} finding{'s' if len(findings) > 1 else ''}.")
    say("Nothing is wrong.")


@database.command()
@click.pass_obj
def rebuild(place: Place) -> None:
    """Build the read models anew from the log: the list of games, and the links where they are not what was written.

    \b
    Example:  sottovoce db rebuild
    """
    from server.summaries import rebuild as rebuild_summaries

    with place.games() as games:
        mended = games.log.mend_links()
        count = rebuild_summaries(games.log)
    if mended:
        say(f"The links of {mended} game{'s' if mended != 1 else ''} are again what the receipts say.")
    say(f"{count} game{'s' if count != 1 else ''} summarised anew.")
