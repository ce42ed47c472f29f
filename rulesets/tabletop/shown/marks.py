"""What entries of a tabletop session change in a viewer's picture of the table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sottovoce import Audience, Event, Fact, Group, Mark, Marker, Moment, ResourceSet, Ruleset
from sottovoce.rulesets.tabletop.rules import events
from sottovoce.rulesets.tabletop.rules.messages import MessageSent, Narrative

Groups = Mapping[str, tuple[str, ...]]


class TabletopMarker(Marker):
    """What characters have left, who stands with whom, and the parts of documents that not all may read."""

    def __init__(self, ruleset: Ruleset[Any], seat: str | None = None, **given: Any) -> None:
        super().__init__(ruleset, seat, **given)
        self._groups: Groups = {}

    def audience(self, event: Event, state: Any) -> Audience:
        return self.ruleset.audiences[type(event)](state, event)

    def told(self, fact: Fact, state: Any) -> tuple[str, str] | None:
        """What was said or asked stands in the entry."""
        kind, who, what = fact
        return (f"{who} rolled {what}", "") if kind == "rolled" else None

    def facts(self, moment: Moment) -> Iterator[Mark]:
        """A part of a document is one matter, whatever it says, if some character may not read it."""
        event = moment.event
        if not isinstance(event, events.PieceWritten | events.PieceShown):
            yield from super().facts(moment)
        elif not {*moment.after.roster} <= {*event.readers}:
            says = event.document if event.heading is None else f"{event.heading} ({event.document})"
            yield self.learnt(moment, ("written", event.document, event.heading or ""), says)

    def changed(self, moment: Moment) -> Iterator[Mark]:
        event = moment.event
        value = event.amount if event.amount is not None else ", ".join(event.words)
        yield ResourceSet(event.character, event.resource, value, event.most)

    def narrated(self, moment: Moment) -> Iterator[Mark]:
        """A narrative for a group parts the party, one for all brings it together again."""
        state = moment.after
        if moment.event.tag == Narrative.tag and (state.split or self._groups):
            yield from self._stand({label: state.members(label) for label in state.group_labels})

    def begun(self, moment: Moment) -> Iterator[Mark]:
        """A character learns of a split from the beat of its own group, and does not learn what others call it."""
        characters = tuple(name for name in moment.after.played if name in moment.event.characters)
        if characters not in self._groups.values():
            yield from self._stand({"": characters})

    def _stand(self, groups: Groups) -> Iterator[Mark]:
        yield from (Group(name, seats) for name, seats in groups.items() if self._groups.get(name) != seats)
        self._groups = groups

    handlers = {
        events.ResourceChanged: changed,
        MessageSent: narrated,
        events.BeatBegun: begun,
    }
