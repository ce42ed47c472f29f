"""Findings over a whole game: did anyone get something they must not have?

A *finding* breaks a promise: an audience that differs from the rules, a receipt that delivers more than the view
contains, a turn answered twice, a prompt whose text is missing, a file changed after the log recorded it, a referee who
gives secrets away, a copy or link that showed secrets of the running game without an announcement, or marks of an
agent's reasoning in what it said aloud.

A *note* is worth reading but breaks no promise: players may tell what they know, and words that only touch on a secret
may be innocent. For a peek that was announced to everyone, the audit says which copy it made.

Matching of words is best effort.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Literal

from pydantic import with_config
from typing_extensions import TypedDict

from sottovoce.domain.audience import Audience
from sottovoce.domain.errors import SottovoceError
from sottovoce.domain.events import FallbackApplied, Recorded, ReplyAccepted, TurnOpened, TurnWithdrawn
from sottovoce.domain.piece import CLOSED, Voice
from sottovoce.domain.reasoning import marks_in
from sottovoce.domain.ruleset import Fact, Ruleset
from sottovoce.projections.extras import EXTRAS, ProjectionExtras
from sottovoce.projections.knowledge import Presence, voices
from sottovoce.projections.peeks import peeks
from sottovoce.projections.receipts import DELIVERIES, Delivery, MalformedReceipt, Receipt, endings, read_delivery
from sottovoce.projections.referees import Teller
from sottovoce.projections.traces import Traces

Severity = Literal["finding", "note"]
SHOWN_OF_REASONING = 80
"""Characters of reasoning that a finding quotes."""


@with_config(CLOSED)
class LeakFindingJson(TypedDict):
    """A leak, or a note if its severity is `note`."""

    kind: str
    severity: Severity
    what: str
    position: int | None
    seats: list[str]
    author: str | None
    fact: list[str] | None
    receipt: int | None


@dataclass(frozen=True, slots=True)
class LeakFinding:
    """One thing found, of a `kind` named in a few words. `seats` got what they may not have, or are concerned;
    `receipt` is a receipt's number."""

    kind: str
    severity: Severity
    what: str
    position: int | None = None
    seats: tuple[str, ...] = ()
    author: str | None = None
    fact: Fact | None = None
    receipt: int | None = None

    def to_json(self) -> LeakFindingJson:
        return {
            "kind": self.kind,
            "severity": self.severity,
            "what": self.what,
            "position": self.position,
            "seats": list(self.seats),
            "author": self.author,
            "fact": None if self.fact is None else list(self.fact),
            "receipt": self.receipt,
        }


@dataclass(frozen=True, slots=True)
class Leaks:
    """All findings, in order of position, receipts last."""

    findings: tuple[LeakFinding, ...]

    @property
    def ok(self) -> bool:
        """Return whether there are only notes."""
        return all(finding.severity == "note" for finding in self.findings)

    def to_json(self) -> list[LeakFindingJson]:
        """Return one object for each finding and note."""
        return [finding.to_json() for finding in self.findings]


def leaks(
    ruleset: Ruleset[Any],
    recorded: Sequence[Recorded],
    receipts: Sequence[Receipt],
    block: Callable[[str], str] | None = None,
    altered: Sequence[tuple[str, str]] = (),
) -> Leaks:
    """Everything found in a game. With `block`, which gives a digest's text or raises KeyError where it is gone and
    SottovoceError where it is another, prompts' texts are checked too. `altered` are files that lie there otherwise
    than they were recorded, each with what is wrong."""
    found: list[LeakFinding] = []
    presence = Presence()
    views: dict[str, list[Recorded]] = defaultdict(list)
    known: dict[str, set[Fact]] = defaultdict(set)
    traces = Traces(ruleset)
    open_turns: set[tuple[str, int]] = set()
    asked: set[tuple[str, int]] = set()
    extras = EXTRAS.of(ruleset.name)
    state = ruleset.initial
    for item in recorded:
        audience = presence.audience(item)
        found.extend(_audience(ruleset, state, item, tuple(presence.seats)))
        facts = ruleset.facts(item.event)
        for seat in audience:
            views[seat].append(item)
            known[seat] |= facts
        if audience:
            traces.add(facts)
        found.extend(_words(ruleset, extras, state, item, audience, known, traces))
        found.extend(_reasoning(ruleset, item, audience))
        found.extend(_turns(item, open_turns, asked))
        if type(item.event) in ruleset.evolvers:
            state = ruleset.evolve(state, item.event)
    found.extend(LeakFinding(*one) for one in (extras.examiner(recorded) if extras.examiner is not None else ()))
    found.extend(
        LeakFinding("file changed", "finding", f"{path}: {wrong} since it was recorded.") for path, wrong in altered
    )
    for what, position, receipt in peeks(recorded, receipts, recorded[-1].at if state.over else None):
        severity: Severity = "note" if receipt is None else "finding"
        found.append(LeakFinding("peek", severity, what, position, receipt=receipt))
    found.extend(_receipts(receipts, views, asked, block))
    return Leaks(tuple(found))


