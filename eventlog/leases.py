"""The longest possible lease on a turn, and the SQL condition that nobody has one."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

LONGEST_LEASE: Final = timedelta(minutes=10)
"""A worker's lease ends at most this long after it was taken or renewed. A lease that ends later is ignored."""

CLAIM: Final = "inbox:"
"""The prefix of the names under which programs claim turns with `inbox --claim`."""

LONGEST_CLAIM: Final = timedelta(days=1)
"""The same limit for claims."""

FREE: Final = (
    "(worker IS NULL OR leased_until IS NULL OR leased_until <= ?"
    f" OR leased_until > CASE WHEN substr(worker, 1, {len(CLAIM)}) = '{CLAIM}' THEN ? ELSE ? END)"
)
"""A condition on rows of turns: nobody has a lease. `free_at` gives its values."""

_MICROSECOND = timedelta(microseconds=1)


def longest_lease(worker: str) -> timedelta:
    """Return how long a lease of this worker can last."""
    return LONGEST_CLAIM if worker.startswith(CLAIM) else LONGEST_LEASE


def free_at(now: int) -> tuple[int, int, int]:
    """Return the values of `FREE` for a time in microseconds since 1970 in UTC."""
    return now, now + LONGEST_CLAIM // _MICROSECOND, now + LONGEST_LEASE // _MICROSECOND
