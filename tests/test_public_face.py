"""What a ruleset that ships takes from shared modules, one from outside finds below `sottovoce`."""

from __future__ import annotations

import ast
import inspect
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any, get_args

import pytest
from commands import ROOT

from sottovoce.domain.commands import Command
from sottovoce.domain.events import CORE_EVENTS
from sottovoce.domain.rulesets import RULESETS

LAYERS = ("domain", "projections", "agents", "cli", "server", "client", "experiments", "eventlog")
PARTS = ("rules", "shown", "house", "players", "opening", "terminal")
"""The parts of a ruleset's folder that play and show it."""
WITHIN = tuple(f"sottovoce.{layer}." for layer in LAYERS)
DOCUMENT = (ROOT / "docs" / "adding-a-ruleset.md").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
FACES = [
    *(ROOT / "sottovoce" / name for name in ("__init__.pyi", "terminal.py", "testing.py", "environment.py")),
    ROOT / "client" / "__init__.pyi",
]
"""The modules that pass names on."""
KIT = ROOT / "sottovoce" / "isolation" / "__init__.py"

INSIDE = {
    "sottovoce.agents.house.phrases": "how a house player that talks keeps its lines is its own matter",
    "sottovoce.agents.kinds.check_agent": "`play_opening` and `run_opening` check agents before they open anything",
    "sottovoce.agents.prompt.build_prompt": "a `FileForm` without a body of its own has the whole prompt",
    "sottovoce.cli.place.load_game": "an earlier game to go on from is the server's own",
    "sottovoce.domain.draws.stream": "what is drawn comes from the game's seed, by `generator` or `Seed.public`",
    "sottovoce.domain.paths.checked_path": "paths as a campaign's folder has them",
    "sottovoce.domain.paths.file_name": "the same",
    "sottovoce.domain.reading.normal": "`plain` puts a text into a form in which it can be compared",
    "sottovoce.domain.reading.without": "the same",
    "sottovoce.domain.reading.unwrapped": "the fields that mark a message are those of delegated work",
    "sottovoce.domain.seats.LONGEST_NAME": "`checked_names` sees to it",
    "sottovoce.domain.spellings": "a pattern of all names is for rules that read whole speeches",
    "sottovoce.domain.turns.CORE_EVOLVE": "`event.fold(state)` does the same",
    "sottovoce.domain.turns.Kinds": "a type that can be written out",
    "sottovoce.domain.turns.TurnClass": "a `class` statement makes a kind of turn",
    "sottovoce.domain.safe_text.one_line": "`say` makes every text harmless",
    "sottovoce.domain.words.seated": "`Chair.listed` says each seat",
    "sottovoce.server.campaign": "a campaign's folder is tabletop's",
    "sottovoce.server.live.LiveGame": "an earlier game to go on from is the server's own",
}
"""What rulesets that ship take from shared modules though no other can, a module's name for all of it, and why."""


def is_own(path: Path) -> bool:
    """Whether the file is a module of some ruleset's own, in whichever layer."""
    return any(part in RULESETS for part in path.with_suffix("").parts)


OWN = sorted(
    path
    for file in (ROOT / "rulesets").rglob("*.py")
    if len((path := file.relative_to(ROOT)).parts) > 2 and Path(path.parts[2]).stem in PARTS
)


def module_of(path: Path) -> str:
    """The module that a file of the public face is."""
    name = path.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".").removesuffix(".__init__")
    return name if name.startswith("sottovoce") else f"sottovoce.{name}"


