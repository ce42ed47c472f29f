"""An evening out of nothing but a campaign's documents, for one whose beats are written in no form that is known here.

Of the documents it takes names alone, and of these only such as the party's own papers have: so that nothing which the
GM reads slips out, whatever it is. The sentences are its own.
"""

from __future__ import annotations

import random as random_module
import re
from collections.abc import Sequence
from functools import lru_cache

from sottovoce.agents.house.phrases import load
from sottovoce.rulesets.tabletop.house.beats import ALL, Ask, Beat, Check, Choice, Evening, Outcome
from sottovoce.rulesets.tabletop.rules.documents import PARTY_KNOWLEDGE, Documents, rebuild

IMPROVISED = "improvised-"
PHRASES = load("sottovoce.rulesets.tabletop.house", "improvising.txt").topics
SKILLS = ("perception", "persuasion", "insight", "athletics", "stealth", "investigation")
ELSEWHERE = ("the crossroads", "the old bridge", "the mill yard")
"""Places that there are anywhere, for a party that has heard of too few."""
AGAIN = "-again"
_MEETING = re.compile(
    r"(?i)\b(?:met|meet|befriended|asked for our help|spoke (?:to|with) us|told us|helped us|our friend)\b"
)
_BEGINS = re.compile(rf"{IMPROVISED}([0-9]{{3,6}})-")
_TITLE = re.compile(r"(?m)^# +(\S.*)$")


def name_of(random: random_module.Random, documents: Documents, scene: str) -> str:
    """A name for an evening to be made up, which begins with that scene; the same name gives the same evening.

    It is long, so that nobody finds the evening by trying all names on the first words that are heard of it. It says
    whether the one who is to come across the party has met it, as papers that are read later may say so of tonight.
    """
    name = f"{IMPROVISED}{scene}-{random.randbytes(16).hex()}"
    people = _order(name, _names(documents, "npcs/", _open_text(documents)))
    return f"{name}{AGAIN}" if people and _met(people[0], documents) else name


def improvised(documents: Documents, played: Sequence[str], name: str) -> Evening:
    """The evening of that name."""
    open_text = _open_text(documents)
    places = _names(documents, "locations/", open_text)
    people = _names(documents, "npcs/", open_text)
    return _made_up(name, tuple(played), places, people)


def _open_text(documents: Documents) -> str:
    return "\n".join(rebuild(documents.get(path, ())) for path in (PARTY_KNOWLEDGE, "world-primer.md"))


def _order(name: str, names: Sequence[str]) -> list[str]:
    """The names in the order in which the evening of that name makes use of them."""
    drawn = random_module.Random(f"{name.removesuffix(AGAIN)} people")
    return drawn.sample(names, len(names))


def _met(person: str, documents: Documents) -> bool:
    """Whether the party's papers tell of having met that person."""
    under = ""
    for line in rebuild(documents.get(PARTY_KNOWLEDGE, ())).splitlines():
        if line.startswith("#"):
            under = line
        elif person.casefold() in line.casefold() and (_MEETING.search(under) or _MEETING.search(line)):
            return True
    return False


def _names(documents: Documents, folder: str, open_text: str) -> tuple[str, ...]:
    """The titles of the documents in a folder that the party has heard of."""
    found = []
    for path in sorted(documents):
        match = _TITLE.search(rebuild(documents[path])) if path.startswith(folder) else None
        title = re.split(r"[:(]| - | – ", match[1])[0].strip() if match else ""
        if 2 < len(title) <= 40 and title.casefold() in open_text.casefold() and not _gone(title, open_text):
            found.append(title)
    return tuple(dict.fromkeys(found))


def _gone(title: str, open_text: str) -> bool:
    """Whether the party knows that this person is dead."""
    lines = [line.casefold() for line in open_text.splitlines() if title.casefold() in line.casefold()]
    return any(re.search(r"\b(?:died|dead|deceased|killed|death)\b", line) for line in lines)


@lru_cache(maxsize=64)
def _made_up(name: str, played: tuple[str, ...], places: tuple[str, ...], people: tuple[str, ...]) -> Evening:
    random = random_module.Random(name.removesuffix(AGAIN))
    places = tuple(random.sample(places, len(places)))
    people = tuple(_order(name, people)) or ("a stranger",)
    meet = "meet.again" if name.endswith(AGAIN) else "meet"
    first = int(begun[1]) if (begun := _BEGINS.match(name)) else 1
    where = (*places, *random.sample(ELSEWHERE, len(ELSEWHERE)))[:3]
    slots = {"place": where[0], "next": where[1], "last": where[2], "person": people[0], "other": people[-1]}

    def line(topic: str) -> str:
        return random.choice(PHRASES[topic]).render(slots, random)

    def ask(kind: str, topic: str, names: tuple[str, ...] = ALL) -> Ask:
        options = tuple(phrase.render(slots, random) for phrase in random.sample(PHRASES[f"{topic}.options"], 3))
        return Ask(
            names, kind, line(f"{topic}.scene"), line(f"{topic}.happened"), line(f"{topic}.request"), "", options
        )

    def scene(after: int, slug: str) -> tuple[str, str]:
        return f"{first + after:03}", slug

    def check() -> Check:
        return Check(random.choice(played), random.choice(SKILLS), random.choice((11, 12, 13, 14)))

    beats = [
        Beat(1, line("arrive.title"), line("arrive"), scene(0, "arrival"), asks=(ask("QUICK_REACTION", "arrive"),)),
        Beat(
            2,
            line("meet.title"),
            line(meet),
            scene(1, "a-meeting"),
            asks=(ask("QUICK_REACTION", "meet"),),
            check=check(),
            success=Outcome(line("meet.success"), learnt=(line("meet.learnt"),)),
            failure=Outcome(line("meet.failure")),
        ),
        Beat(
            3,
            line("talk.title"),
            line("talk"),
            scene(2, "by-themselves"),
            asks=(
                *((ask("INTERACTION", "talk", (played[-1],)),) if len(played) > 1 else ()),
                ask("REFLECTION", "muse", (played[0],)),
            ),
            choice=Choice(
                "The way on",
                line("choice"),
                (("Go on", line("choice.on")), ("Wait and watch", line("choice.wait"))),
            ),
            choices={"Go on": Outcome(line("on")), "Wait and watch": Outcome(line("wait"))},
        ),
        Beat(
            4,
            line("trouble.title"),
            line("trouble"),
            scene(3, "trouble"),
            asks=(ask("COMBAT_ACTION", "trouble"),),
            check=check(),
            success=Outcome(line("trouble.success"), story=(line("trouble.story"),)),
            failure=Outcome(line("trouble.failure"), effects=((played[0], "hit points", "-1"),)),
        ),
        Beat(
            5,
            line("rest.title"),
            line("rest"),
            scene(4, "a-quiet-place"),
            asks=(ask("FULL_CONTEXT", "rest"),),
            then=Outcome(line("rest.after")),
            end=(line("end.summary"), line("end.next")),
        ),
    ]
    return Evening(name, "An evening", tuple(beats))
