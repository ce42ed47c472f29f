"""A sequence that grows without being copied, so that a state with a long one costs no more than a short one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, Self, TypeVar, overload

T = TypeVar("T")


class Growing(Sequence[T]):
    """An immutable sequence. `and_then` gives a longer one; the two share what they have in common.

    Adding to the latest of them takes the same time however long it is. Adding to an earlier one copies it first.
    """

    __slots__ = ("_items", "_length")

    def __init__(self, items: Sequence[T] = ()) -> None:
        self._items = list(items)
        self._length = len(self._items)

    def and_then(self, item: T) -> Self:
        """This sequence and one more item."""
        items = self._items if len(self._items) == self._length and self._length else self._items[: self._length]
        items.append(item)
        longer = object.__new__(type(self))
        longer._items = items
        longer._length = self._length + 1
        return longer

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[T]:
        return islice(self._items, self._length)

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[T, ...]: ...
    def __getitem__(self, index: int | slice) -> T | tuple[T, ...]:
        which = range(self._length)[index]
        if isinstance(which, range):
            return tuple([self._items[place] for place in which])
        return self._items[which]

    def __eq__(self, other: Any) -> bool:
        if not isinstance(other, Growing | tuple):
            return NotImplemented
        return len(self) == len(other) and all(mine == theirs for mine, theirs in zip(self, other, strict=True))

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))
