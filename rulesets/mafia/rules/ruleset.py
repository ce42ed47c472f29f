"""Mafia as a ruleset: its parts, how a game opens, and what is told of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from importlib.resources import files
from typing import Any

from sottovoce import (
    Belief,
    Chair,
    Claim,
    Event,
    Fact,
    Game,
    GameOpened,
    Piece,
    Players,
    ReplyAccepted,
    Ruleset,
    Turn,
    named,
    opening,
    plain,
)
from sottovoce.domain.words import seated
from sottovoce.rulesets.mafia.rules import digest, events, phases
from sottovoce.rulesets.mafia.rules.options import EVEN_NIGHTS, MafiaOptions, role_counts
from sottovoce.rulesets.mafia.rules.roles import NARRATOR, ROLES, TOWN_HALL
from sottovoce.rulesets.mafia.rules.state import MafiaState
from sottovoce.rulesets.mafia.rules.turns import MAFIA_TURNS, PASS, Moderate, NarratorTurn

DEEDS: Mapping[str, re.Pattern[str]] = {
    "protected": re.compile(r"\b(?:protect|sav|guard|heal|shield)"),
    "investigated": re.compile(r"\b(?:investigat|examin)"),
    "targeted": re.compile(r"\b(?:kill|target|murder)"),
}
"""How a text may speak of a deed of the night."""


def opened(state: MafiaState, event: GameOpened) -> MafiaState:
    """The fold of the opening: an option that was not there when the game was opened stays as it was then."""
    players = tuple(seat for seat in event.seats if seat != NARRATOR)
    options = MafiaOptions.stated(event.options)
    return state.but(seats=event.seats, players=players, options=options)


class Guilt(Belief):
    """How likely each living player is to be Mafia, as you see it."""


class Mafia(Ruleset[MafiaState]):
    """Hidden roles, sealed ballots, and a narrator who knows everything. What its seats read is `rulebook.md`."""

    name = "mafia"
    options = MafiaOptions
    seats = (Players(4, usual=8), NARRATOR)
    reserved = (*ROLES, TOWN_HALL, *Moderate.aliases, "pass", "yes", "no", "execute", "spare")
    state = MafiaState()
    events = events.MAFIA_EVENTS
    turns = MAFIA_TURNS
    folds = {GameOpened: opened}
    cautions = (EVEN_NIGHTS,)
    beliefs = Guilt

    # how it opens

    def opening_options(self, options: MafiaOptions, seats: tuple[str, ...]) -> dict[str, Any]:
        """With the role counts as dealt, so that they are public even where the default made them (M-108)."""
        return {**super().opening_options(options, seats), "role_counts": dict(role_counts(options, len(seats) - 1))}

    def deal(self, game: Game[MafiaState]) -> None:
        """Deal the roles by a shuffle from the secret (M-004), and introduce the Mafia to each other (M-029)."""
        counts = game.state.options.role_counts or {}
        deck = [role for role in ROLES for _ in range(counts.get(role, 0))]
        for player, (role,) in game.deal(deck, game.state.players, "deal").items():
            game.emit(events.RoleDealt(player=player, role=role))
        game.emit(events.MafiaIntroduced(members=game.state.mafia))

    # how it goes on

    def advance(self, game: Game[MafiaState]) -> None:
        phases.STEPS[game.state.phase](game)

    def wakes_at(self, state: MafiaState) -> datetime | None:
        """When a night that is decided may end (M-111)."""
        waiting = state.phase == "night" and state.night.target is not None and not state.turns
        return state.night.held_until if waiting else None

    # what is told

    def opening(self, event: GameOpened, chair: Chair) -> Piece:
        players = tuple(seat for seat in event.seats if seat != NARRATOR)
        counts = event.options.get("role_counts") or {}
        dealt = ", ".join(
            f"{number} {role}{'s' if number > 1 and role != 'Mafia' else ''}"
            for role, number in counts.items()
            if number
        )
        lead = f"A game of Mafia begins.\n{len(players)} players: {seated(players, chair)}."
        lead += f"\nRoles in play: {dealt}." if dealt else ""
        lead += "\nYou are the narrator." if chair.owns(NARRATOR) else ""
        return opening(event, chair, MafiaOptions, lead=lead, without=("role_counts",))

    def phase(self, state: MafiaState) -> str:
        """Where the game stands, from public events alone."""
        return f"{state.phase} {state.number}" if state.number and state.phase != "over" else state.phase

    def kinds_for(self, state: MafiaState, seat: str) -> Sequence[type[Turn[Any, Any]]]:
        """The narrator's, or those of all players whatever their roles."""
        return [kind for kind in MAFIA_TURNS if issubclass(kind, NarratorTurn) == (seat == NARRATOR)]

    def possible(self, state: MafiaState, seat: str) -> Sequence[str]:
        usual = dict.fromkeys(choice for kind in self.kinds_for(state, seat) for choice in kind.usual_choices)
        return (*state.players, *((TOWN_HALL,) if seat == NARRATOR else (PASS, *usual)))

    def has_manner(self, seat: str) -> bool:
        """The narrator has a voice of its own."""
        return seat != NARRATOR

    def standing(self, state: MafiaState, seat: str) -> tuple[str, ...]:
        return digest.standing(state, seat)

    def digest(self, state: MafiaState, seat: str) -> tuple[tuple[str, ...], ...]:
        return digest.digest(state, seat)

    def believed(self, state: MafiaState, seat: str) -> tuple[str, ...]:
        """The other living players; none for the narrator, who knows."""
        return tuple(player for player in state.living if player != seat) if seat in state.players else ()

    # what can be found out

    def facts(self, event: Event) -> frozenset[Fact]:
        if not isinstance(event, ReplyAccepted):
            return event.facts()
        told = (("voted", event.choice), ("said", event.text))
        return frozenset((kind, event.seat, what) for kind, what in told if what)

    def mentions(self, fact: Fact, text: str) -> bool:
        """Whether a text may give the fact away: it names the player together with the role or the deed."""
        kind, player, detail = fact
        spoken = plain(text)
        if kind == "said":
            return len(detail) > 12 and plain(detail) in spoken
        if not named(text, [player]):
            return False
        if kind == "role":
            return re.search(rf"\b{plain(detail)}\b", spoken) is not None
        return DEEDS[kind].search(spoken) is not None if kind in DEEDS else bool(named(text, [detail]))

    def trace(self, fact: Fact) -> str:
        kind, player, detail = fact
        return plain(detail if kind == "said" else player)

    def claims(self, speaker: str, text: str, seats: Sequence[str], sought: Iterable[Fact] = ()) -> Sequence[Claim]:
        """Return what a player claims about roles and their night actions. The narrator makes no claims."""
        from sottovoce.rulesets.mafia.rules.claim_parser import (
            said,  # its patterns take time to compile, and few commands read any
        )

        return () if speaker == NARRATOR else said(speaker, text, [seat for seat in seats if seat != NARRATOR])


MAFIA = Mafia(rulebook=files(__package__).joinpath("rulebook.md").read_text(encoding="utf-8"))
