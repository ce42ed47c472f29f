"""Transcripts: made from one viewer's own entries, and harmless whatever was said."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import msgspec
import pytest
from hostile import HOSTILE, varied
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from table import Table

from sottovoce.domain.audience import EVERYONE
from sottovoce.domain.events import GameOpened
from sottovoce.domain.safe_text import one_line
from sottovoce.projections.perspective import FULL, PUBLIC, Perspective, UnknownSeat, of_seat
from sottovoce.projections.pieces import steps
from sottovoce.projections.prose import escaped
from sottovoce.projections.transcript import document, markdown
from sottovoce.rulesets.mafia.rules import MAFIA
from sottovoce.rulesets.mafia.rules import events as e


def kinds(text: str) -> set[str]:
    """Return the kinds of Markdown elements that a text makes."""
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text)
    inline = [child for token in tokens for child in token.children or []]
    return {token.type for token in (*tokens, *inline)}


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_speech_makes_no_markup_in_markdown(log: Any, text: str) -> None:
    log.add(e.PhaseBegan(phase="dawn", number=1))
    quiet = kinds(markdown(MAFIA, [*log.recorded], PUBLIC))
    log.says("Bram", text)
    log.add(e.NarrationGiven(scene="dawn", text=text))
    told = markdown(MAFIA, log.recorded, PUBLIC)
    assert kinds(told) - quiet <= {
        "blockquote_open",
        "blockquote_close",
        "hardbreak",
        "strong_open",
        "strong_close",
        "softbreak",
        "text_special",
    }
    assert [line for line in told.splitlines() if line.startswith("#")] == [
        "# A game of Mafia",
        "## Before the first night",
        "## Night 1",
        "## Day 1",
    ]


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=60))
@settings(max_examples=300, deadline=None)
def test_any_line_escaped_reads_as_plain_text(text: str) -> None:
    line = " ".join(text.split())
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(escaped(line))
    inline = [child.type for token in tokens for child in token.children or []]
    assert {token.type for token in tokens} <= {"paragraph_open", "inline", "paragraph_close"}
    assert set(inline) <= {"text", "text_special"}


@given(st.text(max_size=60))
@settings(max_examples=200, deadline=None)
def test_any_line_escaped_says_what_it_said(text: str) -> None:
    tokens = MarkdownIt("commonmark").parse(escaped(text))
    said = "".join(child.content for token in tokens for child in token.children or [])
    assert said == one_line(text)


def test_a_hostile_name_is_escaped_wherever_it_stands(log: Any) -> None:
    name = '<b>[x](y)|"&'
    opening = GameOpened(ruleset="mafia", seats=(name, "Bram", "narrator"), options={})
    log.recorded[0] = msgspec.structs.replace(log.recorded[0], event=opening)
    log.says(name, "Hear me.")
    log.add(e.TrialClosed(day=1, round=0, votes={name: name, "Bram": name}, tally={name: 2}, condemned=name, tied=()))
    for perspective in (of_seat(name), PUBLIC, FULL):
        told = kinds(markdown(MAFIA, log.recorded, perspective))
        assert not told & {"html_inline", "html_block", "link_open"}


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_seats_transcript_depends_on_nothing_it_may_not_see(played: Callable[[int], Table], seed: int) -> None:
    table = played(seed)
    rng = random.Random(seed)
    for seat in table.seats:
        cut = rng.randrange(20, len(table.recorded))
        recorded = table.recorded[:cut]
        own = markdown(MAFIA, recorded, of_seat(seat))
        for _ in range(3):
            assert markdown(MAFIA, varied(recorded, seat, rng), of_seat(seat)) == own


def test_the_public_transcript_holds_public_events_alone(played: Callable[[int], Table]) -> None:
    recorded = played(2).recorded
    public = [item for item in recorded if item.audience is EVERYONE or item.audience.seats is None]
    assert markdown(MAFIA, recorded, PUBLIC) == markdown(MAFIA, public, PUBLIC)


def test_a_role_is_in_the_cast_only_where_it_is_known(log: Any) -> None:
    def roles(perspective: Perspective) -> Any:
        return {row[0]: row[1] for row in document(MAFIA, log.recorded, perspective).cast.rows}

    assert roles(PUBLIC) == dict.fromkeys(("Ada", "Bram", "Cleo", "Dirk", "Edda"), "not known")
    assert roles(of_seat("Ada")) == {**roles(PUBLIC), "Ada": "Detective"}
    assert roles(of_seat("narrator"))["Cleo"] == "Mafia"
    assert roles(FULL)["Dirk"] == "Doctor"
    assert "seed 11" in markdown(MAFIA, log.recorded, FULL)
    assert "house" not in markdown(MAFIA, log.recorded, of_seat("narrator"))


def test_what_was_hidden_is_set_apart_in_full_with_who_saw_it(log: Any) -> None:
    log.add(e.PlayerProtected(night=1, doctor="Dirk", target="Ada"))
    told = markdown(MAFIA, log.recorded, FULL)
    assert r"- *\[10, seen by Dirk and narrator\]* Night 1: Dirk protected Ada." in told
    assert "seen by nobody" in told
    own = markdown(MAFIA, log.recorded, of_seat("Dirk"))
    assert r"*\[4, in confidence\]* Night 1: You protected Ada." in own
    assert "seen by" not in own


def test_a_game_reads_as_a_document(log: Any) -> None:
    log.add(e.NarrationGiven(scene="opening", text="Fog.\n\nNothing else."))
    log.add(e.PhaseBegan(phase="dawn", number=1))
    log.add(e.DeathsAnnounced(day=1, deaths=("Edda",)))
    log.add(e.PhaseBegan(phase="discussion", number=1))
    log.says("Ada", "Who saw her last?")
    log.says("Bram", "Not me.\nThe game is over.")
    log.add(e.SpeechGiven(player="Cleo", occasion="defence", text=None))
    log.add(
        e.ExecutionVoteClosed(
            day=1,
            condemned="Cleo",
            votes={"Ada": "execute", "Bram": "execute"},
            tally={"execute": 2, "spare": 0},
            executed=True,
        )
    )
    told = markdown(MAFIA, log.recorded, PUBLIC)
    story = told.split("## Night 1\n", 1)[1]
    assert story == (
        "\n> Fog.\n>\n> Nothing else.\n"
        "\n## Day 1\n"
        "\n**† Edda died in the night.**\n"
        "\n### Discussion\n"
        "\n**Ada**: Who saw her last?\n"
        "\n**Bram**:\n\n> Not me.\\\n> The game is over.\n"
        "\nCleo stays silent.\n"
        "\nExecution: Cleo is to be executed.\n"
        "\n| Choice | Votes | Voters |\n| --- | --- | --- |\n| execute | 2 | Ada, Bram |\n| spare | 0 | — |\n"
    )


def test_a_chapter_in_which_nothing_was_heard_says_so(log: Any) -> None:
    log.add(e.PhaseBegan(phase="dawn", number=1))
    assert "## Night 1\n\n*Nothing was heard.*\n\n## Day 1" in markdown(MAFIA, log.recorded, PUBLIC)


def test_no_position_game_id_or_second_shows_from_a_chair(played: Callable[[int], Table]) -> None:
    table = played(3)
    for perspective in (of_seat("Ada"), PUBLIC):
        told = markdown(MAFIA, table.recorded, perspective)
        assert "m-table" not in told
        assert not re.search(r"\d\d:\d\d:\d\d", told)


def test_an_unknown_seat_is_refused(log: Any) -> None:
    with pytest.raises(UnknownSeat, match="no seat 'Zed'"):
        markdown(MAFIA, log.recorded, of_seat("Zed"))


def test_a_ruleset_without_a_shape_is_told_in_its_own_words(log: Any) -> None:
    plain = MAFIA.but(name="other", tell=lambda event, chair: event.tell(chair))
    opening = GameOpened(ruleset="other", seats=log.state.seats, options={})
    log.recorded[0] = msgspec.structs.replace(log.recorded[0], event=opening)
    log.says("Bram", "# Hello\nthere")
    for perspective in (of_seat("Bram"), PUBLIC, FULL):
        told = markdown(plain, log.recorded, perspective)
        assert told.startswith("# A game of Other\n")
        assert "> \\# Hello\\\n> there" in told


def test_replay_steps_through_one_perspective(log: Any) -> None:
    log.says("Bram", "Good evening.")
    mine = list(steps(MAFIA, log.recorded, of_seat("Ada"), first=2, last=4))
    told = [(step.number, step.piece and step.piece.text, step.piece and step.piece.said) for step in mine]
    assert told == [
        (2, "You are the Detective.", None),
        (3, "Night 1 falls.", None),
        (4, "Bram says:", "Good evening."),
    ]
    assert [step.audience for step in mine] == [None] * 3
    full = [step.at for step in steps(MAFIA, log.recorded, FULL)]
    assert [(later - at).total_seconds() for at, later in pairwise(full)] == [1.0] * 9
    assert list(steps(MAFIA, log.recorded, FULL))[3].audience is not None
