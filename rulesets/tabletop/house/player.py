"""One character at one turn: its sheet, what it is asked, and its way of putting things."""

from __future__ import annotations

import random as random_module
import re
from dataclasses import dataclass

from sottovoce import Turn, View
from sottovoce.agents.house.phrases import load, say
from sottovoce.rulesets.tabletop.house.forms import FORM
from sottovoce.rulesets.tabletop.house.reply import Reply
from sottovoce.rulesets.tabletop.rules import events
from sottovoce.rulesets.tabletop.rules.documents import rebuild
from sottovoce.rulesets.tabletop.rules.lore.papers import OPEN_PAPERS
from sottovoce.rulesets.tabletop.rules.lore.sheets import Sheet, sheet_of
from sottovoce.rulesets.tabletop.rules.messages import MessageSent, edition_of
from sottovoce.rulesets.tabletop.rules.state import TabletopState
from sottovoce.rulesets.tabletop.rules.texts import sections

VOICE = load("sottovoce.rulesets.tabletop.house", "voice.txt").topics
FEW = 8
"""Words of a sheet's text that are said as they stand: fewer than that (T-063)."""
PASS = "pass"
PASSES = {"optional-reaction": 0.35, "interaction": 0.1, "reply": 0.35, "chat": 0.0}
"""How often a character lets pass what may be passed."""

_FOCUS = re.compile(r"(?<!\*)\*([^*\n]{2,60})\*(?!\*)")
_BULLET = re.compile(r"[ \t]*[-*+•] +(\S.*)")
_TOGETHER = re.compile(r"\b(?:friends?|companions?|others|together|all of you|all four)\b", re.IGNORECASE)
_SMALL = (
    "who whom that which when where of in on at to and or for with from into under by as is was not how what".split()
)
_AFTER = rf"(?=\s*(?:$|[.,;:!?()\"”—–-]|(?:{'|'.join(_SMALL)})\b))"
_WORD = rf"(?!(?:{'|'.join(_SMALL)})\b)[^\W\d_][\w’'-]*"
_MATTER = re.compile(
    rf"\b(?:the|an?|his|her|their|my|our)\s+(?:{_WORD}\s+{_WORD}{_AFTER}|(?!best|first|last|old|most|only"
    rf"|same|more){_WORD})",
    re.IGNORECASE,
)
_SPOKEN = re.compile(r"[^.!?…]+[.!?…]+|[^.!?…]+$")
_FORMS = frozenset(FORM.values())


@dataclass(frozen=True, slots=True)
class Asked:
    """What a character is asked: the type, the parts of the request, what it is about, and what it might do."""

    type: str
    scene: str
    happened: str
    question: str
    focus: str
    options: tuple[str, ...]
    text: str
    decision: str | None = None

    @property
    def together(self) -> bool:
        """Whether the request says that there are others about."""
        return bool(_TOGETHER.search(self.text))


def asked(kind: str, body: str, decision: str | None = None) -> Asked:
    """The request, read from its body."""
    parts = sections(body)
    request = parts.get("Request", body)
    lines = [line for line in request.splitlines() if line.strip() not in _FORMS]
    bullets = tuple(match[1].strip() for line in lines if (match := _BULLET.fullmatch(line)))
    question = " ".join(line.strip() for line in lines if line.strip() and not _BULLET.fullmatch(line))
    focus = _FOCUS.search(request)
    return Asked(
        kind,
        " ".join(parts.get("Scene", "").split()),
        " ".join(parts.get("Just Happened", "").split()),
        question or "What do you do?",
        focus[1].strip() if focus else "this",
        tuple(option.rstrip(".") for option in bullets),
        body,
        decision,
    )


