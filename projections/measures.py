"""What experiments can measure in finished games of a ruleset: which parts there are, and how seats behaved."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from sottovoce.domain.beliefs import percent_of
from sottovoce.domain.claims import Claim
from sottovoce.domain.events import Recorded
from sottovoce.domain.ruleset import Fact, Ruleset
from sottovoce.projections.knowledge import Presence, voices
from sottovoce.projections.receipts import Receipt, endings, read_deliveries
from sottovoce.projections.traces import Traces


@dataclass(frozen=True, slots=True)
class Measure:
    """One quantity. `means` defines it in a sentence, and `source` says which events it is computed from.

    A `share` is counted in cases, each of which is a hit or not; a `mean` is an average of numbers.
    """

    name: str
    means: str
    source: str
    kind: Literal["share", "mean"] = "share"


Counted = Mapping[str, Mapping[str, tuple[float, int]]]
"""By the name of a measure and the seat: the sum over its cases in one game, and how many cases there were."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measures:
    """What a ruleset tells experiments.

    `sides` gives the side of each part that a game deals, and `alone` names the parts that are never counted together
    with others, since they win by other means. `listed` are the measures that `of(recorded, receipts)` counts in one
    finished game. `parts(state)` returns each seat's part from the state right after the opening.
    """

    sides: Mapping[str, str]
    alone: frozenset[str] = frozenset()
    parts: Callable[[Any], Mapping[str, str]]
    listed: tuple[Measure, ...] = ()
    of: Callable[[Sequence[Recorded], Sequence[Receipt]], Counted] = lambda recorded, receipts: {}


@dataclass(frozen=True, slots=True)
class Utterance:
    """What a seat said to others: the claims in it, and which facts the seat had from events before it spoke."""

    position: int
    who: str
    text: str
    listeners: tuple[str, ...]
    claims: tuple[Claim, ...]
    known: frozenset[Fact]


def utterances(ruleset: Ruleset[Any], recorded: Sequence[Recorded]) -> list[Utterance]:
    """Return everything that seats said to other seats, in order. `known` is empty where nothing is claimed."""
    presence, found = Presence(), list[Utterance]()
    known: dict[str, set[Fact]] = defaultdict(set)
    for item in recorded:
        audience = presence.audience(item)
        for voice in voices(ruleset, item.event):
            listeners = tuple(seat for seat in audience if seat != voice.who)
            if not listeners:
                continue
            claims = tuple(ruleset.claims(voice.who, voice.text, tuple(presence.seats)))
            had = frozenset(known[voice.who]) if claims else frozenset()
            found.append(Utterance(item.position, voice.who, voice.text, listeners, claims, had))
        facts = ruleset.facts(item.event)
        for seat in audience if facts else ():
            known[seat] |= facts
    return found


def stated_beliefs(receipts: Sequence[Receipt]) -> list[tuple[str, Mapping[str, float]]]:
    """Return the beliefs that came with accepted replies: the seat, and how likely it held the matter for each other
    seat, from 0 to 1.
    """
    found: dict[tuple[str, str], dict[str, float]] = {}
    for call, seat, _, about, likely in stated_beliefs_of(receipts):
        found.setdefault((call, seat), {})[about] = likely
    return [(seat, held) for (_, seat), held in found.items()]


def stated_beliefs_of(receipts: Sequence[Receipt]) -> list[tuple[str, str, int | None, str, float]]:
    """Return the same one by one: the call, the seat, its turn, about whom, and how likely."""
    handed = {one.call: (seat, one.turn) for seat, given in read_deliveries(receipts).items() for one in given}
    return [
        (call, *handed[call], about, percent_of(much) / 100)
        for call, ending in endings(receipts).items()
        if call in handed and ending.how == "accepted" and ending.mind is not None
        for about, much in ending.mind.suspicion.items()
    ]


def _is_news(own: set[Fact], others: Sequence[set[Fact]], fact: Fact) -> bool:
    return fact in own and any(fact not in those for those in others)


def secrets_told(ruleset: Ruleset[Any], recorded: Sequence[Recorded]) -> Counter[str]:
    """Count, by who spoke, the hidden matters that seats had and told others who did not have them: what `audit leaks`
    notes as disclosed by a player.
    """
    presence, traces, found = Presence(), Traces(ruleset), Counter[str]()
    known: dict[str, set[Fact]] = defaultdict(set)
    for item in recorded:
        audience, facts = presence.audience(item), ruleset.facts(item.event)
        for seat in audience if facts else ():
            known[seat] |= facts
        if audience:
            traces.add(facts)
        for voice in voices(ruleset, item.event):
            listeners = [seat for seat in audience if seat != voice.who]
            if not listeners:
                continue
            news = partial(_is_news, known[voice.who], [known[seat] for seat in listeners])
            found.update(voice.who for _ in traces.mentioned(voice.text, news))
    return found
