"""What a model is asked to fill in, and how its answer becomes the reply that the rules read.

An endpoint with structured output gets a JSON schema. What comes back is read tolerantly all the same: a code fence, a
preamble, thoughts before the answer, an object that was cut off, or plain words.
"""

from __future__ import annotations

import json
import re
from typing import Any

from pydantic_core import from_json

from sottovoce.domain.reading import plain
from sottovoce.domain.turns import Form, Misfilled, Turn
from sottovoce.projections.view import View

_THOUGHTS = re.compile(r"\A\s*<(think|thinking|reasoning)>(.*?)(?:</\1>|\Z)", re.DOTALL)
_FENCED = re.compile(r"```(?:json)?[ \t]*\n(.*?)(?:\n```|\Z)", re.DOTALL)
_FENCED_WORDS = re.compile(r"```[\w+-]*[ \t]*\n(.*?)(?:\n```|\Z)", re.DOTALL)
LEFT_OUT = ("title", "description")
MOST_TRIED = 50
"""Braces in an answer at which the object that was asked for is looked for."""
_DECODER = json.JSONDecoder()


class Unreadable(Exception):
    """The answer holds no reply; the argument says why."""


def how_to_answer(view: View[Any], turn: Turn) -> str:
    """The last lines of a prompt: the fields to fill in."""
    form = view.ruleset.form(view.state, turn)
    if form is not None:
        return f"HOW TO ANSWER. With one JSON object of this form:\n{_outline(form.schema)}"
    if turn.choices:
        fields = (
            'of two fields: "choice", one of the legal choices spelled as above, and "words", a sentence or two that '
            "you say with it in your own voice, or nothing"
        )
    else:
        fields = 'of one field: "text", what you say, in your own voice and in at most 120 words'
    return f"HOW TO ANSWER. With a JSON object {fields}."


def response_format(view: View[Any], turn: Turn) -> dict[str, Any]:
    """The same fields as the JSON schema of a response format."""
    form = view.ruleset.form(view.state, turn)
    if form is not None:
        return _format(_strict(form.schema))
    if turn.choices:
        fields: dict[str, Any] = {
            "choice": {"type": "string", "enum": list(turn.choices)},
            "words": {"type": "string"},
        }
    else:
        fields = {"text": {"type": "string"}}
    return _format({"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False})


def _format(schema: dict[str, Any]) -> dict[str, Any]:
    return {"type": "json_schema", "json_schema": {"name": "reply", "strict": True, "schema": schema}}


def _strict(schema: Any) -> Any:
    """The schema as strict endpoints want it: every field required, none beyond, and neither titles nor defaults."""
    if isinstance(schema, list):
        return [_strict(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {key: _strict(value) for key, value in schema.items() if key not in LEFT_OUT or not isinstance(value, str)}
    kept.pop("default", None)
    if isinstance(kept.get("properties"), dict):
        kept |= {"required": list(kept["properties"]), "additionalProperties": False}
    return kept


def _outline(schema: dict[str, Any]) -> str:
    """The fields of a schema in short, for a prompt: a name and what it holds on each line."""
    known = schema.get("$defs", {})

    def held(field: dict[str, Any]) -> str:
        if "$ref" in field:
            return inner(known[field["$ref"].rpartition("/")[2]])
        if "anyOf" in field:
            return " or ".join(held(option) for option in field["anyOf"])
        if "enum" in field:
            return "|".join(map(str, field["enum"]))
        if field.get("type") == "array":
            return f"[{held(field['items'])}, …]"
        return {"string": "text", "integer": "number"}.get(str(field.get("type")), str(field.get("type")))

    def inner(part: dict[str, Any]) -> str:
        return "{" + ", ".join(f'"{name}": {held(field)}' for name, field in part["properties"].items()) + "}"

    return inner(schema)


def thoughts_in(content: str) -> str:
    """What an answer says was thought before it; nothing where it does not say."""
    found = _THOUGHTS.match(content)
    return found[2].strip() if found else ""


def reply_in(content: str, view: View[Any], turn: Turn) -> str:
    """The reply that an answer makes, in the words that the rules read. Raises Unreadable."""
    whole = text = _THOUGHTS.sub("", content).strip()
    form = view.ruleset.form(view.state, turn)
    fenced = (_FENCED_WORDS if form is None else _FENCED).search(text)
    if fenced:
        text = fenced[1].strip()
    if not text:
        raise Unreadable("the answer is empty")
    if form is not None:
        return _filled_in(form, text, whole)
    found = _object(text, "choice" if turn.choices else "text")
    if found is None:
        if text.startswith(("{", "[")):
            raise Unreadable("the answer does not follow the schema")
        return text
    fields, complete = found
    if not turn.choices:
        return _said(fields, "text")
    if not complete and len(fields) < 2:
        raise Unreadable("the answer is cut off within its choice")
    choice = _said(fields, "choice")
    legal = {plain(name): name for name in turn.choices}.get(plain(choice))
    if legal is None:
        return choice  # the rules say what is wrong with it; words beside it might name something legal
    words = fields.get("words")
    return view.ruleset.wording(view.state, turn, legal, words.strip() if isinstance(words, str) else "")


def _filled_in(form: Form, text: str, whole: str) -> str:
    """The reply that filled-in fields make, found in a fence or not. An answer whose words hold no such object is taken
    for a reply as it stands, with whatever objects and fences a file in it has; the rules find what it is wrapped in.
    """
    found = _object(text, None)
    if found is None:
        if text.startswith(("{", "[{")):
            raise Unreadable("the answer does not follow the schema")
        return whole
    if "messages" in found[0]:
        return text
    needed = {name for name, field in form.fields.model_fields.items() if field.is_required()}
    if not needed & found[0].keys() and not whole.startswith(("{", "```")):
        return whole
    try:
        return form.filled(found[0])
    except Misfilled as error:
        raise Unreadable(str(error)) from None


def _said(fields: dict[str, Any], name: str) -> str:
    value = fields[name]
    if isinstance(value, bool):
        value = "yes" if value else "no"
    if not isinstance(value, str) or not value.strip():
        raise Unreadable(f"the answer's {name!r} is not text")
    return value.strip()


def _object(text: str, name: str | None) -> tuple[dict[str, Any], bool] | None:
    """The first JSON object, with that field if one is named, and whether it is whole; None if there is none."""
    start = first = text.find("{")
    for _ in range(MOST_TRIED if name is not None else 1):
        if start < 0:
            break
        try:
            value: Any = _DECODER.raw_decode(text, start)[0]
        except (ValueError, RecursionError):
            value = None
        if value is not None and (name is None or name in value):
            return value, True
        start = text.find("{", start + 1)
    if first < 0:
        return None
    try:
        value = from_json(text[first:], allow_partial="trailing-strings")
    except ValueError:
        return None
    return (value, False) if isinstance(value, dict) and (name is None or name in value) else None
