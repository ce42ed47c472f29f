"""`sottovoce open`."""

from __future__ import annotations

from typing import Any

import click

from sottovoce.cli.numbers import WholeNumber
from sottovoce.cli.output import say
from sottovoce.cli.place import Place, json_option, print_json
from sottovoce.cli.remote import hosting
from sottovoce.cli.seats import rule_option, seat_option
from sottovoce.cli.setup_options import chosen_setup
from sottovoce.cli.view_options import LookingCommand
from sottovoce.domain.safe_text import one_line
from sottovoce.server.seating import MOST_PLAYERS


@click.command(cls=LookingCommand)
@click.argument("ruleset", metavar="RULESET")
@click.option("--players", metavar="N", type=WholeNumber(1, MOST_PLAYERS), help="Number of players.")
@click.option("--names", metavar="A,B,…", help="Player names in seating order, separated by commas.")
@click.option("--agents", metavar="AGENT", default="house", show_default=True, help="Agent for all other seats.")
@seat_option
@click.option("--person", "people", metavar="NAME", multiple=True, help="Reserve a seat for a person with its link.")
@rule_option
@click.option("--seed", metavar="SEED", help="Number or text for reproducible games.")
@chosen_setup
@json_option
@click.pass_obj
def open_(
    place: Place,
    /,
    ruleset: str,
    players: int | None,
    names: str | None,
    agents: str,
    filled: dict[str, str],
    people: tuple[str, ...],
    rules: dict[str, Any],
    setup: dict[str, str],
    seed: str | None,
    as_json: bool,
) -> None:
    """Create a game on a server and print its links. Needs the host link.

    Links are shown only once. Anyone with a link can use it: `join` to play, `agent` to let an agent play, `watch` to
    watch. Each seat reserved for a person, or played by `outside`, gets its own link.

    \b
    Example:  sottovoce open mafia --server http://127.0.0.1:8642/#svh_TOKEN --person Ada
    """
    wanted: dict[str, Any] = {
        "ruleset": ruleset,
        "players": players,
        "names": None if names is None else [name.strip() for name in names.split(",")],
        "agent": agents,
        "agents": {**filled, **dict.fromkeys(people, "outside")},
        "options": rules,
        "seed": seed,
        "setup": setup,
    }
    with hosting(place) as used:
        opened = used.call(used.api.open({name: value for name, value in wanted.items() if value is not None}))
    if as_json:
        print_json(opened)
        return
    links = opened["links"]
    lines = [*links["seats"].items(), ("spectator", links["spectator"]), ("keeper", links["keeper"])]
    width = max(len(one_line(name)) for name, _ in lines)
    say(f"Game {opened['game']} is created. Copy these links now, they are shown only once:")
    for name, link in lines:
        say(f"  {one_line(name):<{width}}  {link}")
    if links["seats"]:
        say("To join: " + Place(None).command("join", "LINK"))
    for caution in opened["cautions"]:
        say(one_line(caution), err=True)
