"""What somebody says about a hidden matter, whether it is so or not."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Claim:
    """`by` says of `about` that the hidden matter `fact` is so, or where it is `denied` that it is not.

    `words` is the sentence in which it is said, as it was written.
    """

    by: str
    about: str
    fact: tuple[str, ...]
    words: str
    denied: bool = False

    @property
    def of_oneself(self) -> bool:
        """Whether it is said of who says it."""
        return self.by == self.about