def _audience(ruleset: Ruleset[Any], state: Any, item: Recorded, seats: tuple[str, ...]) -> Iterator[LeakFinding]:
    rule = ruleset.audiences.get(type(item.event))
    if rule is None:
        yield LeakFinding("unknown event", "finding", f"{item.name} is not an event of {ruleset.name}.", item.position)
        return
    due = rule(state, item.event)
    if due == item.audience:
        return
    extra, lacking = _beyond(item.audience, due, seats), _beyond(due, item.audience, seats)
    if extra:
        what = f"{item.name} went to {', '.join(extra)}, who should not see it by the rules."
        yield LeakFinding("widened", "finding", what, item.position, extra)
    if lacking:
        what = f"{item.name} did not go to {', '.join(lacking)}, who should see it by the rules."
        yield LeakFinding("narrowed", "finding", what, item.position, lacking)


def _beyond(one: Audience, other: Audience, seats: tuple[str, ...]) -> tuple[str, ...]:
    """Return who is in one audience and not in the other. The public counts as a member."""
    named = (*seats, *sorted((one.seats or frozenset()) - set(seats)))
    extra = [seat for seat in named if one.includes(seat) and not other.includes(seat)]
    if one.seats is None and other.seats is not None:
        extra.append("the public")
    return tuple(extra)


def _words(
    ruleset: Ruleset[Any],
    extras: ProjectionExtras,
    state: Any,
    item: Recorded,
    audience: tuple[str, ...],
    known: dict[str, set[Fact]],
    traces: Traces,
) -> Iterator[LeakFinding]:
    referee, teller = extras.referee, extras.teller
    for voice in voices(ruleset, item.event):
        listeners = [seat for seat in audience if seat != voice.who]
        if not listeners:
            continue
        if teller is not None and voice.who == teller.seat:
            yield from _out_of_closed_sources(teller, state, item, voice, listeners)
            continue
        told = list(_told(voice, listeners, known, traces))
        if referee is None or voice.who != referee.seat:
            for fact, seats in told:
                what = f"{voice.who} may have told {', '.join(seats)}: {' '.join(fact).rstrip('.')}."
                yield LeakFinding("disclosed by player", "note", what, item.position, seats, voice.who, fact)
            continue
        breach = referee.breach(state, voice.text)
        if breach is not None:
            what = f"The {voice.who}'s words break the rules. {breach}"
            seats = tuple(listeners)
            yield LeakFinding(
                "narrator", "finding", what, item.position, seats, voice.who, told[0][0] if told else None
            )
        for fact, seats in told:
            matter = " ".join(fact).rstrip(".")
            what = f"The {voice.who}'s words may reveal what {', '.join(seats)} must not know: {matter}."
            yield LeakFinding("narrator", "note", what, item.position, seats, voice.who, fact)


def _reasoning(ruleset: Ruleset[Any], item: Recorded, audience: tuple[str, ...]) -> Iterator[LeakFinding]:
    """Reasoning among the words that a seat said to others."""
    for voice in voices(ruleset, item.event):
        listeners = tuple(seat for seat in audience if seat != voice.who)
        if not listeners or (found := marks_in(voice.text)) is None:
            continue
        severity, thoughts = found
        looks = "holds" if severity == "finding" else "reads like"
        short = " ".join(thoughts.split())
        shown = short if len(short) <= SHOWN_OF_REASONING else f"{short[:SHOWN_OF_REASONING]} […]"
        what = f"What {voice.who} said {looks} reasoning: {shown}"
        yield LeakFinding("reasoning", severity, what, item.position, listeners, voice.who)


def _out_of_closed_sources(
    teller: Teller, state: Any, item: Recorded, voice: Voice, listeners: Sequence[str]
) -> Iterator[LeakFinding]:
    found: dict[str, list[str]] = defaultdict(list)
    for seat in listeners:
        words = teller.closed(state, voice.text, seat)
        if words is not None:
            found[words].append(seat)
    for words, seats in found.items():
        what = f"{voice.who} may have told {', '.join(seats)} what only others know: {' '.join(words.split())}."
        yield LeakFinding("disclosed by player", "note", what, item.position, tuple(seats), voice.who)


