"""Where the house's GM stands, read from its own view: a progress note that it keeps, and what came after each line.

The note is a document of the GM's own. Each step of a beat adds a line, `beat 3 opened`, so that the place of that line
in the view says what was rolled, done and answered since.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from sottovoce.projections.view import Entry
from sottovoce.rulesets.tabletop.rules import events
from sottovoce.rulesets.tabletop.rules.documents import STORY_STATE, Documents, rebuild
from sottovoce.rulesets.tabletop.rules.events import DiceRolled
from sottovoce.rulesets.tabletop.rules.lore.memory import PROGRESS
from sottovoce.rulesets.tabletop.rules.messages import (
    AskPlayer,
    AwaitPlayers,
    GmToPlayer,
    MessageSent,
    Narrative,
    NarratorRequest,
    PlayerAction,
    PlayerAnswer,
    PlayerResponses,
    PlayerToGm,
    PlayerToPlayer,
)
from sottovoce.rulesets.tabletop.rules.names import GM
from sottovoce.rulesets.tabletop.rules.texts import sections

_EVENING = re.compile(r"- evening: (\S+)")
_STEP = re.compile(r"- beat ([0-9]{1,3}) (\S.*)")
_PLAYED = re.compile(r"Played: beat ([0-9]{1,3}) of (\S+?)[,.](?:\s|$)")


def evening_line(path: str) -> str:
    return f"- evening: {path}"


def step_line(beat: int, step: str) -> str:
    return f"- beat {beat} {step}"


def played_line(beat: int, path: str, title: str) -> str:
    """What the story state says of a beat that is over: the next evening goes on from it."""
    return f"- Played: beat {beat} of {path}, {title}."


def beats_played(documents: Documents) -> dict[str, set[int]]:
    """The beats that the story state says were played, by beat sheet, the last one of those last."""
    found: dict[str, set[int]] = {}
    for number, path in _PLAYED.findall(rebuild(documents.get(STORY_STATE, ()))):
        found[path] = found.pop(path, set()) | {int(number)}
    return found


@dataclass(frozen=True, slots=True)
class Done:
    """What a character did or said openly: `to` one of the party, if so; `inward` where it only felt or thought."""

    seq: int
    character: str
    text: str
    to: str | None = None
    inward: bool = False


@dataclass(slots=True)
class Ledger:
    """The GM's session so far. Every list is in the order of the view; the numbers are the view's `seq`."""

    evening: str | None = None
    steps: dict[int, list[tuple[str, int]]] = field(default_factory=dict)
    rolls: list[tuple[int, DiceRolled]] = field(default_factory=list)
    deeds: list[Done] = field(default_factory=list)
    answers: list[tuple[int, str]] = field(default_factory=list)
    asked: list[tuple[int, str]] = field(default_factory=list)
    told: list[tuple[int, MessageSent]] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    turned: int = 0
    offered: dict[str, tuple[str, ...]] = field(default_factory=dict)
    questions: dict[str, str] = field(default_factory=dict)
    choices: list[str] = field(default_factory=list)

    def step(self, beat: int) -> str | None:
        """The last step of that beat."""
        steps = self.steps.get(beat)
        return steps[-1][0] if steps else None

    def since(self, beat: int, step: str) -> int:
        """Where that step of the beat was noted; 0 where it was not."""
        return next((seq for name, seq in reversed(self.steps.get(beat, ())) if name == step), 0)

    def rolled(self, after: int, check: str, character: str | None = None) -> DiceRolled | None:
        """The first roll for that check (of that character) noted after that place."""
        return next(
            (
                roll
                for seq, roll in self.rolls
                if seq > after and roll.check == check and character in (None, roll.character)
            ),
            None,
        )

    def deeds_of(self, names: Sequence[str], after: int) -> list[Done]:
        return [deed for deed in self.deeds if deed.seq > after and deed.character in names]


def ledger(entries: Iterable[Entry]) -> Ledger:
    """What the GM's view says about its own evening."""
    book = Ledger()
    kinds: dict[str, tuple[str, bool]] = {}
    bodies: dict[str, str] = {}
    for entry in entries:
        event: Any = entry.event
        if isinstance(event, events.PieceWritten) and event.seat is None:
            continue  # the folder as it was brought: most of a long view
        match event:
            case events.PieceWritten(seat=str(seat), document=document):
                if document == PROGRESS and seat == GM:
                    _note(book, entry.seq, event.text)
                elif document == f"tmp/{seat}-response.md":
                    _responded(book, entry.seq, event)
            case DiceRolled():
                book.rolls.append((entry.seq, event))
            case MessageSent():
                _message(book, entry.seq, event, kinds, bodies)
    for name, body in bodies.items():
        _offered(book, name, body)
    return book


