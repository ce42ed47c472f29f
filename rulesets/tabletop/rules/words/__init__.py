"""The words that a turn is put in, and those that an answer in fields is made of."""

from __future__ import annotations

from sottovoce.rulesets.tabletop.rules.words.core import tell_core as tell_core
from sottovoce.rulesets.tabletop.rules.words.core import tell_opening as tell_opening
from sottovoce.rulesets.tabletop.rules.words.extracts import documents_for as documents_for
from sottovoce.rulesets.tabletop.rules.words.extracts import files_of_journal as files_of_journal
from sottovoce.rulesets.tabletop.rules.words.extracts import files_of_task as files_of_task
from sottovoce.rulesets.tabletop.rules.words.extracts import marked as marked
from sottovoce.rulesets.tabletop.rules.words.extracts import mentions as mentions
from sottovoce.rulesets.tabletop.rules.words.extracts import resource_lines as resource_lines
from sottovoce.rulesets.tabletop.rules.words.extracts import where as where
from sottovoce.rulesets.tabletop.rules.words.forms import answer_form as answer_form
from sottovoce.rulesets.tabletop.rules.words.forms import gm_form as gm_form
from sottovoce.rulesets.tabletop.rules.words.forms import journal_form as journal_form
from sottovoce.rulesets.tabletop.rules.words.forms import relay_form as relay_form
from sottovoce.rulesets.tabletop.rules.words.forms import scene_form as scene_form
from sottovoce.rulesets.tabletop.rules.words.forms import speech_form as speech_form
