"""What a model is asked to fill in, and how its answer becomes the reply that the rules read.

An endpoint with structured output gets a JSON schema. What comes back is read tolerantly all the same: a code fence, a
preamble, thoughts before the answer, an object that was cut off, or plain words.
"""

from __future__ import annotations

import json
import re
from typing import Any

from pydantic_core import from_json

from domain.reading import plain
from domain.turns import Turn
from projections.view import View

_THOUGHTS = re.compile(r"\A\s*<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL)
_FENCED = re.compile(r"```(?:json)?[ \t]*\n(.*?)(?:\n```|\Z)", re.DOTALL)
_DECODER = json.JSONDecoder()


class Unreadable(Exception):
    """The answer holds no reply; the argument says why."""


def how_to_answer(turn: Turn) -> str:
    """The last lines of a prompt: the fields to fill in."""
    if turn.choices:
        fields = (
            'of two fields: "choice", one of the legal choices spelled as above, and "words", a sentence or two that '
            "you say with it in your own voice, or nothing"
        )
    else:
        fields = 'of one field: "text", what you say, in your own voice and in at most 120 words'
    return f"HOW TO ANSWER. With a JSON object {fields}."


def response_format(turn: Turn) -> dict[str, Any]:
    """The same fields as the JSON schema of a response format."""
    if turn.choices:
        fields: dict[str, Any] = {
            "choice": {"type": "string", "enum": list(turn.choices)},
            "words": {"type": "string"},
        }
    else:
        fields = {"text": {"type": "string"}}
    schema = {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}
    return {"type": "json_schema", "json_schema": {"name": "reply", "strict": True, "schema": schema}}


def reply_in(content: str, view: View[Any], turn: Turn) -> str:
    """The reply that an answer makes, in the words that the rules read. Raises Unreadable."""
    text = _THOUGHTS.sub("", content).strip()
    fenced = _FENCED.search(text)
    if fenced:
        text = fenced[1].strip()
    if not text:
        raise Unreadable("the answer is empty")
    found = _object(text, "choice" if turn.choices else "text")
    if found is None:
        if text.startswith(("{", "[")):
            raise Unreadable("the answer does not follow the schema")
        return text
    fields, whole = found
    if not turn.choices:
        return _said(fields, "text")
    if not whole and len(fields) < 2:
        raise Unreadable("the answer is cut off within its choice")
    choice = _said(fields, "choice")
    legal = {plain(name): name for name in turn.choices}.get(plain(choice))
    if legal is None:
        return choice  # the rules say what is wrong with it; words beside it might name something legal
    words = fields.get("words")
    return view.ruleset.wording(view.state, turn, legal, words.strip() if isinstance(words, str) else "")


def _said(fields: dict[str, Any], name: str) -> str:
    value = fields[name]
    if isinstance(value, bool):
        value = "yes" if value else "no"
    if not isinstance(value, str) or not value.strip():
        raise Unreadable(f"the answer's {name!r} is no text")
    return value.strip()


def _object(text: str, name: str) -> tuple[dict[str, Any], bool] | None:
    """The first JSON object with that field, and whether it is whole; None if there is none."""
    start = text.find("{")
    if start < 0:
        return None
    try:
        value: Any = _DECODER.raw_decode(text, start)[0]
        whole = True
    except (ValueError, RecursionError):
        whole = False
        try:
            value = from_json(text[start:], allow_partial="trailing-strings")
        except ValueError:
            return None
    return (value, whole) if isinstance(value, dict) and name in value else None
