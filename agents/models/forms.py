"""The form of an answer: its fields in words, as a JSON schema for the whole game, and as one for a single turn.

A seat's answers have the same form all game long: what is thought, what is believed of others, the reply itself, and
notes. So an endpoint that counts the schema into the prompt finds it in its cache. The schema of one turn allows
nothing but what is legal in it; engines that constrain by a grammar get that one, since it is no part of their prompt.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Literal

from sottovoce.agents.history import when_first_asked
from sottovoce.agents.quoting import inert
from sottovoce.domain.answers import Fields, Form, schema_of
from sottovoce.domain.game import LONGEST_NOTES
from sottovoce.domain.ruleset import Ruleset
from sottovoce.domain.turns import Turn
from sottovoce.projections.view import View

Wish = Literal["auto", "on", "off"]

NO_CHOICE = "none"
"""What stands for a choice in the form of the whole game where a turn has none."""
SHORT = 240
"""Characters of a form that is told whole at each turn."""
LONGEST_THOUGHTS = 400
MOST_WORDS = 120
LONGEST_WORDS = 800
"""Characters of what is said, for engines that need a bound to come to an end."""
WORDS: Mapping[str, Any] = {"type": "string", "maxLength": LONGEST_WORDS}
MOST_TOLD = 1000
"""Numbers from which a number's limits are not worth telling."""
LEFT_OUT = ("title",)
BOUNDS = (
    "maxLength",
    "minLength",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "maxItems",
    "minItems",
)
"""Keys of bounds, whose values are numbers; the pattern of a text is one too."""

_CITED = re.compile(r" \([A-Z]-\d{3}[^()]{0,80}\)")
"""A statement of the rules that a docstring cites."""


@dataclass(frozen=True, slots=True)
class Beside:
    """What is asked for beside the reply: `auto` thoughts are left out once an endpoint gives thoughts of its own.

    `brief` is for a model with a small window: it gets the short form of turns that have one, and what is `auto` is
    left out.
    """

    thoughts: Wish = "auto"
    beliefs: Wish = "auto"
    notes: Wish = "auto"
    brief: bool = False

    def wants(self, wish: Wish) -> bool:
        """Whether to ask for what was wished so."""
        return wish == "on" or (wish == "auto" and not self.brief)


USUAL = Beside()
SMALL_WINDOW = 4000
"""Tokens of a prompt below which a model is asked by short forms."""


def answers_of(view: View[Any], beside: Beside = USUAL) -> Answers:
    """The form of the seat's answers, as it was when the seat was asked for the first time."""
    known: Answers | None = view.kept.get(("answers", beside))
    if known is None:
        asked, state = when_first_asked(view)
        known = Answers(view.ruleset, state, view.seat, beside)
        if asked:
            view.kept["answers", beside] = known
    return known


