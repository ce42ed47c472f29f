"""`make evenings`: the figures of the house's open evenings, and what it counts as an act."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from evenings import folder
from worlds import FOLDERS

sys.path.append(str(Path(__file__).parents[3] / "benchmarks"))
import answers
import open_evenings

MILL = FOLDERS["the-drowned-mill"]


def test_the_figures_of_a_folder_are_printed_beside_their_bars(capsys: pytest.CaptureFixture[str]) -> None:
    assert open_evenings.main([str(MILL), "--evenings", "1", "--inputs", "6", "--idle"]) == 0
    printed = capsys.readouterr().out
    for what in ("inputs that act", "people met", "parts of places used", "sentences repeated", "processor time"):
        assert f"| {what}" in printed
    assert "of 6 |" in printed
    assert "facts of the folder read" in printed
    assert "never met: " in printed


def test_an_input_acts_if_something_is_told_or_kept_and_not_for_what_happens_besides() -> None:
    lines = ["I go to the boatyard.", "asdf qwer", "I talk to Tobit.", "..."]
    evening = open_evenings.played(lines, 3, folder(MILL), "the-drowned-mill")
    assert evening.lines == lines
    assert [bool(act) for act in evening.acts] == [True, False, True, False]
    assert {"at", "told"} <= evening.acts[0]
    assert "people" in evening.acts[2]
    world, first, again = open_evenings.read_in(folder(MILL))
    assert again < first
    spoken, met = open_evenings.people(evening, world)
    assert "tobit-marsh" in spoken
    assert spoken <= met
    assert "ferrins-weir/boatyard" in open_evenings.parts(evening, world)


def test_any_folder_is_played_with_lines_of_its_own_or_with_forms_that_are_filled(tmp_path: Path) -> None:
    other = tmp_path / "elsewhere"
    forms = open_evenings.lines_of(None, other)
    assert any("{person}" in line for line in forms)
    evening = open_evenings.played(forms[:8], 1, folder(MILL), "the-drowned-mill")
    assert len(evening.lines) == 8
    assert not any("{" in line for line in evening.lines)
    assert not any("Corisande" in line for line in evening.lines), "nobody has heard of her"
    written = tmp_path / "said.txt"
    written.write_text("# a remark\nI look around. | look | -\n\nI wait.\n", encoding="utf-8")
    assert open_evenings.lines_of(written, other) == ["I look around.", "I wait."]


def test_a_folder_that_is_none_is_refused_in_one_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with pytest.raises(SystemExit):
        open_evenings.main([str(tmp_path / "nothing")])
    assert "is no folder. Give a campaign folder." in capsys.readouterr().err


def test_answers_are_printed_evening_by_evening_with_a_column_for_the_verdict(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = tmp_path / "lines.txt"
    lines.write_text(
        "# first\nwho's here?\nI go to the boatyard.\n# second\nI go to the weir house.\n", encoding="utf-8"
    )
    assert answers.evenings(lines) == [["who's here?", "I go to the boatyard."], ["I go to the weir house."]]
    assert answers.main([str(MILL), "--lines", str(lines)]) == 0
    rows = [line.split(" | ") for line in capsys.readouterr().out.splitlines()[2:]]
    assert [row[2] for row in rows] == ["who's here?", "I go to the boatyard.", "I go to the weir house."]
    assert "Boatyard" in rows[1][3]
    assert rows[0][3] not in rows[1][3]
    assert "Weir House" in rows[2][3]
    assert "Boatyard" not in rows[2][3]
    assert all(row[4] == " |" for row in rows)


def test_a_folder_can_be_played_without_its_beat_sheet(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = tmp_path / "lines.txt"
    lines.write_text("I look around.\n", encoding="utf-8")
    told = []
    for more in ([], ["--without", "beats"]):
        assert answers.main([str(FOLDERS["ten-past-four"]), "--lines", str(lines), *more]) == 0
        told.append(capsys.readouterr().out)
    assert told[0] != told[1]


def test_a_file_without_lines_is_refused_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for wrong in (tmp_path / "none.txt", tmp_path / "empty.txt"):
        (tmp_path / "empty.txt").write_text("# nothing\n", encoding="utf-8")
        with pytest.raises(SystemExit) as ended:
            answers.main([str(MILL), "--lines", str(wrong)])
        assert ended.value.code == 2
        assert "Write what the person says, one sentence a line." in capsys.readouterr().err
