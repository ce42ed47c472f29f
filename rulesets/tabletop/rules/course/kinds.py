"""Every kind of turn that a session has."""

from __future__ import annotations

from sottovoce.rulesets.tabletop.rules.course.character import CHARACTER_TURNS
from sottovoce.rulesets.tabletop.rules.course.gm import GM_TURNS
from sottovoce.rulesets.tabletop.rules.course.human import HUMAN_TURNS
from sottovoce.rulesets.tabletop.rules.course.narrator import SceneFile
from sottovoce.rulesets.tabletop.rules.course.replies import Asked

TURNS: tuple[type[Asked], ...] = (*GM_TURNS, *CHARACTER_TURNS, SceneFile, *HUMAN_TURNS)
BACKGROUND = tuple(kind.stored_kind for kind in TURNS if kind.background)
"""The kinds that hold nothing up (T-159)."""
