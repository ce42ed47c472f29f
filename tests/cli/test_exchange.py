"""Export and import: lossless, idempotent, and refused where a file is not what was written."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from commands import SOTTOVOCE, Cli

Lines = list[str]


def test_a_round_trip_is_identical_and_a_second_import_changes_nothing(sv: Cli, fresh: Cli, over: str) -> None:
    file = sv.path.parent / "game.jsonl"
    assert sv("export", over, "-o", file).out == ""
    assert fresh("import", file, "--json").json == {
        "game": over,
        "events": len(file.read_text().splitlines()),
        "new": True,
    }
    again = sv.path.parent / "again.jsonl"
    fresh("export", over, "-o", again)
    assert again.read_bytes() == file.read_bytes()
    stored = fresh.stored()
    assert fresh("import", "-", stdin=file.read_bytes()).out.startswith(f"Game {over} is already imported: ")
    assert fresh.stored() == stored
    for command in ("replay", "transcript", "export"):
        assert fresh(command, over).out == sv(command, over).out


def test_an_open_game_goes_on_where_it_is_imported(sv: Cli, fresh: Cli, waiting: str) -> None:
    fresh("import", "-", stdin=sv("export", waiting).out)
    assert fresh("show", waiting, "--json").json["waiting_for"] == ["narrator"]
    assert fresh("send", waiting, "--as", "narrator", "--turn", 1, stdin="The fire is low.").code == 0


def test_a_different_game_under_the_same_id_is_refused(sv: Cli, fresh: Cli, waiting: str) -> None:
    lines = sv("export", waiting).out
    fresh("import", "-", stdin=lines)
    fresh("send", waiting, "--as", "narrator", "--turn", 1, stdin="The fire is low.")
    stored = fresh.stored()
    said = fresh("import", "-", stdin=lines)
    assert said.code == 1
    assert "Another game already has the id" in said.err
    assert fresh.stored() == stored


def changed(lines: Lines) -> Lines:
    return [lines[0], lines[1], lines[2].replace("Ada", "Abe"), *lines[3:]]


def rehashed(lines: Lines) -> Lines:
    return [lines[0].replace('"hash":"', '"hash":"00', 1), *lines[1:]]


def unknown_event(lines: Lines) -> Lines:
    event = json.loads(lines[3])
    return [*lines[:3], json.dumps(event | {"name": "mafia.moon-landed.v1"}), *lines[4:]]


def deep(lines: Lines) -> Lines:
    return ["[" * 100_000, *lines]


BAD: dict[str, tuple[Callable[[Lines], Lines], str]] = {
    "changed": (changed, "Event 3 was changed"),
    "another hash": (rehashed, "Event 1 was changed"),
    "swapped": (lambda lines: [*lines[:4], lines[5], lines[4], *lines[6:]], "Event 5"),
    "one missing": (lambda lines: lines[:7] + lines[8:], "Event 8"),
    "the first missing": (lambda lines: lines[1:], "Event 1"),
    "one twice": (lambda lines: lines[:7] + lines[6:], "Event 8"),
    "two games": (
        lambda lines: [*lines, *(line.replace('"game":"', '"game":"x', 1) for line in lines)],
        "another game",
    ),
    "garbage": (lambda lines: ["This is no export."], "Line 1"),
    "garbage in the middle": (lambda lines: [*lines[:2], "{}", *lines[2:]], "Line 3"),
    "a number": (lambda lines: ["17"], "Line 1"),
    "unknown name": (unknown_event, "Event 4"),
    "a truncated line": (lambda lines: [*lines[:-1], lines[-1][:50]], "Line "),
    "nested deeply": (deep, "Line 1"),
    "nothing": (lambda lines: [], "no event"),
    "NaN": (lambda lines: ['{"game":NaN}'], "Line 1"),
}


@pytest.mark.parametrize("how", BAD)
def test_a_bad_file_is_refused_whole(sv: Cli, fresh: Cli, over: str, how: str) -> None:
    spoil, told = BAD[how]
    lines = spoil(sv("export", over).out.splitlines())
    said = fresh("import", "-", stdin="".join(f"{line}\n" for line in lines))
    assert (said.code, said.out) == (1, "")
    assert told in said.err
    assert said.err.endswith("Nothing was imported.\n")
    assert said.err.count("\n") == 1
    assert "unexpected" not in said.err
    assert not fresh.path.exists()


@pytest.mark.parametrize(
    "raw", [b"\xff\xfe\x00", b"\x00" * 100, b"\x1f\x8b\x08\x00", b'{"game":"\xed\xa0\x80"}', b"\n\n"]
)
def test_bytes_that_are_no_text_are_refused(fresh: Cli, raw: bytes) -> None:
    said = fresh("import", "-", stdin=raw)
    assert (said.code, said.err.count("\n")) == (1, 1)
    assert "unexpected" not in said.err


def test_receipts_are_written_with_their_texts(sv: Cli, waiting: str, tmp_path: Path) -> None:
    prompt = sv("inbox", waiting, "--as", "narrator", "--json").json["turns"][0]["prompt"]
    file = tmp_path / "receipts.jsonl"
    assert sv("export", waiting, "-o", tmp_path / "events.jsonl", "--receipts", file).out == ""
    receipts = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert [receipt["number"] for receipt in receipts] == list(range(1, len(receipts) + 1))
    assert "\n\n".join(receipts[0]["texts"]) == prompt


def test_exports_are_utf_8_whatever_the_terminal_speaks(sv: Cli, over: str) -> None:
    env = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    words = [SOTTOVOCE, "--db", sv.url, "export", over]
    assert subprocess.run(words, env=env, capture_output=True, check=True).stdout.decode() == sv("export", over).out
    words = [SOTTOVOCE, "--db", sv.url, "show", over, "--json"]
    done = subprocess.run(words, env=env, capture_output=True, check=True)
    assert json.loads(done.stdout.decode("ascii"))["seats"][3] == "Zoë"
