"""Replay a game with other hidden roles and choices; one seat must notice nothing.

The seat's own commands are repeated at the same points of its view. Everyone else answers public turns as before and
hidden ones as the plan says, in any order and with their own failures. What the seat sees, including its turns and
refusals, must be what it saw before.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from unittest import mock

from sottovoce.agents.agent import TOLD
from sottovoce.domain import commands, draws
from sottovoce.domain.commands import Command
from sottovoce.domain.draws import Seed
from sottovoce.domain.events import TurnOpened
from sottovoce.domain.turns import Turn
from sottovoce.isolation.craft import Plan, Played, Resolution, Twin
from sottovoce.isolation.games import START, Tape, notes_of
from sottovoce.isolation.hands import Unfit
from sottovoce.isolation.observe import Watcher
from sottovoce.isolation.system import System

LONGEST = 900
NOISE = 0.12
"""How often another seat first does something that is refused."""


def own_commands(system: System, base: Played, seat: str) -> list[tuple[int, Command]]:
    """Return what the seat sent in the first game, each with the length of its view at that time."""
    watcher, taken = Watcher(system, seat), 0
    sent: list[tuple[int, Command]] = []
    for item in base.sent[1:]:
        if getattr(item.command, "seat", None) != seat:
            continue
        for event in base.log[taken : item.length]:
            watcher.take(event)
        taken = item.length
        sent.append((watcher.seq, item.command))
    return sent


def public_answers(base: Played) -> dict[tuple[str, str, int], Resolution]:
    """Return how every turn was closed in the first game, by seat, kind, and its index among the seat's turns of
    that kind."""
    places: Counter[tuple[str, str]] = Counter()
    found = {}
    for item in base.log:
        if isinstance(item.event, TurnOpened):
            seat, kind = item.event.seat, item.event.kind
            resolution = base.resolved.get((seat, item.event.turn))
            if resolution is not None:
                found[seat, kind, places[seat, kind]] = resolution
            places[seat, kind] += 1
    return found


def resimulate(system: System, base: Played, plan: Plan, rng: random.Random) -> Twin:
    """Play the second game until the seat's view is as long as the plan reaches."""
    with system.patches():
        if plan.again is not None:
            return plan.again(system, base, rng)
        return _Second(system, base, plan, rng).play()


def reordered(system: System, base: Played, rng: random.Random) -> Twin:
    """Replay the first game with its commands in another order.

    Each seat's commands keep their order; who answers next among simultaneous turns is random. Only for games in which
    nobody spoke unasked.
    """
    queues: dict[str, list[Command]] = {}
    for sent in base.sent[1:]:
        queues.setdefault(getattr(sent.command, "seat", ""), []).append(sent.command)
    with system.patches():
        tape = Tape(system, base.log[0].game)
        tape.send(base.sent[0].command)
        while len(tape.log) < len(base.log):
            ready = [turn.seat for turn in tape.state.turns.values() if queues.get(turn.seat)]
            if tape.state.turns and not ready:
                return Twin(tape.log, tape.sent, "the first game was cut off here")
            if not tape.state.turns and not queues.get(""):
                return Twin(tape.log, tape.sent, "nobody is asked")
            tape.send(queues[rng.choice(ready) if ready else ""].pop(0))
    return Twin(tape.log, tape.sent)


@contextmanager
def same_draws(secret: Seed, as_from: Seed) -> Iterator[None]:
    """Inside this block, draws from one secret give what the other would give, because everything else may differ."""
    real, key = draws.stream, bytes.fromhex(secret.secret)

    def stream(given: bytes, *purpose: object) -> random.Random:
        return real(bytes.fromhex(as_from.secret) if given == key else given, *purpose)

    with mock.patch.object(draws, "stream", stream):
        yield


@contextmanager
def drawn_anew(purpose: str, secret: Seed) -> Iterator[None]:
    """Inside this block, draws for that purpose come from another secret: a plan's `opening`."""
    real = draws.stream

    def stream(given: bytes, *drawn_for: object) -> random.Random:
        return real(bytes.fromhex(secret.secret) if drawn_for[:1] == (purpose,) else given, *drawn_for)

    with mock.patch.object(draws, "stream", stream):
        yield


