"""Campaign folders on a real disk: hostile ones are read safely, and exports stay where they belong."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from sottovoce.domain.errors import SetupRefused
from sottovoce.eventlog.errors import DamagedLog
from sottovoce.eventlog.registry import default_registry
from sottovoce.rulesets.tabletop.rules.documents.folder import differences, import_folder, roster_of
from sottovoce.rulesets.tabletop.rules.documents.pieces import folded, rebuilt
from sottovoce.rulesets.tabletop.rules.events import PieceWritten
from sottovoce.server.campaign import EXPORT_LIST, Limits, read_campaign, read_one, write_documents

SHEET = b"# Tilda\n\n## GM Notes\nShe is the heir.\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    campaign = tmp_path / "salt-and-ash"
    (campaign / "party").mkdir(parents=True)
    (campaign / "party" / "tilda.md").write_bytes(SHEET)
    (campaign / "story-state.md").write_bytes(b"# Now\n")
    (campaign / "party-knowledge.md").write_bytes(b"# Known\n")
    return campaign


def everything_in(folder: Path) -> dict[str, tuple[int, int, bytes | None]]:
    return {
        str(path.relative_to(folder)): (
            path.lstat().st_mode,
            path.lstat().st_mtime_ns,
            path.read_bytes() if path.is_file() and not path.is_symlink() else None,
        )
        for path in folder.rglob("*")
    }


def note_on(notes: tuple[str, ...], name: str) -> str:
    found = [note for note in notes if name in note]
    assert len(found) == 1, notes
    assert "\n" not in found[0]
    return found[0]


@pytest.mark.spec("F-001", "T-145")
def test_a_plain_folder_is_read_whole_and_never_written_to(folder: Path) -> None:
    before = everything_in(folder)
    campaign = read_campaign(folder)
    assert campaign.name == "salt-and-ash"
    assert list(campaign.files) == ["party-knowledge.md", "party/tilda.md", "story-state.md"]
    assert campaign.notes == ()
    assert everything_in(folder) == before


def test_a_folder_can_have_any_name(tmp_path: Path) -> None:
    for name in ("Salt", "salt ash", "Соль", "塩"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.md").write_text("x")
        assert read_campaign(tmp_path / name).name == name


def test_a_folder_without_anything_to_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SetupRefused, match=r"is empty\. Put a campaign's texts into it"):
        read_campaign(tmp_path)
    (tmp_path / "map.png").write_bytes(b"x")
    with pytest.raises(SetupRefused, match="has no file that can be read"):
        read_campaign(tmp_path)


def test_pictures_and_sound_are_counted_and_not_read(folder: Path) -> None:
    for name in ("map.png", "Theme.MP3", "rules.pdf"):
        (folder / name).write_bytes(b"x" * 100)
    campaign = read_campaign(folder, Limits(file=10, whole=10_000))
    assert "3 pictures and other files without text are left out." in campaign.notes
    assert not [path for path in campaign.files if path.endswith("png")]


def test_a_folder_that_is_not_there_or_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a-file").write_text("x")
    for name, why in (("nowhere", "no such file"), ("a-file", "it is a file")):
        with pytest.raises(SetupRefused, match=f"cannot be read: {why}"):
            read_campaign(tmp_path / name)


@pytest.mark.spec("F-004")
def test_a_file_with_another_name_elsewhere_is_left_out(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "outside.md").write_text("What the host keeps to itself.")
    (folder / "out.md").hardlink_to(tmp_path / "outside.md")
    (folder / "again.md").hardlink_to(folder / "party" / "tilda.md")
    campaign = read_campaign(folder)
    for name in ("'out.md'", "'again.md'", "'party/tilda.md'"):
        assert "a hard link" in note_on(campaign.notes, name)
    assert list(campaign.files) == ["party-knowledge.md", "story-state.md"]


@pytest.mark.spec("F-004")
def test_no_link_is_followed(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "outside.md").write_text("the outside")
    (folder / "out.md").symlink_to(tmp_path / "outside.md")
    (folder / "up").symlink_to(tmp_path)
    (folder / "loop").symlink_to(folder)
    (folder / "story.md").symlink_to("story-state.md")
    (folder / "dangling.md").symlink_to("nowhere")
    campaign = read_campaign(folder)
    assert list(campaign.files) == ["party-knowledge.md", "party/tilda.md", "story-state.md"]
    for name in ("'out.md'", "'up'", "'loop'", "'story.md'", "'dangling.md'"):
        assert "symbolic link" in note_on(campaign.notes, name)


@pytest.mark.skipif(os.getuid() == 0, reason="root may read everything")
def test_what_cannot_be_read_is_left_out(folder: Path) -> None:
    (folder / "locked.md").write_text("x")
    (folder / "locked.md").chmod(0)
    assert "permission denied" in note_on(read_campaign(folder).notes, "'locked.md'")


def test_a_fifo_or_a_socket_does_not_block(folder: Path) -> None:
    os.mkfifo(folder / "pipe.md")
    assert "neither a file nor a folder" in note_on(read_campaign(folder).notes, "'pipe.md'")


def test_what_is_too_large_is_left_out_or_refused(folder: Path) -> None:
    with open(folder / "huge.md", "wb") as file:
        file.truncate(100_000_000)
    assert "larger than 5,000,000 bytes" in note_on(read_campaign(folder).notes, "'huge.md'")
    (folder / "a.md").write_bytes(b"x" * 60)
    (folder / "b.md").write_bytes(b"x" * 60)
    with pytest.raises(SetupRefused, match="more than 100 bytes in total"):
        read_campaign(folder, Limits(file=100, whole=100))
    with pytest.raises(SetupRefused, match="more than 3 files"):
        read_campaign(folder, Limits(files=3))


def test_bad_names_are_left_out_in_one_line_each(folder: Path) -> None:
    for name in (b"bad-\xff.md", b"two\nlines.md", b"back\\slash.md"):
        with open(os.path.join(os.fsencode(folder), name), "wb"):
            pass
    notes = read_campaign(folder).notes
    assert "not UTF-8" in note_on(notes, r"bad-\\xff.md")
    assert "line break" in note_on(notes, r"two\nlines.md")
    assert "backslash" in note_on(notes, "slash.md")


def test_hidden_files_and_leftovers_are_left_out(folder: Path) -> None:
    (folder / ".git").mkdir()
    (folder / ".git" / "config").write_text("x")
    for name in ("notes.md~", "#notes.md#", ".notes.md.swp", "notes.md.bak"):
        (folder / name).write_text("x")
    campaign = read_campaign(folder)
    assert len(campaign.files) == 3
    assert campaign.notes == (
        "'#notes.md#', '.git', '.notes.md.swp' and 2 more are ignored: hidden files, or leftovers of editors.",
    )


def test_what_is_to_be_left_out_is_not_looked_at(folder: Path) -> None:
    (folder / "rules").mkdir()
    for number in range(4):
        (folder / "rules" / f"{number}.md").write_text("x")
    with pytest.raises(SetupRefused, match=r"more than 4 files, at least 3 of them in 'rules'\."):
        read_campaign(folder, Limits(files=4))
    campaign = read_campaign(folder, Limits(files=4), ["rules/"])
    assert list(campaign.files) == ["party-knowledge.md", "party/tilda.md", "story-state.md"]


def test_one_file_is_read_as_all_are(folder: Path, tmp_path: Path) -> None:
    (folder / "plan.toml").write_bytes(b"start")
    (folder / "link.toml").symlink_to(folder / "plan.toml")
    assert read_one(folder, "plan.toml") == b"start"
    assert read_one(folder, "link.toml") is None
    assert read_one(folder, "nothing.toml") is None
    assert read_one(folder, "plan.toml", Limits(file=3)) is None
    assert read_one(tmp_path / "nowhere", "plan.toml") is None


def test_folders_too_deep_are_left_out(folder: Path) -> None:
    deep = folder.joinpath(*["d"] * 20)
    deep.mkdir(parents=True)
    (deep / "x.md").write_text("x")
    assert any("folders deep" in note for note in read_campaign(folder).notes)


@pytest.mark.spec("F-059")
def test_two_sheets_with_one_file_name_are_refused(folder: Path) -> None:
    (folder / "party" / "Tilda.md").write_text("x")
    with pytest.raises(SetupRefused, match="same file name 'tilda'"):
        roster_of(read_campaign(folder).files)


def test_a_folder_without_a_sheet_is_refused(folder: Path) -> None:
    (folder / "party" / "tilda.md").unlink()
    with pytest.raises(SetupRefused, match="no character sheet"):
        roster_of(read_campaign(folder).files)


def test_hostile_content_is_imported_to_the_byte(folder: Path) -> None:
    bomb = b"---\na: &a [x,x]\n" + b"".join(b"b%d: &b%d [*a,*a]\n" % (i, i) for i in range(50)) + b"---\n# T\n"
    content = {
        "party/bomb.md": bomb, "party/plain.md": b"a sheet without headings", "party/latin.md": b"# Zo\xeb\n",
        "party/empty.md": b"", "map.bin": bytes(range(256)), "nul.md": b"# A\0B", "bom.md": b"\xef\xbb\xbf# A\r\nx",
    }  # fmt: skip
    for path, text in content.items():
        (folder / path).write_bytes(text)
    campaign = read_campaign(folder)
    pieces = import_folder(campaign.files, roster_of(campaign.files))
    assert rebuilt(folded(pieces)) == campaign.files
    assert {piece.readers for piece in pieces if piece.coding == "base64"} == {("gm",)}
    assert {piece.document for piece in pieces if piece.coding == "base64"} == {"party/latin.md", "map.bin", "nul.md"}


@pytest.mark.parametrize("text", ["AAA", "A", "Zo\u00eb"])
def test_a_stored_file_that_is_not_in_its_coding_is_damage(text: str) -> None:
    stored = PieceWritten(seat=None, key="k", document="map.png", heading=None, text="AAAA", readers=("gm",))
    body = json.dumps({**stored.data(), "coding": "base64"})
    assert default_registry().decode(stored.stored_name, body.encode()).data()["text"] == "AAAA"
    with pytest.raises(DamagedLog, match=r"does not fit tabletop\.piece-written\.v1: .*not base64"):
        default_registry().decode(stored.stored_name, body.replace("AAAA", text).encode())


def test_what_changed_on_disk_is_found(folder: Path) -> None:
    then = read_campaign(folder).files
    (folder / "story-state.md").write_bytes(b"# Later\n")
    (folder / "party-knowledge.md").unlink()
    (folder / "new.md").write_bytes(b"x")
    found = differences(then, read_campaign(folder).files)
    assert (found.added, found.changed, found.gone) == (("new.md",), ("story-state.md",), ("party-knowledge.md",))
    assert not differences(then, then)


def test_an_export_writes_the_files_and_a_second_replaces_them(tmp_path: Path) -> None:
    into = tmp_path / "out" / "tilda"
    assert write_documents({"party/tilda.md": b"1", "a/b/c.md": b"2"}, into) == ("a/b/c.md", "party/tilda.md")
    (into / "own-notes.txt").write_text("kept")
    write_documents({"party/tilda.md": b"3"}, into)
    found = {str(path.relative_to(into)) for path in into.rglob("*")}
    assert found == {"party", "party/tilda.md", "own-notes.txt", EXPORT_LIST}
    assert (into / "party/tilda.md").read_bytes() == b"3"


def test_a_folder_with_anything_else_in_it_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("x")
    with pytest.raises(SetupRefused, match="not empty"):
        write_documents({"a.md": b"x"}, tmp_path)
    for listed in ("{", '["../x"]', "17", "[" * 100_000):
        (tmp_path / EXPORT_LIST).write_text(listed)
        with pytest.raises(SetupRefused, match="not empty"):
            write_documents({"a.md": b"x"}, tmp_path)
    assert sorted(os.listdir(tmp_path)) == [EXPORT_LIST, "mine.txt"]


@pytest.mark.spec("T-145")
def test_the_campaigns_own_folder_is_never_written_to(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "alias").symlink_to(folder)
    before = everything_in(folder)
    for into in (folder, folder / "deep", folder / "party", tmp_path, tmp_path / "alias", folder / "x" / ".."):
        with pytest.raises(SetupRefused, match="overlap"):
            write_documents({"a.md": b"x"}, into, folder)
    assert everything_in(folder) == before


@pytest.mark.spec("F-004")
@pytest.mark.parametrize("path", ["../x.md", "/etc/x", "a/../../x", "", ".", "a//b", "a\\b", "a\0b", EXPORT_LIST])
def test_no_path_leads_out_of_an_export(tmp_path: Path, path: str) -> None:
    into = tmp_path / "out"
    with pytest.raises(SetupRefused):
        write_documents({"ok.md": b"x", path: b"x"}, into)
    assert not into.exists()


def test_a_link_planted_in_an_export_leads_nowhere(tmp_path: Path) -> None:
    into, outside = tmp_path / "out", tmp_path / "outside"
    outside.mkdir()
    (outside / "tilda.md").write_text("untouched")
    write_documents({"party/tilda.md": b"1", "a.md": b"1"}, into)
    (into / "party" / "tilda.md").unlink()
    (into / "party").rmdir()
    (into / "party").symlink_to(outside)
    (into / "a.md").unlink()
    (into / "a.md").symlink_to(outside / "tilda.md")
    with pytest.raises(SetupRefused, match="written completely"):
        write_documents({"party/tilda.md": b"2"}, into)
    write_documents({"a.md": b"2"}, into)
    assert (outside / "tilda.md").read_text() == "untouched"
    assert (into / "a.md").read_bytes() == b"2"
    assert not (into / "a.md").is_symlink()
