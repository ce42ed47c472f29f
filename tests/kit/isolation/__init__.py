"""The isolation kit: is what a seat gets a function of what it may see, and of nothing else?

A *pair* is a game's log and a twin that differs only in what one seat may not see. Whatever that seat gets from the two
must be the same to the byte, at every prefix.

    system      what is under test: ruleset, projection, prompts. A planted leak is another `System`.
    games       plays diverse games in memory
    variation   makes twins by changing the hidden part of a log
    redeal      makes twins by playing the game again with other hidden roles and choices
    observe     what a seat gets, and how two of them are compared
    served      plays a game and its twin through the real runner, and notes what an agent is handed
    suite       runs all of it and counts the pairs
    leaks       the planted leaks, each of which the suite must find
    planted     looks for them, and prints how long each took
    hearsay     who said what to whom, and whether they were entitled to know it
    canaries    hidden facts in many wordings, for the check on narrations
    laid_out    what a folder tells: names, order, modes, times, contents
    surfaces    commands and screens run on two databases that hold a log and its twin
    mafia       what the kit must know of Mafia: setups, words, who may see what by the spec
    mafia_deals how Mafia is dealt again behind a seat's back
    delegation  what the kit must know of delegation, and how its work goes on otherwise behind a seat's back
    tabletop    the same of the tabletop, with its files, words and talk, who may see what by the spec, and how a
                session is played again with other hidden words (`tabletop_again`) and deeds (`tabletop_deeds`)

Everything follows from seeds: the same seed gives the same games, twins and findings.
"""

from __future__ import annotations

from typing import Any

from domain.ruleset import Ruleset
from domain.rulesets import RULESETS
from domain.rulesets.tabletop import TABLETOP

COVERED: dict[str, Ruleset[Any]] = {**RULESETS, TABLETOP.name: TABLETOP}
"""The rulesets whose isolation is tested: all that are registered, and the tabletop from before it is."""


def crafts() -> dict[str, Any]:
    """What the kit knows of each ruleset, by its name."""
    from isolation.delegation import DELEGATION_CRAFT
    from isolation.mafia import MAFIA_CRAFT
    from isolation.tabletop import TABLETOP_CRAFT

    return {craft.name: craft for craft in (MAFIA_CRAFT, DELEGATION_CRAFT, TABLETOP_CRAFT)}
