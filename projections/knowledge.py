"""How could a seat have learnt what an event carries: directly, by rule, through words, by a guess, or not at all.

Facts spread in two ways. An event carries its facts to its audience. A text that claims or mentions a fact carries it
to whoever hears it, provided its author had it by then, from an event or from words heard earlier; that gives chains
back to the event in which the first of them saw it. A text by an author who could not know is a guess, however right it
is. One that says that the fact is not so carries it to nobody: it is told as a denial.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sottovoce.domain.events import Event, GameOpened, Recorded
from sottovoce.domain.piece import AUDITOR, Voice
from sottovoce.domain.ruleset import Fact, Ruleset
from sottovoce.projections.perspective import at_position, checked_seat, seats_of

Verdict = Literal["direct", "before", "rule", "words", "unfounded", "impossible"]
"""From the plainest to none: in the event's audience; by an earlier or by a later event that carries the same; through
words that were founded; only through words that were not; in no way."""

VERDICTS: tuple[Verdict, ...] = ("direct", "before", "rule", "words", "unfounded", "impossible")


def voices(ruleset: Ruleset[Any], event: Event) -> tuple[Voice, ...]:
    """The free texts in an event of which it is known who wrote them."""
    told = ruleset.tell(event, AUDITOR)
    return tuple(voice for voice in told.words if voice.who) if told else ()


class Presence:
    """The seats that see each event, taken in order: those in its audience that are present by then."""

    def __init__(self) -> None:
        self.seats: dict[str, None] = {}

    def audience(self, item: Recorded) -> tuple[str, ...]:
        if isinstance(item.event, GameOpened):
            self.seats.update(dict.fromkeys(item.event.seats))
        return tuple(seat for seat in self.seats if item.audience.includes(seat))


@dataclass(frozen=True, slots=True)
class Link:
    """One author in a chain: `seat` said it at position `said`, and had it since `learnt`, from an event or words."""

    seat: str
    said: int
    learnt: int
    by: Literal["event", "words"]

    def to_json(self) -> dict[str, Any]:
        return {"seat": self.seat, "said": self.said, "learnt": self.learnt, "by": self.by}


@dataclass(frozen=True, slots=True)
class Telling:
    """Words that mention the fact, by `author` at `position`.

    `chain` leads from the author back to the one who had it from an event; it is empty where the author had it from
    nowhere.
    """

    position: int
    author: str
    words: str
    chain: tuple[Link, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {
            "position": self.position,
            "author": self.author,
            "words": self.words,
            "chain": [link.to_json() for link in self.chain],
        }


@dataclass(frozen=True, slots=True)
class FactPaths:
    """All ways in which the seat could have learnt one fact; `events` are positions of events that carry it to it.

    `denied` are the words by which it was told that the fact is not so, with the author's own way to the fact.
    """

    fact: Fact
    verdict: Verdict
    events: tuple[int, ...] = ()
    words: tuple[Telling, ...] = ()
    unfounded: tuple[Telling, ...] = ()
    denied: tuple[Telling, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {
            "fact": list(self.fact),
            "verdict": self.verdict,
            "events": list(self.events),
            "words": [telling.to_json() for telling in self.words],
            "unfounded": [telling.to_json() for telling in self.unfounded],
            "denied": [telling.to_json() for telling in self.denied],
        }


@dataclass(frozen=True, slots=True)
class How:
    """How a seat could have learnt what the event at `position` carries.

    `verdict` is the plainest of its facts'; `whole` says that every fact could be learnt, `verdict` of at least one.
    """

    seat: str
    position: int
    name: str
    verdict: Verdict
    whole: bool
    facts: tuple[FactPaths, ...]

    def to_json(self) -> dict[str, Any]:
        return {
            "seat": self.seat,
            "position": self.position,
            "name": self.name,
            "verdict": self.verdict,
            "whole": self.whole,
            "facts": [paths.to_json() for paths in self.facts],
        }


@dataclass(frozen=True, slots=True)
class _Learnt:
    position: int
    author: str | None


def how(ruleset: Ruleset[Any], recorded: Sequence[Recorded], seat: str, position: int, upto: int | None = None) -> How:
    """How `seat` could have learnt, by position `upto` if given, what the event at `position` carries.

    Raises UnknownSeat or UnknownPosition.
    """
    checked_seat(recorded, seat)
    item = at_position(recorded, position)
    presence = Presence()
    audiences = [presence.audience(other) for other in recorded]
    log = list(zip(recorded[:upto], audiences, strict=False))
    # What a seat does comes about as it does it: nothing earlier can have told of it.
    if item.event.actor is not None:
        log = log[position - 1 :]
    direct = seat in audiences[position - 1] and (upto is None or position <= upto)
    seats = seats_of(recorded)
    facts = tuple(_paths(ruleset, log, seats, seat, position, fact) for fact in sorted(ruleset.facts(item.event)))
    verdicts: list[Verdict] = [paths.verdict for paths in facts]
    if direct:
        verdicts.append("direct")
    return How(
        seat=seat,
        position=position,
        name=item.name,
        verdict=min(verdicts, key=VERDICTS.index, default="impossible"),
        whole=bool(verdicts) and all(verdict not in ("unfounded", "impossible") for verdict in verdicts),
        facts=facts,
    )


def _paths(
    ruleset: Ruleset[Any],
    log: Sequence[tuple[Recorded, tuple[str, ...]]],
    seats: tuple[str, ...],
    seat: str,
    position: int,
    fact: Fact,
) -> FactPaths:
    known: dict[str, _Learnt] = {}
    events: list[int] = []
    founded: list[Telling] = []
    unfounded: list[Telling] = []
    denied: list[Telling] = []
    for item, audience in log:
        if fact in ruleset.facts(item.event):
            for listener in audience:
                known.setdefault(listener, _Learnt(item.position, None))
            if seat in audience:
                events.append(item.position)
        for voice in voices(ruleset, item.event):
            listeners = [listener for listener in audience if listener != voice.who]
            way = _said(ruleset, voice, fact, seats) if listeners else None
            if way is None:
                continue
            source = known.get(voice.who)
            if seat in listeners:
                chain = () if source is None else _chain(known, voice.who, item.position)
                heard = denied if way == "denied" else unfounded if source is None else founded
                heard.append(Telling(item.position, voice.who, voice.text, chain))
            if source is not None and way == "told":
                for listener in listeners:
                    known.setdefault(listener, _Learnt(item.position, voice.who))
    verdict = _verdict(position, events, founded, unfounded)
    return FactPaths(fact, verdict, tuple(events), tuple(founded), tuple(unfounded), tuple(denied))


def _said(ruleset: Ruleset[Any], voice: Voice, fact: Fact, seats: tuple[str, ...]) -> Literal["told", "denied"] | None:
    """Whether a text says that the fact is so, or that it is not, or neither.

    Sentences that are read as claims say what they claim; only the rest of the text may mention more.
    """
    claims = ruleset.claims(voice.who, voice.text, seats, (fact,))
    if any(claim.fact == fact and not claim.denied for claim in claims):
        return "told"
    rest = " ".join(voice.text.split())
    for claim in claims:
        rest = rest.replace(" ".join(claim.words.split()), " ")
    if ruleset.mentions(fact, rest):
        return "told"
    return "denied" if any(claim.fact == fact for claim in claims) else None


def _verdict(position: int, events: Sequence[int], founded: Sequence[Telling], unfounded: Sequence[Telling]) -> Verdict:
    if position in events:
        return "direct"
    if events:
        return "before" if events[0] < position else "rule"
    return "words" if founded else "unfounded" if unfounded else "impossible"


def _chain(known: dict[str, _Learnt], author: str, said: int) -> tuple[Link, ...]:
    chain = []
    speaker: str | None = author
    while speaker is not None:
        learnt = known[speaker]
        chain.append(Link(speaker, said, learnt.position, "event" if learnt.author is None else "words"))
        speaker, said = learnt.author, learnt.position
    return tuple(chain)