def _told(
    voice: Voice, listeners: Sequence[str], known: dict[str, set[Fact]], traces: Traces
) -> Iterator[tuple[Fact, tuple[str, ...]]]:
    """Return the facts that the author has, the text mentions, and some listeners do not have."""
    for fact in traces.mentioned(voice.text):
        seats = tuple(seat for seat in listeners if fact not in known[seat])
        if seats and fact in known[voice.who]:
            yield fact, seats


def _turns(item: Recorded, open_turns: set[tuple[str, int]], asked: set[tuple[str, int]]) -> Iterator[LeakFinding]:
    event = item.event
    if isinstance(event, TurnOpened):
        open_turns.add((event.seat, event.turn))
        asked.add((event.seat, event.turn))
    elif isinstance(event, ReplyAccepted | FallbackApplied | TurnWithdrawn):
        key = (event.seat, event.turn)
        if key in open_turns:
            open_turns.remove(key)
        elif key in asked:
            what = f"Turn {event.turn} of {event.seat} was closed twice."
            yield LeakFinding("answered twice", "finding", what, item.position, (event.seat,))
        else:
            what = f"Turn {event.turn} of {event.seat} is closed but was never opened."
            yield LeakFinding("answered unasked", "finding", what, item.position, (event.seat,))


def _receipts(
    receipts: Sequence[Receipt],
    views: dict[str, list[Recorded]],
    asked: set[tuple[str, int]],
    block: Callable[[str], str] | None,
) -> Iterator[LeakFinding]:
    ended = endings(receipts)
    accepted: set[tuple[str, int]] = set()
    checked: dict[str, tuple[str, str] | None] = {}
    for receipt in receipts:
        if receipt.name not in DELIVERIES:
            continue
        try:
            handed = read_delivery(receipt)
        except MalformedReceipt as error:
            yield _of_receipt("receipt malformed", f"Receipt {receipt.number}: {error}.", receipt)
            continue
        yield from _reach(receipt, handed, views.get(receipt.seat))
        if handed.turn is not None and (handed.seat, handed.turn) not in asked:
            what = f"Receipt {receipt.number} is for turn {handed.turn} of {handed.seat}, which was never opened."
            yield _of_receipt("receipt malformed", what, receipt)
        ending = ended.get(handed.call)
        if handed.turn is not None and ending is not None and ending.how == "accepted":
            if (handed.seat, handed.turn) in accepted:
                what = f"Two calls were accepted for turn {handed.turn} of {handed.seat}."
                yield _of_receipt("answered twice", what, receipt)
            accepted.add((handed.seat, handed.turn))
        if handed.by in ("prompt", "files") and not handed.blocks:
            yield _of_receipt("prompt missing", f"Receipt {receipt.number} has no text of its prompt.", receipt)
        for digest in handed.blocks if block is not None else ():
            if digest not in checked:
                checked[digest] = _checked(digest, block)
            wrong = checked[digest]
            if wrong is not None:
                yield _of_receipt(wrong[0], f"Receipt {receipt.number}: {wrong[1]}", receipt)


def _reach(receipt: Receipt, handed: Delivery, view: list[Recorded] | None) -> Iterator[LeakFinding]:
    if view is None:
        yield _of_receipt(
            "receipt beyond view", f"Receipt {receipt.number} is for {handed.seat}, which is not a seat.", receipt
        )
    elif handed.last > len(view):
        what = f"Receipt {receipt.number} delivers seq {handed.last} to {handed.seat}, whose view ends at {len(view)}."
        yield _of_receipt("receipt beyond view", what, receipt)
    elif handed.first <= handed.last and handed.at < view[handed.last - 1].at:
        what = f"Receipt {receipt.number} is older than what it delivers. Two clocks may disagree."
        yield LeakFinding("receipt before event", "note", what, None, (handed.seat,), None, None, receipt.number)


def _of_receipt(kind: str, what: str, receipt: Receipt) -> LeakFinding:
    return LeakFinding(kind, "finding", what, None, (receipt.seat,), None, None, receipt.number)


def _checked(digest: str, block: Callable[[str], str] | None) -> tuple[str, str] | None:
    assert block is not None
    try:
        text: str | None = block(digest)
    except KeyError:
        return "prompt missing", f"the text {digest[:12]}… is gone."
    except SottovoceError:
        text = None
    if text is None or sha256(text.encode()).hexdigest() != digest:
        return "prompt altered", f"the text {digest[:12]}… is not what was delivered."
    return None
