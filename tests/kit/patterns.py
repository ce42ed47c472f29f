"""Every regular expression of the product: where it is, and how it is matched.

`found()` starts a separate process in which `re` records what is compiled while all modules load. A pattern that a
function makes when called is read from the code, with a name for the unknown parts. Patterns that come from elsewhere
are made by `make_others`. No call of `re` is left out.
"""

from __future__ import annotations

import ast
import importlib
import json
import os
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PACKAGES = ("domain", "eventlog", "projections", "agents", "server", "client", "cli", "rulesets")
METHODS = frozenset(("match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer"))
NAME = "ada lee-7"
"""Replaces the unknown part of a pattern that a function makes: usually a name."""
WAYS = {
    ("rulesets/delegation/house/checklist.py", "_kind"): "fullmatch",
    ("rulesets/tabletop/house/beats.py", "_BEAT"): "fullmatch",
    ("rulesets/tabletop/house/beats.py", "_HEADING"): "fullmatch",
    ("rulesets/tabletop/rules/messages/fields.py", "_like"): "fullmatch",
}
"""How patterns that are passed to another function are matched. All others of that kind are tried in every way."""


@dataclass(frozen=True)
class Found:
    """A pattern, and the methods that match with it; none if they are unknown."""

    where: str
    pattern: re.Pattern[str]
    ways: frozenset[str]

    @property
    def path(self) -> str:
        return self.where.partition(":")[0]

    def runs(self) -> Iterator[Callable[[str], object]]:
        """Match a text in each of its ways."""
        ways = self.ways or METHODS
        if "match" in ways:
            yield self.pattern.match
        if "fullmatch" in ways:
            yield self.pattern.fullmatch
        if ways - {"match", "fullmatch"}:
            yield lambda text: sum(1 for _ in self.pattern.finditer(text))


def found() -> list[Found]:
    """Return all patterns that match text, not those for bytes."""
    told = subprocess.run([sys.executable, __file__], cwd=ROOT, check=True, capture_output=True, text=True)
    return [
        Found(where, re.compile(pattern, flags), frozenset(ways))
        for where, pattern, flags, ways in json.loads(told.stdout)
    ]


@dataclass(frozen=True)
class Site:
    """A call of `re` in the code."""

    path: str
    call: ast.Call
    ways: frozenset[str]

    @property
    def where(self) -> str:
        return f"{self.path}:{self.call.lineno}"


def sites() -> Iterator[Site]:
    """Return all calls of `re` that take a pattern."""
    trees = {path.relative_to(ROOT).as_posix(): ast.parse(path.read_text("utf-8")) for path in _modules()}
    used: dict[str, dict[str, set[str]]] = {path: _used(tree) for path, tree in trees.items()}
    for path, tree in trees.items():
        parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
        for node in ast.walk(tree):
            if not _is_of_re(node):
                continue
            assert isinstance(node, ast.Call)
            assert isinstance(node.func, ast.Attribute)
            if node.func.attr != "compile":
                yield Site(path, node, frozenset({node.func.attr}))
                continue
            names = list(_named(node, parents))
            known = next((WAYS[path, name] for name in names if (path, name) in WAYS), None)
            ways = {known} if known else set()
            for name in () if known else names:
                own = used[path].get(name, set())
                others = set() if name.startswith("_") else set().union(*(each.get(name, ()) for each in used.values()))
                ways |= own | others
            yield Site(path, node, frozenset(ways))


def _modules() -> Iterator[Path]:
    for package in PACKAGES:
        yield from sorted(
            path for path in (ROOT / package).rglob("*.py") if path.name != "__main__.py" and not _of_tests(path)
        )


def _of_tests(path: Path) -> bool:
    return "tests" in path.parts or path.name == "conftest.py"


def _is_of_re(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="re"), attr=attr)):
            return attr == "compile" or attr in METHODS
    return False


def _used(tree: ast.AST) -> dict[str, set[str]]:
    """Return the methods by the name of the pattern they are called on, or of the table it comes from."""
    used: dict[str, set[str]] = defaultdict(set)
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id=name) | ast.Attribute(attr=name), attr=attr) if attr in METHODS:
                used[name].add(attr)
            case ast.Attribute(value=ast.Subscript(value=ast.Name(id=name)), attr=attr) if attr in METHODS:
                used[name].add(attr)
    return used


def _named(node: ast.AST, parents: Mapping[ast.AST, ast.AST]) -> Iterator[str]:
    """Return the name that a pattern is assigned to, and the function that makes it."""
    while node in parents:
        node = parents[node]
        match node:
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                yield name
            case ast.FunctionDef(name=name):
                yield name


def make_others() -> None:
    """Call what makes patterns that are elsewhere, or in tables that are read on demand."""
    from sottovoce.rulesets.delegation.rules import leak_patterns as delegation
    from sottovoce.rulesets.mafia.rules import leak_patterns, narration_rules

    for kind, detail in delegation._SAID_OF_A_TASK:
        delegation.mentions((kind, "task", detail or ""), "task")
    for role in narration_rules.ROLE_WORDS:
        narration_rules._statements(role)
    for rule in (*leak_patterns.STATEMENTS, *leak_patterns.HIDDEN):
        list(rule.found_in(""))
    stated = re.fullmatch("(?P<who>)(?P<what>-)", "-")
    assert stated is not None
    leak_patterns._public(stated, [], [], leak_patterns.Known({}, ()))


def _noted() -> Iterator[tuple[str, str, int, list[str]]]:
    kept: dict[tuple[str, int], set[re.Pattern[Any]]] = defaultdict(set)
    compiled = re._compile  # type: ignore[attr-defined]

    def note(pattern: Any, flags: int) -> re.Pattern[Any]:
        made: re.Pattern[Any] = compiled(pattern, flags)
        caller = sys._getframe(2)
        kept[os.path.realpath(caller.f_code.co_filename), caller.f_lineno].add(made)
        return made

    re._compile = note  # type: ignore[attr-defined]
    modules = {path: importlib.import_module(_module_name(path)) for path in _modules()}
    make_others()
    re._compile = compiled  # type: ignore[attr-defined]
    for site in sites():
        path = ROOT / site.path
        lines = range(site.call.lineno, (site.call.end_lineno or site.call.lineno) + 1)
        here = {pattern for line in lines for pattern in kept.get((str(path), line), ())}
        for pattern in here or {_read(site.call, vars(modules[path]))}:
            if isinstance(pattern.pattern, str):
                yield site.where, pattern.pattern, pattern.flags, sorted(site.ways)


def _module_name(path: Path) -> str:
    return ".".join(("sottovoce", *path.relative_to(ROOT).with_suffix("").parts)).removesuffix(".__init__")


def _read(call: ast.Call, known: dict[str, Any]) -> re.Pattern[Any]:
    """Return the pattern of a call that was not executed."""
    words = call.args[0]
    others = [ast.unparse(value) for value in (*call.args[1:], *(keyword.value for keyword in call.keywords))]
    flags = next((each for each in others if re.fullmatch(r"re\.[A-Z]+( \| re\.[A-Z]+)*", each)), "0")
    pattern: Any = (
        "".join(_part(part, known) for part in words.values)
        if isinstance(words, ast.JoinedStr)
        else eval(ast.unparse(words), known)
    )
    return re.compile(pattern, eval(flags, known))


def _part(part: ast.expr, known: dict[str, Any]) -> str:
    if isinstance(part, ast.Constant):
        return str(part.value)
    assert isinstance(part, ast.FormattedValue)
    try:
        return str(eval(ast.unparse(part.value), known))
    except NameError:
        return NAME


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    print(json.dumps(list(_noted())))