class Answers:
    """The form of all answers of one seat, as far as it is the same all game long.

    `shapes` are the classes of fields that its turns may ask for; the plain one, of a choice and words, is None.
    """

    def __init__(self, ruleset: Ruleset[Any], state: Any, seat: str, beside: Beside = USUAL) -> None:
        self.ruleset = ruleset
        self.beside = beside
        self.kinds = kinds = tuple(ruleset.kinds_for(state, seat))
        shapes = ((beside.brief and kind.brief) or kind.fields for kind in kinds)
        self.shapes: tuple[type[Fields] | None, ...] = tuple(dict.fromkeys(shapes)) or (None,)
        self.possible = tuple(ruleset.possible(state, seat))
        self.beliefs = ruleset.beliefs if beside.wants(beside.beliefs) and ruleset.believed(state, seat) else None
        # of the seat itself too, so that the schema is the same for all who are asked
        about = {one for each in state.seats for one in ruleset.believed(state, each)}
        self.believed = tuple(one for one in state.seats if one in about)

    @property
    def several(self) -> bool:
        """Whether the reply stands in a field of its own, since turns ask for different fields."""
        return len(self.shapes) > 1

    @property
    def notes_name(self) -> str:
        """The field of the notes; another one where a form has a field of that name, which would be at its level."""
        taken = not self.several and self.shapes[0] is not None and "notes" in self.shapes[0].model_fields
        return "own_notes" if taken else "notes"

    def form(self, view: View[Any], turn: Turn) -> Form | None:
        """The form of the answer to one turn; None for a choice or plain words."""
        return self.ruleset.form(view.state, turn, brief=self.beside.brief)

    # in words

    def kinds_told(self) -> str:
        """What the seat may be asked."""
        kinds = (f"{kind.stored_kind}: {_CITED.sub('', kind.request_text)}" for kind in self.kinds)
        return "\n".join(["WHAT YOU MAY BE ASKED, by the kind of turn.", *kinds])

    def told(self) -> str:
        """How every turn is answered, for the part of a prompt that never changes."""
        lines = ["HOW TO ANSWER. With one JSON object and nothing else. Its fields, in this order:"]
        if self.beside.wants(self.beside.thoughts):
            empty = " Empty if you have thought already." if self.beside.thoughts == "auto" else ""
            lines.append(
                f'"thoughts": what you think before you decide, in at most {LONGEST_THOUGHTS} characters. Nobody at '
                f"the table reads it.{empty}"
            )
        if self.beliefs is not None:
            what = " ".join((self.beliefs.__doc__ or "").split())
            lines.append(
                f'"beliefs": [{outline(self.beliefs.model_json_schema())}, …]. {what} Nobody at the table reads it; []'
                " where nothing has changed."
            )
        if self.several:
            lines.append('"reply": the object that your turn asks for.')
        elif (shape := self.shapes[0]) is not None:
            lines += shape.told or _field_lines(shape.model_json_schema())
        else:
            lines += [
                '"choice": one of the legal choices, spelled as your turn names them; '
                f'"{NO_CHOICE}" where it names none.',
                f'"words": what you say, in your own voice and in at most {MOST_WORDS} words; with a choice a sentence '
                "or two, or nothing.",
            ]
        if self.beside.wants(self.beside.notes):
            lines.append(
                f'"{self.notes_name}": your notes for yourself, in at most {LONGEST_NOTES} characters. You get them '
                "back at your next turn, and nobody else reads them. They replace those you have; empty keeps those."
            )
        return "\n".join(lines)

    def told_of(self, view: View[Any], turn: Turn) -> str:
        """What the form of the answer is in one turn, for the end of a prompt."""
        form = self.form(view, turn)
        if form is None and self.several:
            plain = '{"choice": one of these, "words": text}' if turn.choices else '{"words": text}'
            return f'Answer with "reply": {plain}.'
        if form is None:
            return "" if turn.choices else f'Speak in "words"; "choice" is "{NO_CHOICE}".'
        if form.told:
            return "\n".join(form.told)
        if self.several or form.fields not in self.shapes:
            return f'Answer with "reply": {outline(form.schema)}.'
        if len(told := outline(form.schema)) <= SHORT:
            return f"In this turn the reply is {told}."
        alike: dict[tuple[Any, ...], list[str]] = {}
        for name, values in form.legal:
            if values:
                alike.setdefault(values, []).append(f'"{name.rpartition(".")[2]}"')
        narrowed = [f"{', '.join(names)}: {_values(values)}" for values, names in alike.items()]
        without = [f'"{name}"' for name, values in form.legal if not values]
        lines = [f"Legal in this turn. {'; '.join(narrowed)}."] if narrowed else []
        lines += [f"Leave out {', '.join(without)}."] if without else []
        return " ".join(lines)

    # as a schema

    def schema(self, *, thoughts: bool = True) -> dict[str, Any]:
        """The one schema of the whole game."""
        shapes = [self._plain() if shape is None else schema_of(shape, ()) for shape in self.shapes]
        return self._schema(shapes, thoughts=thoughts, bounded=False)

    def exact(self, view: View[Any], turn: Turn, *, thoughts: bool = True, bounded: bool = False) -> dict[str, Any]:
        """The schema of one turn: nothing else is legal. `bounded` texts have an end that a grammar can enforce."""
        form = self.form(view, turn)
        shape = _plain(turn.choices) if form is None else form.schema
        return self._schema([shape], thoughts=thoughts, bounded=bounded, nested=self.several or not self._fits(form))

    def takes(self, view: View[Any], turn: Turn) -> bool:
        """Whether an answer to the turn fits the schema of the whole game."""
        form = self.form(view, turn)
        return self._fits(form) and (form is not None or not self.possible or set(turn.choices) <= set(self.possible))

    def _fits(self, form: Form | None) -> bool:
        return (None if form is None else form.fields) in self.shapes

    def _plain(self) -> dict[str, Any]:
        choice: dict[str, Any] = {"type": "string"}
        if self.possible:
            choice["enum"] = [*dict.fromkeys((*self.possible, NO_CHOICE))]
        return _object({"choice": choice, "words": WORDS})

    def _schema(
        self, shapes: list[dict[str, Any]], *, thoughts: bool, bounded: bool, nested: bool | None = None
    ) -> dict[str, Any]:
        fields: dict[str, Any] = {}
        known: dict[str, Any] = {}
        if thoughts and self.beside.wants(self.beside.thoughts):
            fields["thoughts"] = _text(LONGEST_THOUGHTS, f"at most {LONGEST_THOUGHTS} characters")
        if self.beliefs is not None:
            belief = _strict(deepcopy(schema_of(self.beliefs, (("player", self.believed),))))
            fields["beliefs"] = {"type": "array", "items": belief, "maxItems": len(self.believed)}
        strict = [_hoisted(_strict(deepcopy(shape)), known) for shape in shapes]
        if self.several if nested is None else nested:
            fields["reply"] = strict[0] if len(strict) == 1 else {"anyOf": strict}
        else:
            fields |= strict[0]["properties"]
        if self.beside.wants(self.beside.notes):
            fields[self.notes_name] = _text(LONGEST_WORDS, f"at most {LONGEST_NOTES} characters, or empty")
        schema = _object(fields) | ({"$defs": known} if known else {})
        found: dict[str, Any] = schema if bounded else _unbounded(schema)
        return found


