"""Marks: how an entry changes a viewer's picture of the table. The page folds them along with the pieces.

Marks are made from the viewer's own entries, their pieces and the state folded from them; for an auditor also from the
audiences. So they show no more than the entries do. In JSON each is an object with the key `mark`. Pages and programs
can rely on the keys (`docs/cli.md`): keys can be added, none will be removed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Annotated, Any, ClassVar, Literal, get_args, get_type_hints

import msgspec
from pydantic import BaseModel, Field, GetCoreSchemaHandler, create_model
from pydantic_core import CoreSchema

from sottovoce.domain.audience import NOBODY, Audience, everyone
from sottovoce.domain.claims import Claim
from sottovoce.domain.events import Event, GameOpened, GameVoided, NotesKept
from sottovoce.domain.piece import CLOSED, Mood, Piece, Voice, unmarked
from sottovoce.domain.ruleset import Fact, Ruleset

Highlight = Literal["claim", "counter", "betrayal", "close", "death", "last-words", "end"]


class Mark(msgspec.Struct, frozen=True, gc=False, tag_field="mark"):
    """One change of the picture."""


class Seats(Mark, frozen=True, gc=False, tag="seats"):
    """Who plays, in seating order; offices are the seats named by what they do."""

    seats: tuple[str, ...]
    offices: tuple[str, ...] = ()


class Awaited(Mark, frozen=True, gc=False, tag="awaited"):
    """Whose turn it is, as far as everyone can know; `text` says it if no seat is named."""

    seats: tuple[str, ...]
    text: str = ""


class Phase(Mark, frozen=True, gc=False, tag="phase"):
    """A chapter starts."""

    text: str
    within: str
    level: Literal[1, 2, 3]
    mood: Mood


class Out(Mark, frozen=True, gc=False, tag="out"):
    """A seat is out of the game."""

    seat: str
    how: str


class FactLearnt(Mark, frozen=True, gc=False, tag="fact"):
    """Hidden information.

    `fact` is the same list for the same matter, in claims too. With the way `rule` everyone knows it, and `to` is null;
    else `to` are the seats that know it from this entry, as far as the viewer can tell. `label` can be shown under the
    names of `about`.
    """

    fact: Fact
    about: tuple[str, ...]
    label: str
    says: str
    way: Literal["saw", "rule"]
    to: tuple[str, ...] | None


class ClaimHeard(Mark, frozen=True, gc=False, tag="claim"):
    """A player said something about hidden information; `denied` if they said it is not true.

    `words` is the sentence. `to` is null if everyone heard it.
    """

    by: str
    about: tuple[str, ...]
    fact: Fact
    label: str
    says: str
    denied: bool
    words: str
    to: tuple[str, ...] | None


class Mention(Mark, frozen=True, gc=False, tag="mention"):
    """A highlight."""

    what: Highlight
    text: str
    seats: tuple[str, ...] = ()


class Vote(Mark, frozen=True, gc=False, tag="vote", rename={"whom": "for"}):
    """One vote as it becomes known.

    `for` is the seat it concerns, or null; `ballot` is the same for all votes counted together.
    """

    of: str
    whom: str | None
    choice: str
    ballot: str


class Thought(Mark, frozen=True, gc=False, tag="thought"):
    """What a seat's agent thought, as recorded."""

    seat: str
    text: str


class Notes(Mark, frozen=True, gc=False, tag="notes"):
    """What a seat notes for itself, in place of its notes before."""

    seat: str
    text: str


class TaskMoved(Mark, frozen=True, gc=False, tag="task"):
    """A task's state changed, or who acts next; `says` is the state in words."""

    task: str
    title: str
    state: str
    seat: str | None
    says: str = ""


class ResourceSet(Mark, frozen=True, gc=False, tag="resource"):
    """A seat's amount or value of a resource; an empty text if it has none."""

    seat: str
    name: str
    value: int | str
    most: int | None = None


class Group(Mark, frozen=True, gc=False, tag="group"):
    """These seats are together and apart from all others; the name is empty if the group has none."""

    name: str
    seats: tuple[str, ...]


AnyMark = (
    Seats
    | Awaited
    | Phase
    | Out
    | FactLearnt
    | ClaimHeard
    | Mention
    | Vote
    | Thought
    | Notes
    | TaskMoved
    | ResourceSet
    | Group
)


