"""`sottovoce open`."""

from __future__ import annotations

from typing import Any

import click

from sottovoce.cli.far import hosting
from sottovoce.cli.look import LookingCommand
from sottovoce.cli.numbers import Whole
from sottovoce.cli.output import say
from sottovoce.cli.place import Place, json_option, print_json
from sottovoce.cli.seats import rule_option, seat_option
from sottovoce.domain.visible import one_line
from sottovoce.server.lineup import MOST_PLAYERS


@click.command(cls=LookingCommand)
@click.argument("ruleset", metavar="RULESET")
@click.option("--players", metavar="N", type=Whole(1, MOST_PLAYERS), help="How many players.")
@click.option("--names", metavar="A,B,…", help="The players' names, in seating order.")
@click.option("--agents", metavar="AGENT", default="house", show_default=True, help="What fills the other seats.")
@seat_option
@click.option("--person", "people", metavar="NAME", multiple=True, help="Keep a seat for whoever gets its link.")
@rule_option
@click.option("--seed", metavar="SEED", help="A number or text to draw everything from.")
@click.option("--campaign", metavar="NAME", help="The campaign, of those that the server offers.")
@click.option("--folder", metavar="NAME", help="The folder to work in, of those that the server offers.")
@click.option("--task", metavar="SLUG", help="The task, for work in a folder.")
@click.option("--character", metavar="NAME", help="The character that a person is to play in a campaign.")
@click.option("--edition", metavar="E", help="The edition of the protocol, for a campaign.")
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
    as_json: bool,
    **others: str | None,
) -> None:
    """Open a game on a server, with a host's link, and get the links to its seats.

    Each link is shown here and never again. Whoever has it may do what it opens: sit down with `join`, hold the seat
    with `agent`, look on with `watch`. A seat kept for a person, or filled by `outside`, has a link of its own.

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
        **others,
    }
    with hosting(place) as used:
        opened = used.call(used.api.open({name: value for name, value in wanted.items() if value is not None}))
    if as_json:
        print_json(opened)
        return
    links = opened["links"]
    lines = [*links["seats"].items(), ("to look on", links["spectator"]), ("to keep it", links["keeper"])]
    width = max(len(one_line(name)) for name, _ in lines)
    say(f"Game {opened['game']} is open. These links are shown only now:")
    for name, link in lines:
        say(f"  {one_line(name):<{width}}  {link}")
    if links["seats"]:
        say("Sit down with: " + Place(None).command("join", "LINK"))
    for caution in opened["cautions"]:
        say(one_line(caution), err=True)
