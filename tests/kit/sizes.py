"""How much a test run does: `SOTTOVOCE_TEST_SIZE` is `test` (the default) or `nightly`."""

from __future__ import annotations

import os
from typing import TypeVar

T = TypeVar("T")

SIZE = os.environ.get("SOTTOVOCE_TEST_SIZE", "test")
if SIZE not in ("test", "nightly"):
    raise ValueError(f"SOTTOVOCE_TEST_SIZE is 'test' or 'nightly', not {SIZE!r}")

NIGHTLY = SIZE == "nightly"


def sized(test: T, nightly: T) -> T:
    """Return one of two values, by the size of this run."""
    return nightly if NIGHTLY else test
