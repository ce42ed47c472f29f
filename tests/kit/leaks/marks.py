"""Planted leaks in marks: marks next to a correct entry that come from more than the viewer's own entries."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import ExitStack
from contextvars import ContextVar
from typing import Any
from unittest import mock

from sottovoce.domain.audience import EVERYONE
from sottovoce.domain.piece import AUDITOR
from sottovoce.projections import marks
from sottovoce.projections.marks import Awaited, FactLearnt, Mark, Mention, TaskMoved, Vote
from sottovoce.projections.pieces import Shown, Teller
from sottovoce.rulesets.mafia.shown.marks import MafiaMarker
from sottovoce.server.entries import Entries

Patch = Callable[[], ExitStack]
More = Callable[[Any, Teller, Any], Iterable[Mark]]
"""`(game in the server's memory, teller, event) -> marks` that the viewer should not have."""

_LIVE: ContextVar[Any] = ContextVar("live")
_FRESH, _TAKE, _TOLD, _LEARNT = Entries.fresh, Entries.take, Teller.shown, marks.Marker.learnt


def _fresh(self: Any, live: Any, most: int | None = None) -> Any:
    self.live = live
    return _FRESH(self, live, most)


def _take(self: Any, fresh: Any) -> None:
    """Encode with knowledge of the game, wherever entries are encoded."""
    token = _LIVE.set(self.live)
    try:
        _TAKE(self, fresh)
    finally:
        _LIVE.reset(token)


def _knowing(owner: Any, name: str, value: Any) -> Patch:
    """Return the patch, which knows the game."""

    def enter() -> ExitStack:
        stack = ExitStack()
        stack.enter_context(mock.patch.object(Entries, "fresh", _fresh))
        stack.enter_context(mock.patch.object(Entries, "take", _take))
        stack.enter_context(mock.patch.object(owner, name, value))
        return stack

    return enter


def _beside(more: More) -> Patch:
    """Add marks to every entry of a seat or the public."""

    def told(self: Teller, event: Any, audience: Any = None) -> Shown:
        found = _TOLD(self, event, audience)
        live = _LIVE.get(None)
        if live is not None and not self.auditor:
            found["marks"] += marks.to_json([*more(live, self, event)])
        return found

    return _knowing(Teller, "shown", told)


def _before(live: Any, event: Any) -> Any:
    """Return the event just before another in the log."""
    place = next((place for place, item in enumerate(live.recorded) if item.event is event), 0)
    return live.recorded[place - 1] if place else None


def _unseen(live: Any, teller: Teller, event: Any) -> Any:
    """Return the event before it, if the viewer does not see it."""
    item = _before(live, event)
    hidden = item is not None and item.audience is not EVERYONE and not item.audience.includes(teller.seat or "")
    return item if hidden else None


def _facts_unseen(live: Any, teller: Teller, event: Any) -> Iterable[Mark]:
    item = _unseen(live, teller, event)
    for fact in sorted(teller.ruleset.facts(item.event)) if item else ():
        yield FactLearnt(fact, (), "", " ".join(fact), "saw", ())


def _claims_unheard(live: Any, teller: Teller, event: Any) -> Iterable[Mark]:
    """What is claimed in words that others heard, or nobody."""
    item = _unseen(live, teller, event)
    if item is None:
        return
    piece = teller.ruleset.tell(item.event, AUDITOR)
    for voice in piece.words if piece else ():
        for claim in teller.ruleset.claims(voice.who, voice.text, live.state.seats):
            yield marks.ClaimHeard(claim.by, (claim.about,), claim.fact, "", "", claim.denied, claim.words, None)


def _all_who_have_it(self: marks.Marker, moment: Any, fact: Any, says: str, label: str = "") -> FactLearnt:
    """Everyone who has the secret from any event, according to the log."""
    learnt = _LEARNT(self, moment, fact, says, label)
    live = _LIVE.get(None)
    if live is None or learnt.to is None or self.auditor:
        return learnt
    having = [item.audience for item in live.recorded if fact in self.ruleset.facts(item.event)]
    to = tuple(seat for seat in moment.after.seats if any(audience.includes(seat) for audience in having))
    return FactLearnt(learnt.fact, learnt.about, learnt.label, learnt.says, learnt.way, to)


def _open_turns(live: Any, teller: Teller, event: Any) -> Iterable[Mark]:
    yield Awaited(tuple(dict.fromkeys(seat for seat, _ in live.state.turns)))


def _votes_before_the_count(live: Any, teller: Teller, event: Any) -> Iterable[Mark]:
    for ballot, votes in live.state.ballots.items():
        yield from (Vote(voter, None, choice, ballot) for voter, choice in votes.items())


def _partners_in_full(state: Any, one: str, other: str) -> bool:
    """Partners according to the log."""
    live = _LIVE.get(None)
    roles = live.state.roles if live is not None else state.roles
    return one != other and roles.get(one) == "Mafia" == roles.get(other)


def _tasks_in_full(live: Any, teller: Teller, event: Any) -> Iterable[Mark]:
    for task in live.state.tasks.values():
        if task.task_id in teller.state.tasks:
            yield TaskMoved(task.task_id, "", task.step, task.awaited)


def _groups_in_full(live: Any, teller: Teller, event: Any) -> Iterable[Mark]:
    for label in live.state.group_labels if teller.state.seats else ():
        yield marks.Group(label, live.state.members(label))


def _resources_of_all(live: Any, teller: Teller, event: Any) -> Iterable[Mark]:
    for (character, name), resource in live.state.resources.items():
        yield marks.ResourceSet(character, name, resource.amount or 0, resource.most)


def _highlights_in_full(live: Any, teller: Teller, event: Any) -> Iterable[Mark]:
    """A highlight where the log continues with something important that others see."""
    place = next((place for place, item in enumerate(live.recorded) if item.event is event), 0)
    for item in live.recorded[place + 1 : place + 2]:
        if item.audience is not EVERYONE:
            yield Mention("close", item.name)


def mark_leaks() -> dict[str, dict[str, Patch]]:
    """Return every planted leak of this module by ruleset and name."""
    return {
        "mafia": {
            "mark_of_an_unseen_event": _beside(_facts_unseen),
            "mark_of_a_claim_that_others_heard": _beside(_claims_unheard),
            "mark_names_all_who_have_it": _knowing(marks.Marker, "learnt", _all_who_have_it),
            "mark_of_open_turns": _beside(_open_turns),
            "mark_of_a_vote_before_the_count": _beside(_votes_before_the_count),
            "mark_of_a_betrayal_for_all": _knowing(MafiaMarker, "_partners", staticmethod(_partners_in_full)),
            "mark_of_what_comes_next": _beside(_highlights_in_full),
        },
        "tabletop": {
            "mark_of_every_group": _beside(_groups_in_full),
            "mark_of_every_resource": _beside(_resources_of_all),
        },
        "delegation": {"mark_of_a_task_in_full": _beside(_tasks_in_full)},
    }
