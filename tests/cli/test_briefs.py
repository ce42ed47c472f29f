"""Briefs as people write them: names of files, lines at the top, an issue's text, and what errors call them."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import Cli


@pytest.fixture
def sv(tmp_path: Path) -> Cli:
    return Cli(tmp_path / "games.db")


def folder(tmp_path: Path, files: dict[str, str]) -> Path:
    tasks = tmp_path / "work" / "tasks"
    tasks.mkdir(parents=True)
    for name, text in files.items():
        (tasks / name).write_text(text)
    return tasks.parent


def briefs(sv: Cli) -> dict[str, dict[str, str]]:
    """Return the briefs of the last game by slug."""
    rows = [row["data"] for row in sv("export", "latest").rows if row["name"] == "delegation.brief-given.v1"]
    return {row["task_id"][14:]: row for row in rows}


def play(sv: Cli, *words: object, stdin: str = "") -> None:
    said = sv("play", "delegation", *words, "--quiet", stdin=stdin)
    assert said.code == 0, said.err


def test_names_of_files_become_slugs_and_a_readme_is_not_a_task(sv: Cli, tmp_path: Path) -> None:
    names = (
        "Fix typos.md",
        "02_Größe ändern.md",
        "count-geese.md",
        "README.md",
        "readme.MD",
        "_template.md",
        ".draft.md",
    )
    place = folder(tmp_path, dict.fromkeys(names, "Do it."))
    play(sv, place)
    assert set(briefs(sv)) == {"fix-typos", "02-grosse-andern", "count-geese"}
    for named in ("fix-typos", "Fix typos", "Fix typos.md"):
        play(sv, place, "--task", named)
        assert set(briefs(sv)) == {"fix-typos"}


def test_lines_at_the_top_may_have_any_keys(sv: Cli, tmp_path: Path) -> None:
    head = '---\nlabels: [bug, docs]\nExecutor: "Zoë"  # who knows it\nassignees:\n  - ada\n\npriority: high\n---\n'
    play(sv, folder(tmp_path, {"a.md": f"{head}Do it.\n", "b.md": "---\n\nA line above, and no more.\n"}))
    found = briefs(sv)
    assert found["a"]["executor"] == "Zoë"
    assert found["a"]["text"] == "---\nlabels: [bug, docs]\nassignees:\n  - ada\n\npriority: high\n---\n\nDo it."
    assert found["b"]["text"] == "---\n\nA line above, and no more."


ISSUE = "title:\tCrash when the roof is wet (again!)\nstate:\tOPEN\n--\n\n### Steps\r\n\r\n1. Wait for rain.\r\n"


def test_an_issue_s_text_is_a_brief(sv: Cli, tmp_path: Path) -> None:
    place = tmp_path / "plain"
    place.mkdir()
    play(sv, place, "--brief", "-", stdin=ISSUE)
    (slug,) = briefs(sv)
    assert slug == "crash-when-the-roof-is-wet-again"
    assert "Wait for rain." in briefs(sv)[slug]["text"]
    (tmp_path / "issue.md").write_text("\n\n## Count *all* geese\n\nThey are many.")
    play(sv, place, "--brief", tmp_path / "issue.md")
    assert set(briefs(sv)) == {"count-all-geese"}


@pytest.mark.parametrize(
    ("files", "words", "says"),
    [
        ({"a.md": "---\nplanner:\n---\nDo it."}, [], "tasks/a.md, line 2: write the name of a session after planner:"),
        ({"a.md": "---\nplanner: Ada\nDo it."}, [], "tasks/a.md: the lines at the top need a closing line"),
        ({"Fix it.md": "---\nexecutor: planner\n---\nDo it."}, [], "tasks/Fix it.md: the executor is also the planner"),
        ({"a.md": "  \n"}, [], "tasks/a.md is empty"),
        ({"a b.md": "x", "a-b.md": "x"}, [], "are both the task 'a-b'. Rename one"),
        ({"日本.md": "x"}, [], "tasks/日本.md names no task"),
        ({"README.md": "x"}, [], "has no brief"),
        ({"a.md": "x", "b.md": "x"}, ["--task", "c"], "choose one of: a, b."),
        ({"a.md": "x"}, ["--task", "a", "--brief", "-"], "Use either --brief or --task"),
        ({"a.md": "x"}, ["--brief", "gone.md"], "gone.md"),
        ({"a.md": "x"}, ["--brief", "-"], "standard input has no title"),
    ],
)
def test_errors_name_the_file_that_exists(
    sv: Cli, tmp_path: Path, files: dict[str, str], words: list[str], says: str
) -> None:
    place = folder(tmp_path, files)
    said = sv("play", "delegation", place, *words)
    assert (said.code != 0, said.out, said.err.count("\n")) == (True, "", 1), said
    assert says in said.err
    assert "-1200-" not in said.err
    assert not (place / ".agent-artifacts").exists()


def test_a_brief_that_is_not_text_is_named(sv: Cli, tmp_path: Path) -> None:
    place = folder(tmp_path, {})
    (place / "tasks" / "a.md").write_bytes(b"\xff\xfe")
    assert f"The brief {place / 'tasks' / 'a.md'} is not UTF-8 text." in sv("play", "delegation", place).err
