"""What a ruleset can add to how it is tested."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from sottovoce.domain.plugins import Plugins

if TYPE_CHECKING:
    from sottovoce.golden import Golden
    from sottovoce.isolation.craft import Craft


@dataclass(frozen=True, slots=True, kw_only=True)
class TestingExtras:
    """`craft` returns what the isolation kit must know about the ruleset, `golden` the recorded games."""

    __test__: ClassVar[bool] = False

    craft: Callable[[], Craft] | None = None
    golden: Callable[[], Sequence[Golden]] | None = None


EXTRAS: Plugins[TestingExtras] = Plugins("sottovoce.testing", TestingExtras)


class NoCraft(LookupError):
    """No installed package tells the isolation kit about the ruleset."""


def craft_of(ruleset: str) -> Craft:
    """Return the craft of an installed ruleset. Raises NoCraft if there is none."""
    craft = EXTRAS.of(ruleset).craft
    if craft is None:
        raise NoCraft(f"No package gives a craft for {ruleset!r} in the group {EXTRAS.group}.")
    return craft()
