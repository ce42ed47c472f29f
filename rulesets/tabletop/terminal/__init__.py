"""A tabletop session at the terminal: it is played out of a campaign's folder."""

from __future__ import annotations

from functools import partial
from pkgutil import resolve_name

from sottovoce import CliExtras

EXTRAS = CliExtras(
    about="A session of a campaign: a GM, a narrator, a party.",
    many="Run many sessions of a campaign.",
    play=partial(resolve_name, "sottovoce.rulesets.tabletop.terminal.play:play_tabletop"),
    run=partial(resolve_name, "sottovoce.rulesets.tabletop.terminal.play:run_tabletop"),
    aside=partial(resolve_name, "sottovoce.rulesets.tabletop.terminal.aside:ASIDE"),
    watched="narrator",
)
