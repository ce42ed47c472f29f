"""Play diverse games in memory: every order of replies, every kind of misbehaviour, names that can confuse."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from sottovoce.agents.agent import TOLD
from sottovoce.domain import commands
from sottovoce.domain.commands import Command
from sottovoce.domain.draws import Seed
from sottovoce.domain.events import Draft, Event, FallbackApplied, Recorded, ReplyAccepted, TurnOpened
from sottovoce.isolation.craft import Craft, Manners, Played, Resolution, Sent
from sottovoce.isolation.draws import generator
from sottovoce.isolation.hands import noted
from sottovoce.isolation.system import System

Noting = Callable[[str, int], str]
"""`(seat, turn) -> notes`: what a seat notes for itself with its answer to a turn, if anything."""
Finding = Callable[[Any, Command], Any]
"""`(state, command) -> evidence`: what a server would have found for a text."""
REMINDERS = ("Wait.", "Ask {0} again.", "{0} was early.", "Never trust {0}.\nSay nothing of it.")

START = datetime(2026, 3, 1, 20, 59, 30, tzinfo=UTC)


@dataclass
class Tape:
    """A game in progress: the state, and the log with full envelopes. `noting` gives replies their notes.

    `finding` gives texts their evidence.
    """

    system: System
    game: str
    noting: Noting = lambda seat, turn: ""
    finding: Finding = lambda state, command: None
    state: Any = None
    log: list[Recorded] = field(default_factory=list)
    sent: list[Sent] = field(default_factory=list)
    resolved: dict[tuple[str, int], Resolution] = field(default_factory=dict)
    _kinds: dict[tuple[str, int], str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.state = self.system.ruleset.initial

    def send(self, command: Command) -> list[Recorded]:
        """Decide the command and record the result."""
        if isinstance(command, commands.Reply) and not command.notes:
            command = command.but(notes=self.noting(command.seat, command.turn))
        if isinstance(command, commands.Reply | commands.Say) and command.evidence is None:
            command = command.but(evidence=self.finding(self.state, command))
        self.sent.append(Sent(len(self.log), command))
        drafts = self.system.decide(self.system.ruleset, self.state, command)
        append = f"{self.game}-{len(self.sent):x}"
        cause = len(self.log) or None
        new = []
        for draft in drafts:
            new.append(recorded(draft, self.game, len(self.log) + 1, append, command.at, cause))
            self.log.append(new[-1])
            self.state = self.system.ruleset.evolve(self.state, draft.event)
            self._note(draft.event, command)
        return new

    def _note(self, event: Event, command: Command) -> None:
        if isinstance(event, TurnOpened):
            self._kinds[event.seat, event.turn] = event.kind
        elif isinstance(event, ReplyAccepted | FallbackApplied):
            text = command.text if isinstance(event, ReplyAccepted) and isinstance(command, commands.Reply) else None
            key = (event.seat, event.turn)
            self.resolved[key] = Resolution(self._kinds.get(key, ""), text, event.choice)


def notes_of(seats: Sequence[str], *salt: object) -> Noting:
    """Notes for about half of all turns, each with a word that stands nowhere else; others with another salt."""

    def noting(seat: str, turn: int) -> str:
        rng = generator(0, "notes", *salt, seat, turn)
        if rng.random() < 0.5:
            return ""
        return f"{rng.choice(REMINDERS).format(rng.choice(seats))} zq{rng.getrandbits(40):010x}"

    return noting


def recorded(draft: Draft, game: str, position: int, append: str, at: datetime, cause: int | None) -> Recorded:
    """Return the event with an envelope like a stored one."""
    body = draft.event.encoded()
    salt = hashlib.blake2b(f"{game} {position}".encode(), digest_size=16).digest()
    leaf = hashlib.sha256(salt + body + str(position).encode()).digest()
    event = draft.event
    return Recorded(
        game, position, append, event.stored_name, at, event.actor, draft.audience, cause, body, salt, leaf, event
    )


def play(
    system: System, craft: Craft, seed: int, manners: Manners | None = None, tape: Callable[[System, str], Tape] = Tape
) -> Played:
    """Play a whole game, or its first part if it gets long. The same seed and kind of tape give the same game."""
    rng = generator(seed, "isolation", "game", craft.name)
    seats, options = craft.setup(rng)
    if seed % 2:
        # What other chairs saw stays closed after the end, too.
        options = {**options, "after_end": "keeper"}
    if manners is None:
        manners = craft.manners(rng, seats)
    played = tape(system, f"m-{seed:06x}")
    with system.patches(), noted(played.log) as deals:
        at = START
        agents = {seat: rng.choice(("house", "random")) for seat in seats}
        played.noting, played.finding = notes_of(seats, seed), craft.evidence
        played.send(commands.Open(at, seats, agents, Seed.of(seed), options, craft.files(rng, seats)))
        while not played.state.over and len(played.sent) < craft.most_commands:
            at += timedelta(seconds=rng.choice((0, 0.01, 0.7, 3, 21)), microseconds=rng.randrange(999))
            played.send(_next(craft, played, seats, rng, at, manners))
        if rng.random() < 0.5:
            for command in _stray(craft, rng, played, seats, at, manners):
                played.send(command)
    audiences = craft.audiences([item.event for item in played.log])
    return Played(craft, seed, seats, options, played.log, played.sent, played.resolved, audiences, deals)


def _next(
    craft: Craft, tape: Tape, seats: Sequence[str], rng: random.Random, at: datetime, manners: Manners
) -> Command:
    stray = next(iter(_stray(craft, rng, tape, seats, at, manners)), None)
    if stray is not None:
        return stray
    turns = list(tape.state.turns.values())
    if tape.state.hold is not None and (not turns or rng.random() < 0.3):
        return commands.Fill(at)
    if not turns:
        wake = tape.system.ruleset.wakes_at(tape.state)
        assert wake is not None, "no turn is open and nothing is waited for"
        return commands.Wake(max(wake, at))
    turn = rng.choice(turns)
    if turn.seat in manners.mute or rng.random() < manners.timeout:
        if turn.number % 2:
            return commands.Fail(at, turn.seat, turn.number, turn.attempt, "declined", TOLD["declined"])
        return commands.Expire(at, turn.seat, turn.number, turn.attempt)
    if rng.random() < manners.invalid:
        return commands.Reply(at, turn.seat, turn.number, craft.nonsense(rng, tape.state, turn))
    return commands.Reply(at, turn.seat, turn.number, craft.reply(rng, tape.state, turn))


def _stray(
    craft: Craft, rng: random.Random, tape: Tape, seats: Sequence[str], at: datetime, manners: Manners
) -> list[Command]:
    """Sometimes let a seat speak unasked, answer a closed turn, or let a time limit fire too late."""
    sending: list[Command] = []
    if rng.random() < manners.unprompted * craft.talk:
        seat = rng.choice(seats)
        sending.append(commands.Say(at, seat, craft.unasked(rng, tape.state, seat)))
    if rng.random() < manners.late:
        seat = rng.choice(seats)
        number = max(0, tape.state.opened.get(seat, 0) + rng.choice((-2, -1, 0, 1, 2, 3, 4, 6, rng.randrange(40))))
        if (seat, number) not in tape.state.turns:
            sending.append(commands.Reply(at, seat, number, rng.choice(seats)))
            sending.append(commands.Expire(at, seat, number, 1))
    return sending
