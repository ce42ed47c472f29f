"""Every rule in `docs/rules/` is stated once and cited by a test, and none is cited that is not stated."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = {path.name: path.read_text(encoding="utf-8") for path in sorted((ROOT / "docs" / "rules").glob("*.md"))}
STATED = {name: re.findall(r"^- \*\*([A-Z]-\d{3})\*\*", page, re.MULTILINE) for name, page in PAGES.items()}
RULES = {rule for stated in STATED.values() for rule in stated}


def citations(code: str) -> Iterator[str]:
    """What is given to each `mark.spec(…)` of a module, wherever it stands; a name is looked up in the module."""
    tree = ast.parse(code)
    values: dict[str, ast.expr] = {}
    for statement in tree.body:
        match statement:
            case ast.Assign(targets=[ast.Name(name)], value=value):
                values[name] = value
            case ast.AnnAssign(target=ast.Name(name), value=ast.expr() as value):
                values[name] = value

    def given(node: ast.expr) -> Iterator[str]:
        match node:
            case ast.Constant(str(rule)):
                yield rule
            case ast.Starred(value):
                yield from given(value)
            case ast.Tuple(items) | ast.List(items) | ast.Set(items):
                for item in items:
                    yield from given(item)
            case ast.Name(name) if name in values:
                yield from given(values[name])
            case _:
                raise ValueError(f"line {node.lineno}: write the ids out, or name a list of them in the module")

    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(ast.Attribute(attr="mark"), "spec"), args=args):
                for each in args:
                    yield from given(each)


def cited() -> dict[str, set[str]]:
    """Each rule that a test cites, with the names of the files."""
    found: dict[str, set[str]] = {}
    for path in sorted((*(ROOT / "tests").rglob("test_*.py"), *(ROOT / "rulesets").rglob("test_*.py"))):
        for rule in citations(path.read_text(encoding="utf-8")):
            found.setdefault(rule, set()).add(path.name)
    return found


@pytest.mark.parametrize("page", PAGES)
def test_no_rule_is_stated_twice_or_left_empty(page: str) -> None:
    assert len(STATED[page]) == len(set(STATED[page]))
    assert re.findall(r"^- \*\*([A-Z]-\d{3})\*\*(?! \S)", PAGES[page], re.MULTILINE) == []


@pytest.mark.parametrize("page", PAGES)
def test_every_rule_that_a_page_mentions_is_stated(page: str) -> None:
    assert set(re.findall(r"\b[A-Z]-\d{3}\b", PAGES[page])) - RULES == set()


def test_every_rule_is_cited_by_a_test() -> None:
    assert len(RULES) > 400
    assert sorted(RULES - cited().keys()) == []


def test_every_rule_that_a_test_cites_is_stated() -> None:
    assert {rule: files for rule, files in cited().items() if rule not in RULES} == {}


def test_a_citation_is_found_wherever_it_stands() -> None:
    code = """
        import pytest
        pytestmark = [pytest.mark.slow, pytest.mark.spec("X-001")]
        MANY: tuple[str, ...] = ("X-002", "X-003")
        OTHERS = [*MANY, "X-004"]
        CASES = [pytest.param(1, marks=pytest.mark.spec("X-005"))]
        @pytest.mark.spec(*OTHERS)
        class TestAll:
            @pytest.mark.spec(
                "X-006",
                *("X-007", "X-008"),
            )
            def test_one(self): "X-009"
        """.replace("\n        ", "\n")
    assert sorted(citations(code)) == [f"X-00{number}" for number in range(1, 9)]
    with pytest.raises(ValueError, match="line 1: write the ids out"):
        list(citations("pytest.mark.spec(*imported)"))
