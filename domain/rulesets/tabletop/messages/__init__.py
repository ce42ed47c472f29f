"""The message protocol: tags, their fields and routes, whole replies, and what a message may do and does.

A tag is a class (`Tag`), an edition a list of them (`EDITIONS`). `parse`, `compose` and `serialise` turn texts into
messages and back; `send` and `post` are the way in for every message; `MessageSent` is what is stored of it.
"""

from __future__ import annotations

from sottovoce.domain.rulesets.tabletop.messages.delivery import post as post
from sottovoce.domain.rulesets.tabletop.messages.delivery import send as send
from sottovoce.domain.rulesets.tabletop.messages.editions import DEPRECATIONS as DEPRECATIONS
from sottovoce.domain.rulesets.tabletop.messages.editions import EDITIONS as EDITIONS
from sottovoce.domain.rulesets.tabletop.messages.editions import Deprecation as Deprecation
from sottovoce.domain.rulesets.tabletop.messages.editions import Edition as Edition
from sottovoce.domain.rulesets.tabletop.messages.editions import edition_named as edition_named
from sottovoce.domain.rulesets.tabletop.messages.editions import edition_of as edition_of
from sottovoce.domain.rulesets.tabletop.messages.envelopes import in_json as in_json
from sottovoce.domain.rulesets.tabletop.messages.envelopes import read_reply as read_reply
from sottovoce.domain.rulesets.tabletop.messages.fields import MOST_ITEMS as MOST_ITEMS
from sottovoce.domain.rulesets.tabletop.messages.fields import Field as Field
from sottovoce.domain.rulesets.tabletop.messages.fields import Value as Value
from sottovoce.domain.rulesets.tabletop.messages.human import AskPlayer as AskPlayer
from sottovoce.domain.rulesets.tabletop.messages.human import DiceResult as DiceResult
from sottovoce.domain.rulesets.tabletop.messages.human import HumanDecision as HumanDecision
from sottovoce.domain.rulesets.tabletop.messages.human import ModeSwitch as ModeSwitch
from sottovoce.domain.rulesets.tabletop.messages.human import PlayerAction as PlayerAction
from sottovoce.domain.rulesets.tabletop.messages.human import PlayerAnswer as PlayerAnswer
from sottovoce.domain.rulesets.tabletop.messages.human import RelayToHuman as RelayToHuman
from sottovoce.domain.rulesets.tabletop.messages.items import Item as Item
from sottovoce.domain.rulesets.tabletop.messages.items import Malformed as Malformed
from sottovoce.domain.rulesets.tabletop.messages.items import ReplyForm as ReplyForm
from sottovoce.domain.rulesets.tabletop.messages.items import ResourceDelta as ResourceDelta
from sottovoce.domain.rulesets.tabletop.messages.items import ResourceDeltaForm as ResourceDeltaForm
from sottovoce.domain.rulesets.tabletop.messages.items import RollForm as RollForm
from sottovoce.domain.rulesets.tabletop.messages.items import RollRequest as RollRequest
from sottovoce.domain.rulesets.tabletop.messages.items import Send as Send
from sottovoce.domain.rulesets.tabletop.messages.items import TextDelta as TextDelta
from sottovoce.domain.rulesets.tabletop.messages.items import TextDeltaForm as TextDeltaForm
from sottovoce.domain.rulesets.tabletop.messages.message import Message as Message
from sottovoce.domain.rulesets.tabletop.messages.message import compose as compose
from sottovoce.domain.rulesets.tabletop.messages.message import parse as parse
from sottovoce.domain.rulesets.tabletop.messages.message import serialise as serialise
from sottovoce.domain.rulesets.tabletop.messages.narration import CalmNarrative as CalmNarrative
from sottovoce.domain.rulesets.tabletop.messages.narration import Narrative as Narrative
from sottovoce.domain.rulesets.tabletop.messages.narration import NarratorNote as NarratorNote
from sottovoce.domain.rulesets.tabletop.messages.narration import NarratorRequest as NarratorRequest
from sottovoce.domain.rulesets.tabletop.messages.requests import GmToPlayer as GmToPlayer
from sottovoce.domain.rulesets.tabletop.messages.requests import PlayerToGm as PlayerToGm
from sottovoce.domain.rulesets.tabletop.messages.routes import addressees as addressees
from sottovoce.domain.rulesets.tabletop.messages.routes import check_route as check_route
from sottovoce.domain.rulesets.tabletop.messages.routes import one_recipient as one_recipient
from sottovoce.domain.rulesets.tabletop.messages.routes import role_of as role_of
from sottovoce.domain.rulesets.tabletop.messages.sent import MessageSent as MessageSent
from sottovoce.domain.rulesets.tabletop.messages.session import ContextRefresh as ContextRefresh
from sottovoce.domain.rulesets.tabletop.messages.session import JournalCheckpoint as JournalCheckpoint
from sottovoce.domain.rulesets.tabletop.messages.session import SessionCommand as SessionCommand
from sottovoce.domain.rulesets.tabletop.messages.session import SessionEnd as SessionEnd
from sottovoce.domain.rulesets.tabletop.messages.session import StateUpdated as StateUpdated
from sottovoce.domain.rulesets.tabletop.messages.tag import Role as Role
from sottovoce.domain.rulesets.tabletop.messages.tag import Route as Route
from sottovoce.domain.rulesets.tabletop.messages.tag import Tag as Tag
from sottovoce.domain.rulesets.tabletop.messages.talk import Informal as Informal
from sottovoce.domain.rulesets.tabletop.messages.talk import PlayerToPlayer as PlayerToPlayer
from sottovoce.domain.rulesets.tabletop.messages.tasks import AwaitAiPlayers as AwaitAiPlayers
from sottovoce.domain.rulesets.tabletop.messages.tasks import AwaitPlayers as AwaitPlayers
from sottovoce.domain.rulesets.tabletop.messages.tasks import PlayerResponses as PlayerResponses
