"""The isolation kit: is what a seat gets a function of what it may see, and of nothing else?

A *pair* is a game's log and a twin that differs only in what one seat may not see. Whatever that seat gets from the two
must be the same to the byte, at every prefix.

    craft       what the kit must be told about a ruleset: setups, words, who may see what by the spec
    system      what is under test: ruleset, projection, prompts. A planted leak is another `System`.
    games       plays diverse games in memory
    variation   makes twins by changing the hidden part of a log
    hands       deals hands again behind a seat's back, with no plan needed
    redeal      makes twins by playing the game again with other hidden roles and choices
    observe     what a seat gets, and how two of them are compared
    served      plays a game and its twin through the real runner, and notes what an agent is handed
    matters     which kinds of facts came out otherwise in games that were played again
    suite       runs all of it and counts the pairs
    hearsay     who said what to whom, and whether they were entitled to know it
    cases       two logs that a seat must not be able to tell apart, cut where commands and servers are asked
    laid_out    what a folder tells: names, order, modes, times, contents
    surfaces    commands and screens run on two databases that hold a log and its twin
    rulesets    the crafts of the rulesets that ship

Everything follows from seeds: the same seed gives the same games, twins and findings.
"""

from __future__ import annotations

from sottovoce.isolation.craft import Craft as Craft
from sottovoce.isolation.craft import Manners as Manners
from sottovoce.isolation.craft import Plan as Plan
from sottovoce.isolation.craft import Played as Played
from sottovoce.isolation.hands import dealt_as as dealt_as
from sottovoce.isolation.observe import Finding as Finding
from sottovoce.isolation.redeal import drawn_anew as drawn_anew
from sottovoce.isolation.suite import NoPlan as NoPlan
from sottovoce.isolation.suite import run as run
from sottovoce.isolation.system import System as System
