"""The isolation kit tests that what a seat gets depends only on what it can see.

A *pair* is a game's log and a twin that differs only in what one seat must not see. What that seat gets from the two
must be the same to the byte, at every prefix.

    craft       what the kit must know about a ruleset: setups, words, who can see what by the spec
    system      the system under test: ruleset, projection, prompts. A planted leak is another `System`.
    games       plays diverse games in memory
    variation   makes twins by changing the hidden part of a log
    hands       deals hidden cards again, without a plan
    redeal      makes twins by replaying the game with other hidden roles and choices
    observe     what a seat gets, and how to compare two of them
    served      plays a game and its twin through the real runner, and records what an agent gets
    matters     which kinds of facts differed in replayed games
    suite       runs all of it and counts the pairs
    read_aloud     who said what to whom, and whether they could know it
    cases       two logs that a seat must not be able to tell apart, cut at a moment to test
    folder_listing  what a folder shows: names, order, modes, times, contents
    surfaces    commands and screens on two databases with a log and its twin
    rulesets    the crafts of the included rulesets

Everything follows from seeds: the same seed gives the same games, twins and findings.
"""

from __future__ import annotations

from sottovoce.isolation.craft import Craft as Craft
from sottovoce.isolation.craft import Manners as Manners
from sottovoce.isolation.craft import Plan as Plan
from sottovoce.isolation.craft import Played as Played
from sottovoce.isolation.hands import dealt_as as dealt_as
from sottovoce.isolation.observe import Difference as Difference
from sottovoce.isolation.redeal import drawn_anew as drawn_anew
from sottovoce.isolation.suite import NoPlan as NoPlan
from sottovoce.isolation.suite import run as run
from sottovoce.isolation.system import System as System
