"""Pieces: what an event says depends only on the event and the viewer, and every interface renders every piece."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import pytest
from golden import LOGS
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from sottovoce.domain.piece import Chair, Grid, Heading, Piece, PieceKind, Voice, marked, unmarked
from sottovoce.domain.rulesets import RULESETS
from sottovoce.golden import read_log
from sottovoce.projections.document import Chapter, Document, Item
from sottovoce.projections.perspective import FULL, Perspective, of_seat, seats_of
from sottovoce.projections.pieces import Teller, steps
from sottovoce.projections.prose import prose
from sottovoce.projections.view import view

KINDS: tuple[PieceKind, ...] = get_args(PieceKind)

texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30)
marked_texts = st.builds(
    "{}{}{}".format,
    texts.map(lambda text: text.replace("\x0e", "").replace("\x0f", "")),
    st.sampled_from(("Ada", "Bram")).map(marked),
    st.just(" nods."),
)
pieces = st.builds(
    Piece,
    marked_texts,
    st.sampled_from(KINDS),
    st.sampled_from((None, "Ada")),
    st.sampled_from(((), ("Bram",))),
    st.lists(st.builds(Voice, st.sampled_from(("", "Ada", "Bram")), texts), max_size=3).map(tuple),
    title=st.sampled_from(("", "A title")),
    note=st.sampled_from(("", "a note")),
    chapter=st.sampled_from((None, Heading("Night 1", 2, "night"), Heading("Trial", 3, within="Day 1"))),
    private=st.sampled_from((None, "", "only you")),
    grid=st.none() | st.lists(st.tuples(marked_texts, st.just("1"), marked_texts), max_size=2).map(
        lambda rows: Grid(("Choice", "Votes", "Voters"), tuple(rows))
    ),
)  # fmt: skip


def document(piece: Piece, *, full: bool) -> Document:
    items = (Item(7, piece, ("Ada",) if full else None),)
    chapters = (Chapter(Heading("The game"), items),)
    return Document("A game", "As Ada knew it", ("begun",), Grid(("Seat",), (("Ada",),)), chapters, full)


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.stem)
def test_what_is_said_depends_on_no_state(path: Path) -> None:
    """A prompt, which has no state, says what a screen says."""
    log = read_log(path)
    ruleset = RULESETS[log[0].event.data()["ruleset"]]
    for seat in seats_of(log):
        teller = Teller(ruleset, seat)
        for entry in view(ruleset, log, seat).entries:
            told, plain = teller.tell(entry.event), ruleset.tell(entry.event, Chair(seat))
            assert (told is None) == (plain is None)
            if told is not None and plain is not None:
                assert said(told) == said(plain)


def said(piece: Piece) -> tuple[Any, ...]:
    return (piece.kind, piece.lead, piece.title, piece.words, piece.who, piece.to, piece.private, piece.chapter)


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.stem)
def test_every_event_of_a_game_is_told_to_an_auditor_as_json(path: Path) -> None:
    log = read_log(path)
    ruleset = RULESETS[log[0].event.data()["ruleset"]]
    keys = set(Piece("x").to_json())
    for perspective in (FULL, of_seat(seats_of(log)[0]), Perspective()):
        for step in steps(ruleset, log, perspective):
            if step.piece is not None:
                told = json.loads(json.dumps(step.piece.to_json()))
                assert set(told) == keys
                assert told["kind"] in KINDS
                assert all(isinstance(run, str) or list(run) == ["name"] for run in told["lead"])


@given(pieces, st.booleans())
@settings(max_examples=300, deadline=None)
def test_any_piece_in_markdown_makes_no_markup_of_its_words(piece: Piece, full: bool) -> None:
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(prose(document(piece, full=full)))
    inline = {child.type for token in tokens for child in token.children or []}
    assert not inline & {"html_inline", "link_open", "image", "code_inline", "s_open"}
    assert not {token.type for token in tokens} & {"html_block", "code_block", "fence", "hr", "ordered_list_open"}
    assert sum(token.type == "heading_open" for token in tokens) == 2


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_says_its_lead_and_its_words(kind: PieceKind) -> None:
    piece = Piece(f"{marked('Ada')} nods to all.", kind, "Ada", (), (Voice("Ada", "I agree."),), title="Asked")
    plain = prose(document(piece, full=True)).replace("\\", "")
    if kind not in ("speech", "narration"):
        assert unmarked(piece.lead) in plain
    if kind != "death":
        assert "I agree." in plain
