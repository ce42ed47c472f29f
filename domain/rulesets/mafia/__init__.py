"""Mafia: hidden roles, sealed ballots, an omniscient narrator."""

from __future__ import annotations

from importlib.resources import files

from domain.ruleset import Ruleset
from domain.rulesets.mafia import commands, decide, digest, facts, prompts, words
from domain.rulesets.mafia.audience import MAFIA_AUDIENCE
from domain.rulesets.mafia.events import MAFIA_EVENTS
from domain.rulesets.mafia.state import MAFIA_EVOLVE, MafiaOptions, MafiaState


def phase(state: MafiaState) -> str:
    """Where the game stands, from public events alone."""
    return f"{state.phase} {state.number}" if state.number and state.phase != "over" else state.phase


MAFIA: Ruleset[MafiaState] = Ruleset(
    name="mafia",
    options=MafiaOptions,
    events=MAFIA_EVENTS,
    initial=MafiaState(),
    evolvers=MAFIA_EVOLVE,
    audiences=MAFIA_AUDIENCE,
    seats_for=decide.seats_for,
    open=decide.open_game,
    read=commands.read,
    apply=decide.apply,
    fallback=decide.fallback,
    advance=decide.advance,
    wakes_at=decide.wakes_at,
    request=prompts.request,
    tell=words.tell,
    facts=facts.facts,
    mentions=facts.mentions,
    phase=phase,
    standing=digest.standing,
    digest=digest.digest,
    rulebook=files(__package__).joinpath("rulebook.md").read_text(encoding="utf-8"),
    wording=commands.wording,
    players=8,
)
