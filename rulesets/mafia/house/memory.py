"""What a seat remembers: one pass over its own entries, public matters and its own secrets kept apart.

`Memory` holds what everybody heard. `Secrets` holds what this seat alone was told. The narrator's house agent uses the
first only, so nothing it says can depend on what the town does not know.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sottovoce import Event, GameOpened, View
from sottovoce.rulesets.mafia.house.reading import SILENCE, Heard, hear
from sottovoce.rulesets.mafia.rules import events
from sottovoce.rulesets.mafia.rules.roles import NARRATOR


@dataclass(frozen=True, slots=True)
class Speech:
    """A speech as everybody heard it, or the charge of a nomination; `text` is empty for silence."""

    day: int
    player: str
    occasion: str
    text: str
    heard: Heard


@dataclass(frozen=True, slots=True)
class Nomination:
    """Who put whom forward; `nominee` is None for a pass."""

    day: int
    player: str
    nominee: str | None


@dataclass(frozen=True, slots=True)
class Statement:
    """A player says what another is. `by_detective` if the speaker claims, then or before, to be the Detective."""

    day: int
    by: str
    about: str
    role: str
    denied: bool

    @property
    def hostile(self) -> bool:
        return self.role == "Mafia" and not self.denied


@dataclass(slots=True)
class Memory:
    """The public course of the game. `fallen` maps each dead player to the day and to "night" or "rope"."""

    players: tuple[str, ...] = ()
    opening: str = ""
    phase: str = "setup"
    day: int = 0
    fallen: dict[str, tuple[int, str]] = field(default_factory=dict)
    last_deaths: tuple[str, ...] = ()
    revealed: dict[str, str] = field(default_factory=dict)
    speeches: list[Speech] = field(default_factory=list)
    called: list[tuple[int, str]] = field(default_factory=list)
    nominations: list[Nomination] = field(default_factory=list)
    secondings: list[events.SecondingClosed] = field(default_factory=list)
    trials: list[events.TrialClosed] = field(default_factory=list)
    verdicts: list[events.ExecutionVoteClosed] = field(default_factory=list)
    claims: dict[str, tuple[str, int]] = field(default_factory=dict)
    first_claim: tuple[str, int, str] | None = None
    """Who was the first to claim to be the Detective, on which day, and on what occasion."""
    statements: list[Statement] = field(default_factory=list)
    accusations: list[tuple[int, str, str]] = field(default_factory=list)
    vouchings: list[tuple[int, str, str]] = field(default_factory=list)
    narrations: list[str] = field(default_factory=list)

    @property
    def living(self) -> tuple[str, ...]:
        """Living players in seating order."""
        return tuple(player for player in self.players if player not in self.fallen)

    @property
    def today(self) -> list[Speech]:
        """The discussion of this day so far."""
        return [speech for speech in self.speeches if speech.day == self.day and speech.occasion == "discussion"]

    def accusers(self, player: str, since: int = 0) -> list[str]:
        """Who has spoken against the player from that day on, each once, the latest last."""
        found = [by for day, by, about in self.accusations if about == player and day >= since]
        return list(dict.fromkeys(reversed(found)))[::-1]

    def asking(self, player: str) -> list[str]:
        """Return who has put a question to the player today since it last spoke, the latest last."""
        found: list[str] = []
        for speech in self.today:
            if speech.player == player:
                found = []
            elif player in speech.heard.asked:
                found.append(speech.player)
        return [asker for asker in found if asker not in self.fallen]

    def owed(self, player: str) -> int | None:
        """The place among today's speeches of the first that the player owes an answer to: a question or an accusation
        that was put to it by name since it last spoke. None if it owes nothing.

        An accuser whom it has answered twice today is owed no third answer."""
        first: int | None = None
        answered = Counter[str]()
        for place, speech in enumerate(self.today):
            heard = speech.heard
            if speech.player == player:
                first = None
                answered.update(heard.named)
            accused = player in heard.accused and player in heard.addressed and answered[speech.player] < 2
            named = player in heard.asked or accused
            if named and first is None and speech.player not in (player, *self.fallen):
                first = place
        return first

    def nominator_of(self, player: str, day: int) -> str | None:
        return next((n.player for n in self.nominations if n.nominee == player and n.day == day), None)

    def all_said(self) -> str:
        """Every word of the players so far, for telling whether a phrase is worn."""
        return "\n".join(speech.text for speech in self.speeches).casefold()

    def all_told(self) -> str:
        """Every word of the narrator so far."""
        return "\n".join(self.narrations).casefold()


@dataclass(slots=True)
class Secrets:
    """What the seat was told and the town was not."""

    seat: str = ""
    role: str = "Villager"
    partners: tuple[str, ...] = ()
    results: list[tuple[int, str, str]] = field(default_factory=list)
    protected: list[tuple[int, str]] = field(default_factory=list)
    kills: list[events.MafiaBallotClosed] = field(default_factory=list)
    whispers: list[events.MafiaWhispered] = field(default_factory=list)


def _opened(memory: Memory, event: GameOpened) -> None:
    memory.players = tuple(seat for seat in event.seats if seat != NARRATOR)


def _narrated(memory: Memory, event: events.NarrationGiven) -> None:
    memory.narrations.append(event.text)
    if event.scene == "opening":
        memory.opening = event.text


def _phase(memory: Memory, event: events.PhaseBegan) -> None:
    memory.phase, memory.day = event.phase, event.number


def _deaths(memory: Memory, event: events.DeathsAnnounced) -> None:
    memory.last_deaths = event.deaths
    memory.fallen.update(dict.fromkeys(event.deaths, (event.day, "night")))


def _executed(memory: Memory, event: events.PlayerExecuted) -> None:
    memory.fallen[event.player] = (event.day, "rope")


def _revealed(memory: Memory, event: events.RoleRevealed) -> None:
    memory.revealed[event.player] = event.role


def _called(memory: Memory, event: events.SpeakerChosen) -> None:
    memory.called.append((memory.day, event.choice))
    if event.words:
        memory.narrations.append(event.words)


def _spoke(memory: Memory, event: events.SpeechGiven) -> None:
    _listen(memory, event.player, event.occasion, event.text)


def _listen(memory: Memory, who: str, occasion: str, text: str | None) -> None:
    day = memory.day
    heard = hear(text, memory.players) if text else SILENCE
    memory.speeches.append(Speech(day, who, occasion, text or "", heard))
    if heard.claim:
        memory.claims.setdefault(who, (heard.claim, day))
    if memory.first_claim is None and memory.claims.get(who, ("",))[0] == "Detective":
        memory.first_claim = who, day, occasion
    for about, role, denied in heard.verdicts:
        if about != who and about not in memory.fallen:
            memory.statements.append(Statement(day, who, about, role, denied))
    for about in heard.accused:
        if about != who and about not in memory.fallen:
            memory.accusations.append((day, who, about))
    for about in heard.trusted:
        if about != who and about not in memory.fallen:
            memory.vouchings.append((day, who, about))


def _put_forward(memory: Memory, event: events.NominationMade) -> None:
    memory.nominations.append(Nomination(event.day, event.player, event.nominee))
    if event.words:
        _listen(memory, event.player, "charge", event.words)


def _seconded(memory: Memory, event: events.SecondingClosed) -> None:
    memory.secondings.append(event)


def _tried(memory: Memory, event: events.TrialClosed) -> None:
    memory.trials.append(event)


def _voted(memory: Memory, event: events.ExecutionVoteClosed) -> None:
    memory.verdicts.append(event)


PUBLIC: Mapping[type[Event], Callable[[Memory, Any], None]] = {
    GameOpened: _opened,
    events.NarrationGiven: _narrated,
    events.PhaseBegan: _phase,
    events.DeathsAnnounced: _deaths,
    events.PlayerExecuted: _executed,
    events.RoleRevealed: _revealed,
    events.SpeakerChosen: _called,
    events.SpeechGiven: _spoke,
    events.NominationMade: _put_forward,
    events.SecondingClosed: _seconded,
    events.TrialClosed: _tried,
    events.ExecutionVoteClosed: _voted,
}
"""How the public memory takes in each event that everybody sees; other events do not touch it."""


def remember(happened: Iterable[Event]) -> Memory:
    """The public memory of these events; whatever is not public among them leaves no trace."""
    memory = Memory()
    for event in happened:
        take = PUBLIC.get(type(event))
        if take is not None:
            take(memory, event)
    return memory


def recall(view: View[Any]) -> tuple[Memory, Secrets]:
    """The memory of a player's view, and the player's secrets."""
    state = view.state
    secrets = Secrets(
        seat=view.seat,
        role=state.roles.get(view.seat, "Villager"),
        partners=tuple(member for member in state.mafia if member != view.seat) if view.seat in state.mafia else (),
        results=list(state.investigations),
        protected=list(state.protections),
        kills=list(state.mafia_ballots),
        whispers=list(state.whispers),
    )
    return remember(entry.event for entry in view.entries), secrets
