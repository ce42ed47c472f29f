"""Phrases that must not come back into help, errors, docs, labels and docstrings. `make check` runs this.

    python tests/kit/plain_words.py            list what is wrong; exit code 1 if there is anything
    python tests/kit/plain_words.py --update   lower the allowances to what is there now

A text that must stay clean has no allowance. A page that has not been rewritten yet has a number in `plain_words.json`,
its maximum of findings. Story prose, rules, decisions and the changelog are not read.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
ALLOWANCES = Path(__file__).with_suffix(".json")
PACKAGES = ("agents", "client", "domain", "eventlog", "experiments", "projections", "rulesets", "server")
DOCSTRINGS = (
    *("agents/file_agent", "agents/mcp_tools", "agents/programs", "benchmarks", "cli", "client", "domain", "eventlog"),
    "experiments",
    *("migrations", "projections", "rulesets/mafia/rules/events", "rulesets/mafia/shown"),
    *("rulesets/delegation/shown", "rulesets/delegation/terminal", "server", "sottovoce/isolation", "tests/kit"),
)
"""Folders whose docstrings are checked too."""

PHRASES: dict[str, str] = {
    r"\bwho(?:so)?ever\b": "anyone with …, or the role",
    r"\banew\b": "again, new",
    r"\b(?:from afar|far (?:table|game|seat|link)s?)\b": "remote game, on a server",
    r"\b(?:look(?:s|ing)? on|looks on)\b(?! disk)": "watch, spectator",
    r"\b(?:go(?:es|ing)?|went) on\b": "continue, resume",
    r"\bin the place of\b": "instead of",
    r"\bof (?:its|your|their|one's) own\b": "its own …, your …",
    r"\b(?:hand(?:s|ed|ing)? over|hand-overs?|handed to)\b": "delivery, sent to",
    r"\b(?:is|are|who|nobody|somebody) awaited\b|\bawaits? (?:you|nothing)\b": "waiting for …, whose turn it is",
    r"\bmend(?:s|ed|ing)?\b": "fix",
    r"\bbesides?\b(?! the point)": "next to, as well as",
    r"(?<!there )(?<!There )\b(?:is|are|was|were) (?:no|none) (?!longer\b|more\b|such\b|one\b)[a-z]+": "is not a …",
    r"\bbut for\b": "except",
    r"\b(?:comes?|came) (?:of it|to so far)\b|\bbecomes? of\b": "result, outcome",
    r"\bbroken off\b|\bcounts? for nobody\b": "aborted, does not count",
    r"\bbegun\b": "started",
    r"\bstand-ins?\b|\bstands? in the place\b": "fallback move",
    r"\b(?:issue[ds]?|issuing) (?:a|an|the|this|it|links?)\b": "create",
    r"\bin force\b": "valid",
    r"\bnobody's\b|\bthe house's\b": "say who does it",
    r"\b(?:befell|befalls?|whence|whilst|unto|upon|lest|thereof|therein|naught)\b": "the common word",
    r"\btak(?:e|es|en) up\b(?! to\b)": "continue, claim, join",
    r"\bnothing (?:tells|shows|says|follows|hangs)\b": "say who does not do it",
    r"\bexclude each other\b": "use only one of …",
}
"""The phrases that must not come back, and what to write instead."""
_COMPILED = {pattern: re.compile(pattern, re.IGNORECASE) for pattern in PHRASES}


@dataclass(frozen=True, slots=True)
class Text:
    """A text that people read. `where` is the file, or the folder that shares one allowance."""

    where: str
    file: str
    line: int
    words: str


@dataclass(frozen=True, slots=True)
class Found:
    """A phrase in a text."""

    text: Text
    pattern: str
    words: str

    def __str__(self) -> str:
        return f"{self.text.file}:{self.text.line}: {self.words!r}; write: {PHRASES[self.pattern]}"


Select = Callable[[ast.Module], Iterator[tuple[int, str]]]


def texts(root: Path) -> Iterator[Text]:
    """Return all texts that are checked."""
    for folder in ("cli", *(path.relative_to(root).as_posix() for path in sorted(root.glob("rulesets/*/terminal")))):
        yield from _strings(root, folder, _commands)
    for package in PACKAGES:
        yield from _strings(root, package, _raised)
    for folder in ("server/http", "client"):
        yield from _strings(root, folder, _all)
    for folder in DOCSTRINGS:
        yield from _strings(root, folder, _docstrings)
    yield from _pages(root)
    yield from _labels(root)


def findings(root: Path) -> list[Found]:
    """Return every phrase in those texts, each once."""
    found = (
        Found(text, pattern, match[0])
        for text in texts(root)
        for pattern, compiled in _COMPILED.items()
        for match in compiled.finditer(text.words)
    )
    return list(dict.fromkeys(found))


def _strings(root: Path, folder: str, select: Select) -> Iterator[Text]:
    for path in sorted((root / folder).rglob("*.py")):
        name = path.relative_to(root).as_posix()
        if "/house/" in name or "/tests/" in name or "phrases" in name:  # story prose, and what tests say
            continue
        for line, words in select(ast.parse(path.read_text(encoding="utf-8"))):
            yield Text(name, name, line, " ".join(words.split()))


def _all(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Return the strings of a module with their lines: those of more than one word, without docstrings."""
    return _among(tree, ast.walk(tree))


