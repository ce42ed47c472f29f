"""The words that a turn is put in, and those that an answer in fields is made of."""

from __future__ import annotations

from domain.rulesets.tabletop.words.core import tell_core as tell_core
from domain.rulesets.tabletop.words.core import tell_opening as tell_opening
from domain.rulesets.tabletop.words.extracts import documents_for as documents_for
from domain.rulesets.tabletop.words.extracts import files_of_journal as files_of_journal
from domain.rulesets.tabletop.words.extracts import files_of_task as files_of_task
from domain.rulesets.tabletop.words.extracts import marked as marked
from domain.rulesets.tabletop.words.extracts import mentions as mentions
from domain.rulesets.tabletop.words.extracts import resource_lines as resource_lines
from domain.rulesets.tabletop.words.extracts import where as where
from domain.rulesets.tabletop.words.forms import answer_form as answer_form
from domain.rulesets.tabletop.words.forms import gm_form as gm_form
from domain.rulesets.tabletop.words.forms import journal_form as journal_form
from domain.rulesets.tabletop.words.forms import relay_form as relay_form
from domain.rulesets.tabletop.words.forms import scene_form as scene_form
from domain.rulesets.tabletop.words.forms import speech_form as speech_form
