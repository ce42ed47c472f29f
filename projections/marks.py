"""What an entry does to the picture that one chair has of the table: marks, which pages fold beside the pieces.

Marks are made of the chair's own entries, of the pieces that tell them, and of the state folded from them; an auditor's
also of the audiences. Nothing else reaches them, so that they show no more than the entries do. As JSON each is an
object with the key `mark`. Pages and programs can rely on the keys (`docs/cli.md`): new ones may come, none goes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import msgspec

from sottovoce.domain.audience import NOBODY, Audience, everyone
from sottovoce.domain.claims import Claim
from sottovoce.domain.events import Event, GameOpened, GameVoided
from sottovoce.domain.piece import Mood, Piece, Voice, unmarked
from sottovoce.domain.ruleset import Fact, Ruleset

Highlight = Literal["claim", "counter", "betrayal", "close", "death", "last-words", "end"]


class Mark(msgspec.Struct, frozen=True, gc=False, tag_field="mark"):
    """One change of the picture."""


class Seats(Mark, frozen=True, gc=False, tag="seats"):
    """Who sits at the table, in seating order; the offices are those seats that are named by what they do."""

    seats: tuple[str, ...]
    offices: tuple[str, ...] = ()


class Awaited(Mark, frozen=True, gc=False, tag="awaited"):
    """Who is awaited from now on, as far as everybody may know; `text` says so where no seat is named."""

    seats: tuple[str, ...]
    text: str = ""


class Phase(Mark, frozen=True, gc=False, tag="phase"):
    """A chapter begins, as the piece's heading has it."""

    text: str
    within: str
    level: int
    mood: Mood


class Out(Mark, frozen=True, gc=False, tag="out"):
    """A seat is out of the game."""

    seat: str
    how: str


class FactLearnt(Mark, frozen=True, gc=False, tag="fact"):
    """A hidden matter that the entry carries.

    `fact` is the same list for the same matter, in claims too. `label` may stand under the names of those whom it is
    `about`. `way` is `rule` where everybody has it, and then `to` is None; else `to` are the seats that have it by this
    entry, as far as the chair can tell.
    """

    fact: Fact
    about: tuple[str, ...]
    label: str
    says: str
    way: Literal["saw", "rule"]
    to: tuple[str, ...] | None


class ClaimHeard(Mark, frozen=True, gc=False, tag="claim"):
    """Somebody said that a hidden matter is so, or that it is not; `words` is the sentence. `to` is None where
    everybody heard it."""

    by: str
    about: tuple[str, ...]
    fact: Fact
    label: str
    says: str
    denied: bool
    words: str
    to: tuple[str, ...] | None


class Mention(Mark, frozen=True, gc=False, tag="mention"):
    """A moment worth jumping to."""

    what: Highlight
    text: str
    seats: tuple[str, ...] = ()


class Vote(Mark, frozen=True, gc=False, tag="vote", rename={"whom": "for"}):
    """One vote as it becomes known. `for` is the seat that it is for or against, None where it is for none; `ballot` is
    the same text for all votes that are counted together."""

    of: str
    whom: str | None
    choice: str
    ballot: str


class Thought(Mark, frozen=True, gc=False, tag="thought"):
    """What a seat thought or meant, as it was recorded."""

    seat: str
    text: str


class TaskMoved(Mark, frozen=True, gc=False, tag="task"):
    """A task's state changed, or who owes its next step; `says` puts the state in words."""

    task: str
    title: str
    state: str
    seat: str | None
    says: str = ""


class ResourceSet(Mark, frozen=True, gc=False, tag="resource"):
    """What a seat has of something that is counted, or that is named, an empty text where it has none."""

    seat: str
    name: str
    value: int | str
    most: int | None = None


class Group(Mark, frozen=True, gc=False, tag="group"):
    """Those seats are together, and apart from all others; the name is empty where the group has none."""

    name: str
    seats: tuple[str, ...]


AnyMark = (
    Seats | Awaited | Phase | Out | FactLearnt | ClaimHeard | Mention | Vote | Thought | TaskMoved | ResourceSet | Group
)


def to_json(marks: Sequence[Mark]) -> list[dict[str, Any]]:
    """The marks as JSON."""
    found: list[dict[str, Any]] = msgspec.json.decode(msgspec.json.encode(marks))
    return found


@dataclass(frozen=True, slots=True)
class Moment:
    """An event as a chair has it: its piece, and what the chair had folded `before` and has folded `after` it.

    `heard_by` are the seats of which the chair knows that they have the event too, in seating order, its own included;
    None is everybody.
    """

    event: Any
    piece: Piece | None
    before: Any
    after: Any
    heard_by: tuple[str, ...] | None


Handler = Callable[[Any, Moment], Iterable[Mark]]
"""`(marker, moment) -> marks` for one class of events."""


def named_by_itself(event: Event, state: Any) -> Audience:
    """The seats that an event shows to have it: by what it says, and by its class."""
    seen_by = type(event).seen_by
    return NOBODY if seen_by is None else seen_by.stated(event)


