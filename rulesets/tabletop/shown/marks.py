"""What entries of a tabletop session change in a viewer's picture of the table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from sottovoce import Audience, Event, Fact, Group, Mark, Marker, Moment, ResourceSet, Ruleset, TurnOpened
from sottovoce.rulesets.tabletop.rules import events
from sottovoce.rulesets.tabletop.rules.documents import rebuild
from sottovoce.rulesets.tabletop.rules.lore.facts import world_of
from sottovoce.rulesets.tabletop.rules.lore.memory import PROGRESS, remembered
from sottovoce.rulesets.tabletop.rules.messages import MessageSent, Narrative
from sottovoce.rulesets.tabletop.rules.names import GM

Groups = Mapping[str, tuple[str, ...]]
CLUE_WORDS = 9
"""Words of a clue that name it."""


class TabletopMarker(Marker):
    """What characters have left, who stands with whom, and the parts of documents that not all may read."""

    def __init__(self, ruleset: Ruleset[Any], seat: str | None = None, **given: Any) -> None:
        super().__init__(ruleset, seat, **given)
        self._groups: Groups = {}
        self._told: set[str] = set()
        self._reached: dict[str, None] = {}
        """Whom the narrative reached since the GM was last asked."""

    def audience(self, event: Event, state: Any) -> Audience:
        return self.ruleset.audiences[type(event)](state, event)

    def told(self, fact: Fact, state: Any) -> tuple[str, str] | None:
        """What was said or asked stands in the entry."""
        kind, who, what = fact
        return (f"{who} rolled {what}", "") if kind == "rolled" else None

    def facts(self, moment: Moment) -> Iterator[Mark]:
        """A part of a document is one matter, whatever it says, if some character may not read it."""
        event = moment.event
        if isinstance(event, events.PieceWritten) and event.document == PROGRESS:
            yield from self._clues(moment)
        if not isinstance(event, events.PieceWritten | events.PieceShown):
            yield from super().facts(moment)
        elif not {*moment.after.roster} <= {*event.readers}:
            says = event.document if event.heading is None else f"{event.heading} ({event.document})"
            yield self.learnt(moment, ("written", event.document, event.heading or ""), says)

    def _clues(self, moment: Moment) -> Iterator[Mark]:
        """The facts of the campaign that the GM's note counts as told, for the characters that were told them.

        The note is the GM's alone, so no other seat's marks have them. What an earlier evening told is nobody's news.
        """
        told = remembered(rebuild(moment.after.documents.get(PROGRESS, ()))).told
        new = [each for each in told if each not in self._told]
        self._told.update(new)
        reached = tuple(seat for seat in moment.after.seats if seat in self._reached)
        if not new or moment.event.seat is None or not reached:
            return
        world = world_of(moment.after.documents, moment.after.roster)
        for each in new:
            fact = world.facts.get(each)
            if fact is not None:
                says = _clue(world.entities[fact.owner].name, fact.text)
                yield self.learnt(replace(moment, heard_by=reached), ("clue", each), says)

    def changed(self, moment: Moment) -> Iterator[Mark]:
        event = moment.event
        value = event.amount if event.amount is not None else ", ".join(event.words)
        yield ResourceSet(event.character, event.resource, value, event.most)

    def narrated(self, moment: Moment) -> Iterator[Mark]:
        """A narrative for a group parts the party, one for all brings it together again."""
        state = moment.after
        if moment.event.tag == Narrative.tag:
            hearers = state.seats if moment.heard_by is None else moment.heard_by
            self._reached.update(dict.fromkeys(seat for seat in hearers if seat in state.roster))
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

    def asked(self, moment: Moment) -> Iterator[Mark]:
        """What follows is another telling."""
        if moment.event.seat == GM:
            self._reached = {}
        return iter(())

    handlers = {
        TurnOpened: asked,
        events.ResourceChanged: changed,
        MessageSent: narrated,
        events.BeatBegun: begun,
    }


def _clue(owner: str, text: str) -> str:
    """Return whom or what a clue is about, and its first words."""
    words = text.split()
    return f"{owner}: {' '.join(words[:CLUE_WORDS])}{' …' if len(words) > CLUE_WORDS else ''}"
