"""How the tabletop is put through the isolation kit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sottovoce.testing import TestingExtras

if TYPE_CHECKING:
    from sottovoce.isolation import Craft


def _craft() -> Craft:
    from sottovoce.rulesets.tabletop.craft.craft import TABLETOP_CRAFT

    return TABLETOP_CRAFT


EXTRAS = TestingExtras(craft=_craft)
