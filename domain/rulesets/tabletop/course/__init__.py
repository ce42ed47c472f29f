"""The course of a session: how it opens, what a reply does, whose turn is next, and what stands in for a reply."""

from __future__ import annotations

from sottovoce.domain.rulesets.tabletop.course.agenda import advance as advance
from sottovoce.domain.rulesets.tabletop.course.changes import CARRIED as CARRIED
from sottovoce.domain.rulesets.tabletop.course.human import COMMANDS as COMMANDS
from sottovoce.domain.rulesets.tabletop.course.human import command as command
from sottovoce.domain.rulesets.tabletop.course.kinds import BACKGROUND as BACKGROUND
from sottovoce.domain.rulesets.tabletop.course.kinds import TURNS as TURNS
from sottovoce.domain.rulesets.tabletop.course.opening import open_game as open_game
from sottovoce.domain.rulesets.tabletop.course.opening import seats_for as seats_for
from sottovoce.domain.rulesets.tabletop.course.replies import Asked as Asked
from sottovoce.domain.rulesets.tabletop.course.replies import apply as apply
from sottovoce.domain.rulesets.tabletop.course.replies import expired as expired
from sottovoce.domain.rulesets.tabletop.course.replies import fallback as fallback
from sottovoce.domain.rulesets.tabletop.course.replies import settle as settle
from sottovoce.domain.rulesets.tabletop.course.replies import some_items as some_items
