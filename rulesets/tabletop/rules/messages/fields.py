"""The kinds of fields that a header holds, and everything wrong with a message's fields in one refusal.

A tag states its fields as annotations: `scene_number: SceneNumber`, `options: Sequence[Option]`. What a text from
outside holds is checked by a pydantic type made of them; a bare `str` or `Literal` is read as any text is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType, NoneType, UnionType
from typing import (
    Annotated,
    Any,
    ClassVar,
    Literal,
    NotRequired,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from pydantic import AfterValidator, BeforeValidator, ConfigDict, TypeAdapter, ValidationError, with_config
from pydantic_core import PydanticCustomError
from typing_extensions import TypedDict

from sottovoce import Refused
from sottovoce.rulesets.tabletop.rules.names import FULL_NAME, as_typed, check_name
from sottovoce.rulesets.tabletop.rules.rolls import check_notation
from sottovoce.rulesets.tabletop.rules.texts import blank, held, shown

Value = str | int | bool | tuple[str, ...] | tuple[Mapping[str, str], ...]

MOST_PROBLEMS = 40
"""A refusal names this many things wrong at most, so that its length stays in bounds."""
MOST_ITEMS = 200
"""Items that one list may have."""

_SCENE_NUMBER = r"[0-9]{3,}"
_INTEGER = re.compile(r"[+-]?[0-9]{1,9}")


def _fault(words: str, lead: str | None = " ") -> PydanticCustomError:
    """What is wrong with a value. `lead` joins the field's name to it; with None it is not named."""
    return PydanticCustomError("field", "{words}", {"words": words, "lead": lead})


def written_scalar(value: str | int | bool) -> str:
    """A single value as text: booleans as `true` and `false`."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _text(value: Any) -> str:
    if isinstance(value, tuple):
        raise _fault("is a text, not a list")
    return held(written_scalar(value))


def _integer(value: Any) -> int:
    text = _text(value)
    if not _INTEGER.fullmatch(text):
        raise _fault(f"is a whole number of at most nine digits, not {shown(text)}")
    return int(text)


def _flag(value: Any) -> bool:
    text = _text(value)
    if text not in ("true", "false"):
        raise _fault(f"is true or false, not {shown(text)}")
    return text == "true"


def _named(text: str) -> str:
    text = as_typed(text)
    try:
        check_name(text)
    except Refused as refusal:
        raise _fault(str(refusal).rstrip("."), ": ") from None
    return text


def _rolled(text: str) -> str:
    try:
        check_notation(text)
    except Refused as refusal:
        raise _fault(str(refusal).rstrip("."), None) from None
    return text


def _like(pattern: str, form: str) -> AfterValidator:
    matches = re.compile(pattern).fullmatch

    def check(text: str) -> str:
        if not matches(text):
            raise _fault(f"{form}, not {shown(text)}")
        return text

    return AfterValidator(check)


def _item(value: Any) -> str:
    if not isinstance(value, str):
        raise _fault("is a text, not an entry with fields")
    if blank(value):
        raise _fault("is empty; leave it out or fill it")
    return value


Text = Annotated[str, BeforeValidator(_text)]
Name = Annotated[Text, AfterValidator(_named)]
"""A character's full name."""
Speaker = Annotated[Text, AfterValidator(lambda text: text if text == "gm" else _named(text))]
"""A character's full name, or `gm`."""
Slug = Annotated[Text, _like(FULL_NAME, "is lower-case words joined by hyphens, such as 'the-old-mill'")]
SceneNumber = Annotated[Text, _like(_SCENE_NUMBER, "has at least three digits, such as 005")]
Scene = Annotated[
    Text, _like(f"{_SCENE_NUMBER} - {FULL_NAME}", "is a scene's number and slug, such as '005 - the-old-mill'")
]
Integer = Annotated[int, BeforeValidator(_integer)]
Flag = Annotated[bool, BeforeValidator(_flag)]
Notation = Annotated[Text, AfterValidator(_rolled)]
"""A roll in full: expression, dice and total."""


