"""The night and its morning: what the Doctor, the Detective and the Mafia do, and the result."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Literal

from sottovoce import (
    Chair,
    Event,
    Piece,
    counted,
    everyone,
    fact,
    line,
    marked,
    named_in,
    names,
    nobody,
    seat,
    spoken,
    those,
)
from sottovoce.rulesets.mafia.rules.events.course import OWN, WITH_MAFIA, Facts
from sottovoce.rulesets.mafia.rules.roles import NARRATOR, Role, article, mood
from sottovoce.rulesets.mafia.rules.state import MafiaState

Cause = Literal["killed by the Mafia", "saved by protection"]


@those
def living_mafia(state: MafiaState, event: Event) -> tuple[str, ...]:
    """the Mafia alive at that moment"""
    return state.living_mafia


class DawnHeld(Event[MafiaState], name="mafia.dawn-held.v1", seen_by=nobody):
    """Dawn comes no earlier than this, so that the length of the night shows nothing (M-111)."""

    until: datetime

    example = {"until": datetime(2026, 1, 1, 12, 0, 30, tzinfo=UTC)}
    tell = line("Dawn no earlier than {until:%H:%M:%S}.", private="")

    def fold(self, state: MafiaState) -> MafiaState:
        return state.but(night=state.night.but(held_until=self.until))


class PlayerProtected(Event[MafiaState], name="mafia.player-protected.v1", seen_by=named_in("doctor") | seat(NARRATOR)):
    """The Doctor's choice of a night (M-037)."""

    night: int
    doctor: str
    target: str

    example = {"night": 1, "doctor": "Cleo", "target": "Ada"}
    tell = line("Night {night}: {doctor:You} protected {target:name}.", private=OWN)
    facts = fact("protected", "target", "night")

    def fold(self, state: MafiaState) -> MafiaState:
        made = (*state.protections, (self.night, self.target))
        return state.but(night=state.night.but(protected=self.target), protections=made)


class PlayerInvestigated(
    Event[MafiaState], name="mafia.player-investigated.v1", seen_by=named_in("detective") | seat(NARRATOR)
):
    """The Detective's choice of a night and the role it revealed (M-041, M-042)."""

    night: int
    detective: str
    target: str
    role: Role

    example = {"night": 1, "detective": "Ada", "target": "Bram", "role": "Mafia"}

    def fold(self, state: MafiaState) -> MafiaState:
        found = (*state.investigations, (self.night, self.target, self.role))
        night = state.night.but(investigated=True)
        return state.with_role(self.target, self.role, night=night, investigations=found)

    def tell(self, chair: Chair) -> Piece:
        who = chair.you(self.detective, "You")
        lead = f"Night {self.night}: {who} investigated {marked(self.target)}, who is {article(self.role)}."
        if not chair.owns(self.detective):
            return Piece(lead, private=OWN)
        return Piece(lead, "card", private=OWN, mood=mood(self.role))

    def facts(self) -> Facts:
        return frozenset({("investigated", self.target, str(self.night)), ("role", self.target, self.role)})


class MafiaWhispered(
    Event[MafiaState], name="mafia.mafia-whispered.v1", seen_by=living_mafia | seat(NARRATOR), by=named_in("player")
):
    """A Mafia says something to the others before they vote; `text` is None for a pass (M-112).

    Dead Mafia hear no later talk.
    """

    night: int
    round: int
    player: str
    text: str | None

    example = {"night": 1, "round": 0, "player": "Bram", "text": "Ada asks too many questions."}

    def fold(self, state: MafiaState) -> MafiaState:
        night = state.night.but(talked=state.night.talked + 1)
        return state.but(night=night, whispers=(*state.whispers, self))

    def tell(self, chair: Chair) -> Piece:
        who = f"Night {self.night}: {chair.you(self.player, 'You')}"
        said = "had nothing to say to the other Mafia." if self.text is None else "said to the other Mafia:"
        return Piece(f"{who} {said}", who=self.player, words=spoken(self.player, self.text), private=WITH_MAFIA)

    def facts(self) -> Facts:
        return frozenset() if self.text is None else frozenset({("said", self.player, self.text)})


class MafiaBallotClosed(Event[MafiaState], name="mafia.mafia-ballot-closed.v1", seen_by=living_mafia | seat(NARRATOR)):
    """A ballot of the Mafia, counted (M-045 to M-048). `target` is None on a tie that is voted on again; `drawn` says
    that the last allowed revote was still tied and the target was drawn. Dead Mafia see no later votes."""

    night: int
    round: int
    votes: dict[str, str]
    tally: dict[str, int]
    target: str | None
    drawn: bool = False

    example = {"night": 1, "round": 0, "votes": {"Bram": "Ada"}, "tally": {"Ada": 1}, "target": "Ada"}

    def fold(self, state: MafiaState) -> MafiaState:
        night = state.night.but(target=self.target, round=self.round + 1)
        return state.after_ballot(night=night, mafia_ballots=(*state.mafia_ballots, self))

    def tell(self, chair: Chair) -> Piece:
        drawn = ", drawn by lot" if self.drawn else ""
        return Piece(
            f"The target is {marked(self.target)}{drawn}." if self.target else "A tie; the Mafia vote again.",
            "ballot",
            title=f"Night {self.night}: the Mafia vote",
            grid=counted(self.votes, self.tally, seats=True),
            numbers=self.tally,
            private=WITH_MAFIA,
        )

    def facts(self) -> Facts:
        votes = frozenset(("voted", voter, choice) for voter, choice in self.votes.items())
        return votes if self.target is None else votes | {("targeted", self.target, str(self.night))}


class NightResolved(Event[MafiaState], name="mafia.night-resolved.v1", seen_by=seat(NARRATOR)):
    """What a night came to, as the narrator alone knows it (M-049, M-052)."""

    night: int
    target: str
    protected: str | None
    died: str | None
    cause: Cause

    example = {"night": 1, "target": "Ada", "protected": "Ada", "died": None, "cause": "saved by protection"}
    tell = line("Night {night}: {target:name} was {cause}.", private=OWN)

    def fold(self, state: MafiaState) -> MafiaState:
        return state.but(resolved=self)

    def facts(self) -> Facts:
        targeted = frozenset({("targeted", self.target, str(self.night))})
        return targeted if self.protected is None else targeted | {("protected", self.protected, str(self.night))}


class DeathsAnnounced(Event[MafiaState], name="mafia.deaths-announced.v1", seen_by=everyone):
    """Dawn: the names of the dead, or none (M-053)."""

    day: int
    deaths: tuple[str, ...]

    example = {"day": 1, "deaths": ("Ada",)}

    def fold(self, state: MafiaState) -> MafiaState:
        return state.with_death(self.deaths, "killed in the night", self.day, last_deaths=self.deaths)

    def tell(self, chair: Chair) -> Piece:
        if not self.deaths:
            return Piece("Nobody died in the night.", weight=2)
        return Piece(f"{names(self.deaths)} died in the night.", "death", mood="bad", weight=2)