class _Second:
    def __init__(self, system: System, base: Played, plan: Plan, rng: random.Random) -> None:
        self.base, self.plan, self.rng = base, plan, rng
        self.tape = Tape(system, f"m-{rng.getrandbits(24):06x}")
        others = notes_of(base.seats, self.tape.game)
        self.tape.finding = base.craft.evidence
        self.tape.noting = lambda seat, turn: "" if seat == plan.seat else others(seat, turn)
        self.watcher = Watcher(system, plan.seat)
        self.own = own_commands(system, base, plan.seat)
        self.answers = public_answers(base)
        self.places: Counter[tuple[str, str]] = Counter()
        self.place: dict[tuple[str, int], int] = {}
        self.missed: int | None = None
        self.repeated: Resolution | None = None
        """How the turn being answered was closed in the first game, if it is answered in the same way."""

    def play(self) -> Twin:
        first = self.base.sent[0].command
        assert isinstance(first, commands.Open)
        agents = dict.fromkeys(first.seats, "outside")
        secret = Seed.of(f"another {self.rng.getrandbits(32)}")
        with same_draws(secret, first.seed), self.plan.throughout():
            with self.plan.opening():
                files = first.files if self.plan.files is None else self.plan.files
                self.send(commands.Open(START, first.seats, agents, secret, first.options, files))
            try:
                return self.follow()
            except Unfit as unfit:
                return Twin(self.tape.log, self.tape.sent, str(unfit))

    def follow(self) -> Twin:
        """Continue until the seat has seen what it must see."""
        while self.watcher.seq < self.plan.until:
            if len(self.tape.sent) > LONGEST:
                return Twin(self.tape.log, self.tape.sent, "it did not come to its end")
            command = self.next()
            if isinstance(command, str):
                return Twin(self.tape.log, self.tape.sent, command, self.missed)
            reached = self.watcher.seq
            self.send(command)
            if self.plan.faithful and self.unlike(command):
                return Twin(
                    self.tape.log, self.tape.sent, "others could not do what they did in the first game", reached
                )
        return Twin(self.tape.log, self.tape.sent)

    def unlike(self, command: Command) -> bool:
        """Return whether an answer given as in the first game had another effect."""
        if self.repeated is None or not isinstance(command, commands.Reply | commands.Expire | commands.Fail):
            return False
        after = self.tape.resolved.get((command.seat, command.turn))
        if after is None:
            return isinstance(command, commands.Reply)
        return after.choice != self.repeated.choice

    def send(self, command: Command) -> None:
        for item in self.tape.send(command):
            self.watcher.take(item)
            if isinstance(item.event, TurnOpened):
                key = (item.event.seat, item.event.kind)
                self.place[item.event.seat, item.event.turn] = self.places[key]
                self.places[key] += 1

    def next(self) -> Command | str:
        """Return the next command, or why there is none."""
        self.repeated = None
        if self.own and self.own[0][0] <= self.watcher.seq:
            at, command = self.own.pop(0)
            if at < self.watcher.seq:
                self.missed = at
                return "the seat had no moment to send what it sent in the first game"
            return command.but(at=START)
        seat = self.plan.seat
        turns = [turn for turn in self.tape.state.turns.values() if turn.seat != seat]
        if not turns:
            wake = self.tape.system.ruleset.wakes_at(self.tape.state)
            if wake is None:
                return "the seat is waited for"
            return commands.Wake(wake)
        turn = self.plan.pick(self.tape.state, turns, self.rng)
        if turn is None:
            return "the others have come to their end"
        if self.rng.random() < NOISE:
            return self.mischief(turn)
        return self.answer(turn)

    def mischief(self, turn: Turn) -> Command | str:
        """Let another seat do something that is refused."""
        other = self.rng.choice([seat for seat in self.base.seats if seat != self.plan.seat])
        match self.rng.randrange(4 if self.plan.failures == "hidden" else 2):
            case 0:
                return commands.Say(START, other, "Is anybody there?")
            case 1:
                return commands.Reply(START, other, self.tape.state.opened.get(other, 0) + 2, "too early")
            case 2 if turn.attempts_left > 1:
                if turn.number % 2:
                    return commands.Fail(START, turn.seat, turn.number, turn.attempt, "empty", TOLD["empty"])
                return commands.Expire(START, turn.seat, turn.number, turn.attempt)
            case _ if turn.attempts_left > 1 and turn.choices:
                return commands.Reply(START, turn.seat, turn.number, "")
        return self.answer(turn)

    def answer(self, turn: Turn) -> Command | str:
        planned = self.plan.answer(self.tape.state, turn, self.rng)
        if isinstance(planned, str):
            return commands.Reply(START, turn.seat, turn.number, planned)
        if planned is not None:
            return planned
        key = (turn.seat, turn.kind, self.place[turn.seat, turn.number])
        before = self.answers.get(key)
        if before is None:
            return f"{turn.seat} was asked for a {turn.kind} that the first game did not have"
        self.repeated = before
        if before.text is not None:
            text = self.plan.reworded(turn, before, self.rng) or before.text
            return commands.Reply(START, turn.seat, turn.number, text)
        if before.choice is not None and turn.kind != "moderate":
            return commands.Reply(START, turn.seat, turn.number, before.choice)
        return commands.Expire(START, turn.seat, turn.number, turn.attempt)
