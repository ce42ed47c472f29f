"""Every kind of turn that a session has."""

from __future__ import annotations

from sottovoce.domain.rulesets.tabletop.course.character import CHARACTER_TURNS
from sottovoce.domain.rulesets.tabletop.course.gm import GM_TURNS
from sottovoce.domain.rulesets.tabletop.course.human import HUMAN_TURNS
from sottovoce.domain.rulesets.tabletop.course.narrator import SceneFile
from sottovoce.domain.rulesets.tabletop.course.replies import Asked

TURNS: tuple[type[Asked], ...] = (*GM_TURNS, *CHARACTER_TURNS, SceneFile, *HUMAN_TURNS)
BACKGROUND = tuple(kind.stored_kind for kind in TURNS if kind.background)
"""The kinds that hold nothing up (T-159)."""
