"""The lines of a diff, as real git writes it: paths, numbers, and where a line is afterwards."""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path

import pytest
from repositories import Repo

from sottovoce.rulesets.delegation.rules.diff_lines import FileDiff, files_of
from sottovoce.rulesets.delegation.workspaces.diffs import difference
from sottovoce.rulesets.delegation.workspaces.git import Repository

MUCH = 4_000_000
ODD = ("plain.py", "with spaces.py", "über/größe äöü.md", 'quo"ted.txt', "tab\there.txt", "a b/b c.py", "日本.txt")


def committed(repo: Repo, files: Mapping[str, str | bytes | None]) -> str:
    """Commit the files as they are given, None for one that is removed; the commit."""
    for name, text in files.items():
        path = repo.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if text is None:
            path.unlink()
        else:
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return repo.commit("work", {})


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo(tmp_path)


def between(repo: Repo, before: str, after: str) -> tuple[FileDiff, ...]:
    return files_of(difference(Repository(repo.folder), before, after, MUCH).text)


def test_paths_are_those_that_git_lists_whatever_signs_they_have(repo: Repo) -> None:
    first = committed(repo, {"seed": "x\n", **{f"old {name}": "1\n2\n" for name in ODD}})
    changed: dict[str, str | bytes | None] = {}
    for name in ODD:
        changed |= {name: "new\n", f"old {name}": "1\n3\n", f"{name}.bin": b"\0\1\2"}
    second = committed(repo, changed)
    listed = difference(Repository(repo.folder), first, second, MUCH).files
    assert {file.path for file in between(repo, first, second)} == {file.path for file in listed}
    third = committed(repo, {f"old {name}": None for name in ODD} | {f"moved {name}": "1\n3\n" for name in ODD})
    found = between(repo, second, third)
    assert {(file.old, file.path) for file in found} == {
        (file.old or file.path, file.path) for file in difference(Repository(repo.folder), second, third, MUCH).files
    }
    gone = committed(repo, {f"moved {name}": None for name in ODD})
    assert {file.path for file in between(repo, third, gone)} == {f"moved {name}" for name in ODD}


def test_every_line_has_the_number_that_it_has_in_the_file(repo: Repo) -> None:
    lot = random.Random(7)
    text = [f"line {number}" for number in range(200)]
    before = committed(repo, {"code.py": "\n".join(text) + "\n"})
    for _ in range(25):
        changed = list(text)
        for _ in range(lot.randint(1, 12)):
            at = lot.randrange(len(changed))
            match lot.randrange(4):
                case 0:
                    del changed[at : at + lot.randint(1, 3)]
                case 1:
                    changed[at:at] = [f"+++ {lot.random()}", "--- a/x", "@@ -1,2 +3,4 @@"][: lot.randint(1, 3)]
                case 2:
                    changed[at] = f"other {lot.random()}"
                case 3:
                    changed[at:at] = [""]
        ending = lot.choice(("\n", ""))
        after = committed(repo, {"code.py": "\n".join(changed) + ending})
        (file,) = between(repo, before, after)
        for side, whole in (("old", text), ("new", changed)):
            shown = file.shown("new" if side == "new" else "old")
            assert shown
            assert all(whole[number - 1] == said for number, said in shown.items())
        left = [number for number in range(1, len(text) + 1) if file.after(number) is not None]
        assert all(changed[(file.after(number) or 0) - 1] == text[number - 1] for number in left)
        came = sum(line.how == "new" for hunk in file.hunks for line in hunk.lines)
        assert len(left) == len(changed) - came
        text, before = changed, after


def test_a_binary_file_has_no_lines_and_an_empty_diff_no_files(repo: Repo) -> None:
    first = committed(repo, {"logo.png": b"\0\1"})
    second = committed(repo, {"logo.png": b"\0\2"})
    (file,) = between(repo, first, second)
    assert (file.path, file.hunks) == ("logo.png", ())
    assert files_of("") == ()
