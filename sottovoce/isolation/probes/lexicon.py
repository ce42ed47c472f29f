"""Values from the hidden part of two worlds: numbers, words and names that a seat must not know.

A leak often shows only if you ask with the right value: the true length, another seat's turn, the path of a hidden
document. Probes ask with all of these, and with other spellings of them.
"""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, zip_longest
from typing import Any

from sottovoce.domain.events import Recorded, ReplyAccepted, TurnOpened, TurnWithdrawn
from sottovoce.domain.game import fold
from sottovoce.domain.ruleset import Fact, Ruleset
from sottovoce.domain.turns import Turn
from sottovoce.projections.view import public_view, view

LONGEST = 60
"""Characters of a text that is used as a word."""
FEW = 12
"""Maximum number of words of one kind."""
BEYOND = (0, 1, 99_999)


@dataclass(frozen=True)
class Lexicon:
    """The values of a case: two logs, the seat that must not be able to tell them apart (None for the public), and
    the IDs of its game and of another, if games can be asked for."""

    ruleset: Ruleset[Any]
    logs: tuple[Sequence[Recorded], Sequence[Recorded]]
    seat: str | None
    games: tuple[str, ...] = ()

    def _seen(self, log: Sequence[Recorded]) -> list[bool]:
        """Return which events the seat sees, according to their audiences."""
        return [item.audience.seats is None or self.seat in item.audience.seats for item in log]

    @cached_property
    def seq(self) -> int:
        """Return the length of the seat's view."""
        log = self.logs[0]
        seen = public_view(self.ruleset, log) if self.seat is None else view(self.ruleset, log, self.seat)
        return seen.seq

    @cached_property
    def numbers(self) -> Mapping[str, tuple[int, ...]]:
        """Return numbers by kind, those that the seat has first."""
        last, others, turns, positions = set[int](), set[int](), set[int](), set[int]()
        for log in self.logs:
            last.add(len(log))
            own = [item.position for item, seen in zip(log, self._seen(log), strict=True) if seen]
            positions.update(own[-2:])
            for event in (item.event for item in log):
                if isinstance(event, TurnOpened) and event.seat != self.seat:
                    turns.add(event.turn)
            for other in {seat for item in log for seat in item.audience.seats or ()} - {self.seat}:
                others.add(sum(item.audience.seats is None or other in item.audience.seats for item in log))
        seq = self.seq
        kinds = {
            "own seq": (seq, max(1, seq // 2), seq + 1, max(0, seq - 1)),
            "length": tuple(sorted({*last, *(length + 1 for length in last), *(length - 1 for length in last)})),
            "position": tuple(sorted(positions)),
            "another's seq": tuple(sorted(others)),
            "another's turn": tuple(sorted(turns, reverse=True)),
            "between": tuple(sorted({(seq + length) // 2 for length in last})),
            "length of a document": tuple(sorted(self._sizes)),
            "beyond": BEYOND,
        }
        return {kind: found[:FEW] for kind, found in kinds.items() if found}

    @cached_property
    def words(self) -> Mapping[str, tuple[str, ...]]:
        """Return words and names by kind, those in only one world first."""
        hidden = [self._hidden(log) for log in self.logs]
        values = [{text for event in side for text in leaves(event)} for side in hidden]
        pairs = [{" ".join(pair) for event in side for pair in _pairs(event)} for side in hidden]
        unseen = [{item.name for item, seen in zip(log, self._seen(log), strict=True) if not seen} for log in self.logs]
        choices = [{choice for turn in self.others_turns(log) for choice in turn.choices} for log in self.logs]
        known = {
            text
            for item, seen in zip(self.logs[0], self._seen(self.logs[0]), strict=True)
            if seen
            for text in leaves(item.event.data())
        }
        kinds = {
            "document": _first(*self._documents),
            "fact": self._facts,
            "game": self.games,
            "hidden value": _first(*(side - known for side in values)),
            "hidden pair": _first(*pairs),
            "name of an event": _first(*unseen),
            "append": tuple(dict.fromkeys(log[-1].append for log in self.logs)),
            "another's choice": _first(*choices),
            "seat": tuple(seat for seat in self.seats if seat != self.seat),
        }
        return {kind: found for kind, found in kinds.items() if found}

    @property
    def own_turns(self) -> list[Turn]:
        """Return the seat's open turns."""
        return [] if self.seat is None else view(self.ruleset, self.logs[0], self.seat).turns

    @property
    def past_turns(self) -> list[int]:
        """The seat's turns that are over, those that were taken back first."""
        own = [item.event for item in self.logs[0] if getattr(item.event, "seat", None) == self.seat]
        past = {event.turn for event in own if isinstance(event, TurnOpened)} - {turn.number for turn in self.own_turns}
        withdrawn = {event.turn for event in own if isinstance(event, TurnWithdrawn)}
        return sorted(past, key=lambda number: (number not in withdrawn, -number))

    @property
    def seats(self) -> tuple[str, ...]:
        """Return all seats of the game."""
        seats: tuple[str, ...] = fold(self.ruleset, [item.event for item in self.logs[0]]).seats
        return seats

    @property
    def _facts(self) -> tuple[str, ...]:
        """Return secrets that are true in only one world, one of each kind in turn: `Ada Doctor`, `Doctor`."""
        sides: list[set[Fact]] = []
        for log in self.logs:
            hidden = [item.event for item, seen in zip(log, self._seen(log), strict=True) if not seen]
            sides.append({fact for event in hidden for fact in self.ruleset.facts(event)})
        apart: dict[str, list[Fact]] = {}
        for fact in sorted((sides[0] ^ sides[1]) or sides[0], key=str):
            apart.setdefault(fact[0], []).append(fact)
        found = [fact for some in zip_longest(*apart.values()) for fact in some if fact is not None]
        texts = [text for fact in found for text in (" ".join(fact[1:]), fact[-1])]
        return tuple(text for text in dict.fromkeys(texts) if len(text) <= LONGEST)[: 2 * FEW]

    def _hidden(self, log: Sequence[Recorded]) -> list[Any]:
        return [item.event.data() for item, seen in zip(log, self._seen(log), strict=True) if not seen]

    @cached_property
    def _documents(self) -> tuple[set[str], set[str]]:
        """Return the paths of the documents in each world."""
        kept = self.ruleset.documents
        if kept is None:
            return set(), set()
        one, two = (set(kept(fold(self.ruleset, [item.event for item in log]))) for log in self.logs)
        return one, two

    @property
    def _sizes(self) -> set[int]:
        """Return the lengths of the seat's documents, as the seat sees them and in full."""
        kept = self.ruleset.documents
        if kept is None or self.seat is None:
            return set()
        own = kept(view(self.ruleset, self.logs[0], self.seat).state)
        whole = [kept(fold(self.ruleset, [item.event for item in log])) for log in self.logs]
        cut = [path for path in own if any(side.get(path) != own[path] for side in whole)]
        return {len(side[path]) for path in cut[:2] for side in (own, *whole) if path in side}

    @cached_property
    def own_documents(self) -> tuple[str, ...]:
        """Return the paths of the documents that the seat can read."""
        kept = self.ruleset.documents
        if kept is None or self.seat is None:
            return ()
        return tuple(kept(view(self.ruleset, self.logs[0], self.seat).state))

    @cached_property
    def answers(self) -> list[tuple[int, str]]:
        """Return numbers of others' turns with the texts that answered them, those of only one world first."""
        sides = [
            [
                (event.turn, event.text)
                for event in (item.event for item in log)
                if isinstance(event, ReplyAccepted) and event.seat != self.seat and len(event.text) < 400
            ]
            for log in self.logs
        ]
        apart = [one for side, other in (sides, sides[::-1]) for one in side if one not in other]
        return [*apart[-4:], *sides[0][-2:], *apart[:-4]]

    def altered_answers(self, rng: random.Random, most: int) -> list[str]:
        """What others answered, word for word or with one hidden word in it spelled otherwise."""
        found = []
        for _, text in self.answers[:most]:
            words = [word for word in self.words.get("hidden value", ()) if len(word) > 3 and word in text]
            word = rng.choice(words) if words else ""
            found += [text, *([text.replace(word, word[:-1]), text.replace(word, f"{word}x")] if word else [])]
        return found

    def others_turns(self, log: Sequence[Recorded]) -> list[Turn]:
        """Return the open turns of other seats in a world."""
        turns = fold(self.ruleset, [item.event for item in log]).turns
        return [turn for turn in turns.values() if turn.seat != self.seat]

    # drawing from it

    def integers(self, rng: random.Random, most: int) -> list[tuple[str, int]]:
        """Return numbers to ask with, each with its kind: always both lengths, and some others."""
        chosen = [("length", len(log)) for log in self.logs]
        rest = [
            (kind, number) for kind, found in self.numbers.items() for number in rng.sample(found, min(2, len(found)))
        ]
        rng.shuffle(rest)
        return list(dict.fromkeys([*chosen, *rest]))[:most]

    def texts(self, rng: random.Random, most: int) -> list[tuple[str, str]]:
        """Return words to ask with, each with its kind: some of every kind, spelled normally or differently."""
        found = []
        for kind, words in self.words.items():
            for word in rng.sample(words, min(3 if kind == "fact" else 2, len(words))):
                found += [(kind, word), (f"{kind}, spelled otherwise", rng.choice(list(spellings(word))))]
        rng.shuffle(found)
        return found[:most]


def leaves(value: Any) -> Iterator[str]:
    """Return the short texts in the data of an event, except field names."""
    match value:
        case str():
            if 1 < len(value) <= LONGEST and "\n" not in value:
                yield value
        case dict():
            for key, inner in value.items():
                yield from leaves(inner)
                if isinstance(inner, str | int) and not isinstance(inner, bool) and not key.islower():
                    yield key
        case list() | tuple():
            for inner in value:
                yield from leaves(inner)


def _pairs(event: Any) -> Iterator[tuple[str, str]]:
    """Return pairs of a name and what is next to it in the same event, such as a player and its role."""
    short = [value for value in event.values() if isinstance(value, str) and 1 < len(value) < 30]
    yield from pairwise(short)


def _first(*sides: Iterable[str]) -> tuple[str, ...]:
    """Return first the words that only one world has, alternating, then those of both."""
    one, two = (dict.fromkeys(sorted(side)) for side in sides)
    apart = [[word for word in side if word not in other] for side, other in ((one, two), (two, one))]
    mixed = [word for pair in zip(*apart, strict=False) for word in pair]
    mixed += [word for side in apart for word in side[min(map(len, apart)) :]]
    return tuple(mixed[:FEW]) + tuple([word for word in one if word in two][: FEW // 2])


def spellings(word: str) -> Iterator[str]:
    """Return other ways to write a word or a path, which careless code may treat as the same."""
    yield word.upper()
    yield word.lower()
    yield word.title()
    yield f"{word}/"
    yield f" {word} "
    yield f"./{word}"
    yield f"{word}."
    yield word[: max(1, len(word) // 2)]
    yield word[1:] or word
    yield word.replace("/", "//")
    yield word.replace("/", "\\")
    yield f"x/../{word}"
    yield word.replace("-", "_").replace(" ", "_")
    yield word.rpartition(".")[0] or f"{word}.md"
    yield word.rpartition("/")[2] or word
    yield unicodedata.normalize("NFD", word).replace("a", "a\u0301")
    yield "".join(chr(ord(char) + 0xFEE0) if "!" <= char <= "~" else char for char in word)
    yield f"{word}*"
    yield f"%{word}%"
