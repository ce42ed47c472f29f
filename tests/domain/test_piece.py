"""A piece: one telling that every surface renders."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sottovoce.domain.piece import (
    AUDITOR,
    PUBLIC,
    Chair,
    Grid,
    Heading,
    Name,
    Piece,
    Voice,
    counted,
    line,
    marked,
    names,
    plainly,
    runs,
    says,
    spoken,
    tallied,
    unmarked,
)


def event(**fields: Any) -> Any:
    return SimpleNamespace(actor=None, **fields)


def test_a_template_fills_in_fields_and_marks_names() -> None:
    tell = line("{player:name} guesses {number}: {answer}.")
    piece = tell(event(player="Ada", number=9, answer="lower"), PUBLIC)
    assert piece is not None
    assert piece.text == "Ada guesses 9: lower."
    assert runs(piece.lead) == ["Ada", " guesses 9: lower."]
    assert [type(run) for run in runs(piece.lead)] == [Name, str]


def test_a_field_without_a_value_is_told_as_nothing() -> None:
    piece = line("{player:name} guesses {number}.")(event(player="Ada", number=None), PUBLIC)
    assert piece is not None
    assert piece.text == "Ada guesses nothing."


def test_a_seat_is_told_of_itself_as_you() -> None:
    tell = line("{doctor:You} protected {target:you}; {all:names} know.")
    fact = event(doctor="Ada", target="Bram", all=("Ada", "Bram", "Cleo"))
    told = {seat: tell(fact, Chair(seat)) for seat in ("Ada", "Bram", None)}
    assert {seat: piece and piece.text for seat, piece in told.items()} == {
        "Ada": "You protected Bram; Ada, Bram and Cleo know.",
        "Bram": "Ada protected you; Ada, Bram and Cleo know.",
        None: "Ada protected Bram; Ada, Bram and Cleo know.",
    }


def test_a_template_over_a_field_that_is_not_there_fails_when_the_event_is_told() -> None:
    with pytest.raises(AttributeError):
        line("{player:name} guesses.")(event(), PUBLIC)


def test_who_speaks_is_quoted_and_who_has_nothing_to_say_is_silent() -> None:
    tell = says("The keeper says:")
    spoke = tell(SimpleNamespace(actor="keeper", text="Warm."), PUBLIC)
    assert spoke == Piece("The keeper says:", kind="speech", who="keeper", words=(Voice("keeper", "Warm."),))
    silent = tell(SimpleNamespace(actor="keeper", text=None), PUBLIC)
    assert silent is not None
    assert (silent.text, silent.words) == ("keeper stays silent.", ())


@given(st.text())
def test_no_foreign_text_passes_for_a_marked_name(text: str) -> None:
    assert not any(isinstance(run, Name) for run in runs(plainly(text)))
    cut = runs(marked(text))
    assert len(cut) <= 1
    told = line("{text}")(event(text=text), PUBLIC)
    assert told is not None
    assert told.lead == plainly(text)


def test_names_are_listed_as_they_are_said() -> None:
    assert [unmarked(names(some)) for some in ((), ("a",), ("a", "b"), ("a", "b", "c"))] == [
        "nobody",
        "a",
        "a and b",
        "a, b and c",
    ]


def test_a_ballot_is_told_on_one_line() -> None:
    grid = counted({"Ada": "Bram", "Cleo": "Bram", "Bram": "Ada"}, {"Bram": 2, "Ada": 1, "Cleo": 0})
    piece = Piece(f"{marked('Bram')} is condemned.", kind="ballot", title="Trial", grid=grid)
    assert piece.text == "Trial. Bram: 2 (Ada, Cleo); Ada: 1 (Bram); Cleo: 0. Bram is condemned."
    assert unmarked(piece.caption) == "Trial: Bram is condemned."


def test_an_event_that_counts_a_ballot_is_told_with_its_grid() -> None:
    tell = tallied("It is {outcome}.", title="Trial", seats=True)
    piece = tell(event(votes={"Ada": "Bram", "Cleo": "Bram", "Bram": "Ada"}, outcome="over"), PUBLIC)
    assert piece is not None
    assert (piece.kind, piece.text) == ("ballot", "Trial. Bram: 2 (Ada, Cleo); Ada: 1 (Bram). It is over.")


def test_a_heading_is_filled_in_like_a_lead_and_marks_no_names() -> None:
    piece = line("{player:name} leads.", chapter="Day {day} of {player:name}")(event(player="Ada", day=2), PUBLIC)
    assert piece is not None
    assert piece.chapter == Heading("Day 2 of Ada")
    given_whole = line("Night.", chapter=Heading("Night", 3))(event(), PUBLIC)
    assert given_whole is not None
    assert given_whole.chapter == Heading("Night", 3)


def test_several_voices_are_told_by_name() -> None:
    piece = Piece("You overhear:", words=(*spoken("Ada", "One\ntwo."), *spoken("Bram", "Three."), *spoken("Cleo", " ")))
    assert piece.said == "Ada: One two.\nBram: Three."
    assert Piece("Ada says:", who="Ada", words=spoken("Ada", "One\ntwo.")).said == "One\ntwo."
    assert Piece("Nobody says anything.").said is None


def test_as_json_a_piece_has_every_field_and_names_apart() -> None:
    whole = Piece(
        f"{marked('Ada')} wins.",
        kind="ending",
        who="Ada",
        to=("Bram",),
        words=(Voice("Ada", "Ha."),),
        title="Over",
        note="at last",
        chapter=Heading("The end", 2, "day"),
        private="only you",
        mood="good",
        weight=2,
        grid=Grid(("Player",), ((marked("Ada"),),)),
        numbers={"day": 2},
    )
    assert json.loads(json.dumps(whole.to_json())) == {
        "kind": "ending",
        "who": "Ada",
        "to": ["Bram"],
        "title": ["Over"],
        "lead": [{"name": "Ada"}, " wins."],
        "note": "at last",
        "words": [{"who": "Ada", "text": "Ha."}],
        "chapter": {"text": "The end", "level": 2, "mood": "day", "within": ""},
        "private": "only you",
        "mood": "good",
        "weight": 2,
        "grid": {"header": ["Player"], "rows": [[[{"name": "Ada"}]]]},
        "numbers": {"day": 2},
    }
    assert set(Piece("x").to_json()) == set(whole.to_json())


def test_a_chair_lists_itself() -> None:
    assert unmarked(Chair("Ada").listed("Ada")) == "Ada (you)"
    assert unmarked(AUDITOR.listed("Ada")) == "Ada"
