"""An answer to words of one of the party, and the voice that finds one that nobody has given tonight."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sottovoce.agents.house.phrases import load
from sottovoce.rulesets.tabletop.house import opinions
from sottovoce.rulesets.tabletop.house.player import Player, unbroken
from sottovoce.rulesets.tabletop.house.questions import Question
from sottovoce.rulesets.tabletop.rules.lore.language import sentences

BOOK = load("sottovoce.rulesets.tabletop.house", "companions.txt").topics


@dataclass(frozen=True, slots=True)
class Answer:
    """What is said, what is done with it, and the lines of the sheet that it says in full."""

    said: str
    deed: str = ""
    opened: tuple[str, ...] = ()

    def told(self, first: str) -> str:
        """The answer as it is told: whose words they are stands after the first sentence of them."""
        if not self.said or self.deed:
            return " ".join(part for part in (f"“{self.said}”" if self.said else "", self.deed) if part)
        head, *rest = sentences(capital(self.said))
        while rest and head.count("‘") > len(re.findall(r"’(?!\w)", head)):
            head = f"{head} {rest.pop(0)}"
        head = f"{head[:-1]}," if head.endswith(".") else head
        tail = f" “{' '.join(rest)}”" if rest else ""
        return f"“{head}” says {first}.{tail}"


class Voice:
    """One character's way to say something that nobody has said tonight."""

    def __init__(self, player: Player, options: Sequence[str] = (), person: str = "") -> None:
        self.player, self.options, self.person = player, options, person
        self.want = opinions.want_of(player.sheet)
        self.worn = unbroken("\n".join((player.worn, *player.heard))).casefold()
        played = player.state.played
        self.place, self.many = (played.index(player.seat), len(played)) if player.seat in played else (0, 1)

    def line(self, topic: str, **slots: str) -> str:
        """A phrase on the topic that is not worn; empty where all are."""
        numbered = list(enumerate(BOOK.get(topic, ())))
        self.player.random.shuffle(numbered)
        # two who answer at once do not hear each other: so each takes their own share of the phrases first
        numbered.sort(key=lambda each: each[0] % self.many != self.place)
        phrases = [phrase for _, phrase in numbered]
        for phrase in phrases:
            text = phrase.render({**slots, "first": self.player.sheet.first}, self.player.random)
            mark = phrase.mark
            if text.casefold() in self.worn or (len(mark) > 9 and mark in self.worn):
                continue
            self.worn = f"{self.worn}\n{text.casefold()}"
            return text
        return ""

    def some(self, *topics: str, **slots: str) -> str:
        """A phrase on the first of the topics that has one left."""
        return next((text for topic in topics if (text := self.line(topic, **slots))), "")


def slots_of(question: Question, **more: str) -> dict[str, str]:
    subject = question.subject or "that"
    echo = question.echo or subject
    return {
        "subject": subject, "Subject": capital(subject), "echo": echo, "Echo": capital(echo), **more,
    }  # fmt: skip


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]
