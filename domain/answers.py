"""Answers to turns: a choice with words, or the fields that a turn declares.

    class Bid(Fields):
        count: int = Field(ge=1)
        face: int = Field(ge=1, le=6)

    class MakeBid(Turn[State, Bid], kind="bid"):
        \"""Bid higher than the last bid.\"""

The form, its JSON schema, the reading of a plain text, the wording and the legal answers all follow from the class of
the fields, and from the values that a turn says are legal now.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, combinations, islice, product
from typing import Annotated, Any, ClassVar, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.fields import FieldInfo

from sottovoce.domain.errors import Refused, RulesetDefect
from sottovoce.domain.spellings import the_one

F = TypeVar("F", bound="Fields")

Among = Mapping[str, Sequence[Any]]
"""The legal values of fields, by their names. A field without any is left out."""
Legal = tuple[tuple[str, tuple[Any, ...]], ...]
"""The same, to be looked up by."""

MOST_FILLED = 2000
"""Values that the fields of one reply may hold: each that is wrong is an error, and to make thousands takes long."""
MOST_TRIED = 10_000
"""Combinations of values among which legal answers are looked for."""
SHOWN = 40
"""Characters of a wrong value that a refusal repeats."""
YES_NO = ("yes", "no")


class _Spoken:
    """Marks a field of words."""


Words = Annotated[str, _Spoken()]
"""A field of what the seat says with its answer: in a text, the lines below the first one."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a reply says: the legal choice it makes, and its words. Silence may have neither."""

    choice: str | None = None
    words: str | None = None


class Fields(BaseModel):
    """The fields of an answer. A subclass declares each with its type, its bounds, and a default if it can be left out.

    Override `__str__` to word an answer in another way than `count: 3, face: 5`. What you write there is shown and
    recorded if it can be read back; if not, the fields by their names are. `told` are the lines by which a prompt tells
    the form, where an outline of the fields does not say enough.
    """

    told: ClassVar[tuple[str, ...]] = ()

    model_config = ConfigDict(frozen=True, extra="ignore")

    @classmethod
    def __pydantic_init_subclass__(cls, **given: Any) -> None:
        if sum(map(_is_spoken, cls.model_fields.values())) > 1:
            raise TypeError(f"{cls.__name__} has several fields of words; keep one")

    def __str__(self) -> str:
        return by_name(self)


def _is_spoken(info: FieldInfo) -> bool:
    return any(isinstance(part, _Spoken) for part in info.metadata)


class Misfilled(Exception):
    """The fields of a form are not filled in as they are described; the argument says what is wrong."""


@dataclass(frozen=True, slots=True)
class Form:
    """What an agent that answers in fields fills in: a class of fields, and the reply that they make.

    `legal` narrows the schema. It refuses nothing: the rules do, when they read the reply. `told` are the lines by
    which a prompt tells what is legal, where a list of the values does not say enough.
    """

    fields: type[Fields]
    reply: Callable[[Any], str]
    legal: Legal = ()
    told: tuple[str, ...] = ()

    @property
    def schema(self) -> dict[str, Any]:
        """The fields as a JSON schema; not to be changed."""
        return schema_of(self.fields, self.legal)

    @property
    def options(self) -> tuple[str, ...]:
        """The texts that its fields can be."""
        return tuple(dict.fromkeys(option for part in parts_of(self.fields, self.legal) for option in part.options))

    def filled(self, given: Any) -> str:
        """The reply that filled-in fields make. Raises Misfilled."""
        if holds_more_than(MOST_FILLED, given):
            raise Misfilled(f"more than {MOST_FILLED} values are filled in; send fewer")
        left_out = {name for name, values in self.legal if not values}
        if left_out and isinstance(given, dict):
            given = {name: value for name, value in given.items() if name not in left_out}
        try:
            return self.reply(self.fields.model_validate(as_options(given, self.fields, self.legal)))
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"])) or "the answer"
            raise Misfilled(f"the field {where!r} is wrong: {first['msg'].lower()}") from None


def as_options(given: Any, fields: type[Fields], legal: Legal) -> Any:
    """Filled-in fields, with each text that means one of a field's options as that option is spelled."""
    if not isinstance(given, dict):
        return given
    spelled = {**given}
    for part in parts_of(fields, legal):
        value = given.get(part.name)
        if part.options and isinstance(value, str):
            spelled[part.name] = the_one(value, part.options) or value
        elif part.kind == "several" and isinstance(value, list):
            spelled[part.name] = [the_one(one, part.options) or one if isinstance(one, str) else one for one in value]
    return spelled


