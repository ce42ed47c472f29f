"""What a ruleset needs at its opening apart from players and options: a folder, and choices in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Any, Protocol

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sottovoce.domain.commands import Command
from sottovoce.domain.errors import RulesetDefect, SetupRefused
from sottovoce.domain.plugins import PluginBroken, Plugins
from sottovoce.domain.turns import Turn

LONGEST_CHOICE = 100
"""Characters that a text of a setup can have."""
LONGEST_LIST = 4000
"""Characters that the address of a request can have for a field of more than a text."""

TAKEN = ("ruleset", "names", "players", "agents", "agent", "seed", "options", "setup", "server", "person", "seat")
"""Fields of every request for a game, and options of `open`: a setup can't have fields of these names."""


def place(table: str, about: str, *, offers: str, option: str = "") -> Any:
    """The field of a setup that holds a folder (a `Path`), such as `campaign: Path = place("campaigns", …)`.

    A server's settings list the folders in the table `table`, or its command line with the field's name as the option.
    `about` is one sentence on what to choose, `offers` one on the option of `serve`. `option` is the option of the
    rules that the field decides, if it does: forms leave that one out.
    """
    extra: dict[str, Any] = {"place": table, "offers": offers, "option": option}
    return Field(description=about, json_schema_extra=extra)


def choice(
    about: str,
    *,
    label: str = "",
    none: str = "Default",
    metavar: str = "NAME",
    option: str = "",
    makes: str = "",
    default: Any = None,
) -> Any:
    """A field of a setup that can be left out. `about` is one sentence on it, `label` its title if not its name.

    `none` is what a form shows if nothing is chosen, `metavar` stands for the value in the help of the command line.
    `option` is the option of the rules that the field decides, if it does: forms leave that one out. `makes` names
    another field whose values this one adds to: each item of its list is a name, or an object with what makes a new
    one, and reads a text too, JSON or names with commas between them.
    """
    extra: dict[str, Any] = {"none": none, "metavar": metavar, "label": label, "option": option}
    if makes:
        extra["makes"] = makes
    return Field(default, description=about, json_schema_extra=extra)


class Setup(BaseModel):
    """What a game is opened with, apart from players and options.

    A subclass has one field of type `Path`, made by `place`, and any number of fields made by `choice`. The HTTP
    request, the page's form and the command line have the same fields. The docstring says in a few words what a game
    does with them, such as "Plays a campaign." Raises RulesetDefect for anything else.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, str_max_length=LONGEST_CHOICE)

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        if not cls.__doc__:
            raise RulesetDefect(f"{cls.__name__}: say in a docstring what a game does with its setup")
        fields = {name: (field, _extra(field)) for name, field in cls.model_fields.items()}
        if len(places := [name for name, (_, extra) in fields.items() if "place" in extra]) != 1:
            raise RulesetDefect(f"{cls.__name__}: a setup has one field made by place(), not {len(places)}")
        for name, (field, extra) in fields.items():
            if name in TAKEN:
                raise RulesetDefect(f"{cls.__name__}: every game has a field {name!r}; choose another name")
            if name not in places and ("none" not in extra or field.is_required()):
                raise RulesetDefect(f"{cls.__name__}: make the field {name!r} with choice()")

    @classmethod
    def checked(cls, given: Mapping[str, Any]) -> Setup:
        """The setup with these values, as people give them. SetupRefused names the first field at fault."""
        try:
            return cls.model_validate(dict(given))
        except ValidationError as error:
            first = error.errors()[0]
            words = first["msg"].removeprefix("Value error, ")
            field, *within = (part for part in first["loc"] if isinstance(part, str) and part != "[key]")
            inner = f"{within[-1]}: " if len(within) > 1 else ""
            raise SetupRefused(f"{field}: {inner}{words[:1].lower()}{words[1:]}.") from None


def _extra(field: Any) -> Mapping[str, Any]:
    return field.json_schema_extra if isinstance(field.json_schema_extra, dict) else {}


@dataclass(frozen=True, slots=True)
class PlaceKind:
    """A kind of folder that servers offer: the setup's field, the table in the settings, and what both are for."""

    name: str
    table: str
    about: str
    offers: str


def place_kind(setup: type[Setup]) -> PlaceKind:
    """The kind of folder that the setup has a field for."""
    for name, field in setup.model_fields.items():
        if "place" in (extra := _extra(field)):
            return PlaceKind(name, extra["place"], field.description or "", extra["offers"])
    raise RulesetDefect(f"{setup.__name__} has no field made by place()")


def longest(setup: type[Setup], name: str) -> int:
    """How many characters a field of the setup can have in the address of a request."""
    return LONGEST_LIST if "makes" in _extra(setup.model_fields[name]) else LONGEST_CHOICE


