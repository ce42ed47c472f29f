"""The campaign's documents: pieces of text with one audience each, who reads and writes which file, and their changes.

A folder is imported (`import_folder`) as pieces cut at what its authors keep from the players; `rebuild` joins what is
known of a document; `apply_delta` is what a change comes to. `Heard` knows whose words are closed to whom.
"""

from __future__ import annotations

from sottovoce.rulesets.tabletop.rules.documents.access import DECISION_LOG as DECISION_LOG
from sottovoce.rulesets.tabletop.rules.documents.access import GM_CONTEXT as GM_CONTEXT
from sottovoce.rulesets.tabletop.rules.documents.access import GM_DELTA as GM_DELTA
from sottovoce.rulesets.tabletop.rules.documents.access import LOG_WRITER as LOG_WRITER
from sottovoce.rulesets.tabletop.rules.documents.access import PARTY_DELTA as PARTY_DELTA
from sottovoce.rulesets.tabletop.rules.documents.access import PARTY_KNOWLEDGE as PARTY_KNOWLEDGE
from sottovoce.rulesets.tabletop.rules.documents.access import SHARED_NARRATIVE as SHARED_NARRATIVE
from sottovoce.rulesets.tabletop.rules.documents.access import STORY_STATE as STORY_STATE
from sottovoce.rulesets.tabletop.rules.documents.access import EditionName as EditionName
from sottovoce.rulesets.tabletop.rules.documents.access import for_tasks as for_tasks
from sottovoce.rulesets.tabletop.rules.documents.access import in_tmp as in_tmp
from sottovoce.rulesets.tabletop.rules.documents.access import is_journal as is_journal
from sottovoce.rulesets.tabletop.rules.documents.access import is_recap as is_recap
from sottovoce.rulesets.tabletop.rules.documents.access import journal as journal
from sottovoce.rulesets.tabletop.rules.documents.access import notes_file as notes_file
from sottovoce.rulesets.tabletop.rules.documents.access import prompt_file as prompt_file
from sottovoce.rulesets.tabletop.rules.documents.access import readers_of as readers_of
from sottovoce.rulesets.tabletop.rules.documents.access import recap_file as recap_file
from sottovoce.rulesets.tabletop.rules.documents.access import removers_of as removers_of
from sottovoce.rulesets.tabletop.rules.documents.access import response_file as response_file
from sottovoce.rulesets.tabletop.rules.documents.access import scene_file as scene_file
from sottovoce.rulesets.tabletop.rules.documents.access import sheet as sheet
from sottovoce.rulesets.tabletop.rules.documents.access import sheets_in as sheets_in
from sottovoce.rulesets.tabletop.rules.documents.access import with_the_person as with_the_person
from sottovoce.rulesets.tabletop.rules.documents.deltas import Delta as Delta
from sottovoce.rulesets.tabletop.rules.documents.deltas import Removed as Removed
from sottovoce.rulesets.tabletop.rules.documents.deltas import Written as Written
from sottovoce.rulesets.tabletop.rules.documents.deltas import apply_delta as apply_delta
from sottovoce.rulesets.tabletop.rules.documents.folder import differences as differences
from sottovoce.rulesets.tabletop.rules.documents.folder import import_folder as import_folder
from sottovoce.rulesets.tabletop.rules.documents.folder import roster_of as roster_of
from sottovoce.rulesets.tabletop.rules.documents.folder import text_of as text_of
from sottovoce.rulesets.tabletop.rules.documents.inline_secrets import lines_of as lines_of
from sottovoce.rulesets.tabletop.rules.documents.journals import check_entry as check_entry
from sottovoce.rulesets.tabletop.rules.documents.journals import journal_entry as journal_entry
from sottovoce.rulesets.tabletop.rules.documents.markdown import Outline as Outline
from sottovoce.rulesets.tabletop.rules.documents.marks import looks_closed as looks_closed
from sottovoce.rulesets.tabletop.rules.documents.marks import title_looks_closed as title_looks_closed
from sottovoce.rulesets.tabletop.rules.documents.pieces import NO_DOCUMENTS as NO_DOCUMENTS
from sottovoce.rulesets.tabletop.rules.documents.pieces import Documents as Documents
from sottovoce.rulesets.tabletop.rules.documents.pieces import Piece as Piece
from sottovoce.rulesets.tabletop.rules.documents.pieces import folded as folded
from sottovoce.rulesets.tabletop.rules.documents.pieces import rebuild as rebuild
from sottovoce.rulesets.tabletop.rules.documents.pieces import rebuilt as rebuilt
from sottovoce.rulesets.tabletop.rules.documents.pieces import with_piece as with_piece
from sottovoce.rulesets.tabletop.rules.documents.pieces import without_piece as without_piece
from sottovoce.rulesets.tabletop.rules.documents.prompt_files import CONTEXT_LINES as CONTEXT_LINES
from sottovoce.rulesets.tabletop.rules.documents.prompt_files import VETO_FIRST_LINE as VETO_FIRST_LINE
from sottovoce.rulesets.tabletop.rules.documents.prompt_files import check_response as check_response
from sottovoce.rulesets.tabletop.rules.documents.prompt_files import error_report as error_report
from sottovoce.rulesets.tabletop.rules.documents.prompt_files import read_prompt as read_prompt
from sottovoce.rulesets.tabletop.rules.documents.prompt_files import write_context as write_context
from sottovoce.rulesets.tabletop.rules.documents.prompt_files import write_prompt as write_prompt
from sottovoce.rulesets.tabletop.rules.documents.secrecy import marked_title as marked_title
from sottovoce.rulesets.tabletop.rules.documents.secrecy import open_lines as open_lines
from sottovoce.rulesets.tabletop.rules.documents.secret_phrases import RUN as RUN
from sottovoce.rulesets.tabletop.rules.documents.secret_phrases import Heard as Heard
from sottovoce.rulesets.tabletop.rules.documents.secret_phrases import is_source as is_source
from sottovoce.rulesets.tabletop.rules.documents.secret_phrases import numbered as numbered
from sottovoce.rulesets.tabletop.rules.documents.secret_phrases import runs_in as runs_in