@dataclass(frozen=True, slots=True)
class Called:
    """What a field is called in the header, where the attribute cannot have that name."""

    name: str


@dataclass(frozen=True, slots=True)
class When:
    """A field that is required only where another one has that value."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class MayBeEmpty:
    """A required list that may hold nothing."""


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a tag, or of an entry of a list (T-025, T-028, T-029).

    A field with `when` is required only then. `may_be_empty` lets a required list hold nothing. `item` is what an item
    of a list is, None for a field that is no list; `parts` are the fields of each entry of a list of such.
    """

    attribute: str
    name: str
    type: Any
    required: bool
    when: When | None = None
    may_be_empty: bool = False
    item: Any = None
    parts: tuple[Field, ...] = ()

    @classmethod
    def of(cls, attribute: str, hint: Any, *, required: bool) -> Field:
        """The field that an annotation states."""
        if get_origin(hint) in (Union, UnionType):
            hint = next(each for each in get_args(hint) if each is not NoneType)
        ours = [note for note in getattr(hint, "__metadata__", ()) if isinstance(note, Called | When | MayBeEmpty)]
        others = tuple(note for note in getattr(hint, "__metadata__", ()) if note not in ours)
        if ours:
            hint = Annotated[(hint.__origin__, *others)] if others else hint.__origin__
        name = next((note.name for note in ours if isinstance(note, Called)), attribute)
        when = next((note for note in ours if isinstance(note, When)), None)
        item = get_args(hint)[0] if get_origin(hint) is Sequence else None
        parts = fields_of(item) if is_typeddict(item) else ()
        return cls(attribute, name, hint, required or when is not None, when, MayBeEmpty() in ours, item, parts)

    @property
    def values(self) -> tuple[str, ...]:
        """The only values allowed, if any are named."""
        return get_args(self.type) if get_origin(self.type) is Literal else ()


@cache
def fields_of(stated: Any) -> tuple[Field, ...]:
    """The fields that a class states by its annotations, in order; one with a value of its own may be left out."""
    hints = get_type_hints(stated, include_extras=True)
    return tuple(
        Field.of(name, hint, required=not hasattr(stated, name))
        for name, hint in hints.items()
        if get_origin(hint) is not ClassVar
    )


@dataclass
class Taken:
    """The fields of one message, typed by their definitions, in the order of these and then the undefined ones.

    Everything found wrong on the way is gathered, so that it is said in one go; `undefined` are the names of fields
    that the tag does not have, those inside entries like `options[1].mood`.
    """

    values: Mapping[str, Value]
    undefined: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def finish(self, tag: str) -> None:
        """Refuse with all that was found, in one message; accept if nothing was."""
        parts = []
        if self.missing:
            parts.append(f"{tag} lacks {_listing(self.missing, ', ')}; add what is missing")
        if self.wrong:
            parts.append(_listing(self.wrong, "; "))
        if parts:
            raise Refused("; ".join(parts) + ".")


class Checker:
    """Checks what the raw values of a header come to, by the fields that a class states (T-025 to T-030)."""

    def __init__(self, stated: Any) -> None:
        self.fields = {each.name: each for each in fields_of(stated)}
        self._form: Any = None

    def take(self, raw: Mapping[str, Value]) -> Taken:
        """The values typed, or as they were given where something is wrong with others."""
        fields = self.fields
        given: dict[str, Any] = {}
        undefined: dict[str, Value] = {}
        for name, value in raw.items():
            if isinstance(value, tuple) and len(value) > MOST_ITEMS:
                raise Refused(f"{name} has more than {MOST_ITEMS} items; send fewer.")
            field = fields.get(name)
            if field is None:
                undefined[name] = _undefined(value)
            elif not _empty(value) or (value == () and field.may_be_empty):
                given[name] = value
        taken = Taken(given)
        try:
            self._form = self._form or TypeAdapter(_entry(tuple(fields.values()))).validator
            taken.values = {name: _frozen(value) for name, value in self._form.validate_python(given).items()}
        except ValidationError as error:
            _sort_out(error, taken)
        for name, field in fields.items():
            if field.when and name not in given and raw.get(field.when.name) == field.when.value:
                taken.missing.append(name)
            elif field.parts and isinstance(given.get(name), tuple):
                known = {part.name for part in field.parts}
                for number, entry in enumerate(given[name], 1):
                    taken.undefined += [f"{name}[{number}].{key}" for key in entry if key not in known]
        taken.undefined += undefined
        taken.values = {**taken.values, **undefined}
        return taken


