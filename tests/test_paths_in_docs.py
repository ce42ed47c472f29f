"""The files and folders that the pages for developers name are there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from commands import ROOT

PAGES = (
    "README.md",
    "CONTRIBUTING.md",
    "docs/map.md",
    "docs/adding-a-ruleset.md",
    "docs/dependencies.md",
    "docs/running.md",
)
FOLDERS = tuple(path.name for path in ROOT.iterdir() if path.is_dir() and not path.name.startswith("."))
NAMED = re.compile(r"`([\w./-]+?)(?:: [\w()]+)?`|\]\((?!https?:)([^)#]+)")
PLACEHOLDER = re.compile(r"[A-Z]{3,}(?!\.md)")


def named(page: str) -> list[str]:
    """What a page names as a path of this repository: what begins with one of its folders, or ends as code does."""
    text = (ROOT / page).read_text(encoding="utf-8")
    found = [path or linked(page, link) for path, link in NAMED.findall(text)]
    return [path for path in found if path.partition("/")[0] in FOLDERS or path.endswith(".py")]


def linked(page: str, link: str) -> str:
    """Where a link leads to, from the root."""
    return (ROOT / page).parent.joinpath(link).resolve().relative_to(ROOT.resolve()).as_posix()


def exists(path: str) -> bool:
    """Whether it is there: from the root, or for a bare name of a module anywhere below a package."""
    if (ROOT / path).exists() or PLACEHOLDER.search(path):
        return True
    return "/" not in path and any(any((ROOT / folder).rglob(path)) for folder in FOLDERS)


@pytest.mark.parametrize("page", PAGES)
def test_every_path_that_a_page_names_is_there(page: str) -> None:
    assert [path for path in named(page) if not exists(path)] == []


def test_a_path_that_is_gone_is_found() -> None:
    assert len(named("docs/map.md")) > 100
    assert not exists("rulesets/mafia/rules/gone.py")
    assert not exists("gone_long_ago.py")
    assert Path("cli/main.py").as_posix() in {path for page in PAGES for path in named(page)}
