"""How a text is read into moves: what it comes to depends on whose it is and on the turn it answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from domain.errors import Refused
from domain.rulesets.tabletop import turns
from domain.rulesets.tabletop.documents import Delta, check_entry, journal
from domain.rulesets.tabletop.messages import Item, Send, TextDelta, addressees, edition_of, in_json, read_reply
from domain.rulesets.tabletop.names import HUMAN
from domain.rulesets.tabletop.phrases import is_pass
from domain.rulesets.tabletop.state import TabletopState
from domain.rulesets.tabletop.texts import blank
from domain.turns import Turn

COMMANDS = ("away", "back", "chat", "save", "end")
"""What a human types behind a slash."""


@dataclass(frozen=True, slots=True)
class Pass:
    """Nothing is done about a turn that may be skipped (T-060)."""


@dataclass(frozen=True, slots=True)
class HumanCommand:
    """`/name words`: a command to the team lead's clerk."""

    name: str
    words: str


@dataclass(frozen=True, slots=True)
class Chat:
    """Talk out of character, between the human and a companion."""

    to: str
    text: str


@dataclass(frozen=True, slots=True)
class Words:
    """What the human says to what it is asked."""

    text: str


@dataclass(frozen=True, slots=True)
class Result:
    """What a phase-1 task returns."""

    text: str


@dataclass(frozen=True, slots=True)
class Response:
    """A response file's text (F-032)."""

    text: str


@dataclass(frozen=True, slots=True)
class Scene:
    """Prose for the scene file."""

    text: str


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a journal, as a change that appends it."""

    delta: Delta


Move = Item | Pass | HumanCommand | Chat | Words | Result | Response | Scene | Entry


def read(state: TabletopState, seat: str, turn: Turn | None, text: str) -> Sequence[Move]:
    """The moves of a text, in order. Refused where nothing can be made of it as a whole."""
    if seat not in state.seats:
        raise Refused("You have no seat at this table.")
    if seat == HUMAN:
        return [_human(state, turn, text)]
    kind = turn.kind if turn is not None else ""
    if kind in turns.SKIPPABLE and is_pass(text):
        return [Pass()]
    if kind == "chat":
        return [Chat(HUMAN, _some(text))]
    if kind == "action":
        return [Result(text)]
    as_json = in_json(text)
    if kind == "response" and not as_json:
        return [Response(text)]
    if kind in turns.JOURNALS and not as_json:
        return [Entry(Delta(journal(seat), "append", check_entry(_some(text))))]
    items = read_reply(
        text,
        seat=seat,
        edition=edition_of(state),
        seats=addressees(edition_of(state), state.played),
    )
    if kind == "scene" and is_pass(text):
        return []
    if kind == "scene" and not as_json and _untagged(items):
        return [Scene(item.content) for item in items if isinstance(item, Send)]
    if kind in turns.JOURNALS:
        return [_entry(seat, item) for item in items]
    if not items and kind != "scene":
        raise Refused("Your reply is empty; send what the turn asks for.")
    return items


def _untagged(items: Sequence[Item]) -> bool:
    """Whether a narrator's reply is plain prose: one informal text, which would go to the GM otherwise."""
    return len(items) == 1 and isinstance(items[0], Send) and not items[0].content.startswith("[")


def _entry(seat: str, item: Item) -> Move:
    """In a turn for it, text appended to one's own journal is its entry."""
    if isinstance(item, TextDelta) and (item.document, item.operation) == (journal(seat), "append"):
        return Entry(Delta(item.document, "append", check_entry(item.text)))
    return item


def _some(text: str) -> str:
    if blank(text):
        raise Refused("Your reply is empty; write something.")
    return text


def _human(state: TabletopState, turn: Turn | None, text: str) -> Move:
    words = text.strip()
    if words.startswith("/"):
        name, _, rest = words[1:].partition(" ")
        if name not in COMMANDS:
            raise Refused(f"There is no command /{name[:20]}; there are: {', '.join('/' + each for each in COMMANDS)}.")
        if name == "chat":
            to, _, said = rest.strip().partition(" ")
            if not to or not said.strip():
                raise Refused("Write whom you talk to and what: /chat corwin-voss Shall we let the others lead?")
            return Chat(to, said.strip())
        return HumanCommand(name, rest.strip())
    if turn is None:
        raise Refused("Nobody asks you now. You can type /chat NAME WORDS, /away, /back, /save or /end.")
    return Words(_some(words))
