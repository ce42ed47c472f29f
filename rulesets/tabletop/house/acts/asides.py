"""What the game master answers to an aside, a question that is put to nobody."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from sottovoce.rulesets.tabletop.house.acts import party, plain_sight
from sottovoce.rulesets.tabletop.house.acts.questions import Question, question_of
from sottovoce.rulesets.tabletop.house.asides import aside_in
from sottovoce.rulesets.tabletop.house.play import Play
from sottovoce.rulesets.tabletop.house.targets import Act
from sottovoce.rulesets.tabletop.rules.lore.language import LONGEST

_ANSWERS: Mapping[str, Callable[[Play, str, Act, Question], str]] = {
    "senses": plain_sight.senses,
    "found": party.found,
    "said": party.said,
    "own": party.own,
    "recap": party.recap,
    "errand": party.errand,
    "people": plain_sight.people_here,
    "ways": plain_sight.ways_from_here,
    "health": party.health,
    "kit": party.kit,
    "identity": party.identity,
    "options": party.options,
    "dice": party.dice,
    "reaction": plain_sight.reaction,
}


def aside(play: Play, who: str, act: Act) -> list[str]:
    """Answer a question that is put to nobody: of several in one line, each."""
    told: list[str] = []
    kinds: set[str] = set()
    for text in act.text[:LONGEST].split("\n"):
        kind = aside_in(text)
        if kind and kind not in kinds:
            kinds.add(kind)
            told.append(_ANSWERS[kind](play, who, replace(act, text=text), question_of(text)))
    return [" ".join(dict.fromkeys(part for part in told if part))]


__all__ = ["aside"]
