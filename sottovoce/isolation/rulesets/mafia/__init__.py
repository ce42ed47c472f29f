"""How Mafia is put through the isolation kit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sottovoce.extras import TestingExtras

if TYPE_CHECKING:
    from sottovoce.isolation.craft import Craft


def _craft() -> Craft:
    from sottovoce.isolation.rulesets.mafia.craft import MAFIA_CRAFT

    return MAFIA_CRAFT


EXTRAS = TestingExtras(craft=_craft)