class Marker:
    """Marks the entries of one chair, in order, and keeps what later marks build on.

    A ruleset's own is a subclass: `handlers` are what it adds for its classes of events, and the rest are methods to
    override. It is given nothing but what the chair has.
    """

    handlers: ClassVar[Mapping[type[Event], Handler]] = {}

    def __init__(
        self,
        ruleset: Ruleset[Any],
        seat: str | None = None,
        *,
        auditor: bool = False,
        awaited: Callable[[Any], tuple[str, ...]] | None = None,
        offices: frozenset[str] = frozenset(),
    ) -> None:
        self.ruleset = ruleset
        self.seat = seat
        self.auditor = auditor
        self._who_is_awaited = awaited
        self._offices = offices
        self._awaited: tuple[str, ...] | None = None
        self._ballots = 0

    def mark(self, event: Event, piece: Piece | None, before: Any, after: Any, audience: Audience | None) -> list[Mark]:
        """The marks of the chair's next entry; only an auditor gives the audience."""
        moment = Moment(event, piece, before, after, self._hearers(event, before, after, audience))
        marks: list[Mark] = []
        if type(event) is GameOpened:
            marks.append(Seats(event.seats, tuple(seat for seat in event.seats if seat in self._offices)))
        if piece is not None and piece.chapter is not None:
            heading = piece.chapter
            marks.append(Phase(heading.text, heading.within, heading.level, heading.mood))
        marks += self.facts(moment)
        if piece is not None and piece.words:
            marks += self._said(moment, piece)
        handler = self.handlers.get(type(event))
        if handler is not None:
            marks += handler(self, moment)
        elif (votes := getattr(event, "votes", None)) and isinstance(votes, Mapping):
            marks += self._counted(votes, moment)
        if after.over and not before.over:
            lead = "" if piece is None else unmarked(piece.lead).partition("\n")[0]
            what = "The game was aborted." if isinstance(event, GameVoided) else lead or "The game is over."
            marks.append(Mention("end", what))
        if self._who_is_awaited is not None:
            marks += self._now_awaited(after)
        return marks

    # what a ruleset may say otherwise

    def audience(self, event: Event, state: Any) -> Audience:
        """Who has an event, as far as a chair can tell that has it and had folded `state` before it."""
        return named_by_itself(event, state)

    def facts(self, moment: Moment) -> Iterator[Mark]:
        """The hidden matters that an entry carries."""
        for fact in sorted(self.ruleset.facts(moment.event)):
            told = self.told(fact, moment.after)
            if told is not None:
                says, label = told
                yield self.learnt(moment, fact, says, label)

    def told(self, fact: Fact, state: Any) -> tuple[str, str] | None:
        """A hidden matter in words, and its label; None for one that its entry shows well enough."""
        kind, *parts = fact
        return f"{kind}: {', '.join(parts)}", ""

    def claims(self, voice: Voice, moment: Moment) -> Iterable[Claim]:
        """What somebody says about hidden matters."""
        return self.ruleset.claims(voice.who, voice.text, moment.after.seats)

    def highlights(self, claim: Claim, says: str, moment: Moment) -> Iterable[Mark]:
        """What is worth a mention about a claim."""
        yield Mention("claim", f"{claim.by}: {says}", tuple(dict.fromkeys((claim.by, claim.about))))

    # what all have in common

    def learnt(self, moment: Moment, fact: Fact, says: str, label: str = "") -> FactLearnt:
        """A hidden matter as the entry carries it."""
        about = tuple(part for part in fact[1:] if part in moment.after.seats)
        public = moment.heard_by is None
        return FactLearnt(fact, about, label, says, "rule" if public else "saw", moment.heard_by)

    def _said(self, moment: Moment, piece: Piece) -> Iterator[Mark]:
        """What is claimed in words that others hear; a reply is the seat's own until it is told."""
        if piece.kind in ("reply", "warning", "document"):
            return
        for voice in piece.words:
            if not voice.who:
                continue
            for claim in self.claims(voice, moment):
                says, label = self.told(claim.fact, moment.after) or (claim.words, "")
                about = (claim.about,) if claim.about else ()
                yield ClaimHeard(claim.by, about, claim.fact, label, says, claim.denied, claim.words, moment.heard_by)
                yield from self.highlights(claim, says, moment)

    def _counted(self, votes: Mapping[str, str], moment: Moment) -> Iterator[Mark]:
        """The votes of a ballot as an event tells them of which the ruleset says nothing more."""
        self._ballots += 1
        title = unmarked(moment.piece.title) if moment.piece is not None else ""
        ballot = f"{title or moment.event.stored_name}, ballot {self._ballots}"
        for voter, choice in votes.items():
            yield Vote(voter, choice if choice in moment.after.seats else None, choice, ballot)

    def _hearers(self, event: Event, before: Any, after: Any, audience: Audience | None) -> tuple[str, ...] | None:
        if type(event).seen_by is everyone:
            return None
        seen_by = (audience or NOBODY) if self.auditor else self.audience(event, before)
        if seen_by.seats is None:
            return None
        return tuple([seat for seat in after.seats if seat in seen_by.seats or seat == self.seat])

    def _now_awaited(self, state: Any) -> Iterable[Mark]:
        assert self._who_is_awaited is not None
        awaited = self._who_is_awaited(state)
        if awaited == self._awaited:
            return ()
        self._awaited = awaited
        seats = tuple(who for who in awaited if who in state.seats)
        return (Awaited(seats, ", ".join(who for who in awaited if who not in state.seats)),)