def passed_on(path: Path) -> Iterator[tuple[str, str]]:
    """The names that a module passes on, each with the module that it is taken from."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom) and node.module != "__future__":
            yield from ((alias.name, node.module or "") for alias in node.names if alias.asname == alias.name)


@cache
def public() -> dict[str, list[Any]]:
    """Everything public by its name."""
    found: dict[str, list[Any]] = {}
    for path in (*FACES, KIT):
        for name, source in passed_on(path):
            found.setdefault(name, []).append(getattr(import_module(source), name))
    return found


def taken(source: str) -> Iterator[str]:
    """What a module takes from shared ones, as `module.name`; of one that it imports whole, what it uses of it."""
    tree = ast.parse(source)
    whole: dict[str, str] = {}
    for node in ast.walk(tree):
        if not isinstance(node, ast.ImportFrom) or not f"{node.module}.".startswith(WITHIN):
            continue
        for alias in node.names:
            full = f"{node.module}.{alias.name}"
            if is_own(Path(*full.split("."))):
                continue
            if isinstance(getattr(import_module(node.module or ""), alias.name), ModuleType):
                whole[alias.asname or alias.name] = full
            else:
                yield full
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in whole:
            yield f"{whole[node.value.id]}.{node.attr}"


def kept_back(source: str) -> list[str]:
    """What a module takes that is not public; what a whole module in INSIDE has, by that module's name."""
    found = []
    for full in dict.fromkeys(taken(source)):
        module, _, name = full.rpartition(".")
        value = getattr(import_module(module), name)
        if not any(value is one for one in public().get(name, ())):
            found.append(module if module in INSIDE else full)
    return found


@pytest.mark.parametrize("path", OWN, ids=str)
def test_what_a_ruleset_that_ships_takes_is_public(path: Path) -> None:
    found = [full for full in kept_back((ROOT / path).read_text(encoding="utf-8")) if full not in INSIDE]
    assert found == [], "make it public below `sottovoce`, or say in INSIDE why not"


def test_every_exception_is_still_needed() -> None:
    found = {full for path in OWN for full in kept_back((ROOT / path).read_text(encoding="utf-8"))}
    assert found == INSIDE.keys()


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("from sottovoce.domain.game import decide", ["sottovoce.domain.game.decide"]),
        ("def f():\n    from sottovoce.projections.marks import to_json", ["sottovoce.projections.marks.to_json"]),
        ("from sottovoce.domain import game\ngame.decide\ngame.Game", ["sottovoce.domain.game.decide"]),
        ("from sottovoce.domain.reading import plain\nfrom sottovoce.rulesets.mafia.rules import MAFIA", []),
    ],
)
def test_what_is_not_public_is_found(source: str, found: list[str]) -> None:
    assert kept_back(source) == found


def test_a_decision_can_be_written_down_whole() -> None:
    """The events of the core and the commands, for `given`, `when` and `then`."""
    face = import_module("sottovoce")
    for kind in (*CORE_EVENTS, *get_args(Command)):
        assert getattr(face, kind.__name__) is kind


def test_one_word_has_one_meaning() -> None:
    """A name that several modules pass on is the same thing in each."""
    assert [name for name, values in public().items() if any(value is not values[0] for value in values)] == []


@pytest.mark.parametrize("path", FACES, ids=lambda path: path.stem)
def test_every_public_name_says_what_it_is(path: Path) -> None:
    assert [name for name, source in passed_on(path) if not is_said(import_module(source), name)] == []


def is_said(module: ModuleType, name: str) -> bool:
    """Whether a name has a docstring: in its class or function, or as a text below the assignment."""
    found = getattr(module, name)
    if inspect.isclass(found) or inspect.isroutine(found):
        return not (found.__doc__ or f"{name}(").startswith(f"{name}(")
    body = ast.parse(inspect.getsource(module)).body
    for node, after in pairwise(body):
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if any(isinstance(target, ast.Name) and target.id == name for target in targets):
            return isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
    return False


@pytest.mark.parametrize("group", PROJECT["entry-points"])
def test_every_group_of_entry_points_is_documented_and_has_its_module(group: str) -> None:
    assert f'entry-points."{group}"' in DOCUMENT
    if group not in ("sottovoce.rulesets", "sottovoce.imported"):
        import_module(group)


@pytest.mark.parametrize("module", [module_of(path) for path in FACES])
def test_every_module_is_told_of(module: str) -> None:
    assert f"    {module}  " in (import_module("sottovoce").__doc__ or "")
    assert f"`{module}`" in DOCUMENT
