"""The course of a session: how it opens, what a reply does, whose turn is next, and what stands in for a reply."""

from __future__ import annotations

from sottovoce.rulesets.tabletop.rules.course.changes import CARRIED as CARRIED
from sottovoce.rulesets.tabletop.rules.course.human import COMMANDS as COMMANDS
from sottovoce.rulesets.tabletop.rules.course.human import command as command
from sottovoce.rulesets.tabletop.rules.course.kinds import BACKGROUND as BACKGROUND
from sottovoce.rulesets.tabletop.rules.course.kinds import TURNS as TURNS
from sottovoce.rulesets.tabletop.rules.course.kinds import kinds_for as kinds_for
from sottovoce.rulesets.tabletop.rules.course.opening import open_game as open_game
from sottovoce.rulesets.tabletop.rules.course.opening import seats_for as seats_for
from sottovoce.rulesets.tabletop.rules.course.replies import TabletopTurn as TabletopTurn
from sottovoce.rulesets.tabletop.rules.course.replies import apply as apply
from sottovoce.rulesets.tabletop.rules.course.replies import expired as expired
from sottovoce.rulesets.tabletop.rules.course.replies import fallback as fallback
from sottovoce.rulesets.tabletop.rules.course.replies import settle as settle
from sottovoce.rulesets.tabletop.rules.course.replies import some_items as some_items
from sottovoce.rulesets.tabletop.rules.course.turn_order import advance as advance
