"""No shared module names a ruleset: what there is for one is found by entry point."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from commands import ROOT

from sottovoce.domain.rulesets import RULESETS
from sottovoce.server.extras import place_kind, setups

PACKAGES = ("domain", "eventlog", "projections", "agents", "server", "client", "experiments", "cli", "sottovoce")
WORD = re.compile(rf"(?<![a-z])({'|'.join(RULESETS)})(?![a-z])", re.IGNORECASE)

ALLOWED = {
    ("cli/place.py", "sottovoce play mafia"): "the game that a person who has none yet is told to begin with",
    ("server/http/models", "mafia"): "examples in the interface's document",
    ("server/http/models", "A game of Mafia"): "the same",
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


SHAPES = {name for setup in setups().values() for name in (*setup.model_fields, place_kind(setup).table)}
"""What the shipped rulesets are opened with: `campaign`, `character`, `folder`, … and the tables of the settings."""

SHAPED = {
    "agents/folder.py: 'folder'": "what the file system says lies there",
    "agents/programs/settings.py: Settings.folder": "a program runs in it",
    "agents/programs/surroundings.py: 'task'": "the placeholder `{task}` and its variable",
    "cli/files.py: 'folder'": "the option `--into`",
    "client/player.py: _Call.task": "a task of asyncio",
    "cli/budget.py: 'task'": "a piece of work that a turn of any ruleset may be about",
    "domain/commands.py: Open.folder": "the game's own files are below it",
    "experiments/evals.py: 'task'": "Inspect's own word for what was evaluated",
    "projections/bundle.py: Bundle.folder": "the built page is in it",
    "projections/marks.py: TaskMoved.task": "a mark of every ruleset that is set as a board",
    "projections/marks.py: 'task'": "the same mark as JSON",
    "server/extras.py: Opening.folder": "the game's own files are below it",
    "server/http/models/games.py: 'campaign'": "an example in the interface's document",
    "server/http/models/games.py: 'character'": "the same",
    "server/http/models/games.py: 'task'": "a piece of work that a turn of any ruleset may be about",
    "server/oversight.py: 'task'": "a piece of work that a turn of any ruleset may be about",
    "server/oversight.py: AgentAtWork.task": "a piece of work that a turn of any ruleset may be about",
    "server/oversight.py: UsedJson.task": "a piece of work that a turn of any ruleset may be about",
    "server/runner.py: Call.task": "a task of asyncio",
}
"""Fields and texts of shared modules that have such a name and mean something else, or the same for any ruleset."""


def shapes(source: str) -> Iterator[str]:
    """Fields of classes, keyword arguments of functions apart, and texts that are what one ruleset is opened with."""
    tree = ast.parse(source)
    prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        match node:
            case ast.ClassDef(name=name, body=body):
                for part in body:
                    match part:
                        case ast.AnnAssign(target=ast.Name(id=field)) | ast.Assign(targets=[ast.Name(id=field)]):
                            if field in SHAPES:
                                yield f"{name}.{field}"
            case ast.Constant(value=str(text)) if text in SHAPES and id(node) not in prose:
                yield repr(text)


@pytest.mark.parametrize("path", shared(), ids=str)
def test_a_shared_module_does_not_know_what_a_ruleset_is_opened_with(path: Path) -> None:
    found = [f"{path}: {shape}" for shape in shapes((ROOT / path).read_text(encoding="utf-8"))]
    assert [shape for shape in found if shape not in SHAPED] == [], "a ruleset declares it in its Setup"


@pytest.mark.parametrize(
    "source",
    [
        "class Wanted(Given):\n    campaign: Name | None = None",
        "class Offer:\n    tasks = ()\n    character: str",
        'needs: Literal["campaign", "folder"] | None = None',
        'settings.campaigns if needs == "campaign" else settings.folders',
        'for what in ("task", "character", "edition"): pass',
        'click.option("--x", "edition")',
    ],
)
def test_a_shape_that_is_put_in_is_found(source: str) -> None:
    assert list(shapes(source))


def test_every_shape_that_is_let_through_is_still_there() -> None:
    found = {f"{path}: {shape}" for path in shared() for shape in shapes((ROOT / path).read_text(encoding="utf-8"))}
    assert set(SHAPED) - found == set()


PAGE = ROOT / "web" / "src"
MARKS = {"task"}
"""Marks of every ruleset that is set as a board."""
PLAYED = ("sample.ts",)
"""Games for the page's own tests."""


def page_words(source: str) -> list[str]:
    """Rulesets, and what they are opened with, as texts in the page's code; comments are for people."""
    code = re.sub(r"/\*.*?\*/|//[^\n]*", "", source, flags=re.DOTALL)
    quoted = re.findall(r"[\'\"`]([a-z_-]+)[\'\"`]", code)
    return [word for word in quoted if word in {*RULESETS, *SHAPES} - MARKS]


def test_the_page_knows_no_ruleset() -> None:
    paths = [path for kind in ("*.ts", "*.svelte") for path in PAGE.rglob(kind)]
    ours = [path for path in paths if not path.name.endswith((".test.ts", ".d.ts", *PLAYED))]
    assert len(ours) > 50
    found = {str(path.relative_to(PAGE)): page_words(path.read_text(encoding="utf-8")) for path in ours}
    assert {path: words for path, words in found.items() if words} == {}
    assert page_words("const LAYOUTS = new Map([['tabletop', 'story']]); // 'mafia'") == ["tabletop"]
    assert page_words("for (const what of ['edition', 'character'] as const) {}") == ["edition", "character"]


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


FACE = [ROOT / "sottovoce" / name for name in ("__init__.pyi", "terminal.py", "testing.py", "environment.py", "aec.py")]


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