def _raised(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Return the strings of raised exceptions."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise):
            yield from _among(tree, ast.walk(node))


def _commands(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Return all strings, and the docstrings of commands, which are their help."""
    yield from _all(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and any(
            re.search(r"\b(?:command|group)\b", ast.unparse(one)) for one in node.decorator_list
        ):
            yield node.lineno, ast.get_docstring(node) or ""


def _docstrings(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Return all docstrings, without names of code."""
    for node in ast.walk(tree):
        match node:
            case ast.Expr(ast.Constant(str(words))):
                yield node.lineno, re.sub(r"`[^`]*`|\bNone\b", "…", words)


def _among(tree: ast.Module, nodes: Iterable[ast.AST]) -> Iterator[tuple[int, str]]:
    docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            words = node.value.strip()
            if " " in words:
                yield node.lineno, words


def _pages(root: Path) -> Iterator[Text]:
    for path in (root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "docs").glob("*.md"))):
        if not path.exists():
            continue
        name, fenced = path.relative_to(root).as_posix(), False
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if line.lstrip().startswith("```"):
                fenced = not fenced
            elif not fenced:
                yield Text(name, name, number, re.sub(r"`[^`]*`|\]\([^)]*\)", "…", line))


_UNREAD = re.compile(r"<style.*?</style>|/\*.*?\*/|<!--.*?-->|(?<![:'\"`])//[^\n]*", re.DOTALL)
_LABEL = re.compile(r"'([^'\n]* [^'\n]*)'|`([^`]* [^`]*)`|\"([^\"\n]* [^\"\n]*)\"|>([^<>{}]*[a-z][^<>{}]*)<")


def _labels(root: Path) -> Iterator[Text]:
    for path in sorted((root / "web/src").rglob("*")):
        if path.suffix not in (".svelte", ".ts") or ".test." in path.name or path.name.endswith(".d.ts"):
            continue
        name = path.relative_to(root).as_posix()
        code = _UNREAD.sub(lambda gone: "\n" * gone[0].count("\n"), path.read_text(encoding="utf-8"))
        for label in _LABEL.finditer(code):
            words = next(filter(None, label.groups()), "")
            yield Text("web/src", name, code.count("\n", 0, label.start()) + 1, " ".join(words.split()))


def main(words: list[str]) -> int:
    """List findings beyond the allowances, and return the exit code."""
    found = findings(ROOT)
    count = Counter(one.text.where for one in found)
    allowed: dict[str, int] = json.loads(ALLOWANCES.read_text(encoding="utf-8"))
    if "--update" in words:
        lower = {where: min(number, count[where]) for where, number in allowed.items()}
        kept = {where: number for where, number in sorted(lower.items()) if number}
        ALLOWANCES.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
        allowed = kept
    wrong = {where for where, number in count.items() if number > allowed.get(where, 0)}
    for where in sorted(wrong):
        for one in found:
            if one.text.where == where:
                sys.stderr.write(f"{one}\n")
        sys.stderr.write(f"{where}: {count[where]} old phrases, {allowed.get(where, 0)} allowed\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
