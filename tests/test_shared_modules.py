"""No shared module names a ruleset: what there is for one is found by entry point."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from commands import ROOT

from sottovoce.domain.rulesets import RULESETS

PACKAGES = ("domain", "eventlog", "projections", "agents", "server", "client", "cli", "sottovoce")
WORD = re.compile(rf"(?<![a-z])({'|'.join(RULESETS)})(?![a-z])", re.IGNORECASE)

ALLOWED = {
    ("cli/place.py", "sottovoce play mafia"): "the game that a person who has none yet is told to begin with",
    ("server/http/models", "mafia"): "examples in the interface's document",
    ("server/http/models", "A game of Mafia"): "the same",
    **{
        ("sottovoce/isolation/wire/operations.py", name): "a ruleset that a host may ask for"
        for name in ("mafia", "tabletop", "delegation")
    },
}
"""Names that may stand in shared modules, or in those of a folder, and why."""


def is_own(path: Path) -> bool:
    """Whether the file lies in the folder of a ruleset."""
    return any(part in RULESETS for part in path.with_suffix("").parts)


def shared() -> list[Path]:
    found = [path.relative_to(ROOT) for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
    return sorted(path for path in found if not is_own(path))


def named(source: str) -> Iterator[str]:
    """The names and texts of the code in which a ruleset is named; docstrings and comments are for people."""
    tree = ast.parse(source)
    prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str(text)) if id(node) not in prose:
                found = [text]
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name) | ast.keyword(arg=str(name)):
                found = [name]
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                found = [name]
            case ast.Import(names=names):
                found = [alias.name for alias in names]
            case ast.ImportFrom(module=module, names=names):
                found = [module or "", *(alias.name for alias in names)]
            case _:
                continue
        yield from (text for text in found if WORD.search(text.replace("_", " ")))


def allowed(path: Path, text: str) -> bool:
    return any(path.is_relative_to(file) and part in text for file, part in ALLOWED)


@pytest.mark.parametrize("path", shared(), ids=str)
def test_a_shared_module_names_no_ruleset(path: Path) -> None:
    found = [text for text in named((ROOT / path).read_text(encoding="utf-8")) if not allowed(path, text)]
    assert found == [], "what there is for one ruleset goes into a value that its entry point names"


@pytest.mark.parametrize(
    "source",
    [
        'if ruleset.name == "mafia": pass',
        "from sottovoce.rulesets.tabletop.rules.events import GM",
        "import sottovoce.rulesets.delegation.rules",
        "from sottovoce.projections.rulesets import delegation as rules",
        "BOARDS = {MAFIA: board}",
        "def mafia_board(): pass",
        "board = boards.tabletop",
        "print(f'a game of {x} of Mafia')",
    ],
)
def test_a_name_that_is_put_in_is_found(source: str) -> None:
    assert list(named(source))


def test_what_is_for_people_may_name_one() -> None:
    assert list(named('"""Plays Mafia."""\n# as in tabletop\ndelegated = unmafialike = 1\n')) == []


@pytest.mark.parametrize("path", sorted((ROOT / "examples" / "rulesets").rglob("*.py")), ids=lambda path: path.stem)
def test_an_example_imports_the_public_face_alone(path: Path) -> None:
    imported = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Import(names=names):
                imported |= {alias.name for alias in names}
            case ast.ImportFrom(module=str(module)):
                imported.add(module)
    public = {f"sottovoce.{name}" for name in ("terminal", "testing", "golden", "isolation", "client")}
    assert {name for name in imported if name.startswith("sottovoce")} <= {"sottovoce", *public}


FACE = [ROOT / "sottovoce" / name for name in ("__init__.pyi", "terminal.py", "testing.py")]


@pytest.mark.parametrize("path", FACE, ids=lambda path: path.stem)
def test_what_passes_names_on_does_nothing_else(path: Path) -> None:
    """Every statement is a docstring or an import; only `extras.py` and `golden.py` hold what is nowhere else."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    others = [node for node in tree.body if not isinstance(node, ast.Expr | ast.Import | ast.ImportFrom)]
    assert others == []


def test_every_exception_is_still_needed() -> None:
    for file, part in ALLOWED:
        place = ROOT / file
        paths = place.glob("*.py") if place.is_dir() else [place]
        texts = [text for path in paths for text in named(path.read_text(encoding="utf-8"))]
        assert any(part in text for text in texts), file
