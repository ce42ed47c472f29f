"""Files below a game's folder: nothing is outside of it, and a file is there whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sottovoce.server.folder import MOST_READ, FolderUnusable, is_below, read_file, write_file

INSIDE = ".agent-artifacts/20260101-1200-a/report.md"
OUTSIDE = (
    "../secret.md",
    "a/../../secret.md",
    "/etc/hostname",
    "a//b.md",
    "./a.md",
    "a/.",
    "..",
    "",
    "a\x00.md",
)


def test_what_was_written_is_read(tmp_path: Path) -> None:
    write_file(tmp_path, INSIDE, b"one")
    write_file(tmp_path, INSIDE, b"two")
    assert read_file(tmp_path, INSIDE) == b"two"
    assert (tmp_path / INSIDE).read_bytes() == b"two"
    assert [path.name for path in (tmp_path / INSIDE).parent.iterdir()] == ["report.md"], "no other name is left"


def test_a_file_that_is_not_to_be_replaced_stays(tmp_path: Path) -> None:
    write_file(tmp_path, INSIDE, b"one", replace=False)
    write_file(tmp_path, INSIDE, b"two", replace=False)
    assert read_file(tmp_path, INSIDE) == b"one"
    assert [path.name for path in (tmp_path / INSIDE).parent.iterdir()] == ["report.md"]


@pytest.mark.spec("D-014")
@pytest.mark.parametrize("path", OUTSIDE)
def test_a_path_that_leads_elsewhere_is_neither_read_nor_written(path: str, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("secret")
    folder = tmp_path / "folder"
    (folder / "a").mkdir(parents=True)
    assert not is_below(path)
    assert read_file(folder, path) is None
    with pytest.raises(FolderUnusable, match="is outside"):
        write_file(folder, path, b"x")
    assert sorted(item.name for item in tmp_path.iterdir()) == ["folder", "secret.md"]


@pytest.mark.spec("D-014")
def test_no_link_is_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "report.md").write_text("secret")
    folder = tmp_path / "folder"
    (folder / ".agent-artifacts" / "t").mkdir(parents=True)
    (folder / ".agent-artifacts" / "t" / "file.md").symlink_to(secret / "report.md")
    (folder / ".agent-artifacts" / "linked").symlink_to(secret)
    for path in (".agent-artifacts/t/file.md", ".agent-artifacts/linked/report.md"):
        assert read_file(folder, path) is None
    with pytest.raises(FolderUnusable):
        write_file(folder, ".agent-artifacts/linked/report.md", b"x")
    write_file(folder, ".agent-artifacts/t/file.md", b"x")
    assert (secret / "report.md").read_text() == "secret", "the link itself is replaced, not what it points to"
    assert not (folder / ".agent-artifacts" / "t" / "file.md").is_symlink()


@pytest.mark.spec("D-015")
def test_only_ordinary_files_are_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    for path in ("pipe", "folder", "nothing", "folder/nothing/more"):
        assert read_file(tmp_path, path) is None
    assert read_file(tmp_path / "gone", "file") is None


def test_a_huge_file_is_read_in_part(tmp_path: Path) -> None:
    (tmp_path / "huge").write_bytes(b"x" * (MOST_READ + 10))
    assert len(read_file(tmp_path, "huge") or b"") == MOST_READ


def test_where_nothing_can_be_written_it_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(FolderUnusable, match="Cannot write"):
        write_file(tmp_path, "file/below.md", b"x")
    with pytest.raises(FolderUnusable, match="Cannot write"):
        write_file(tmp_path / "gone", "a.md", b"x")
