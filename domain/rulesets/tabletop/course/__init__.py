"""The course of a session: how it opens, what a reply does, whose turn is next, and what stands in for a reply."""

from __future__ import annotations

from domain.rulesets.tabletop.course.agenda import advance as advance
from domain.rulesets.tabletop.course.changes import CARRIED as CARRIED
from domain.rulesets.tabletop.course.decisions import apply as apply
from domain.rulesets.tabletop.course.decisions import expired as expired
from domain.rulesets.tabletop.course.decisions import fallback as fallback
from domain.rulesets.tabletop.course.decisions import open_game as open_game
from domain.rulesets.tabletop.course.decisions import seats_for as seats_for
from domain.rulesets.tabletop.course.decisions import settle as settle
from domain.rulesets.tabletop.course.moves import COMMANDS as COMMANDS
from domain.rulesets.tabletop.course.moves import read as read
