"""The message protocol: tags, their fields and routes, whole replies, and what a message may do and does.

A tag is a class (`Tag`), an edition a list of them (`EDITIONS`). `parse`, `compose` and `serialise` turn texts into
messages and back; `send` and `post` are the way in for every message; `MessageSent` is what is stored of it.
"""

from __future__ import annotations

from sottovoce.rulesets.tabletop.rules.messages.delivery import place_fault as place_fault
from sottovoce.rulesets.tabletop.rules.messages.delivery import post as post
from sottovoce.rulesets.tabletop.rules.messages.delivery import send as send
from sottovoce.rulesets.tabletop.rules.messages.editions import DEPRECATIONS as DEPRECATIONS
from sottovoce.rulesets.tabletop.rules.messages.editions import EDITIONS as EDITIONS
from sottovoce.rulesets.tabletop.rules.messages.editions import Deprecation as Deprecation
from sottovoce.rulesets.tabletop.rules.messages.editions import Edition as Edition
from sottovoce.rulesets.tabletop.rules.messages.editions import edition_named as edition_named
from sottovoce.rulesets.tabletop.rules.messages.editions import edition_of as edition_of
from sottovoce.rulesets.tabletop.rules.messages.envelopes import in_json as in_json
from sottovoce.rulesets.tabletop.rules.messages.envelopes import placed as placed
from sottovoce.rulesets.tabletop.rules.messages.envelopes import read_reply as read_reply
from sottovoce.rulesets.tabletop.rules.messages.fields import MOST_ITEMS as MOST_ITEMS
from sottovoce.rulesets.tabletop.rules.messages.fields import Field as Field
from sottovoce.rulesets.tabletop.rules.messages.fields import Value as Value
from sottovoce.rulesets.tabletop.rules.messages.human import AskPlayer as AskPlayer
from sottovoce.rulesets.tabletop.rules.messages.human import DiceResult as DiceResult
from sottovoce.rulesets.tabletop.rules.messages.human import HumanDecision as HumanDecision
from sottovoce.rulesets.tabletop.rules.messages.human import ModeSwitch as ModeSwitch
from sottovoce.rulesets.tabletop.rules.messages.human import PlayerAction as PlayerAction
from sottovoce.rulesets.tabletop.rules.messages.human import PlayerAnswer as PlayerAnswer
from sottovoce.rulesets.tabletop.rules.messages.human import RelayToHuman as RelayToHuman
from sottovoce.rulesets.tabletop.rules.messages.items import AttitudeChange as AttitudeChange
from sottovoce.rulesets.tabletop.rules.messages.items import CheckRequest as CheckRequest
from sottovoce.rulesets.tabletop.rules.messages.items import FactsRequest as FactsRequest
from sottovoce.rulesets.tabletop.rules.messages.items import Item as Item
from sottovoce.rulesets.tabletop.rules.messages.items import Malformed as Malformed
from sottovoce.rulesets.tabletop.rules.messages.items import OpenDocument as OpenDocument
from sottovoce.rulesets.tabletop.rules.messages.items import Place as Place
from sottovoce.rulesets.tabletop.rules.messages.items import ReplyForm as ReplyForm
from sottovoce.rulesets.tabletop.rules.messages.items import ResourceDelta as ResourceDelta
from sottovoce.rulesets.tabletop.rules.messages.items import ResourceDeltaForm as ResourceDeltaForm
from sottovoce.rulesets.tabletop.rules.messages.items import RollForm as RollForm
from sottovoce.rulesets.tabletop.rules.messages.items import RollRequest as RollRequest
from sottovoce.rulesets.tabletop.rules.messages.items import Send as Send
from sottovoce.rulesets.tabletop.rules.messages.items import TextDelta as TextDelta
from sottovoce.rulesets.tabletop.rules.messages.items import TextDeltaForm as TextDeltaForm
from sottovoce.rulesets.tabletop.rules.messages.message import Message as Message
from sottovoce.rulesets.tabletop.rules.messages.message import compose as compose
from sottovoce.rulesets.tabletop.rules.messages.message import parse as parse
from sottovoce.rulesets.tabletop.rules.messages.message import serialise as serialise
from sottovoce.rulesets.tabletop.rules.messages.narration import CalmNarrative as CalmNarrative
from sottovoce.rulesets.tabletop.rules.messages.narration import Narrative as Narrative
from sottovoce.rulesets.tabletop.rules.messages.narration import NarratorNote as NarratorNote
from sottovoce.rulesets.tabletop.rules.messages.narration import NarratorRequest as NarratorRequest
from sottovoce.rulesets.tabletop.rules.messages.requests import GmToPlayer as GmToPlayer
from sottovoce.rulesets.tabletop.rules.messages.requests import PlayerToGm as PlayerToGm
from sottovoce.rulesets.tabletop.rules.messages.routes import addressees as addressees
from sottovoce.rulesets.tabletop.rules.messages.routes import check_route as check_route
from sottovoce.rulesets.tabletop.rules.messages.routes import one_recipient as one_recipient
from sottovoce.rulesets.tabletop.rules.messages.routes import role_of as role_of
from sottovoce.rulesets.tabletop.rules.messages.sent import MessageSent as MessageSent
from sottovoce.rulesets.tabletop.rules.messages.session import ContextRefresh as ContextRefresh
from sottovoce.rulesets.tabletop.rules.messages.session import JournalCheckpoint as JournalCheckpoint
from sottovoce.rulesets.tabletop.rules.messages.session import SessionCommand as SessionCommand
from sottovoce.rulesets.tabletop.rules.messages.session import SessionEnd as SessionEnd
from sottovoce.rulesets.tabletop.rules.messages.session import StateUpdated as StateUpdated
from sottovoce.rulesets.tabletop.rules.messages.tag import Role as Role
from sottovoce.rulesets.tabletop.rules.messages.tag import Route as Route
from sottovoce.rulesets.tabletop.rules.messages.tag import Tag as Tag
from sottovoce.rulesets.tabletop.rules.messages.talk import Informal as Informal
from sottovoce.rulesets.tabletop.rules.messages.talk import PlayerToPlayer as PlayerToPlayer
from sottovoce.rulesets.tabletop.rules.messages.tasks import AwaitAiPlayers as AwaitAiPlayers
from sottovoce.rulesets.tabletop.rules.messages.tasks import AwaitPlayers as AwaitPlayers
from sottovoce.rulesets.tabletop.rules.messages.tasks import PlayerResponses as PlayerResponses
