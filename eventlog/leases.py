"""How long a lease on a turn can last, and the condition under which a statement finds that nobody has one."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

LONGEST_LEASE: Final = timedelta(minutes=10)
"""A worker's lease ends this long after it was made or renewed, at most. One that ends later is ignored."""

CLAIM: Final = "inbox:"
"""The beginning of the names under which programs claim turns by `inbox --claim`."""

LONGEST_CLAIM: Final = timedelta(days=1)
"""The same limit for their claims."""

FREE: Final = (
    "(worker IS NULL OR leased_until IS NULL OR leased_until <= ?"
    f" OR leased_until > CASE WHEN substr(worker, 1, {len(CLAIM)}) = '{CLAIM}' THEN ? ELSE ? END)"
)
"""A condition on rows of turns: nobody has a lease. It takes the values of `free_at`."""

_MICROSECOND = timedelta(microseconds=1)


def longest_lease(worker: str) -> timedelta:
    """How long a lease of that worker can last."""
    return LONGEST_CLAIM if worker.startswith(CLAIM) else LONGEST_LEASE


def free_at(now: int) -> tuple[int, int, int]:
    """The values of `FREE` for a time in microseconds since 1970 in UTC."""
    return now, now + LONGEST_CLAIM // _MICROSECOND, now + LONGEST_LEASE // _MICROSECOND
