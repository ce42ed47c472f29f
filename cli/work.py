"""`sottovoce work`."""

from __future__ import annotations

import click

from sottovoce.cli.columns import print_table
from sottovoce.cli.output import say
from sottovoce.cli.place import Place, game_argument, json_option, load_game, print_json
from sottovoce.domain.errors import SottovoceError
from sottovoce.domain.safe_text import one_line
from sottovoce.server.workplaces import site_of, workspaces


@click.command()
@game_argument
@click.option(
    "--tidy", is_flag=True, help="Remove work folders that are clean and merged, or whose task was abandoned."
)
@json_option
@click.pass_obj
def work(place: Place, game: str, tidy: bool, as_json: bool) -> None:
    """Show the work folders of a game's tasks: branch, head, uncommitted files, checks, and what is merged.

    --tidy removes those that nobody needs. Branches and commits stay.

    \b
    Example:  sottovoce work latest --tidy
    """
    with place.games() as games:
        live = load_game(games.log, game)
    found = workspaces(live)
    if found is None:
        raise SottovoceError(f"Game {live.id} does not work in a folder, so there are no work folders.")
    site = site_of(live)
    if tidy:
        lines = found.tidy(site, live.state)
        for line in lines:
            print_json({"tidied": line}) if as_json else say(one_line(line))
        return
    header, rows = found.survey(site, live.state)
    if as_json:
        for row in rows:
            print_json(dict(zip(header, row, strict=True)))
    elif rows:
        print_table(header, rows)
    else:
        say("No task has a work folder yet.")
