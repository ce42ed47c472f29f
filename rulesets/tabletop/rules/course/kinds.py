"""Every kind of turn that a session has."""

from __future__ import annotations

from sottovoce.rulesets.tabletop.rules.course.character import CHARACTER_TURNS
from sottovoce.rulesets.tabletop.rules.course.gm import GM_TURNS
from sottovoce.rulesets.tabletop.rules.course.human import HUMAN_TURNS
from sottovoce.rulesets.tabletop.rules.course.narrator import SceneFile
from sottovoce.rulesets.tabletop.rules.course.replies import TabletopTurn
from sottovoce.rulesets.tabletop.rules.names import GM, HUMAN, NARRATOR, TEAM_LEAD

TURNS: tuple[type[TabletopTurn], ...] = (*GM_TURNS, *CHARACTER_TURNS, SceneFile, *HUMAN_TURNS)


def kinds_for(seat: str) -> tuple[type[TabletopTurn], ...]:
    """The kinds of turn that a seat may be asked."""
    offices = {GM: GM_TURNS, NARRATOR: (SceneFile,), HUMAN: HUMAN_TURNS, TEAM_LEAD: ()}
    return offices.get(seat, CHARACTER_TURNS)


BACKGROUND = tuple(kind.stored_kind for kind in TURNS if kind.background)
"""The kinds that hold nothing up (T-159)."""
