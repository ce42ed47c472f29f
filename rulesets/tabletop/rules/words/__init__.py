"""The words that a turn is put in, and those that an answer in fields is made of."""

from __future__ import annotations

from sottovoce.rulesets.tabletop.rules.words.brief import BriefGmFields as BriefGmFields
from sottovoce.rulesets.tabletop.rules.words.brief import Circumstances as Circumstances
from sottovoce.rulesets.tabletop.rules.words.brief import brief_text as brief_text
from sottovoce.rulesets.tabletop.rules.words.core import tell_core as tell_core
from sottovoce.rulesets.tabletop.rules.words.core import tell_opening as tell_opening
from sottovoce.rulesets.tabletop.rules.words.digest import digest as digest
from sottovoce.rulesets.tabletop.rules.words.extracts import files_of_journal as files_of_journal
from sottovoce.rulesets.tabletop.rules.words.extracts import in_hand as in_hand
from sottovoce.rulesets.tabletop.rules.words.extracts import marked as marked
from sottovoce.rulesets.tabletop.rules.words.extracts import mentions as mentions
from sottovoce.rulesets.tabletop.rules.words.extracts import resource_lines as resource_lines
from sottovoce.rulesets.tabletop.rules.words.extracts import where as where
from sottovoce.rulesets.tabletop.rules.words.extracts import working_files as working_files
from sottovoce.rulesets.tabletop.rules.words.forms import AnswerFields as AnswerFields
from sottovoce.rulesets.tabletop.rules.words.forms import JournalFields as JournalFields
from sottovoce.rulesets.tabletop.rules.words.forms import RelayFields as RelayFields
from sottovoce.rulesets.tabletop.rules.words.forms import SceneFields as SceneFields
from sottovoce.rulesets.tabletop.rules.words.forms import SpeechFields as SpeechFields
from sottovoce.rulesets.tabletop.rules.words.forms import answer_text as answer_text
from sottovoce.rulesets.tabletop.rules.words.forms import journal_text as journal_text
from sottovoce.rulesets.tabletop.rules.words.forms import relay_text as relay_text
from sottovoce.rulesets.tabletop.rules.words.forms import scene_text as scene_text
from sottovoce.rulesets.tabletop.rules.words.forms import speech_text as speech_text
from sottovoce.rulesets.tabletop.rules.words.steps import GmFields as GmFields
from sottovoce.rulesets.tabletop.rules.words.steps import Stepped as Stepped
from sottovoce.rulesets.tabletop.rules.words.steps import facts_in as facts_in
from sottovoce.rulesets.tabletop.rules.words.steps import gm_text as gm_text
from sottovoce.rulesets.tabletop.rules.words.steps import items_of as items_of
from sottovoce.rulesets.tabletop.rules.words.steps import steps_in as steps_in
from sottovoce.rulesets.tabletop.rules.words.steps import told_in as told_in
