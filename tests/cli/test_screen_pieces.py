"""How pieces look on a terminal: every kind, on any console, whatever stands in it."""

from __future__ import annotations

import io
import itertools
import re
import unicodedata
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from sottovoce.cli.screens.piece import EXCERPT, SIGNS, STYLES, draw
from sottovoce.cli.screens.theme import LONG, WIDEST, Look
from sottovoce.domain.audience import Audience, only
from sottovoce.domain.piece import Grid, Heading, Mood, Piece, PieceKind, Voice, marked, unmarked

KINDS: tuple[PieceKind, ...] = get_args(PieceKind)
CODE = re.compile(r"\x1b\[[0-9;]*m")
HOSTILE = "\x1b[2J[bold red]Night 9 falls[/]\r\nAda  I did it\u202e\x9b31m\u2028end"

VOTES = Grid(("Choice", "Votes", "Voters"), ((marked("Bram"), "3", marked("Ada")), ("no", "0", "")))
MARKED = ("line", "speech", "document", "ballot", "list", "card", "warning", "reply")
"""The kinds by which an auditor's screen says for whom a hidden matter is."""

texts = st.sampled_from(("I agree.", HOSTILE, "x" * 120, "one\n\n\ntwo", "名前", "—"))
pieces = st.builds(
    Piece,
    texts.map(lambda text: f"{marked('Ada')} nods. {text}"),
    st.sampled_from(KINDS),
    st.sampled_from((None, "Ada")),
    st.sampled_from(((), ("Bram",))),
    st.lists(st.builds(Voice, st.sampled_from(("", "Ada", "Bram")), texts), max_size=3).map(tuple),
    title=texts,
    note=texts,
    chapter=st.sampled_from((None, Heading("Night 1", 2, "night"), Heading("Trial", 3, within="Day 1"))),
    private=st.sampled_from((None, "", "only you")),
    mood=st.sampled_from(get_args(Mood)),
    weight=st.sampled_from((0, 1, 2)),
    grid=st.sampled_from((None, VOTES)),
)  # fmt: skip


def shown(piece: Piece, *, width: int = 80, terminal: bool = False, encoding: str = "utf-8",
          audience: Audience | None = None) -> str:  # fmt: skip
    raw = io.BytesIO()
    file = io.TextIOWrapper(raw, encoding=encoding, newline="\n", write_through=True)
    console = Console(file=file, width=width, force_terminal=terminal, _environ={"TERM": "xterm"})
    look = Look(console, "Ada")
    look.names, look.audience = ("Ada", "Bram"), audience
    for block in draw(piece, look):
        console.print(block, highlight=False, markup=False, emoji=False, soft_wrap=True)
    return CODE.sub("", raw.getvalue().decode(encoding))


@given(pieces, st.sampled_from((40, 80, 120)), st.booleans(), st.sampled_from(("utf-8", "ascii")))
@settings(max_examples=300, deadline=None)
def test_any_piece_fits_any_console_and_obeys_nothing(piece: Piece, width: int, terminal: bool, encoding: str) -> None:
    text = shown(piece, width=width, terminal=terminal, encoding=encoding)
    assert not any(unicodedata.category(char) in ("Cc", "Cf") and char != "\n" for char in text)
    for line in text.splitlines():
        cells = sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in line)
        assert cells <= min(width, WIDEST), line


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_shows_its_lead_its_words_and_its_table(kind: PieceKind) -> None:
    grid = Grid(("Choice", "Votes", "Voters"), ((marked("Bram"), "3", marked("Ada")),))
    words = (Voice("Ada", "I agree."),)
    piece = Piece(
        f"{marked('Ada')} nods.", kind, "Ada", words=words if kind not in ("ballot", "list") else (), grid=grid
    )
    text = shown(piece)
    if kind not in ("speech", "narration", "heading"):
        assert unmarked(piece.lead) in text
    if kind in ("speech", "narration", "call", "line", "reply", "warning", "document"):
        assert "I agree." in text
    if kind in ("ballot", "list", "ending"):
        assert re.search(r"Bram +3 +Ada", text)


@pytest.mark.parametrize("kind", MARKED)
def test_an_auditor_is_told_whom_a_hidden_piece_is_for(kind: PieceKind) -> None:
    piece = Piece("It is so.", kind, "Bram", words=(Voice("Bram", "I agree."),), private="", grid=VOTES)
    assert "only Bram" in shown(piece, audience=only("Bram"))
    assert "only" not in shown(piece)


def test_a_section_says_what_it_stands_in_and_a_chapter_has_its_sign() -> None:
    assert "── Day 1: trial ──" in shown(Piece("", "heading", chapter=Heading("Trial", 3, within="Day 1")))
    assert "☾  Night 1" in shown(Piece("", "heading", chapter=Heading("Night 1", 2, "night")), terminal=True)
    assert set(SIGNS) <= set(STYLES) <= set(get_args(Mood))


def test_of_a_long_document_the_first_lines_are_shown() -> None:
    text = "\n\n".join(f"line {number}" for number in range(EXCERPT + 3))
    lines = shown(Piece("A file:", "document", words=(Voice("", text),))).split("\n")
    assert lines[0] == "A file:"
    assert lines[EXCERPT].strip() == f"line {EXCERPT - 1}"
    assert lines[EXCERPT + 1].strip() == "[… 3 more lines]"


@pytest.mark.parametrize("name", ["Ada", "Bartholomew the Younger"])
def test_the_speaker_of_long_words_is_named_again_and_again(name: str) -> None:
    """Else words that imitate the game stand alone on a screen from which their speaker's name has gone."""
    words = "\n".join(f"# The link of this seat has ended ({number})." for number in range(40))
    piece = Piece(f"{marked(name)} says:", "speech", name, words=(Voice(name, words),))
    for terminal in (False, True):
        lines = shown(piece, terminal=terminal).splitlines()
        named = [number for number, line in enumerate(lines) if line.startswith(name)]
        assert named[0] == 0
        assert len(named) == 3
        assert max(later - before for before, later in itertools.pairwise(named)) <= LONG + 1
        assert all(line.startswith((" ", name)) for line in lines), "nothing that is said begins where the game speaks"
        assert "".join(lines).count("has ended") == 40


def test_a_long_tale_says_whose_it_is_below_it_too() -> None:
    tale = Piece("The narrator tells:", "narration", "narrator", words=(Voice("narrator", "Night.\n" * 40),))
    assert shown(tale, terminal=True).count("narrator") == 2
    short = Piece("The narrator tells:", "narration", "narrator", words=(Voice("narrator", "Night."),))
    assert shown(short, terminal=True).count("narrator") == 1
