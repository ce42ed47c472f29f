"""How much house players understand of what people type, over 200 sentences that were labelled first."""

from __future__ import annotations

import house_english
import pytest

from sottovoce.rulesets.mafia.house.reading import hear


def test_most_of_what_people_type_is_understood_and_little_is_made_up() -> None:
    figures = house_english.figures()
    right, said, are = figures["all"]
    assert are >= 200
    assert right / are >= 0.85
    assert right / said >= 0.85
    for sort, (hits, _, of) in figures.items():
        assert hits / of >= 0.75, sort


def test_nonsense_is_not_taken_for_anything() -> None:
    nonsense = [text for sorts, text in house_english.labelled() if not sorts]
    understood = [text for text in nonsense if hear(text, house_english.NAMES).sorts]
    assert len(nonsense) >= 15
    assert len(understood) <= 1, understood


@pytest.mark.parametrize(
    ("text", "accused", "trusted", "asked"),
    [
        ("I think it's Bram.", ("Bram",), (), ()),
        ("Bram, you are lying.", ("Bram",), (), ()),
        ("I don't suspect Cleo.", (), ("Cleo",), ()),
        ("Who do you suspect, Dirk?", (), (), ("Dirk",)),
        ("what about Edda?", (), (), ("Edda",)),
        ("Happy to answer, Ada: I suspect Finn.", ("Finn",), (), ()),
        ("If Bram is honest, nobody is.", (), ("Bram",), ()),
        ("Greta isn't Mafia.", (), ("Greta",), ()),
    ],
)
def test_who_is_meant_is_understood(
    text: str, accused: tuple[str, ...], trusted: tuple[str, ...], asked: tuple[str, ...]
) -> None:
    heard = hear(text, house_english.NAMES)
    assert (heard.accused, heard.trusted, heard.asked) == (accused, trusted, asked)
