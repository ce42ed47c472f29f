"""Whatever is typed: no traceback, no unexpected error, a known exit code, and one line where it went wrong."""

from __future__ import annotations

import random
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from commands import LEAVES, Cli, Said
from sizes import sized

WORDS = (
    *(
        "",
        " ",
        "-",
        "--",
        "---",
        "-1",
        "0",
        "1",
        "3",
        "12",
        "9" * 20,
        "9" * 5000,
        "1e9",
        "NaN",
        "inf",
        "0x10",
        "½",
        "٣",
    ),
    *("latest", "LATEST", "Ada", "ada", "Jean Luc", "O'Brien", "Zoë", 'Bram "B"', "narrator", "Narrator", "nobody"),
    *("/", "/dev/null", "/dev/full", "/no/such/file", ".", "~", "a" * 5000, "a/../b", "a\nb", "\x1b[2J", "\u202eabc"),
    *(
        "\udcff\udcfe",
        "😀",
        "e\u0301",
        "\x7f",
        "{}",
        "[]",
        "null",
        "true",
        '{"Mafia":1}',
        "=",
        "a=",
        "=a",
        "a=b",
        "a=b=c",
    ),
    *("Ada=house", "Ada=random", "Ada=scripted:/dev/null", "Ada=scripted:.", "max_days=1", "max_days=1e999", "x=[[["),
    *(
        "max_attempts=" + "9" * 400,
        "role_counts=" + "[" * 3000,
        "turn_seconds=NaN",
        "night_seconds=-1",
        "house",
        "human",
    ),
    *(
        "markdown",
        "html",
        "1:" + "0" * 64,
        "0" * 64,
        "sqlite:///",
        "memory:",
        "\x00",
        "a\x00b",
        "%s%n",
        "$(id)",
        ";",
        "*",
    ),
)
ENDLESS = {"watch", "play mafia", "run mafia", "resume", "worker", "serve"}
"""Commands that play or wait for as long as it takes; they are fuzzed with an option they must refuse."""


def check(said: Said, words: Sequence[str]) -> None:
    assert said.code in (0, 1, 2, 130), words
    assert "Traceback" not in said.err, words
    assert "unexpected error" not in said.err, (words, said.err)
    if said.code:
        lines = [line for line in said.err.splitlines() if line.startswith("sottovoce: ")]
        assert len(lines) == 1, (words, said)
        assert lines[0].isprintable(), words


def typed(rnd: random.Random, leaf: str) -> list[str]:
    """A command with arguments that may be right, and options that may be there or not."""
    words = leaf.split()
    for param in LEAVES[leaf].params:
        plain = param.param_type_name == "argument"
        likely = {"game": "latest", "seat": "Ada", "position": "3", "turn": "1", "file": "/dev/null"}.get(
            param.name or ""
        )
        value = likely if likely and rnd.random() < 0.6 else rnd.choice(WORDS)
        if plain:
            words.append(value) if rnd.random() < 0.95 else None
        elif (param.required and rnd.random() < 0.9) or rnd.random() < 0.3:
            words.append(param.opts[-1])
            if not getattr(param, "is_flag", False):
                words.append("0" if param.name == "seconds" and rnd.random() < 0.5 else value)
    if leaf in ENDLESS:
        words += rnd.choice([["--nonsense"], ["--seat", "x"], ["surplus", "surplus"]])
    if rnd.random() < 0.1:
        words.insert(rnd.randrange(len(words) + 1), rnd.choice(WORDS))
    return words


@pytest.mark.parametrize("part", range(4))
def test_whatever_is_typed(part: int, library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(library, tmp_path / "log")
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    sv = Cli(tmp_path / "log" / "games.db")
    for number in range(sized(60, 800)):
        rnd = random.Random(f"{part} {number}")
        words = typed(rnd, rnd.choice(list(LEAVES)))
        if "--wait" in words:
            words[words.index("--wait") + 1 :][:1] = ["nonsense" if rnd.random() < 0.5 else "0"]
        stdin = rnd.choice([b"", b"\n", b"q\n", b"\xff\x00\x1b", b"x" * 70_000, "Wört\u2028er".encode()])
        check(sv(*words, stdin=stdin), words)


@pytest.mark.parametrize("part", range(2))
def test_whatever_is_typed_first(part: int, sv: Cli) -> None:
    rnd = random.Random(part)
    for _ in range(sized(40, 800)):
        words = [rnd.choice((*WORDS, *LEAVES, "--db", "--help", "-h")) for _ in range(rnd.randrange(4))]
        if not any(word in ENDLESS for word in words):
            check(sv(*words), words)
