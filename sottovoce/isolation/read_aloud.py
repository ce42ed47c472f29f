"""Play games in which every player reads its whole prompt aloud, and check who could know what they said.

A seat knows what the rules tell it and what it heard from someone who knew. If a text reveals something its author did
not know, the author's prompt contained it, so isolation has failed.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from sottovoce.agents.agent import SeatRandom, seat_random
from sottovoce.domain import commands
from sottovoce.domain.answers import Fields
from sottovoce.domain.draws import Seed
from sottovoce.domain.events import Event, FallbackApplied, Recorded
from sottovoce.domain.piece import AUDITOR
from sottovoce.domain.ruleset import Fact
from sottovoce.domain.spellings import named
from sottovoce.domain.turns import Turn
from sottovoce.isolation.craft import MOST_COMMANDS, Craft, Played
from sottovoce.isolation.draws import generator
from sottovoce.isolation.games import START, Tape
from sottovoce.isolation.observe import Watcher
from sottovoce.isolation.system import System
from sottovoce.projections.view import View

TOKEN = re.compile(r"zq[0-9a-f]{10}")
PIECES = re.compile(r'[\n\r";]+|[.!?]\s+')
TYPED = str.maketrans({"«": '"', "»": '"', "…": "...", "‹": "'", "›": "'"})

Narrator = Callable[[View[Any], Turn, SeatRandom], str | Fields]


class Loud(Craft):
    """What hearsay must know about a ruleset in addition to the craft."""

    narrator: str

    def gathering(self, rng: random.Random) -> tuple[tuple[str, ...], dict[str, Any]]:
        """Return seats and options of a game with plain names in which only some seats can speak."""
        raise NotImplementedError

    def loudly(self, turn: Turn, dump: str, rng: random.Random) -> str:
        """Return a valid reply that also contains the dump."""
        raise NotImplementedError

    def texts(self, event: Event) -> list[tuple[str, str]]:
        """Return the words in an event that others hear, each with its author."""
        raise NotImplementedError

    def distinct(self, fact: Fact) -> Fact | None:
        """Return the fact in the form in which a text can only mean this one, or None."""
        raise NotImplementedError

    def innocent(self, text: str) -> str:
        """Return the text without phrases that name the game and not a fact."""
        raise NotImplementedError

    def implied(self, event: Event) -> frozenset[Fact]:
        """Return facts that follow from a public event by the rules, although it does not state them."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Unfounded:
    """`author` revealed `fact` at `position`, but had it neither by the rules nor from anyone who knew."""

    position: int
    author: str
    fact: Fact
    piece: str

    def __str__(self) -> str:
        return f"position {self.position}: {self.author} could not know {self.fact}, yet said {self.piece[:160]!r}"


@dataclass
class Hearing:
    """The result for one game. `founded` counts the facts that were revealed by seats that knew them."""

    unfounded: list[Unfounded] = field(default_factory=list)
    texts: int = 0
    founded: int = 0
    attempts: int = 0
    refused: int = 0


def dump_of(prompt: str, rulebook: str) -> str:
    """Return the whole prompt except the rulebook, which everyone has: the most revealing parts first, marks in
    plain text."""
    blocks = prompt.replace(rulebook.strip(), "").translate(TYPED).split("\n\n")
    return "\n".join(reversed([block for block in blocks if block.strip()]))


def read_aloud(system: System, craft: Loud, seed: int, narrate: Narrator | None) -> tuple[Played, Hearing]:
    """Play a game in which everyone dumps their prompt into every reply, including the narrator unless `narrate` speaks
    for it.

    Each text also contains a unique token, so that it is recognised everywhere.
    """
    rng = generator(seed, "hearsay")
    seats, options = craft.gathering(rng)
    heard = Hearing()
    with system.patches():
        tape = Tape(system, f"m-{seed:06x}", finding=craft.evidence)
        prompts = system.prompts()
        watchers = {seat: Watcher(system, seat, prompts) for seat in seats}
        at = START

        def send(command: commands.Command) -> None:
            for item in tape.send(command):
                for watcher in watchers.values():
                    watcher.take(item)

        send(commands.Open(at, seats, dict.fromkeys(seats, "outside"), Seed.of(seed), options, craft.files(rng, seats)))
        while not tape.state.over and len(tape.sent) < MOST_COMMANDS:
            at += timedelta(seconds=5)
            turn = next(iter(tape.state.turns.values()), None)
            if turn is None:
                wake = system.ruleset.wakes_at(tape.state)
                assert wake is not None, "no turn is open and nothing is waited for"
                send(commands.Wake(max(at, wake)))
                continue
            view = watchers[turn.seat].projection.view()
            if turn.seat == craft.narrator and narrate is not None:
                said = narrate(view, turn, seat_random(Seed.of(seed), turn.seat, turn.number, turn.attempt))
                text = turn.reply(view.state, said)
            else:
                dump = dump_of(prompts(view, turn), system.ruleset.rulebook)
                text = craft.loudly(turn, f"zq{rng.getrandbits(40):010x}\n{dump}", rng)
            failures = len(turn.failures)
            send(commands.Reply(at, turn.seat, turn.number, text))
            after = tape.state.turns.get((turn.seat, turn.number))
            if turn.seat == craft.narrator:
                heard.attempts += 1
                heard.refused += (after is not None and len(after.failures) > failures) or _fell_back(tape, turn)
    audiences = craft.audiences([item.event for item in tape.log])
    played = Played(craft, seed, seats, options, tape.log, tape.sent, tape.resolved, audiences)
    listen(system, craft, played, heard)
    return played, heard


