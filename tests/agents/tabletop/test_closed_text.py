"""`make closed-words`: what the house gives away of closed text, and how that is found."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from closed_text import ClosedText, closed_sentences, said, seen_in
from evenings import folder
from worlds import FOLDERS

sys.path.append(str(Path(__file__).parents[3] / "benchmarks"))
import closed_words

MILL = FOLDERS["the-drowned-mill"]
SECRET = "He took forty crowns from the steward and raised the gate with his own hands"


def test_the_inputs_ask_for_every_name_and_for_words_of_closed_text() -> None:
    closed = ClosedText(folder(MILL))
    lines = closed_words.asked(closed, 80, 1)
    assert len(lines) == 80
    assert all(any(entity.name in line for line in lines) for entity in closed.world.entities.values())
    assert any("mortgaged" in line for line in lines)
    assert lines == closed_words.asked(closed, 80, 1)
    assert lines != closed_words.asked(closed, 80, 2)
    few = closed_words.asked(closed, 8, 1)
    assert len(few) == 8
    assert few[-1] in closed_words.PLAIN


def test_the_figures_and_the_sentences_are_printed_and_nothing_closed_was_said(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert closed_words.main([str(MILL), "--inputs", "24"]) == 0
    printed = capsys.readouterr().out
    assert "drowned-mill: 24 inputs in 1 evenings" in printed
    assert "| five-word runs of closed text said, of all | 0 of 253 |" in printed
    assert "| five-word runs said of facts that were not opened | 0 |" in printed
    assert "[innkeeper locations/ferrins-weir.md:39, npcs/hanne-deel.md:10]" in printed


@pytest.mark.parametrize(
    ("told", "figure", "place"),
    [
        (SECRET, "five-word runs of closed text said, of all | 11 of", "npcs/garrick-thorn.md:40"),
        ("He was told to leave his post for an hour that night.", "facts that were not opened | 8 |", "garrick-thorn"),
        ("It is mortgaged to Piers Aldous.", "sentences to read | 1 |", "locations/ose-manor.md:29; Piers Aldous not"),
    ],
)
def test_a_secret_that_is_said_is_found(
    told: str, figure: str, place: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(closed_words, "heard", lambda table, tags: [told])
    monkeypatch.setattr(closed_words, "asked", lambda closed, count, seed: ["I wait."])
    assert closed_words.main([str(MILL), "--inputs", "1"]) == ("runs" in figure or "facts" in figure)
    printed = capsys.readouterr().out
    assert figure in printed
    assert place in printed


def test_a_folder_that_is_not_there_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        closed_words.main([str(tmp_path / "nothing")])
    assert "nothing" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        closed_words.main([str(MILL), "--inputs", "0"])
    assert "at least 1" in capsys.readouterr().err


def test_a_closed_sentence_is_found_however_it_is_written() -> None:
    closed = closed_sentences(folder(MILL))
    (found,) = seen_in(closed, said(f"“It is so, {SECRET.lower()}!” says nobody.\nAnd more."))
    assert (found.place, found.is_secret) == ("npcs/garrick-thorn.md:40", True)
    assert seen_in(closed, said("He took forty crowns from the steward and raised the gate")) == []
