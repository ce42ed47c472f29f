"""A tabletop session at the terminal: it is played out of a campaign's folder."""

from __future__ import annotations

from functools import partial
from pkgutil import resolve_name
from typing import TYPE_CHECKING

from sottovoce import CliExtras, Starter

if TYPE_CHECKING:
    import click


def _in(name: str) -> partial[click.Command]:
    return partial(resolve_name, f"sottovoce.rulesets.tabletop.terminal.new:{name}")


EXTRAS = CliExtras(
    about="A session of a campaign: a GM, a narrator, a party.",
    many="Run many sessions of a campaign.",
    play=partial(resolve_name, "sottovoce.rulesets.tabletop.terminal.play:play_tabletop"),
    run=partial(resolve_name, "sottovoce.rulesets.tabletop.terminal.play:run_tabletop"),
    aside=partial(resolve_name, "sottovoce.rulesets.tabletop.terminal.aside:ASIDE"),
    watched="narrator",
    new={
        "campaign": Starter("A small campaign folder to change.", _in("new_campaign")),
        "character": Starter("A character's sheet.", _in("new_character")),
        "map": Starter("What is what in a folder of yours.", _in("new_map")),
    },
)
