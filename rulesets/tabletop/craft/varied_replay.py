"""Plays a session again with other hidden content: every command as before, except what one seat does not know.

Two things change. Words: each token in texts that the seat cannot see is replaced everywhere, in files and in speech,
by another token of another length. Actions: commands whose effects the seat cannot see are changed, added or removed
(`hidden_actions`). Anything of this in the seat's view is a leak.
"""

from __future__ import annotations

import random
from collections import defaultdict, deque
from collections.abc import Mapping
from typing import Any

from sottovoce import AttemptFailed, Command, Recorded, TurnOpened
from sottovoce.domain import commands
from sottovoce.isolation import Plan, Played, System
from sottovoce.isolation.craft import Twin
from sottovoce.isolation.games import Tape, notes_of
from sottovoce.isolation.observe import Watcher
from sottovoce.rulesets.tabletop.craft.files import secret, with_one_more
from sottovoce.rulesets.tabletop.craft.hidden_actions import Deed, deeds
from sottovoce.rulesets.tabletop.craft.words import TOKEN
from sottovoce.rulesets.tabletop.rules.messages import MessageSent
from sottovoce.rulesets.tabletop.rules.turns import REQUESTS


def plan(system: System, base: Played, seat: str, rng: random.Random) -> Plan | None:
    """The same session with other hidden words and deeds; None where there is nothing to change."""
    known = _known(base, seat)
    hidden = sorted(_tokens(base) - known)
    share = rng.choice((0.3, 1.0, 1.0))
    renamed = {found: _other(found, rng) for found in hidden if rng.random() < share}
    chosen = deeds(rng, base, seat)
    if not renamed and not chosen:
        return None
    watcher = Watcher(system, seat)
    with system.patches():
        for item in base.log:
            watcher.take(item)
    changed = f"{len(renamed)} hidden words changed; {', '.join(deed.name for deed in chosen) or 'no deeds'}"

    def again(system: System, base: Played, rng: random.Random) -> Twin:
        return _Again(system, base, seat, renamed, chosen, rng).play()

    return Plan(seat, watcher.seq, changed, again=again)


def _other(found: str, rng: random.Random) -> str:
    """Another token of the same kind: longer, or as long. A digit more keeps it one word, and one slug."""
    return f"{found[:2]}{rng.getrandbits(28):07x}" + rng.choice(("", "", "q", "q" * 13))


def _tokens(base: Played) -> set[str]:
    found: set[str] = set()
    for sent in base.sent:
        command = sent.command
        if isinstance(command, commands.Open):
            for path, content in command.files.items():
                found.update(TOKEN.findall(path))
                found.update(TOKEN.findall(content.decode("utf-8", "replace")))
        found.update(TOKEN.findall(getattr(command, "text", "")))
    return found


def _known(base: Played, seat: str) -> set[str]:
    """The tokens that the seat has from others by the rules, and its own.

    The summary of a session that the server ends adds nothing: it is made of what the human has seen (T-158). Nor is a
    secret action for the human to read in what its character says of its absence (T-059, T-086).
    """
    known: set[str] = set()
    secret: set[str] = set()
    for sent in base.sent[1:]:
        if getattr(sent.command, "seat", None) == seat:
            known.update(TOKEN.findall(getattr(sent.command, "text", "")))
    for item, audience, visible in zip(base.log, base.audiences, base.may_see(seat), strict=True):
        event = item.event
        found = set(TOKEN.findall(event.encoded().decode()))
        if isinstance(event, MessageSent):
            if event.tag == "PLAYER_TO_GM" and audience == frozenset({event.seat, "gm"}):
                secret |= found
            if event.tag == "SESSION_END" and event.fallback:
                continue
            if event.tag is None and event.body.startswith("While you were away:"):
                found -= secret
        if visible:
            known |= found
    return known


