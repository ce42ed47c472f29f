"""The message protocol: tags, their fields and routes, whole replies, and what a message may do and does.

A tag is a class (`Tag`), an edition a list of them (`EDITIONS`). `parse`, `compose` and `serialise` turn texts into
messages and back; `send` and `post` are the way in for every message; `MessageSent` is what is stored of it.
"""

from __future__ import annotations

from domain.rulesets.tabletop.messages.delivery import post, send
from domain.rulesets.tabletop.messages.editions import (
    DEPRECATIONS,
    EDITIONS,
    Deprecation,
    Edition,
    edition_named,
    edition_of,
)
from domain.rulesets.tabletop.messages.envelopes import (
    Item,
    Malformed,
    ReplyForm,
    ResourceDelta,
    ResourceDeltaForm,
    RollForm,
    RollRequest,
    Send,
    TextDelta,
    TextDeltaForm,
    in_json,
    read_reply,
)
from domain.rulesets.tabletop.messages.fields import MOST_ITEMS, Field, Value
from domain.rulesets.tabletop.messages.human import (
    AskPlayer,
    DiceResult,
    HumanDecision,
    ModeSwitch,
    PlayerAction,
    PlayerAnswer,
    RelayToHuman,
)
from domain.rulesets.tabletop.messages.message import Message, compose, parse, serialise
from domain.rulesets.tabletop.messages.narration import CalmNarrative, Narrative, NarratorNote, NarratorRequest
from domain.rulesets.tabletop.messages.requests import GmToPlayer, PlayerToGm
from domain.rulesets.tabletop.messages.routes import addressees, check_route, one_recipient, role_of
from domain.rulesets.tabletop.messages.sent import MessageSent, fold_message, message_audience
from domain.rulesets.tabletop.messages.session import (
    ContextRefresh,
    JournalCheckpoint,
    SessionCommand,
    SessionEnd,
    StateUpdated,
)
from domain.rulesets.tabletop.messages.tag import Role, Route, Tag
from domain.rulesets.tabletop.messages.talk import Informal, PlayerToPlayer
from domain.rulesets.tabletop.messages.tasks import AwaitAiPlayers, AwaitPlayers, PlayerResponses

__all__ = [
    "DEPRECATIONS",
    "EDITIONS",
    "MOST_ITEMS",
    "AskPlayer",
    "AwaitAiPlayers",
    "AwaitPlayers",
    "CalmNarrative",
    "ContextRefresh",
    "Deprecation",
    "DiceResult",
    "Edition",
    "Field",
    "GmToPlayer",
    "HumanDecision",
    "Informal",
    "Item",
    "JournalCheckpoint",
    "Malformed",
    "Message",
    "MessageSent",
    "ModeSwitch",
    "Narrative",
    "NarratorNote",
    "NarratorRequest",
    "PlayerAction",
    "PlayerAnswer",
    "PlayerResponses",
    "PlayerToGm",
    "PlayerToPlayer",
    "RelayToHuman",
    "ReplyForm",
    "ResourceDelta",
    "ResourceDeltaForm",
    "Role",
    "RollForm",
    "RollRequest",
    "Route",
    "Send",
    "SessionCommand",
    "SessionEnd",
    "StateUpdated",
    "Tag",
    "TextDelta",
    "TextDeltaForm",
    "Value",
    "addressees",
    "check_route",
    "compose",
    "edition_named",
    "edition_of",
    "fold_message",
    "in_json",
    "message_audience",
    "one_recipient",
    "parse",
    "post",
    "read_reply",
    "role_of",
    "send",
    "serialise",
]
