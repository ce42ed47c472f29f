"""The file of an experiment: what is played, who sits where, from which seeds, and when it stops.

It is YAML. `schema()` is its JSON schema, for editors.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from sottovoce.domain.errors import SottovoceError
from sottovoce.domain.rulesets import RULESETS

Label = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,39}$")]
Number = Annotated[int, Field(strict=True)]
"""A whole number, and not `yes`, which YAML reads as a truth value."""
MOST_GAMES = 100_000


class ExperimentUnusable(SottovoceError):
    """The file can't be used as it stands."""

    exit_code = 2


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Design(_Strict):
    """Who sits where. Arrangements on one deal have the same names, roles and draws, so that they can be compared."""

    by: Literal["side", "role", "seat"] = Field(
        default="side", description="What agents are assigned to: whole sides, roles, or seats."
    )
    order: Literal["mirrored", "rotated", "latin", "crossed", "swapped", "fixed"] = Field(
        default="mirrored",
        description="mirrored: each pair of agents both ways round. rotated: each agent moves on by one. "
        "latin: rotated, from a place drawn for each deal. crossed: every combination. "
        "swapped: one side, role or seat at a time, all others play `rest`. fixed: as `assign` says.",
    )
    over: tuple[str, ...] = Field(
        default=(), description="The sides, roles or seats that are compared. Empty: all that can be compared."
    )
    assign: dict[str, Label] = Field(default={}, description="With order fixed: which agent has which side or role.")
    share: Literal["even", "varied"] = Field(
        default="even", description="By seat: every agent has equally many seats, or a number drawn for each deal."
    )
    estimate: Literal["overall", "by-side"] | None = Field(
        default=None,
        description="One strength for each agent, or one on each side. Empty: overall for whole sides, else by-side.",
    )


class Stop(_Strict):
    """When no more games are played: at the first that holds, looked at after whole deals."""

    games: int = Field(ge=1, le=MOST_GAMES, description="At most so many games.")
    cost: float | None = Field(default=None, gt=0, description="When so much is spent, in the currency of your prices.")
    tokens: int | None = Field(default=None, ge=1, description="When so many tokens are used.")
    width: float | None = Field(
        default=None, gt=0, lt=1, description="When the widest interval of the shares of wins is at most so wide."
    )
    look: int = Field(default=20, ge=1, le=10_000, description="Deals between two looks at these limits.")


class ExperimentFile(_Strict):
    """The whole file."""

    name: str = Field(
        pattern=r"^[A-Za-z0-9][A-Za-z0-9 _.-]{0,77}$", description="The experiment's name, kept in the log."
    )
    about: str = Field(default="", max_length=4000, description="What it is to find out; printed in the report.")
    ruleset: str = Field(description="The ruleset that is played.")
    players: Number | tuple[Number, ...] | None = Field(
        default=None, description="Players at a table. With several numbers the deals take turns."
    )
    names: tuple[str, ...] = Field(default=(), description="Names of the players, in seating order. Empty: drawn.")
    options: dict[str, Any] = Field(default={}, description="Options of the ruleset.")
    agents: dict[Label, str] = Field(
        min_length=1, description="The agents that are compared, each by a label: house, random, model:NAME, …"
    )
    rest: str = Field(default="house", description="The agent of every seat that is not compared.")
    seats: dict[str, str] = Field(default={}, description="Agents of single seats, such as narrator: house.")
    design: Design = Design()
    seed: Number | str = Field(description="The source of every deal. The same seed gives the same deals.")
    stop: Stop
    on_failure: Literal["void", "hold", "fallback"] = Field(
        default="void", description="When an agent is unreachable: void the game, hold it, or play a fallback move."
    )

    @field_validator("ruleset")
    @classmethod
    def _known(cls, name: str) -> str:
        if not RULESETS.listed(name):
            raise ValueError(f"there is no ruleset {name!r}; there are: {', '.join(RULESETS)}")
        return name

    @field_validator("players", mode="before")
    @classmethod
    def _several(cls, given: Any) -> Any:
        several = given if isinstance(given, list) else [given]
        if not several or any(isinstance(one, int) and one < 1 for one in several):
            raise ValueError("a table has at least one player")
        return tuple(given) if isinstance(given, list) else given

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.names and self.players not in (None, len(self.names), (len(self.names),)):
            raise ValueError("players and names say different numbers; leave one of them out")
        unknown = [label for label in self.design.assign.values() if label not in self.agents]
        if unknown:
            raise ValueError(f"design.assign has {unknown[0]!r}, which is not in agents")
        if bool(self.design.assign) != (self.design.order == "fixed"):
            raise ValueError("design.assign and order: fixed go together; give both or neither")
        if self.design.share == "varied" and self.design.by != "seat":
            raise ValueError("design.share: varied is for by: seat")
        if len(self.agents) < 2 and self.design.order in ("mirrored", "rotated", "latin"):
            raise ValueError(f"order: {self.design.order} compares at least two agents; add one, or use order: fixed")
        return self

    @property
    def sizes(self) -> tuple[int, ...]:
        """Return how many players sit at a table, deal after deal."""
        if self.names:
            return (len(self.names),)
        if self.players is None:
            return (RULESETS[self.ruleset].players,)
        return self.players if isinstance(self.players, tuple) else (self.players,)

    @property
    def plan(self) -> dict[str, Any]:
        """Return what decides which games are played: the file without its text and its limits, except their number."""
        said = self.model_dump(mode="json", exclude={"about", "stop"})
        return {**said, "games": self.stop.games}