def _fell_back(tape: Tape, turn: Turn) -> bool:
    resolution = tape.resolved.get((turn.seat, turn.number))
    return resolution is not None and resolution.text is None


def listen(system: System, craft: Loud, played: Played, heard: Hearing) -> None:
    """Follow through the game what everyone knows, and record what was said without a way to know it."""
    known: dict[str, set[Fact]] = defaultdict(set)
    happened: set[Fact] = set()
    ear = Ear(system, [seat for seat in played.seats if seat != craft.narrator])
    for item, audience in zip(played.log, played.audiences, strict=True):
        listeners = played.seats if audience is None else [seat for seat in played.seats if seat in audience]
        texts = craft.texts(item.event)
        for author, text in texts:
            heard.texts += 1
            for token in TOKEN.findall(text)[:1]:
                known[author].add(("token", token, author))
                happened.add(("token", token, author))
            for fact, piece in ear.given_away(craft.innocent(text), happened):
                if fact in known[author]:
                    heard.founded += 1
                    for seat in listeners:
                        known[seat].add(fact)
                else:
                    heard.unfounded.append(Unfounded(item.position, author, fact, piece))
        if texts:
            continue
        facts = set(_facts(system, craft, item, audience))
        happened |= facts
        for seat in listeners:
            known[seat] |= facts


def _facts(system: System, craft: Loud, item: Recorded, audience: frozenset[str] | None) -> Iterator[Fact]:
    facts = {*system.ruleset.facts(item.event), *craft.implied(item.event)}
    yield from filter(None, map(craft.distinct, facts))
    text = getattr(item.event, "text", None)
    if isinstance(text, str):
        yield from (("token", token, "") for token in TOKEN.findall(text)[:1])
    told = system.ruleset.tell(item.event, AUDITOR)
    if audience is not None and told is not None and item.event.actor is None and len(told.text) > 30:
        yield ("told", _level(told.text), "")


def _level(text: str) -> str:
    return " ".join(text.casefold().split())


class Ear:
    """Finds facts in texts. It caches results, because prompts repeat themselves."""

    def __init__(self, system: System, players: Sequence[str]) -> None:
        self.mentions, self.players = system.ruleset.mentions, players
        self._names: dict[str, frozenset[str]] = {}
        self._mentioned: dict[tuple[Fact, str], bool] = {}

    def given_away(self, text: str, facts: set[Fact]) -> Iterator[tuple[Fact, str]]:
        """Return the facts that a piece of the text reveals, each once. A piece that names everyone is about nobody."""
        whole = _level(text)
        tokens = set(TOKEN.findall(text))
        about: dict[str, list[str]] = defaultdict(list)
        for piece in dict.fromkeys(raw.lstrip("> ") for raw in PIECES.split(text)):
            for name in self.names(piece):
                about[name].append(piece)
        for fact in facts:
            kind, subject, _ = fact
            if kind == "token":
                if subject in tokens:
                    yield fact, subject
            elif kind == "told":
                if subject in whole:
                    yield fact, subject
            else:
                piece = next((piece for piece in about[subject] if self.mentioned(fact, piece)), None)
                if piece is not None:
                    yield fact, piece

    def names(self, piece: str) -> frozenset[str]:
        found = self._names.get(piece)
        if found is None:
            found = frozenset(named(piece, self.players))
            found = self._names[piece] = found if len(found) < len(self.players) else frozenset()
        return found

    def mentioned(self, fact: Fact, piece: str) -> bool:
        key = (fact, piece)
        found = self._mentioned.get(key)
        if found is None:
            found = self._mentioned[key] = self.mentions(fact, piece)
        return found


def told_by_fallbacks(system: System, craft: Loud, played: Played) -> list[str]:
    """Return what the fallback words of a silent narrator reveal beyond what was public by then."""
    ear = Ear(system, [seat for seat in played.seats if seat != craft.narrator])
    public: set[Fact] = set()
    happened: set[Fact] = set()
    found = []
    before: Event | None = None
    for item, audience in zip(played.log, played.audiences, strict=True):
        texts = craft.texts(item.event)
        if isinstance(before, FallbackApplied) and before.seat == craft.narrator:
            for _, text in texts:
                hidden = happened - public
                found += [f"{text!r} gives away {fact}" for fact, _ in ear.given_away(text, hidden)]
        facts = set(_facts(system, craft, item, audience))
        happened |= facts
        if audience is None:
            public |= facts
        before = item.event
    return found
