"""How a model's answer becomes the reply that the rules read, and what comes with it.

An endpoint with structured output gets a JSON schema (`forms.py`). What comes back is read tolerantly all the same: a
code fence, a preamble, an object that was cut off, or plain words. Reasoning never becomes words
(`domain/reasoning.py`): it is told apart first, and an answer that holds nothing else is no reply.
"""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic_core import from_json

from sottovoce.agents.models.streams import THOUGHTS, final_message
from sottovoce.domain.answers import Form, Misfilled
from sottovoce.domain.events import Failure
from sottovoce.domain.reasoning import (
    Parted,
    about_the_request,
    begins_with_a_plan,
    begins_with_thoughts,
    deliberates,
    outer,
    part,
    speech,
)
from sottovoce.domain.spellings import the_one
from sottovoce.domain.turns import Turn
from sottovoce.projections.view import View

_FENCED = re.compile(r"```(?:json)?[ \t]*\n(.*?)(?:\n```|\Z)", re.DOTALL)
_FENCED_WORDS = re.compile(r"```[\w+-]*[ \t]*\n(.*?)(?:\n```|\Z)", re.DOTALL)
_REMARK = re.compile(
    r"(?:\[\d{4}-[^\]\n]{0,40}\] )?(?:tokens used|total tokens|total cost|> tokens)\b|[\d,. ]{1,20}\Z", re.IGNORECASE
)
_ROLE_LINE = re.compile(r"^(?:\[\d{4}-[^\]\n]{0,40}\] )?(?:codex|assistant)[ \t]*$", re.MULTILINE)
_BANNER = re.compile(
    r"\s{0,20}(?:Loaded cached credentials|Data collection is disabled|starting session|logging to|working directory|"
    r"Reading prompt from stdin|\[dotenv|Hook registry|Warning: )[^\n]{0,300}\n",
    re.IGNORECASE,
)
_BARE_FENCE = re.compile(r"\A```[\w+-]{0,20}[ \t]{0,9}\n|\n```[ \t]{0,9}\Z")
WORK = 16
"""How often over a text's length may be looked at in search of objects: braces that begin none cost time."""
TRIED = 400
"""What a brace that begins no object costs, in characters of work."""
DEEP = 5_000
HOLDERS = ("arguments", "parameters", "input", "response", "answer", "output", "result", "final")
"""Fields in which the object that was asked for may stand within another, such as a tool's call."""
BESIDE = ("thoughts", "beliefs", "own_notes", "notes")
"""Fields that stand beside the reply."""
MOST_NESTED = 4
"""Streams within streams that are looked into."""
TALK = 40
"""Characters beside an answer's object that are no more than talk, such as "Here it is:"; longer ones are thoughts."""
_MAY_BEGIN = re.compile(r"\{(?=\s*[\"}])")
_BEGINS_OBJECT = re.compile(r"\{|\[\s*[\[\]{\"]")
_DECODER = json.JSONDecoder()


class Unreadable(Exception):
    """The answer holds no reply; the argument says why, `reason` in one word. `thoughts` are what it held instead."""

    def __init__(self, why: str, reason: Failure = "unreadable", thoughts: str = "") -> None:
        super().__init__(why)
        self.reason: Failure = reason
        self.thoughts = thoughts


@dataclass(frozen=True, slots=True)
class Read:
    """An answer: the `reply` in the words that the rules read, and what came with it.

    `suspicion` is what the beliefs come to that it states, and `notes` are its seat's own from now on, if any.
    """

    reply: str
    thoughts: str = ""
    suspicion: Mapping[str, float] = field(default_factory=dict)
    notes: str = ""


def reply_in(content: str, view: View[Any], turn: Turn) -> str:
    """The reply that an answer makes, in the words that the rules read. Raises Unreadable."""
    return read(content, view, turn).reply


def read(content: str, view: View[Any], turn: Turn, *, whole: bool = True, brief: bool = False) -> Read:
    """The reply that an answer makes, and what was thought before it. Raises Unreadable.

    `brief` answers have the short form of turns that have one. An answer that is not `whole` was cut off at the limit
    of its length: only a complete object in it is a reply.
    """
    reading = _Reading(view, turn, whole, brief)
    try:
        reply = reading.reply(content)
    except Unreadable as error:
        error.thoughts = error.thoughts or reading.kept
        raise
    suspicion = view.ruleset.suspicion(view.state, view.seat, reading.beliefs)
    return Read(reply, reading.kept, suspicion, reading.notes)


def _unframed(content: str) -> str:
    """The text without what a command-line agent prints around its last message."""
    text = content.strip()
    *lines, last = text.rsplit("\n", 1)
    if lines and _REMARK.match(last.strip()):
        head, _, line = lines[0].rstrip().rpartition("\n")
        counts = _REMARK.match(line.strip()) is not None
        text = head if counts else text if last.strip()[:1].isdigit() else lines[0]
    while banner := _BANNER.match(text):
        text = text[banner.end() :]
    roles = list(_ROLE_LINE.finditer(text))
    return text[roles[-1].end() :].strip() if roles else text.strip()