def holds_more_than(most: int, given: Any) -> bool:
    """Whether lists and objects hold more values than that, those inside them included."""
    left, count = [given], 0
    while left and count <= most:
        held = left.pop()
        if isinstance(held, dict | list):
            count += len(held)
            left += (held.values() if isinstance(held, dict) else held) if count <= most else ()
    return count > most


def legal_of(among: Among) -> Legal:
    """Legal values as something to look up by."""
    return tuple((name, tuple(values)) for name, values in among.items())


# what the fields are


@dataclass(frozen=True, slots=True)
class Part:
    """One field, as a person fills it in. `options` are the texts that it can be, `low` and `high` its bounds."""

    name: str
    kind: Literal["words", "number", "choice", "several", "list", "text", "other"]
    options: tuple[str, ...] = ()
    low: int | None = None
    high: int | None = None
    usual: Any = None
    required: bool = True

    @property
    def label(self) -> str:
        """Its name in words."""
        return self.name.replace("_", " ")

    @property
    def range(self) -> str:
        """What it can be, in words; empty where that is anything."""
        if self.options:
            told = " or ".join(filter(None, (", ".join(self.options[:-1]), self.options[-1])))
            return f"some of {told.replace(' or ', ', ')}" if self.kind == "several" else told
        if self.low is not None and self.high is not None:
            return f"{self.low} to {self.high}" if self.low < self.high else str(self.low)
        if self.kind == "number":
            return "a number" if self.low is None else f"{self.low} or more"
        return ""

    def values(self, legal: Sequence[Any] | None = None) -> Iterable[Any]:
        """The values that it can have, of those that are legal, as far as they have an end."""
        usual = () if self.required else (self.usual,)
        if self.kind == "several":
            most = len(self.options) if self.high is None else self.high
            sizes = range(self.low or 0, most + 1)
            return chain.from_iterable(map(list, combinations(self.options, size)) for size in sizes)
        if self.options:
            return dict.fromkeys((*usual, *self.options))
        if self.kind == "number" and self.low is not None and self.high is not None:
            return dict.fromkeys((*usual, *(legal or range(self.low, self.high + 1))))
        return usual or (("",) if self.kind == "words" else ())


@lru_cache(maxsize=256)
def schema_of(fields: type[Fields], legal: Legal) -> dict[str, Any]:
    """The JSON schema of the fields, narrowed to the values that are legal.

    One of several kinds of item that needs a field without any legal value is left out.
    """
    schema = deepcopy(fields.model_json_schema())
    without: set[str] = set()
    for name, values in legal:
        *path, last = name.split(".")
        within = [schema]
        for part in path:
            within = [one for each in within for one in _either(each.get("properties", {}).get(part, {}), schema)]
        within = [each for each in within if last in each.get("properties", {})]
        if not within:
            raise RulesetDefect(f"{fields.__name__} has no field {name!r}; `among` names it")
        for each in within:
            if values:
                _narrow(_inner(each["properties"][last], schema), values)
                continue
            if last in each.get("required", ()):
                kinds = {f"#/$defs/{kind}" for kind, held in schema.get("$defs", {}).items() if held is each}
                if not kinds:
                    raise RulesetDefect(f"{fields.__name__} needs {name!r}, and `among` gives it no legal value")
                without |= kinds
            else:
                del each["properties"][last]
    if without and not _leave_out(schema, without):
        raise RulesetDefect(f"{fields.__name__} has no kind of item left; `among` gives each a field without a value")
    return schema


def _leave_out(held: Any, kinds: set[str]) -> bool:
    """Take those definitions out of every choice between several; whether each choice still has one."""
    if isinstance(held, list):
        return not [each for each in held if not _leave_out(each, kinds)]
    if not isinstance(held, dict):
        return True
    if "anyOf" in held:
        held["anyOf"] = [each for each in held["anyOf"] if each.get("$ref") not in kinds]
        if not held["anyOf"]:
            return False
    for name in [name for name in held.get("$defs", ()) if f"#/$defs/{name}" in kinds]:
        del held["$defs"][name]
    return _leave_out([*held.values()], kinds)


def _either(field: dict[str, Any], schema: dict[str, Any]) -> list[dict[str, Any]]:
    """Everything that a field may hold, or each item of its list; null aside."""
    if "anyOf" in field:
        return [one for option in field["anyOf"] for one in _either(option, schema)]
    if "$ref" in field:
        return _either(schema["$defs"][field["$ref"].rpartition("/")[2]], schema)
    return _either(field["items"], schema) if field.get("type") == "array" else [field]


