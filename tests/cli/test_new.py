"""`sottovoce new`: what it writes can be played at once, and nothing is written over."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import Cli
from folder_forms import LINES, forms


@pytest.fixture
def sv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    monkeypatch.chdir(tmp_path)
    return Cli(tmp_path / "games.db")


def test_a_new_campaign_and_a_new_character_are_played_at_once(sv: Cli, tmp_path: Path) -> None:
    assert sv("new", "campaign", "The Dark Lamp").code == 0
    folder = tmp_path / "the-dark-lamp"
    made = ("new", "character", "Zoë O'Brien", "--concept", "a smuggler", "--skills", "stealth, persuasion")
    assert sv(*made, "--in", folder).code == 0
    assert "Stealth +4" in (folder / "party" / "zoe-obrien.md").read_text()
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    again = sv(*made, "--in", folder)
    assert (again.code, "already" in again.err) == (2, True)
    assert sv("new", "campaign", "The Dark Lamp").code == 2
    said = sv("play", "tabletop", folder, "--as", "zoe-obrien", "--with", "osric-pell", "--seed", "1", stdin="/end\n")
    assert said.code == 0, said.err
    assert "Found: 2 people, 1 place, 1 thing, 1 character." in said.out
    assert "You are at the common room" in said.out
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_a_folder_in_another_form_is_played_through_the_command_line(sv: Cli, tmp_path: Path) -> None:
    form = forms()["vault"]
    folder = form.write(tmp_path)
    said = sv("play", "tabletop", folder, "--as", "osric-pell", "--seed", "1", stdin="\n".join(LINES) + "\n")
    assert said.code == 0, said.err
    assert f"Found: {form.found}" in said.out
    assert "I have kept the harbour office" in said.out
    assert "The session is over" in said.out
    game = sv("games", "--json").rows[-1]["game"]
    second = sv("play", "tabletop", folder, "--as", "osric-pell", "--continue", game, "--seed", "2", stdin="/end\n")
    assert second.code == 0, second.err
    assert "deleted from the folder" not in second.err
    assert "changed on disk" not in second.err


def test_a_map_of_a_folder_can_be_corrected(sv: Cli, tmp_path: Path) -> None:
    folder = forms()["tagged"].write(tmp_path)
    assert sv("new", "map", folder).code == 0
    plan = folder / "sottovoce.toml"
    text = plan.read_text()
    assert '"notes/A list of names.md" = "closed"' in text
    assert '"notes/Mara Vale.md" = "party"' in text
    assert sv("new", "map", folder).code == 2
    plan.write_text(text.replace('"notes/A list of names.md" = "closed"', '"notes/A list of names.md" = "shared"'))
    said = sv("play", "tabletop", folder, "--full-auto", "--seed", "1")
    assert "Found: 2 people, 2 places, 1 character; the party reads notes/A list of names.md." in said.out
    assert sv("new", "map", folder, "--force").code == 0


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("campaign", "a/b"), "no slash"),
        (("character", "Ada"), "Give a name, --concept and --skills"),
        (("character", "塩", "--concept", "x", "--skills", "stealth"), "no letter that a file name can have"),
        (("character", "Ada", "--concept", "# x", "--skills", "stealth"), "plain words"),
        (("character", "Ada", "--concept", "x", "--skills", "flying"), "'flying' is not a skill"),
        (("character", "gm", "--concept", "x", "--skills", "stealth"), "can't be a character's name"),
        (("character", "--from", "nobody"), "neither a sheet that can be read as text nor one of"),
        (("character", "--from", "osric-pell", "--in", "nowhere"), "cannot be read: no such file"),
        (("map", "nowhere"), "cannot be read: no such file"),
    ],
)
def test_what_cannot_be_written_is_one_line(sv: Cli, tmp_path: Path, words: tuple[str, ...], told: str) -> None:
    said = sv("new", *words)
    assert (said.code, said.err.count("\n")) == (2, 1), said.err
    assert told in said.err
    assert not [path for path in tmp_path.iterdir() if path.name != "games.db"]