def digest(plan: Mapping[str, Any]) -> str:
    """Return a hash of a plan, by which two files are known to be of the same games."""
    return sha256(json.dumps(plan, sort_keys=True).encode()).hexdigest()


def is_file(named: str) -> bool:
    """Whether this is meant as an experiment's file, and not as the name of a batch."""
    return named.endswith((".yaml", ".yml")) or Path(named).is_file()


def read_experiment(path: str) -> ExperimentFile:
    """Read a file. Raises ExperimentUnusable, which names the first place at fault."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except UnicodeError:
        raise ExperimentUnusable(f"Cannot read {path}: it is not UTF-8 text.") from None
    except (OSError, ValueError) as error:
        raise ExperimentUnusable(f"Cannot read {path}: {getattr(error, 'strerror', None) or error}.") from None
    return parse_experiment(text, path)


def parse_experiment(text: str, path: str = "the file") -> ExperimentFile:
    """Read the text of a file. Raises ExperimentUnusable."""
    try:
        raw = yaml.load(text, _Loader)
    except _Twice as error:
        raise ExperimentUnusable(f"{path}, line {error.line}: {error.key} is there twice. Remove one.") from None
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        where = "" if mark is None else f", line {mark.line + 1}"
        tab = mark is not None and "\t" in "".join(text.split("\n")[mark.line : mark.line + 1])
        how = "Use spaces there, not tabs" if tab else "Fix it there"
        raise ExperimentUnusable(f"{path} is not YAML{where}. {how}.") from None
    if not isinstance(raw, Mapping):
        raise ExperimentUnusable(f"{path} has no fields. Begin with name, ruleset, agents, seed and stop.")
    try:
        return ExperimentFile.model_validate(raw)
    except ValidationError as error:
        raise ExperimentUnusable(f"{path}: {_told(error)}.") from None


class _Twice(ValueError):
    """A key that stands twice in one place."""

    def __init__(self, key: str, line: int) -> None:
        self.key, self.line = key, line


class _Loader(yaml.SafeLoader):
    """Takes no key twice, where plain YAML would use the last."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode) and key.value != "<<":
                if key.value in seen:
                    raise _Twice(key.value, key.start_mark.line + 1)
                seen.add(key.value)
        found: dict[Any, Any] = super().construct_mapping(node, deep)
        return found


_SAID = {
    "extra_forbidden": "there is no such field",
    "missing": "is missing",
    "string_type": "must be a text; put it in quotes",
    "string_too_long": "is too long",
    "int_type": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number",
    "float_parsing": "must be a number",
    "finite_number": "must be a number",
    "dict_type": "must have fields of its own below it",
    "model_type": "must have fields of its own below it",
    "tuple_type": "must be a list",
    "greater_than": "must be more than {gt:g}",
    "greater_than_equal": "must be at least {ge:g}",
    "less_than": "must be less than {lt:g}",
    "less_than_equal": "must be at most {le:g}",
    "literal_error": "must be {expected}",
    "too_short": "needs at least {min_length}",
}
_KINDS = ("int", "str", "float", "[key]", "constrained-int", "tuple[constrained-int, ...]")
"""What pydantic adds to the place of a mistake, and no file has."""


def _told(error: ValidationError) -> str:
    """The first mistake: where it is, and what is wrong."""
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"] if str(part) not in _KINDS and "[" not in str(part))
    what = first["msg"].removeprefix("Value error, ")
    if first["type"] in _SAID:
        what = _SAID[first["type"]].format(**first.get("ctx", {}))
    if first["type"] == "string_pattern_mismatch":
        some = "78 letters, digits, spaces," if where == "name" else "40 letters, digits,"
        what = f"has at most {some} dots, hyphens and underscores, and begins with a letter or digit"
    if where == "seed":
        what = "must be a whole number or a text in quotes"
    return f"{where}: {what}" if where else what


def schema() -> dict[str, Any]:
    """Return the JSON schema of the file."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **ExperimentFile.model_json_schema()}
