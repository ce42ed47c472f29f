"""The folders are the architecture: imports go down only, and the names are this repository's own."""

from __future__ import annotations

import ast
import importlib
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = (
    "domain",
    "eventlog",
    "projections",
    "agents",
    "server",
    "client",
    "experiments",
    "cli",
    "sottovoce",
    "migrations",
    "rulesets",
)


def of_tests(path: Path) -> bool:
    """Whether the file is one of a ruleset's tests."""
    return "tests" in path.relative_to(ROOT).parts or path.name == "conftest.py"


MODULES = sorted(
    path.relative_to(ROOT) for package in PACKAGES for path in (ROOT / package).rglob("*.py") if not of_tests(path)
)
PURE = [path for path in MODULES if path.parts[0] == "domain" or path.parts[::2][:2] == ("rulesets", "rules")]
"""The modules that decide and fold."""


@pytest.mark.parametrize("package", PACKAGES)
def test_each_package_is_the_one_in_this_repository(package: str) -> None:
    """`openai-agents`, for one, installs a top-level `agents` of its own."""
    found = importlib.import_module(package if package == "sottovoce" else f"sottovoce.{package}").__file__
    assert found is not None
    assert Path(found).resolve() == ROOT / package / "__init__.py"


@pytest.mark.parametrize("path", MODULES, ids=str)
def test_every_module_says_what_it_is(path: Path) -> None:
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    assert ast.get_docstring(tree), f"{path} has no docstring"


@pytest.mark.parametrize("path", PURE, ids=str)
def test_the_domain_imports_msgspec_pydantic_and_the_standard_library_only(path: Path) -> None:
    imported = set()
    for node in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8"))):
        match node:
            case ast.Import():
                imported |= {alias.name.partition(".")[0] for alias in node.names}
            case ast.ImportFrom():
                module = node.module or ""
                within = f"{module}.".startswith(("sottovoce.domain.", "sottovoce.rulesets.")) or module == "sottovoce"
                imported.add("domain" if within else module.partition(".")[0])
    assert imported <= {"domain", "msgspec", "pydantic", "pydantic_core", "typing_extensions", *sys.stdlib_module_names}
    locked = {"threading"} if str(path) == "domain/typed.py" else set()  # what msgspec needs where threads share it
    assert not (imported - locked) & {
        "os",
        "pathlib",
        "time",
        "socket",
        "subprocess",
        "threading",
        "sqlite3",
        "asyncio",
        "secrets",
    }


@pytest.mark.parametrize("path", PURE, ids=str)
def test_the_domain_reads_no_clock_and_no_global_randomness(path: Path) -> None:
    for node in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            called = f"{node.value.id}.{node.attr}"
            assert called not in {"datetime.now", "datetime.utcnow", "date.today"}
            assert node.value.id != "random" or node.attr == "Random", called


def test_rules_take_from_the_public_face_what_the_domain_makes() -> None:
    stub = (ROOT / "sottovoce" / "__init__.pyi").read_text(encoding="utf-8")
    made = {name: place for place, name in re.findall(r"(?m)^from (\S+) import \w+ as (\w+)$", stub)}
    for path in PURE:
        for node in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module == "sottovoce":
                for alias in node.names:
                    place = made.get(alias.name, "")
                    assert place.startswith(("sottovoce.domain.", "pydantic")), f"{path}: {alias.name} of {place}"


IN_CIRCLES = {
    (
        "sottovoce.domain.game",
        "sottovoce.domain.ruleset",
    ): "a game is decided by its ruleset, whose methods are handed the game",
    (
        "sottovoce.domain.game",
        "sottovoce.domain.turns",
    ): "a game opens and counts turns, whose methods are handed the game",
    (
        "sottovoce.rulesets.mafia.rules.events.night",
        "sottovoce.rulesets.mafia.rules.state",
    ): "the state keeps the night's facts whole",
}
"""The pairs of files of which one names types of the other in annotations, though the other imports it, and why."""

FILES = {
    ".".join(dict.fromkeys(("sottovoce", *path.with_suffix("").parts))).removesuffix(".__init__"): path
    for path in MODULES
}


def imported_by(path: Path) -> Iterator[str]:
    """The modules that a file imports, wherever it does: for a type checker or within a function as well."""
    for node in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            names = (f"{node.module}.{alias.name}" for alias in node.names)
            yield from (name if name in FILES else node.module or "" for name in names)


def test_no_two_files_import_each_other() -> None:
    imports = {name: {*imported_by(path)} for name, path in FILES.items()}
    found = {(one, other) for one in FILES for other in imports[one] if one < other and one in imports.get(other, ())}
    assert found == IN_CIRCLES.keys()


def test_no_test_folder_is_a_package() -> None:
    """`tests/agents/__init__.py` would shadow `agents`; `tests/kit` is on the path itself."""
    found = [path.relative_to(ROOT) for path in (ROOT / "tests").rglob("__init__.py")]
    assert [path for path in found if path.parts[1] != "kit"] == []


def test_every_package_that_is_imported_is_declared() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    declared = [*project["dependencies"], *extras["data"], *extras["pettingzoo"]]
    names = {re.split(r"[\[<>=]", line)[0].replace("-", "_") for line in declared} | {"yaml", "pydantic_core"}
    imported = set()
    for path in MODULES:
        for node in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                imported |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                imported.add(node.module.partition(".")[0])
    assert imported - set(sys.stdlib_module_names) - set(PACKAGES) <= names


RENDERERS = (
    "domain/piece.py",
    "domain/words.py",
    "projections/pieces.py",
    "projections/document.py",
    "projections/transcript.py",
    "projections/prose.py",
    "projections/track.py",
    "projections/replay_file.py",
    "agents/prompt.py",
    "cli/screen.py",
    "cli/screens/theme.py",
    "cli/screens/piece.py",
)


@pytest.mark.parametrize("path", RENDERERS)
def test_what_renders_pieces_knows_no_event_of_any_ruleset(path: str) -> None:
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    imported = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    imported |= {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    assert not [name for name in imported if "rulesets" in name.split(".")]
    names = {path.name for path in (ROOT / "rulesets").iterdir() if (path / "__init__.py").exists()}
    said = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    assert not names & said
