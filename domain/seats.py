"""Seat names."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence

from sottovoce.domain.errors import SetupRefused
from sottovoce.domain.reading import normal, plain
from sottovoce.domain.safe_text import hides

LONGEST_NAME = 40


def checked_names(names: Sequence[str], reserved: Iterable[str] = ()) -> tuple[str, ...]:
    """The names in NFC with outer spaces cut, or SetupRefused with the first thing wrong.

    As replies are read (`plain`, so case ignored), names are unique and none is reserved; nor are two names shown
    alike, as `pim-tallow` and `Pim Tallow` are. A comma or `=` would be read as part of an option, a control character
    would let a name forge lines, and with an invisible character two names would look the same.
    """
    taken: dict[str, str] = {}
    shown: dict[str, str] = {}
    closed = {plain(word) for word in reserved}
    checked = []
    for raw in names:
        name = normal(raw, "NFC").strip()
        if not name:
            raise SetupRefused("A seat name is empty. Give every seat a name.")
        if len(name) > LONGEST_NAME:
            raise SetupRefused(f"The seat name {name[:20]!r}… is longer than {LONGEST_NAME} characters. Shorten it.")
        folded = plain(name)
        if hides(name) or any(unicodedata.category(char)[0] == "C" or char in ",=" for char in name):
            raise SetupRefused(
                f"The seat name {name!r} contains a comma, '=' or an invisible character. Leave that out."
            )
        if not any(char.isalnum() for char in name):
            raise SetupRefused(f"The seat name {name!r} has no letter or digit. Add one.")
        if folded in closed:
            raise SetupRefused(f"{name!r} can't be a seat name: the rules use the word. Choose another.")
        if folded in taken:
            raise SetupRefused(f"Two seats are named {name!r} (ignoring case). Rename one.")
        alike = " ".join(folded.replace("-", " ").split())
        if alike in shown:
            raise SetupRefused(f"The seat names {shown[alike]!r} and {name!r} look alike. Rename one.")
        taken[folded] = shown[alike] = name
        checked.append(name)
    return tuple(checked)