def _plain(choices: tuple[str, ...]) -> dict[str, Any]:
    """A choice with words, or words alone."""
    chosen = {"choice": {"type": "string", "enum": list(choices)}} if choices else {}
    return _object({**chosen, "words": WORDS})


def _text(most: int, description: str) -> dict[str, Any]:
    return {"type": "string", "maxLength": most, "description": description}


def _object(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": dict(fields), "required": list(fields), "additionalProperties": False}


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


def _hoisted(schema: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
    """The schema without the definitions it refers to, which are moved to `known`."""
    known |= schema.pop("$defs", {})
    return schema


def _unbounded(schema: Any) -> Any:
    """The schema without bounds of texts, numbers and lists, which hosted endpoints refuse; descriptions say them."""
    if isinstance(schema, list):
        return [_unbounded(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    named = isinstance(schema.get("properties"), dict)
    kept = {key: _unbounded(value) for key, value in schema.items() if named or not _is_bound(key, value)}
    if "minimum" in schema and "maximum" in schema and "description" not in kept and not named:
        kept["description"] = f"{schema['minimum']} to {schema['maximum']}"
    return kept


def _is_bound(key: str, value: Any) -> bool:
    return (key in BOUNDS and isinstance(value, int | float)) or (key == "pattern" and isinstance(value, str))


# in words


def outline(schema: dict[str, Any]) -> str:
    """The fields of a schema in short: the name of each and what it holds."""
    return "{" + ", ".join(f'"{name}": {held}' for name, held, _ in _parts(schema)) + "}"


def _field_lines(schema: dict[str, Any]) -> list[str]:
    """The fields of a schema, one on a line, with what is said about them."""
    return [f'"{name}": {held}{f": {told}" if told else ""}.' for name, held, told in _parts(schema)]


def _parts(schema: dict[str, Any]) -> Iterable[tuple[str, str, str]]:
    known = schema.get("$defs", {})

    def held(field: dict[str, Any]) -> str:
        if "$ref" in field:
            return inner(known[field["$ref"].rpartition("/")[2]])
        if "anyOf" in field or "oneOf" in field:
            return " or ".join(map(held, field.get("anyOf") or field["oneOf"]))
        if "const" in field:
            return _value(field["const"])
        if "enum" in field:
            return _values(field["enum"])
        if field.get("type") == "array":
            return f"[{held(field.get('items', {}))}, …]"
        if "minimum" in field and field.get("maximum", MOST_TOLD) - field["minimum"] < MOST_TOLD:
            return f"{field['minimum']} to {field['maximum']}"
        if field.get("type") == "object" and field.get("properties"):
            return inner(field)
        return {"string": "text", "integer": "number"}.get(str(field.get("type")), str(field.get("type", "anything")))

    def inner(part: dict[str, Any]) -> str:
        return "{" + ", ".join(f'"{name}": {held(field)}' for name, field in part["properties"].items()) + "}"

    for name, field in schema["properties"].items():
        yield name, held(field), " ".join(str(field.get("description", "")).split())


def _values(values: Iterable[Any]) -> str:
    return "|".join(map(_value, values))


def _value(value: Any) -> str:
    """A value as it is written in an answer."""
    return (
        inert(value) if isinstance(value, str) else {True: "true", False: "false", None: "null"}.get(value, str(value))
    )
