"""What commands of a ruleset's own end with: games of what was laid for them, such as what lies in a folder."""

from __future__ import annotations

from dataclasses import replace
from typing import NoReturn

from sottovoce.cli.many import Run, play_plans
from sottovoce.cli.place import Place
from sottovoce.cli.seats import Seating
from sottovoce.cli.session import PlayOptions, play_plan
from sottovoce.domain.draws import Seed
from sottovoce.domain.rulesets import RULESETS
from sottovoce.server.extras import Laid
from sottovoce.server.plan import Plan


def play_laid(place: Place, ruleset: str, laid: Laid, seating: Seating, play: PlayOptions) -> NoReturn:
    """Open a game of what was laid, play it at this terminal and leave with the exit code.

    What is wrong with seats, agents or options is said in one line before a game is opened. Rules that the person gave
    stand above the options laid.
    """
    play_plan(place, _plan(ruleset, laid, seating, play.seed), play, laid.folder)


def run_laid(place: Place, ruleset: str, laid: Laid, seating: Seating, run: Run) -> None:
    """Play many games of what was laid, without people, and print what they came to. None works in the folder."""
    plan = _plan(ruleset, laid, seating, run.seed)
    play_plans(place, [replace(plan, seed=seed) for seed in run.seeds()], run)


def _plan(ruleset: str, laid: Laid, seating: Seating, seed: Seed) -> Plan:
    seats = RULESETS[ruleset].seats_for(laid.players)
    return Plan(ruleset, seats, seating.table(seats), seed, {**laid.options, **seating.rules}, laid.files)
