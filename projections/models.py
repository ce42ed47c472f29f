"""Which model answered where another one was asked for, from the receipts of a game."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sottovoce.projections.receipts import ENDINGS, Receipt

_EDITION = re.compile(r"[-@:_](?:\d{3,8}(?:-\d{2}(?:-\d{2})?)?|latest)\Z")


class Substitute(NamedTuple):
    """A model that was `asked` for, and the one that `answered` by what the endpoint says itself."""

    asked: str
    answered: str


def is_same_model(asked: str, answered: str) -> bool:
    """Whether both names are one model's: another edition of it, the same below another folder, or no name at all.

    Endpoints answer `gpt-4o-2024-08-06` for `gpt-4o`, `models/gemini` for `gemini`, and the path of a file for the
    beginning of its name.
    """
    one, other = (_plain(name) for name in (asked, answered))
    if answered.strip().casefold().endswith(".gguf"):
        return other.startswith(one)
    return not other or one == other or one.removesuffix("-latest") == _EDITION.sub("", other)


def _plain(name: str) -> str:
    return name.strip().casefold().removesuffix(".gguf").rstrip("/").replace("\\", "/").rpartition("/")[2]


def substitutes(receipts: Sequence[Receipt]) -> Counter[Substitute]:
    """How many calls another model answered than the one that was asked for."""
    found: Counter[Substitute] = Counter()
    for receipt in receipts:
        notes = receipt.data.get("notes") if receipt.name in ENDINGS else None
        if isinstance(notes, Mapping):
            asked, answered = notes.get("model"), notes.get("answered_by")
            if isinstance(asked, str) and isinstance(answered, str) and not is_same_model(asked, answered):
                found[Substitute(asked, answered)] += 1
    return found


def told_substitutes(found: Mapping[Substitute, int]) -> str:
    """The same in words, in the order of the names."""
    return "; ".join(
        f"{one.answered} for {one.asked} ({count} call{'' if count == 1 else 's'})"
        for one, count in sorted(found.items())
    )
