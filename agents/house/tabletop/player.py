"""One character at one turn: its sheet, what it is asked, and its way of putting things."""

from __future__ import annotations

import random as random_module
import re
from dataclasses import dataclass

from agents.house.phrases import load, say
from agents.house.tabletop.forms import FORM
from agents.house.tabletop.reply import Reply
from agents.house.tabletop.sheets import Sheet, sheet_of
from domain.rulesets.tabletop import events
from domain.rulesets.tabletop.events import MessageSent
from domain.rulesets.tabletop.messages import sections
from domain.rulesets.tabletop.state import TabletopState
from domain.turns import Turn
from projections.view import View

VOICE = load("agents.house.tabletop", "voice.txt").topics
PASS = "pass"
PASSES = {"optional-reaction": 0.35, "interaction": 0.1, "reply": 0.35, "chat": 0.0}
"""How often a character lets pass what may be passed."""

_FOCUS = re.compile(r"(?<!\*)\*([^*\n]{2,60})\*(?!\*)")
_BULLET = re.compile(r"[ \t]*[-*+•] +(\S.*)")
_TOGETHER = re.compile(r"\b(?:friends?|companions?|others|together|all of you|all four)\b", re.IGNORECASE)
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
        self.reply = Reply(view.state.edition)
        self.sent = [e.event for e in view.entries if isinstance(e.event, MessageSent)]
        own = [event.body for event in self.sent if event.seat == turn.seat]
        own += [e.event.text for e in view.entries if isinstance(e.event, events.PieceWritten) and e.event.seat]
        self.worn = "\n".join(own).casefold()

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
        return self.sheet.fields.get("keepsake", "").rstrip(".") or "a button that is not theirs"

    def of_sheet(self, field: str) -> str:
        """A field of the sheet as a sentence, if it has one."""
        text = self.sheet.fields.get(field, "").strip(' *"“”')
        return "" if not text or len(text) > 240 else text if text[-1] in ".!?" else f"{text}."

    def saying(self) -> str | None:
        """One of the character's own sayings that it has not worn out."""
        fresh = [each for each in self.sheet.sayings if each.casefold() not in self.worn]
        return self.random.choice(fresh) if fresh else None


def called(name: str) -> str:
    """A character as the others call it."""
    return name.split("-")[0].capitalize()