class _Again:
    """The second session, command by command. Turns are matched by seat and kind, as their numbers may differ."""

    def __init__(
        self,
        system: System,
        base: Played,
        seat: str,
        renamed: Mapping[str, str],
        chosen: list[Deed],
        rng: random.Random,
    ) -> None:
        self.base, self.seat, self.renamed, self.rng = base, seat, renamed, rng
        self.more = seat != "gm" and rng.random() < 0.5
        self.tape = Tape(system, f"t-{rng.getrandbits(24):06x}")
        self.notes = notes_of(base.seats, self.tape.game)
        self.deeds: dict[int, list[Deed]] = defaultdict(list)
        for deed in chosen:
            self.deeds[deed.place].append(deed)
        self.numbers: dict[tuple[str, int], int] = {}
        self.first: dict[tuple[str, str], deque[int]] = defaultdict(deque)
        self.second: dict[tuple[str, str], deque[int]] = defaultdict(deque)

    def play(self) -> Twin:
        sent = self.base.sent
        ends = [*(item.length for item in sent[1:]), len(self.base.log)]
        order = list(range(len(sent)))
        for place, end in zip(order, ends, strict=True):
            for deed in self.deeds[place]:
                if deed.before is not None:
                    deed.before(self, place)
            command: Command | None = self.mapped(sent[place].command)
            for deed in self.deeds[place]:
                if deed.change is not None and command is not None:
                    command = deed.change(self, command)
            new = self.tape.send(command) if command is not None else []
            self.match(self.base.log[sent[place].length : end], new)
        return Twin(self.tape.log, self.tape.sent)

    def match(self, first: list[Recorded], second: list[Recorded]) -> None:
        """Pair the turns that were opened in the two sessions."""
        for log, waiting in ((first, self.first), (second, self.second)):
            for item in log:
                if isinstance(item.event, TurnOpened):
                    kind = "request" if item.event.kind in REQUESTS else item.event.kind
                    waiting[item.event.seat, kind].append(item.event.turn)
        for key, numbers in self.first.items():
            while numbers and self.second[key]:
                self.numbers[key[0], numbers.popleft()] = self.second[key].popleft()

    def mapped(self, command: Command) -> Command:
        """The command as it is sent in the second session."""
        match command:
            case commands.Open():
                files = {self.words(path): self.content(data) for path, data in command.files.items()}
                if self.more:
                    files.setdefault("story-state.md", f"# Story\n{secret(self.rng)}\n".encode())
                return command.but(files=files)
            case commands.Say():
                return command.but(text=self.words(command.text))
            case commands.Reply():
                kept = command.notes if command.seat == self.seat else self.notes(command.seat, command.turn)
                number = self.number(command.seat, command.turn)
                return command.but(text=self.words(command.text), turn=number, notes=kept)
            case commands.Expire() | commands.Fail():
                number = self.number(command.seat, command.turn)
                turn = self.tape.state.turns.get((command.seat, number))
                before = self.attempts(command)
                attempt = turn.attempt if turn and before == command.attempt else command.attempt
                return command.but(turn=number, attempt=attempt)
        return command

    def attempts(self, command: commands.Expire | commands.Fail) -> int:
        """The attempt at that turn that was awaited in the first session when the command came."""
        place = next(at for at, sent in enumerate(self.base.sent) if sent.command is command)
        log = self.base.log[: self.base.sent[place].length]
        key = (command.seat, command.turn)
        failed = (item.event for item in log if isinstance(item.event, AttemptFailed))
        return 1 + sum((event.seat, event.turn) == key for event in failed)

    def number(self, seat: str, number: int) -> int:
        """The number of the same turn in the second session: the seat that looks has its own numbers as before."""
        if seat == self.seat:
            return number
        return self.numbers.get((seat, number), number + 500)

    def words(self, text: str) -> str:
        return TOKEN.sub(lambda match: self.renamed.get(match[0], match[0]), text)

    def content(self, data: bytes) -> bytes:
        try:
            text = self.words(data.decode())
            return (with_one_more(self.rng, text) if self.more else text).encode()
        except UnicodeDecodeError:
            return data[:2] + self.rng.randbytes(len(data)) if self.seat != "gm" else data

    # for deeds

    def aside(self, command: Command) -> list[Recorded]:
        """Send a command that the first session does not have; its turns do not take part in the matching."""
        return self.tape.send(command)

    @property
    def state(self) -> Any:
        return self.tape.state
