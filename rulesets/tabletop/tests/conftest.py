"""A session that never comes to rest fails the test that played it, by name, instead of holding up the run."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from types import FrameType

import pytest
from sizes import sized

SECONDS = sized(60, 3600)


@pytest.fixture(autouse=True)
def comes_to_rest() -> Iterator[None]:
    def give_up(number: int, frame: FrameType | None) -> None:
        raise TimeoutError(f"The session did not come to rest in {SECONDS} seconds.")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(SECONDS)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)