class Player:
    """One character at one turn."""

    def __init__(self, view: View[TabletopState], turn: Turn, random: random_module.Random) -> None:
        self.view = view
        self.state = view.state
        self.seat = turn.seat
        self.turn = turn
        self.random = random
        self.sheet: Sheet = sheet_of(view.state.documents, turn.seat)
        self.reply = Reply(edition_of(view.state))
        self.sent = [e.event for e in view.entries if isinstance(e.event, MessageSent)]
        own = [event.body for event in self.sent if event.seat == turn.seat]
        own += [e.event.text for e in view.entries if isinstance(e.event, events.PieceWritten) and e.event.seat]
        self.worn = unbroken("\n".join(own)).casefold()
        self.opened: list[str] = []

    @property
    def heard(self) -> list[str]:
        """What the character was told, and what the party knows, in order."""
        told = [event.body for event in self.sent if event.tag == "NARRATIVE"]
        return ["\n".join(rebuild(self.state.documents.get(paper, ())) for paper in OPEN_PAPERS), *told]

    @property
    def firsts(self) -> list[str]:
        return [called(name) for name in self.state.played]

    def fresh(self, topic: str, **slots: str) -> str:
        """A phrase on the topic that the character has not said tonight; empty where it has said them all."""
        text = self.line(topic, **slots)
        bare = text.casefold()
        said = any(phrase.mark in self.worn for phrase in VOICE[topic] if len(phrase.mark) > 11 and phrase.mark in bare)
        return "" if bare in self.worn or said else text

    @property
    def others(self) -> tuple[str, ...]:
        return tuple(name for name in self.state.played if name != self.seat)

    @property
    def request(self) -> Asked:
        """The GM's open request."""
        held = self.state.requests.get(self.seat)
        return asked(held.type, held.body, held.decision) if held else asked("QUICK_REACTION", "")

    @property
    def by_human(self) -> bool:
        """Whether the human decides for this character as things stand."""
        return self.seat == self.state.character and not self.state.alone

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def line(self, topic: str, **slots: str) -> str:
        """A phrase on the topic, a fresh one if there is any left."""
        first, (_, them, their) = self.sheet.first, self.sheet.pronouns
        other = called(self.random.choice(self.others)) if self.others else "nobody"
        return say(
            VOICE[topic],
            {"first": first, "them": them, "their": their, "other": other, "keepsake": self.keepsake, **slots},
            self.random,
            self.worn,
        )

    @property
    def keepsake(self) -> str:
        stated = self.sheet.fields.get("keepsake", "").rstrip(".")
        return (stated if _count(stated) < FEW else matter(stated)) or "a button that is not theirs"

    def on_mind(self, *fields: str) -> str:
        """What one of those fields of the sheet is about, in a word or two; empty where it has none of them."""
        stated = [text for field in fields if (text := self.sheet.fields.get(field, "").strip(' *"“”'))]
        return matter(self.random.choice(stated)) if stated else ""

    def saying(self) -> str | None:
        """One of the character's own short sayings that it has not worn out."""
        spoken = (part.strip() for each in self.sheet.sayings if "*" not in each for part in _SPOKEN.findall(each))
        short = [part for part in spoken if 1 < _count(part) < FEW and part[0].isupper()]
        fresh = [each for each in short if each.casefold() not in self.worn]
        return self.random.choice(fresh) if fresh else None


_TAG = re.compile(r"(,?)” says [\w'’-]+\. “")
"""What stands in the middle of somebody's words, to say whose they are."""


def _untagged(found: re.Match[str]) -> str:
    return ". " if found[1] else " "


def unbroken(text: str) -> str:
    """Somebody's words without what says in the middle of them whose they are."""
    return _TAG.sub(_untagged, text)


def _count(text: str) -> int:
    """How many words the text has; those that a hyphen joins are several."""
    return len(re.findall(r"[^\W_]+", text))


def matter(text: str) -> str:
    """What a sentence of a sheet is about, so that it can be spoken of without being read out."""
    named = _MATTER.search(text)
    words = " ".join(named[0].split()) if named else ""
    return f"{words[:1].lower()}{words[1:]}" if words else "something old"


def called(name: str) -> str:
    """A character as the others call it."""
    return name.split("-")[0].capitalize()