def _note(book: Ledger, seq: int, text: str) -> None:
    for line in text.splitlines():
        if evening := _EVENING.fullmatch(line.strip()):
            book.evening = evening[1]
            book.steps.clear()
            book.turned = 0
        elif line.strip() == "- turn":
            book.turned = seq
        elif step := _STEP.fullmatch(line.strip()):
            book.steps.setdefault(int(step[1]), []).append((step[2], seq))


def _responded(book: Ledger, seq: int, event: events.PieceWritten) -> None:
    text = event.text.strip()
    if event.seat and not text.startswith(("[VETO", "[ERROR")):
        book.deeds.append(Done(seq, event.seat, text))


def _message(
    book: Ledger, seq: int, event: MessageSent, kinds: dict[str, tuple[str, bool]], bodies: dict[str, str]
) -> None:
    """`kinds`: each character's last request type, and whether that request is secret; `bodies`: what it says."""
    match event.typed():
        case Narrative():
            book.told.append((seq, event))
        case GmToPlayer(to=str(name)) as asked:
            _asked(kinds, name, asked.request_type)
            book.asked.append((seq, name))
            bodies[name] = event.body
        case AwaitPlayers() as awaited:
            for entry in awaited.characters:
                _asked(kinds, entry["name"], entry["request_type"])
                book.asked.append((seq, entry["name"]))
                bodies[entry["name"]] = f"## Request\n{entry['request']}"
        case PlayerToGm() as answer if answer.type != "VETO" and not kinds.get(event.seat, ("", False))[1]:
            inward = kinds.get(event.seat, ("", False))[0] == "REFLECTION"
            book.deeds.append(Done(seq, event.seat, event.body, inward=inward))
        case PlayerToPlayer():
            book.deeds.append(Done(seq, event.seat, event.body, event.to))
        case PlayerAction() as act:
            book.deeds.append(Done(seq, act.character, act.action))
        case PlayerResponses() as answers:
            book.deeds += [
                Done(seq, entry["character"], entry["response"])
                for entry in answers.responses
                if not kinds.get(entry["character"], ("", False))[1]
            ]
        case AskPlayer() as asked_:
            labels = [option["label"] for option in asked_.options]
            book.choices = (
                labels if len(labels) >= len(book.choices) or not set(labels) <= set(book.choices) else book.choices
            )
        case PlayerAnswer() as answered:
            book.answers.append((seq, answered.answer))
        case NarratorRequest() as wanted:
            book.requests.append(wanted.request)


_BULLET = re.compile(r"(?m)^[ \t]*[-*+•] +(\S.*?)\.?$")


def _offered(book: Ledger, name: str, body: str) -> None:
    """What the character was asked last, and what it was told that it might do."""
    request = sections(body).get("Request", body)
    book.questions[name] = request.strip()
    book.offered[name] = tuple(found[1] for found in _BULLET.finditer(request))


def _asked(kinds: dict[str, tuple[str, bool]], name: str, kind: str) -> None:
    """A FULL_CONTEXT may follow a veto, and is as secret then as what was vetoed (T-073)."""
    earlier = kinds.get(name, ("", False))
    kinds[name] = (kind, kind == "SECRET_ACTION" or (kind == "FULL_CONTEXT" and earlier == ("SECRET_ACTION", True)))
