"""What entries of delegated work change in a viewer's picture of the tasks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sottovoce import Audience, Event, Fact, Mark, Marker, Moment, TaskMoved
from sottovoce.rulesets.delegation.rules import events
from sottovoce.rulesets.delegation.rules.names import title_of
from sottovoce.rulesets.delegation.rules.state import Task

SAID = {
    "decided": "The user decided: {1} ({0})",
    "recorded": "{0}: {1} recorded",
    "held": "{0} is on hold for {1}",
    "abandoned": "{0} is abandoned",
    "file": "File {0}",
    "must-fix": "Must be fixed: {1}",
}


def _about_a_task(kind: type[Event]) -> bool:
    return bool({"task_id", "message"} & {*kind.__struct_fields__})


class DelegationMarker(Marker):
    """Move each task on the board, as far as the viewer has heard of it."""

    def audience(self, event: Event, state: Any) -> Audience:
        """Name only sessions that the viewer knows to have a part."""
        return self.ruleset.audiences[type(event)](state, event)

    def told(self, fact: Fact, state: Any) -> tuple[str, str] | None:
        """A message stands in its entry, and moves the task."""
        kind, *parts = fact
        return (SAID[kind].format(*parts), "") if kind in SAID else None

    def facts(self, moment: Moment) -> Iterator[Mark]:
        """A brief is one matter by its task: its text stands in the entry."""
        event = moment.event
        if isinstance(event, events.BriefGiven):
            yield self.learnt(moment, ("brief", event.task_id), f"The brief for {event.task_id}")
            return
        yield from super().facts(moment)

    def moved(self, moment: Moment) -> Iterator[Mark]:
        """The task that the event is about, where it stands elsewhere now."""
        event = moment.event
        task_id = event.message.task_id if isinstance(event, events.MessageSent) else event.task_id
        before, after = moment.before.tasks.get(task_id), moment.after.tasks.get(task_id)
        if after is not None and (before is None or _standing(before) != _standing(after)):
            yield TaskMoved(task_id, title_of(task_id), *_standing(after))

    handlers = dict.fromkeys(filter(_about_a_task, events.DELEGATION_EVENTS), moved)


def _standing(task: Task) -> tuple[str, str | None, str]:
    """The state, a word; who owes what comes next; the state in words."""
    state = "abandoned" if task.abandoned else "complete" if task.complete else "held" if task.held else task.step
    return state, task.awaited, task.stands