def _sort_out(error: ValidationError, taken: Taken) -> None:
    """Put what pydantic found into our words; what is in order is kept, so that more can be said of it."""
    faults = error.errors(include_url=False)
    for fault in faults:
        at = "".join(f"[{part + 1}]" if isinstance(part, int) else f".{part}" for part in fault["loc"])[1:]
        match fault["type"]:
            case "missing":
                taken.missing.append(at)
            case "literal_error":
                allowed = fault["ctx"]["expected"].replace("'", "").replace(" or ", ", ")
                taken.wrong.append(f"{at} is one of {allowed}, not {shown(fault['input'])}")
            case _:
                words, lead = fault["ctx"]["words"], fault["ctx"]["lead"]
                taken.wrong.append(words if lead is None else f"{at}{lead}{words}")
    broken = {fault["loc"][0] for fault in faults}
    taken.values = {name: value for name, value in taken.values.items() if name not in broken}


def _empty(value: Value) -> bool:
    return value == () or (isinstance(value, str) and blank(value))


def _listing(things: Sequence[str], separator: str) -> str:
    more = len(things) - MOST_PROBLEMS
    return separator.join(things[:MOST_PROBLEMS]) + (f"{separator}and {more} more" if more > 0 else "")


def _undefined(value: Value) -> Value:
    """A value of which no definition says what it is, as it is held."""
    if not isinstance(value, tuple):
        return held(written_scalar(value))
    if any(isinstance(item, Mapping) for item in value):
        return tuple({name: held(text) for name, text in item.items()} for item in value if isinstance(item, Mapping))
    return tuple(held(item) for item in value if isinstance(item, str))


def _frozen(value: Any) -> Value:
    if not isinstance(value, tuple):
        return value  # type: ignore[no-any-return]
    return tuple(MappingProxyType(item) if isinstance(item, dict) else item for item in value)


# the forms that pydantic checks


def _entry(fields: Sequence[Field]) -> Any:
    """The type that checks those fields."""
    return TypedDict(  # type: ignore[operator]
        "_Entry",
        {
            each.name: _checked(each) if each.required and each.when is None else NotRequired[_checked(each)]
            for each in fields
        },
    )


def _checked(each: Field) -> Any:
    if each.item is None:
        return _scalar(each.type)
    known = [part.name for part in each.parts]

    def items(value: Any) -> Any:
        if not isinstance(value, tuple):
            raise _fault(f"is a list; write each item as '- item' on a separate line below '{each.name}:'")
        return value

    def entries(value: Any) -> Any:
        if not isinstance(value, tuple) or not all(isinstance(entry, Mapping) for entry in value):
            raise _fault(f"is a list of entries with {', '.join(known)}")
        return tuple(
            {
                name: text if name in known else held(text)
                for name, text in entry.items()
                if name not in known or not blank(text)
            }
            for entry in value
        )

    item = (
        with_config(ConfigDict(extra="allow"))(_entry(each.parts))
        if known
        else Annotated[_scalar(each.item), BeforeValidator(_item)]
    )
    return Annotated[tuple[item, ...], BeforeValidator(entries if known else items)]  # type: ignore[valid-type]


def _scalar(hint: Any) -> Any:
    """A bare `str` or `Literal` is read as any text is."""
    return Annotated[hint, BeforeValidator(_text)] if hint is str or get_origin(hint) is Literal else hint
