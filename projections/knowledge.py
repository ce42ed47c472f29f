"""How a seat could have learnt what an event carries: directly, by the rules, through words, by a guess, or not at all.

Facts spread in two ways:

- An event carries its facts to its audience.
- A text that claims or mentions a fact carries it to everyone who hears it, if its author already had the fact, from
  an event or from earlier words. That gives chains back to the event in which the first author saw it.

A text by an author who could not know is a guess, even if it is right. A text that denies the fact carries it to
nobody: it counts as a denial.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import with_config
from typing_extensions import TypedDict

from sottovoce.domain.events import Event, GameOpened, Recorded
from sottovoce.domain.piece import AUDITOR, CLOSED, Voice
from sottovoce.domain.ruleset import Fact, Ruleset
from sottovoce.projections.perspective import at_position, checked_seat, seats_of

Verdict = Literal["direct", "before", "rule", "words", "unfounded", "impossible"]
"""From most to least direct: in the event's audience; by an earlier or a later event that carries the same fact;
through words with a foundation; only through words without one; not at all."""

VERDICTS: tuple[Verdict, ...] = ("direct", "before", "rule", "words", "unfounded", "impossible")


def voices(ruleset: Ruleset[Any], event: Event) -> tuple[Voice, ...]:
    """Return the free texts in an event whose author is known."""
    told = ruleset.tell(event, AUDITOR)
    return tuple(voice for voice in told.words if voice.who) if told else ()


class Presence:
    """The seats that see each event, in order: those in its audience that are present by then."""

    def __init__(self) -> None:
        self.seats: dict[str, None] = {}

    def audience(self, item: Recorded) -> tuple[str, ...]:
        if isinstance(item.event, GameOpened):
            self.seats.update(dict.fromkeys(item.event.seats))
        return tuple(seat for seat in self.seats if item.audience.includes(seat))


@with_config(CLOSED)
class ChainLinkJson(TypedDict):
    """One author in a chain."""

    seat: str
    said: int
    learnt: int
    by: Literal["event", "words"]


@with_config(CLOSED)
class MentionJson(TypedDict):
    """A text that mentions a fact, and how its author knew the fact."""

    position: int
    author: str
    words: str
    chain: list[ChainLinkJson]


@with_config(CLOSED)
class FactPathsJson(TypedDict):
    """All ways in which a seat could have learnt one fact."""

    fact: list[str]
    verdict: Verdict
    events: list[int]
    words: list[MentionJson]
    unfounded: list[MentionJson]
    denied: list[MentionJson]


@with_config(CLOSED)
class HowJson(TypedDict):
    """How a seat could have learnt what an event contains."""

    seat: str
    position: int
    name: str
    verdict: Verdict
    whole: bool
    facts: list[FactPathsJson]


@dataclass(frozen=True, slots=True)
class ChainLink:
    """One author in a chain: `seat` said it at position `said`, and knew it since `learnt`, from an event or from
    words."""

    seat: str
    said: int
    learnt: int
    by: Literal["event", "words"]

    def to_json(self) -> ChainLinkJson:
        return {"seat": self.seat, "said": self.said, "learnt": self.learnt, "by": self.by}


@dataclass(frozen=True, slots=True)
class Retelling:
    """A text that mentions the fact, by `author` at `position`.

    `chain` leads from the author back to a seat that had it from an event. It is empty if the author had no source.
    """

    position: int
    author: str
    words: str
    chain: tuple[ChainLink, ...] = ()

    def to_json(self) -> MentionJson:
        return {
            "position": self.position,
            "author": self.author,
            "words": self.words,
            "chain": [link.to_json() for link in self.chain],
        }


@dataclass(frozen=True, slots=True)
class FactPaths:
    """All ways in which the seat could have learnt one fact. `events` are positions of events that carry it to the
    seat.

    `denied` are texts that told the seat the fact is false, each with its author's own way to the fact.
    """

    fact: Fact
    verdict: Verdict
    events: tuple[int, ...] = ()
    words: tuple[Retelling, ...] = ()
    unfounded: tuple[Retelling, ...] = ()
    denied: tuple[Retelling, ...] = ()

    def to_json(self) -> FactPathsJson:
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

    `verdict` is the most direct of its facts' verdicts. `whole` says that every fact could be learnt, not only one.
    """

    seat: str
    position: int
    name: str
    verdict: Verdict
    whole: bool
    facts: tuple[FactPaths, ...]

    def to_json(self) -> HowJson:
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
    """Return how `seat` could have learnt what the event at `position` carries, by position `upto` if given.

    Raises UnknownSeat or UnknownPosition.
    """
    checked_seat(recorded, seat)
    item = at_position(recorded, position)
    presence = Presence()
    audiences = [presence.audience(other) for other in recorded]
    log = list(zip(recorded[:upto], audiences, strict=False))
    # Nothing earlier can have revealed a seat's own action.
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
    founded: list[Retelling] = []
    unfounded: list[Retelling] = []
    denied: list[Retelling] = []
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
                heard.append(Retelling(item.position, voice.who, voice.text, chain))
            if source is not None and way == "told":
                for listener in listeners:
                    known.setdefault(listener, _Learnt(item.position, voice.who))
    verdict = _verdict(position, events, founded, unfounded)
    return FactPaths(fact, verdict, tuple(events), tuple(founded), tuple(unfounded), tuple(denied))


def _said(ruleset: Ruleset[Any], voice: Voice, fact: Fact, seats: tuple[str, ...]) -> Literal["told", "denied"] | None:
    """Return whether a text says that the fact is true, false, or neither.

    A sentence read as a claim says only what it claims; the rest of the text can mention more.
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


def _verdict(
    position: int, events: Sequence[int], founded: Sequence[Retelling], unfounded: Sequence[Retelling]
) -> Verdict:
    if position in events:
        return "direct"
    if events:
        return "before" if events[0] < position else "rule"
    return "words" if founded else "unfounded" if unfounded else "impossible"


def _chain(known: dict[str, _Learnt], author: str, said: int) -> tuple[ChainLink, ...]:
    chain = []
    speaker: str | None = author
    while speaker is not None:
        learnt = known[speaker]
        chain.append(ChainLink(speaker, said, learnt.position, "event" if learnt.author is None else "words"))
        speaker, said = learnt.author, learnt.position
    return tuple(chain)