def setup_schema(setup: type[Setup]) -> dict[str, Any]:
    """The setup as JSON schema, with what a form needs of its fields: `place`, `none`, `label`, `option`, `makes`."""
    schema = setup.model_json_schema()
    for field in schema["properties"].values():
        for key in ("offers", "metavar", "format"):
            field.pop(key, None)
    return schema


@dataclass(frozen=True, slots=True)
class ChoiceField:
    """A field of a setup that can be left out."""

    name: str
    about: str
    metavar: str


def choice_fields(setup: type[Setup]) -> list[ChoiceField]:
    """The fields that can be left out, in their order."""
    return [
        ChoiceField(
            name, " ".join(filter(None, (extra["label"] and f"{extra['label']}.", field.description))), extra["metavar"]
        )
        for name, field in setup.model_fields.items()
        if "none" in (extra := _extra(field))
    ]


@dataclass(frozen=True, slots=True)
class Opening:
    """What a game is opened with: who plays, the options, the files it takes in, the folder it works in."""

    players: tuple[str, ...]
    options: Mapping[str, Any]
    files: Mapping[str, bytes]
    folder: str | None = None


@dataclass(frozen=True, slots=True)
class Choices:
    """What can be chosen after the choices so far.

    `players` are the seats that play then, `people` those of them that a person usually plays, and `values` the values
    of each field that can be listed.
    """

    players: tuple[str, ...]
    values: Mapping[str, Sequence[str]]
    people: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Sample:
    """A folder that comes with Sottovoce, to open a game in: its path below the examples. A game that writes into its
    folder gets a copy (`written`)."""

    path: str
    written: bool = False


@dataclass(frozen=True, slots=True)
class Site:
    """Which game something on the disk belongs to. A fork has its own workspaces."""

    game: str
    forked: bool = False


class Workspaces(Protocol):
    """Where a ruleset's agents run, and what the server looks up there before a text is decided on.

    Its methods may look at the disk and run programs for as long as it takes; they are called in a thread. Each gets
    the game's full state, and `stop`, which is set when nobody waits for the answer any longer.
    """

    def place(self, site: Site, state: Any, turn: Turn, stop: Event) -> Path | None:
        """The folder in which the agent of a turn runs, made if need be; None where nothing is said of it.

        Raises SottovoceError where it cannot be made: the attempt at the turn fails with its message.
        """

    def find(self, site: Site, state: Any, command: Command, stop: Event) -> Any:
        """What is to come with the command as its `evidence`; None where there is nothing to look up."""

    def beside(self, site: Site, state: Any, path: str) -> Path | None:
        """Another folder in which a file of that path may lie, if the game's own folder has none."""

    def survey(self, site: Site, state: Any) -> tuple[Sequence[str], Sequence[Sequence[str]]]:
        """The header and the rows of a table of all workspaces as they are now."""

    def tidy(self, site: Site, state: Any) -> Sequence[str]:
        """Remove the workspaces that nobody needs any more; a line on each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerExtras:
    """What a ruleset's games are opened with: `setup`, `load` and `preview`, all three or none; and a `sample` folder.

    `load(setup, options)` reads the folder, for as long as the game is being opened: it can undo what it did if the
    opening is refused. `preview(setup)` reads it to list the choices, and changes nothing. UnknownName or SetupRefused
    if the folder can't be used. `workspaces()` gives the folders that agents run in, if they work in any. `overseer` is
    the seat that is told what every agent does and uses while it works, in games where it may know that.
    """

    setup: type[Setup] | None = None
    load: Callable[[Any, Mapping[str, Any]], AbstractContextManager[Opening]] | None = None
    preview: Callable[[Any], Choices] | None = None
    sample: Sample | None = None
    workspaces: Callable[[], Workspaces] | None = None
    overseer: str | None = None

    def __post_init__(self) -> None:
        if len({part is None for part in (self.setup, self.load, self.preview)}) > 1:
            raise RulesetDefect("ServerExtras takes setup, load and preview together, or none of them")


EXTRAS: Plugins[ServerExtras] = Plugins("sottovoce.server", ServerExtras)


def setups() -> dict[str, type[Setup]]:
    """The setups of the installed rulesets that have one and can be loaded, by the ruleset's name."""
    found = {}
    for name in EXTRAS:
        try:
            setup = EXTRAS[name].setup
        except PluginBroken:
            continue
        if setup is not None:
            found[name] = setup
    return found


def place_kinds() -> dict[str, PlaceKind]:
    """Every kind of folder that a server with the installed rulesets can offer, by its name."""
    found: dict[str, PlaceKind] = {}
    for setup in setups().values():
        kind = place_kind(setup)
        found.setdefault(kind.name, kind)
    return found