def _inner(field: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    """Return what a field holds: the items of a list, the definition it refers to, the type it has apart from null."""
    while True:
        if "anyOf" in field:
            field = next((one for one in field["anyOf"] if one.get("type") != "null"), {})
        elif "$ref" in field:
            field = schema["$defs"][field["$ref"].rpartition("/")[2]]
        elif field.get("type") == "array":
            field = field["items"]
        else:
            return field


def _narrow(field: dict[str, Any], values: tuple[Any, ...]) -> None:
    """Numbers without gaps by their bounds, all else one by one."""
    if field.get("type") == "integer" and list(values) == list(range(values[0], values[0] + len(values))):
        field |= {"minimum": values[0], "maximum": values[-1]}
    else:
        field.pop("const", None)
        field["enum"] = list(values)


@lru_cache(maxsize=256)
def parts_of(fields: type[Fields], legal: Legal) -> tuple[Part, ...]:
    """The fields in their order, without those that have no legal value."""
    schema = schema_of(fields, legal)
    return tuple(_part(name, field, fields.model_fields[name], schema) for name, field in schema["properties"].items())


def _part(name: str, field: dict[str, Any], info: FieldInfo, schema: dict[str, Any]) -> Part:
    usual = None if info.is_required() else info.get_default(call_default_factory=True)
    found: dict[str, Any] = {"name": name, "usual": usual, "required": info.is_required()}
    if _is_spoken(info):
        return Part(kind="words", **found)
    shapes = [one for one in field.get("anyOf", (field,)) if one.get("type") != "null"]
    held = _inner(field, schema)
    options = tuple([held["const"]] if "const" in held else held.get("enum", ()))
    listed = len(shapes) == 1 and shapes[0].get("type") == "array"
    if listed:
        found |= {"low": shapes[0].get("minItems"), "high": shapes[0].get("maxItems")}
    elif len(shapes) > 1:
        return Part(kind="other", **found)
    match held.get("type"):
        case "string" if options:
            return Part(kind="several" if listed else "choice", options=options, **found)
        case "string":
            return Part(kind="list" if listed else "text", **found)
        case "boolean" if not listed:
            return Part(kind="choice", options=YES_NO, **found)
        case "integer" if not listed:
            low, high = (min(options), max(options)) if options else _bounds(held)
            return Part(kind="number", low=low, high=high, **found)
    return Part(kind="other", **found)


def _bounds(held: dict[str, Any]) -> tuple[int | None, int | None]:
    low, high = held.get("minimum"), held.get("maximum")
    if "exclusiveMinimum" in held:
        low = held["exclusiveMinimum"] + 1
    if "exclusiveMaximum" in held:
        high = held["exclusiveMaximum"] - 1
    return low, high


def legal_fields(fields: type[F], legal: Legal, check: Callable[[F], None]) -> Iterator[F]:
    """Every answer that `check` does not refuse, each wording once; none where a field has no end of values."""
    parts, known, seen = parts_of(fields, legal), dict(legal), set[str]()
    names = [part.name for part in parts]
    for given in islice(product(*(part.values(known.get(part.name)) for part in parts)), MOST_TRIED):
        try:
            found = fields.model_validate(dict(zip(names, given, strict=True)))
            check(found)
        except (ValidationError, Refused):
            continue
        if (text := str(found)) not in seen:
            seen.add(text)
            yield found


def among_those(answer: Fields, among: Among) -> None:
    """Refused unless every field has a legal value."""
    for name, values in among.items():
        if "." in name:
            continue
        value, info = getattr(answer, name), type(answer).model_fields[name]
        if not info.is_required() and value == info.get_default(call_default_factory=True):
            continue
        for one in value if isinstance(value, list | tuple) else (value,):
            if one not in values:
                raise Refused(f"{name.replace('_', ' ')} cannot be {shortened(one)} here.")


def shortened(value: Any) -> str:
    """A value that somebody gave, for a refusal."""
    text = " ".join((value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)).split())
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


# how an answer is worded


def by_name(answer: Fields) -> str:
    """Each field by its name, in one line; without words, and without what is left as usual."""
    return ", ".join(
        f"{part.label}: {_shown(value)}"
        for part in parts_of(type(answer), ())
        if part.kind != "words" and ((value := getattr(answer, part.name)) != part.usual or part.required)
    )


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return YES_NO[not value]
    return ", ".join(map(_shown, value)) if isinstance(value, list | tuple) else str(value)


def words_in(answer: Fields) -> str:
    """The words of an answer; empty where it has none."""
    name = _words_of(type(answer))
    return "" if name is None else str(getattr(answer, name))


def _words_of(fields: type[Fields]) -> str | None:
    return next((name for name, info in fields.model_fields.items() if _is_spoken(info)), None)


def with_words(answer: F, words: str) -> F:
    """The answer with those words in its field of words; as it is if it has no such field."""
    name = _words_of(type(answer))
    return answer if name is None else answer.model_copy(update={name: words})
