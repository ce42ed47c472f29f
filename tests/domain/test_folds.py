"""What event classes say of ordinary folds and facts in one word."""

from __future__ import annotations

from types import SimpleNamespace

from sottovoce.domain.folds import fact


def test_a_fact_has_its_kind_and_the_values_of_its_fields() -> None:
    assert fact("role", "player", "role")(SimpleNamespace(player="Ada", role="Doctor")) == {("role", "Ada", "Doctor")}
    assert fact("number", "number")(SimpleNamespace(number=7)) == {("number", "7")}


def test_a_field_that_holds_several_makes_one_fact_of_each() -> None:
    told = SimpleNamespace(spies=("Ada", "Bram"))
    assert fact("side", "spies", being="spy")(told) == {("side", "Ada", "spy"), ("side", "Bram", "spy")}
    assert fact("side", "spies", being="spy")(SimpleNamespace(spies=())) == frozenset()
