"""The words that a turn is put in, and those that an answer in fields is made of."""

from __future__ import annotations

from domain.rulesets.tabletop.words.core import tell_core as tell_core
from domain.rulesets.tabletop.words.core import tell_opening as tell_opening
from domain.rulesets.tabletop.words.extracts import mentions as mentions
from domain.rulesets.tabletop.words.extracts import resource_lines as resource_lines
from domain.rulesets.tabletop.words.forms import form as form
from domain.rulesets.tabletop.words.prompts import request as request