class _Reading:
    """One answer being read; `thoughts` grows by what is told apart on the way."""

    def __init__(self, view: View[Any], turn: Turn, whole: bool, brief: bool) -> None:
        self.view = view
        self.turn = turn
        self.form = view.ruleset.form(view.state, turn, brief=brief)
        self.whole = whole
        self.thoughts: list[str] = []
        self.beliefs: Any = ()
        self.notes = ""

    @property
    def kept(self) -> str:
        return "\n".join(filter(None, self.thoughts))

    def reply(self, content: str, nested: int = 0) -> str:
        """The reply of an answer, or of the last message of a stream that it holds."""
        text = _unframed(content)
        spans = [(start, end) for start, end, _ in _objects(text)]
        parted = part(text, spans)
        if not parted.marked and (final := self._final(content, nested)) is not None:
            return self.reply(final, nested + 1)
        self.thoughts.append(parted.thoughts)
        for number in reversed(range(len(parted.pieces))):
            if (fields := self._filled(parted.pieces[number])) is not None:
                self.thoughts += parted.pieces[:number] + parted.pieces[number + 1 :]
                return self._made(fields)
        if self.form is not None and (final := self._final(parted.words, nested) if parted.marked else None) is None:
            self.thoughts[-1:] = []  # its words may hold tags of their own
            parted = part(text, spans, document=True)
            self.thoughts.append(parted.thoughts)
        if parted.marked and (final := self._final(parted.words, nested)) is not None:
            return self.reply(final, nested + 1)
        return self._plain(parted)

    def _final(self, content: str, nested: int) -> str | None:
        """The last message of a stream; None where there is no stream."""
        final = final_message(content) if nested < MOST_NESTED else None
        if final is None:
            return None
        self.thoughts += final.thoughts
        if final.failed:
            raise Unreadable(f"the program reports an error: {final.failed}", "failed")
        return final.text or ""

    def _filled(self, piece: str) -> dict[str, Any] | None:
        """The last object of a piece of the words that fits what is asked for."""
        for start, end, value in reversed(list(_objects(piece))):
            for held in (value.get("reply"), value, *map(value.get, HOLDERS)):
                if isinstance(held, str):
                    held = next((inner for _, _, inner in _objects(held)), None)
                if self._fits(held):
                    if held is not value:
                        self._take_beside(value)
                    beside = f"{piece[:start]}\n{piece[end:]}".strip("` \n")
                    self.thoughts.append(beside if len(beside) > TALK else "")
                    return dict(held)
        return None

    def _fits(self, value: Any) -> bool:
        if not isinstance(value, dict) or value.get("type") in THOUGHTS:
            return False
        if self.form is None:
            return "choice" in value if self.turn.choices else bool({"text", "words"} & value.keys())
        needed = {name for name, field in self.form.fields.model_fields.items() if field.is_required()}
        known = self.form.fields.model_fields.keys()
        return "messages" in value or (bool(needed & value.keys()) if needed else bool(known & value.keys()))

    def _plain(self, parted: Parted) -> str:
        """The reply of an answer that holds no whole object: one that is cut off, or words as they stand."""
        text = parted.words
        if not text:
            if not self.whole:
                raise Unreadable("the answer was cut off at its length limit before the reply", "truncated")
            if parted.marked or self.kept:
                raise Unreadable("the answer holds reasoning and no reply", "empty")
            raise Unreadable("the answer is empty", "empty")
        if not self.whole:
            raise Unreadable("the answer was cut off at its length limit", "truncated")
        if parted.strange:
            raise Unreadable(f"the answer holds marks of an unknown kind ({parted.strange[:40]})", thoughts=text)
        fence = (_FENCED_WORDS if self.form is None else _FENCED).search(text)
        inner = fence[1].strip() if fence else text
        if (cut := _cut_off(inner)) is not None and self._fits(cut):
            return self._made(cut, complete=False)
        if self._is_object(inner, text):
            raise Unreadable("the answer does not follow the schema")
        if not inner:
            raise Unreadable("the answer is empty", "empty")
        if self.form is None:
            return self._spoken(inner)
        if begins_with_thoughts(text) or begins_with_a_plan(text):
            return self._spoken(text)
        said = outer(text)
        self.thoughts.append(said.thoughts)
        if said.strange or not said.words:
            raise Unreadable("the answer holds reasoning and no reply", "empty")
        return said.words

    def _is_object(self, inner: str, text: str) -> bool:
        """Whether an answer was meant to be an object, and is not the one that was asked for."""
        if self.form is None:
            return _BEGINS_OBJECT.match(inner) is not None
        begins = text.startswith(("{", "[{", "```"))  # else it is one of the objects that a file may hold
        return inner.startswith(("{", "[{")) and (begins or next(_objects(inner), None) is None)

    def _spoken(self, text: str) -> str:
        """Words as they stand, without what they hold of thoughts; Unreadable where they are nothing else."""
        parted = speech(_BARE_FENCE.sub("", text) if text.count("```") == 1 else text)
        self.thoughts.append(parted.thoughts)
        if not parted.words:
            raise Unreadable("the answer holds reasoning and no reply", "empty")
        if parted.strange:
            raise Unreadable(f"the answer holds marks of an unknown kind ({parted.strange[:40]})", thoughts=text)
        if self._is_object(parted.words, parted.words):
            raise Unreadable("the answer does not follow the schema")
        if deliberates(parted.words):
            raise Unreadable("the answer is about the request and holds no reply", thoughts=text)
        return parted.words

    def _take_beside(self, fields: dict[str, Any], own: Container[str] = ()) -> None:
        """Take what stands beside the reply out of an answer's fields; the reply's `own` fields stay."""
        for name in BESIDE:
            value = None if name in own else fields.pop(name, None)
            if name == "beliefs":
                self.beliefs = value or self.beliefs
            elif isinstance(value, str) and name == "thoughts":
                self.thoughts.append(value.strip())
            elif isinstance(value, str):
                self.notes = part(value.strip(), document=True).words or self.notes

    def _made(self, fields: dict[str, Any], *, complete: bool = True) -> str:
        """The reply that filled-in fields make, reasoning taken out of each."""
        self._take_beside(fields, () if self.form is None else self.form.fields.model_fields)
        if self.form is not None:
            return self._form_filled(self.form, fields)
        beside = fields.keys() - {"choice", "words", "text"}
        self.thoughts += (value for name in sorted(beside) if isinstance(value := fields[name], str))
        if not self.turn.choices:
            said = fields.get("words")
            return self._spoken_field(fields, "words" if isinstance(said, str) and said.strip() else "text")
        if not complete and len(fields) < 2:
            raise Unreadable("the answer is cut off within its choice", "truncated")
        choice = self._spoken_field(fields, "choice")
        legal = the_one(choice, self.turn.choices)
        if legal is None:
            return choice  # the rules say what is wrong with it; words beside it might name something legal
        words = fields.get("words")
        said = speech(words) if isinstance(words, str) else Parted(())
        self.thoughts.append(said.thoughts)
        if said.strange or about_the_request(said.words):
            self.thoughts.append(said.words)
            said = Parted(())
        return self.view.ruleset.wording(self.view.state, self.turn, legal, said.words)

    def _form_filled(self, form: Form, fields: dict[str, Any]) -> str:
        cleaned = self._cleaned(fields)
        if "messages" in cleaned:
            return json.dumps(cleaned, ensure_ascii=False)
        try:
            return form.filled(cleaned)
        except Misfilled as error:
            raise Unreadable(str(error)) from None

    def _cleaned(self, value: Any, depth: int = 0) -> Any:
        if isinstance(value, str):
            parted = speech(value) if begins_with_thoughts(value) else part(value, document=True)
            if not (parted.marked or parted.thoughts):
                return value
            self.thoughts.append(parted.thoughts)
            return parted.words
        if depth < 20 and isinstance(value, dict):
            return {key: self._cleaned(held, depth + 1) for key, held in value.items()}
        if depth < 20 and isinstance(value, list):
            return [self._cleaned(held, depth + 1) for held in value]
        return value

    def _spoken_field(self, fields: dict[str, Any], name: str) -> str:
        value = fields[name]
        if isinstance(value, bool):
            value = "yes" if value else "no"
        if not isinstance(value, str) or not value.strip():
            raise Unreadable(f"the answer's {name!r} is not text")
        parted = speech(value.strip())
        self.thoughts.append(parted.thoughts)
        if parted.strange:
            raise Unreadable(f"the answer's {name!r} holds marks of an unknown kind", thoughts=value)
        if not parted.words or about_the_request(parted.words):
            raise Unreadable(f"the answer's {name!r} holds reasoning and no reply", "empty", value)
        return parted.words


def _objects(text: str) -> Iterator[tuple[int, int, dict[str, Any]]]:
    """The whole JSON objects of a text that lie in no other, each with its place."""
    left = WORK * len(text) + DEEP
    end = 0
    while left > 0 and (begins := _MAY_BEGIN.search(text, end)) is not None:
        start = begins.start()
        end = start + 1
        try:
            value, end = _DECODER.raw_decode(text, start)
        except json.JSONDecodeError as error:
            left -= TRIED + error.pos - start
        except (ValueError, RecursionError):
            left -= DEEP
        else:
            left -= end - start
            yield start, end, value


def _cut_off(text: str) -> dict[str, Any] | None:
    """The object that a text begins and does not end, as far as it goes."""
    start = text.find("{")
    if start < 0:
        return None
    try:
        value = from_json(text[start:], allow_partial="trailing-strings")
    except ValueError:
        return None
    return value if isinstance(value, dict) else None
