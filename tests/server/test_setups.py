"""What a ruleset can declare for its openings, what it can't, and what servers make of it."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from guests import GROUPS

from sottovoce import Choices, Opening, ServerExtras, Setup, SetupRefused, choice, place
from sottovoce.domain.errors import RulesetDefect
from sottovoce.server.extras import choice_fields, place_kind, place_kinds, setup_schema
from sottovoce.server.http.settings import settings_from


class QuizSetup(Setup):
    """Asks the questions of a quiz."""

    quiz: Path = place("quizzes", "Quiz to play.", offers="Quiz folder to offer.")
    language: str | None = choice("Language of the questions.", label="Spoken language", none="Any", metavar="LANG")
    rounds: int = choice("How many rounds.", default=3, option="rounds")


EXTRAS = ServerExtras(
    setup=QuizSetup,
    load=lambda setup, options: nullcontext(Opening(("Ada",), options, {})),
    preview=lambda setup: Choices(("Ada",), {}),
)


def test_a_setup_says_what_a_form_and_a_command_need() -> None:
    kind = place_kind(QuizSetup)
    assert (kind.name, kind.table, kind.about, kind.offers) == (
        *("quiz", "quizzes", "Quiz to play."),
        "Quiz folder to offer.",
    )
    assert [(one.name, one.about, one.metavar) for one in choice_fields(QuizSetup)] == [
        ("language", "Spoken language. Language of the questions.", "LANG"),
        ("rounds", "How many rounds.", "NAME"),
    ]
    schema = setup_schema(QuizSetup)
    assert schema["description"] == "Asks the questions of a quiz."
    fields = schema["properties"]
    assert list(fields) == ["quiz", "language", "rounds"]
    assert fields["quiz"]["place"] == "quizzes"
    assert (fields["language"]["none"], fields["language"]["label"]) == ("Any", "Spoken language")
    assert (fields["rounds"]["default"], fields["rounds"]["option"]) == (3, "rounds")
    assert not any(key in field for field in fields.values() for key in ("offers", "metavar"))


@pytest.mark.parametrize(
    ("given", "what"),
    [
        ({"quiz": "x", "rounds": "many"}, "rounds: input should be a valid integer"),
        ({"quiz": "x", "language": "y" * 101}, "language: string should have at most 100 characters"),
        ({"quiz": "x", "other": 1}, "other: extra inputs are not permitted"),
        ({}, "quiz: field required"),
    ],
)
def test_a_wrong_value_is_told_by_its_field(given: dict[str, Any], what: str) -> None:
    with pytest.raises(SetupRefused, match=f"^{what}"):
        QuizSetup.checked(given)


def test_what_a_setup_lacks_is_told_at_import() -> None:
    folder = place("quizzes", "Quiz to play.", offers="Quiz folder to offer.")
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"__annotations__": {}}, "one field made by place"),
        ({"__annotations__": {"a": Path, "b": Path}, "a": folder, "b": folder}, "one field made by place"),
        ({"__annotations__": {"a": Path, "b": str}, "a": folder, "b": "x"}, "make the field 'b' with choice"),
        ({"__annotations__": {"a": Path, "seed": str}, "a": folder, "seed": choice("x")}, "a field 'seed'"),
        ({"__annotations__": {"a": Path}, "a": folder, "__doc__": None}, "say in a docstring"),
    ]
    for body, what in wrong:
        with pytest.raises(RulesetDefect, match=what):
            type("Wrong", (Setup,), {"__doc__": "Is wrong.", "__module__": __name__, **body})
    with pytest.raises(RulesetDefect, match="setup, load and preview together"):
        ServerExtras(setup=QuizSetup)


def test_settings_have_a_table_for_every_kind_of_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GROUPS["sottovoce.server"], "quiz", EXTRAS)
    assert set(place_kinds()) == {"campaign", "folder", "quiz"}
    (tmp_path / "history").mkdir()
    (tmp_path / "alarm").mkdir()
    file = tmp_path / "server.toml"
    file.write_text('[quizzes]\nhistory = "history"\n\n[campaigns]\nalarm = "alarm"\n')
    settings = settings_from(file, {"places": {"campaign": {"bell": tmp_path}}})
    assert settings.places == {"quiz": {"history": tmp_path / "history"}, "campaign": {"bell": tmp_path}}
