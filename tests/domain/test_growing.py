"""A growing sequence behaves like a tuple, whatever grows out of it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sottovoce.domain.sequence import Growing


@given(st.lists(st.tuples(st.integers(0, 30), st.integers())))
def test_every_sequence_keeps_its_items_whichever_of_them_grows(steps: list[tuple[int, int]]) -> None:
    grown: list[tuple[Growing[int], tuple[int, ...]]] = [(Growing(), ())]
    for number, item in steps:
        sequence, items = grown[number % len(grown)]
        grown.append((sequence.and_then(item), (*items, item)))
    for sequence, items in grown:
        assert tuple(sequence) == items
        assert len(sequence) == len(items)
        assert sequence == items
        assert hash(sequence) == hash(Growing(items))
        assert sequence == Growing(items)
        assert sequence[-2:] == items[-2:]
        assert sequence[::2] == items[::2]
        assert list(reversed(sequence)) == list(reversed(items))


def test_its_items_are_found_from_both_ends_and_not_beyond() -> None:
    sequence = Growing[str]().and_then("a").and_then("b")
    sequence.and_then("c")
    assert (sequence[0], sequence[1], sequence[-1], sequence[-2]) == ("a", "b", "b", "a")
    for beyond in (2, -3):
        with pytest.raises(IndexError):
            sequence[beyond]


def test_sequences_of_other_items_or_lengths_are_not_equal() -> None:
    one = Growing[int]().and_then(1)
    assert one != Growing[int]().and_then(2)
    assert one != one.and_then(1)
    assert one != [1]
    assert repr(one) == "(1,)"


def test_the_latest_of_them_grows_without_being_copied() -> None:
    sequence = Growing[int]()
    for item in range(3):
        sequence = sequence.and_then(item)
    assert sequence.and_then(3)._items is sequence._items
    assert sequence.and_then(4)._items is not sequence._items