class AsEncoded:
    """The shape of an encoded mark, for documents of JSON: made from the classes that are encoded."""

    @staticmethod
    def __get_pydantic_core_schema__(source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        models: list[Any] = [AsEncoded.model(kind) for kind in get_args(AnyMark)]
        return handler.generate_schema(Annotated[reduce(or_, models), Field(discriminator="mark")])

    @staticmethod
    def model(kind: type[Mark]) -> type[BaseModel]:
        """A mark as a model: its tag, and each field under the name that it is encoded with."""
        tag, hints = kind.__struct_config__.tag, get_type_hints(kind)
        named = {field.name: Field(alias=field.encode_name) for field in msgspec.structs.fields(kind)}
        fields = {name: (hints[name], field) for name, field in named.items()}
        name = f"{str(tag).capitalize()}Mark"
        return create_model(name, __config__=CLOSED, __doc__=kind.__doc__, mark=(Literal[tag], ...), **fields)  # type: ignore[call-overload, no-any-return]


MarkJson = Annotated[dict[str, Any], AsEncoded]
"""A mark as JSON."""


def to_json(marks: Sequence[Mark]) -> list[MarkJson]:
    """The marks as JSON."""
    found: list[MarkJson] = msgspec.json.decode(msgspec.json.encode(marks))
    return found


@dataclass(frozen=True, slots=True)
class Moment:
    """An event for one viewer: its piece, and the viewer's state `before` and `after` it.

    `heard_by` are the seats, in seating order, that have the event as far as the viewer knows, including the viewer's
    own. None means everyone.
    """

    event: Any
    piece: Piece | None
    before: Any
    after: Any
    heard_by: tuple[str, ...] | None


Handler = Callable[[Any, Moment], Iterable[Mark]]
"""`(marker, moment) -> marks` for one class of events."""


def named_by_itself(event: Event, state: Any) -> Audience:
    """Return the seats that have an event, according to its content and its class."""
    seen_by = type(event).seen_by
    return NOBODY if seen_by is None else seen_by.stated(event)


class Marker:
    """Marks a viewer's entries in order, and keeps what later marks need.

    A ruleset can subclass it: `handlers` adds marks for its classes of events, and the other methods can be overridden.
    It gets only what the viewer has.
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
        """Return the marks of the viewer's next entry. Only an auditor passes the audience."""
        moment = Moment(event, piece, before, after, self._hearers(event, before, after, audience))
        marks: list[Mark] = []
        if type(event) is GameOpened:
            marks.append(Seats(event.seats, tuple(seat for seat in event.seats if seat in self._offices)))
        if type(event) is NotesKept:
            marks.append(Notes(event.seat, event.text))
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

    # for a ruleset to override

    def audience(self, event: Event, state: Any) -> Audience:
        """Return who has an event, as far as a viewer with it can tell. `state` is the viewer's state before it."""
        return named_by_itself(event, state)

    def facts(self, moment: Moment) -> Iterator[Mark]:
        """Return the secrets that the entry carries."""
        for fact in sorted(self.ruleset.facts(moment.event)):
            told = self.told(fact, moment.after)
            if told is not None:
                says, label = told
                yield self.learnt(moment, fact, says, label)

    def told(self, fact: Fact, state: Any) -> tuple[str, str] | None:
        """Return a secret in words, and its label, or None if its entry shows it well enough."""
        kind, *parts = fact
        return f"{kind}: {', '.join(parts)}", ""

    def claims(self, voice: Voice, moment: Moment) -> Iterable[Claim]:
        """Return what is claimed about secrets."""
        return self.ruleset.claims(voice.who, voice.text, moment.after.seats)

    def highlights(self, claim: Claim, says: str, moment: Moment) -> Iterable[Mark]:
        """Return what is worth a mention about a claim."""
        yield Mention("claim", f"{claim.by}: {says}", tuple(dict.fromkeys((claim.by, claim.about))))

    # common to all rulesets

    def learnt(self, moment: Moment, fact: Fact, says: str, label: str = "") -> FactLearnt:
        """Return a secret as the entry carries it."""
        about = tuple(part for part in fact[1:] if part in moment.after.seats)
        public = moment.heard_by is None
        return FactLearnt(fact, about, label, says, "rule" if public else "saw", moment.heard_by)

    def _said(self, moment: Moment, piece: Piece) -> Iterator[Mark]:
        """Return what is claimed in words that others hear. A reply belongs to the seat until it is told to others."""
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
        """Return the votes of a ballot from an event, if the ruleset says nothing more about it."""
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
