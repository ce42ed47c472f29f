"""The three editions of the message protocol, as data: which tags each has, who sends them to whom, and their fields.

    edition_named("phase-1").tags["AWAIT_PLAYERS"].fields

Everything else about messages (reading, writing, routes) is worked out from these tables.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal

from domain.errors import SetupRefused

Role = Literal["gm", "team-lead", "narrator", "player"]
Transport = Literal["broadcast", "message", "task"]
Body = Literal["none", "free", "speech", "sections", "prose"]
"""`none`: fields run to the end. `free`: any text but an empty one. `speech`: free, and in character. `sections`: `## `
headings. `prose`: no fields, all of it text."""

Kind = Literal[
    "text",
    "name",
    "speaker",
    "slug",
    "scene-number",
    "scene",
    "integer",
    "boolean",
    "roll",
    "names",
    "texts",
    "maps",
]
"""How a field's value is read: `speaker` is a name or `gm`, `slug` lower-case words joined by hyphens, `scene` a number
and a slug, `names` and `texts` lists, `maps` a list of entries with the fields in `parts`; the others say it."""

LISTS: tuple[Kind, ...] = ("names", "texts", "maps")


@dataclass(frozen=True, slots=True)
class FieldRule:
    """One field of a tag (T-025, T-028, T-029).

    `values` are the only ones allowed, if any are named. A field with `when` is required only where that other field
    has that value. `may_be_empty` lets a required list hold nothing. `parts` are the fields of each entry of `maps`.
    """

    name: str
    kind: Kind = "text"
    required: bool = True
    values: tuple[str, ...] = ()
    when: tuple[str, str] | None = None
    may_be_empty: bool = False
    parts: tuple[FieldRule, ...] = ()


@dataclass(frozen=True, slots=True)
class TagRule:
    """One tag of an edition: which roles send it, by which transports, to which roles, and what it holds.

    `recipients` are those of a direct message. `sections` are the headings that such a body must have, in order.
    """

    tag: str
    senders: tuple[Role, ...]
    recipients: tuple[Role, ...]
    fields: tuple[FieldRule, ...] = ()
    body: Body = "none"
    sections: tuple[str, ...] = ()
    transports: tuple[Transport, ...] = ("message",)

    @property
    def broadcast(self) -> bool:
        """Whether it may go to all seats at once (T-034)."""
        return "broadcast" in self.transports

    def field(self, name: str) -> FieldRule | None:
        """The field of that name, or None."""
        return next((rule for rule in self.fields if rule.name == name), None)


@dataclass(frozen=True, slots=True)
class Deprecation:
    """When a tag came, when it went, and what to send now: the tag, and a sentence about it (T-007)."""

    introduced: str
    deprecated: str
    replaced_by: str
    advice: str


@dataclass(frozen=True, slots=True)
class Edition:
    """One edition.

    `deprecated` tags are known and refused (T-008); `transports` are those it has (T-034); with `action_prompts` a
    NARRATIVE may ask what a player does (T-042, T-043).
    """

    name: str
    tags: Mapping[str, TagRule]
    deprecated: tuple[str, ...] = ()
    transports: tuple[Transport, ...] = ("broadcast", "message")
    action_prompts: bool = True


DEPRECATIONS: Mapping[str, Deprecation] = MappingProxyType(
    {
        "AWAIT_PLAYERS": Deprecation(
            "phase-1", "phase-2", "GM_TO_PLAYER", "send each player a [GM_TO_PLAYER] of their own"
        ),
        "PLAYER_RESPONSES": Deprecation(
            "phase-1", "phase-2", "PLAYER_TO_GM", "each player sends a [PLAYER_TO_GM] to gm"
        ),
    }
)

REQUEST_TYPES = ("QUICK_REACTION", "FULL_CONTEXT", "COMBAT_ACTION", "SECRET_ACTION")
CURRENT_REQUEST_TYPES = (*REQUEST_TYPES, "OPTIONAL_REACTION", "REFLECTION", "INTERACTION")


def request_types(edition: str) -> tuple[str, ...]:
    """What the GM may ask of a character in that edition."""
    return CURRENT_REQUEST_TYPES if edition == "current" else REQUEST_TYPES


RESULTS = ("success", "failure", "critical_success", "critical_failure")

SCENE = (FieldRule("scene_number", "scene-number"), FieldRule("scene_slug", "slug"))
CHARACTER = FieldRule("character", "name")
REASON = FieldRule("reason", required=False)
AT_START = ("command", "start")


def _gm_to_player(request_types: tuple[str, ...], transport: Transport) -> TagRule:
    return TagRule(
        "GM_TO_PLAYER",
        senders=("gm",),
        recipients=("player",),
        fields=(FieldRule("request_type", values=request_types), *SCENE),
        body="sections",
        sections=("Scene", "Just Happened", "Request"),
        transports=(transport,),
    )


NARRATIVE = TagRule("NARRATIVE", ("gm",), ("team-lead",), body="prose", transports=("broadcast", "message"))
ASK_PLAYER = TagRule(
    "ASK_PLAYER",
    ("gm",),
    ("team-lead",),
    (
        FieldRule("question"),
        FieldRule("header"),
        FieldRule("options", "maps", parts=(FieldRule("label"), FieldRule("description"))),
    ),
)
SESSION_END = TagRule(
    "SESSION_END",
    ("gm",),
    ("team-lead",),
    (FieldRule("summary"), FieldRule("state_saved", "boolean"), FieldRule("next_hook")),
)
NARRATOR_NOTE = TagRule(
    "NARRATOR_NOTE", ("gm", "player"), ("narrator",), (FieldRule("from", "speaker"), FieldRule("note"))
)
GM_NOTE = replace(NARRATOR_NOTE, senders=("gm",), fields=(FieldRule("from", values=("gm",)), FieldRule("note")))
DICE_RESULT = TagRule(
    "DICE_RESULT",
    ("team-lead",),
    ("gm",),
    (
        CHARACTER,
        FieldRule("check"),
        FieldRule("roll", "roll"),
        FieldRule("dc", "integer", required=False),
        FieldRule("result", required=False, values=RESULTS),
    ),
)
PLAYER_ANSWER = TagRule("PLAYER_ANSWER", ("team-lead",), ("gm",), (FieldRule("question"), FieldRule("answer")))
SESSION_COMMAND = TagRule(
    "SESSION_COMMAND",
    ("team-lead",),
    ("gm",),
    (
        FieldRule("command", values=("start", "save", "end")),
        REASON,
        FieldRule("campaign", "slug", when=AT_START),
        FieldRule("player_character", "name", when=AT_START),
        FieldRule("narrative_style", when=AT_START),
        FieldRule("ai_characters", "names", when=AT_START, may_be_empty=True),
    ),
)
CONTEXT_REFRESH = TagRule(
    "CONTEXT_REFRESH",
    ("team-lead",),
    ("gm", "narrator", "player"),
    (
        FieldRule("campaign", "slug"),
        FieldRule("current_scene", "scene", required=False),
        FieldRule("last_narrative_summary", required=False),
    ),
)
NARRATOR_REQUEST = TagRule(
    "NARRATOR_REQUEST", ("narrator",), ("gm",), (FieldRule("to", values=("gm",)), FieldRule("request"))
)
PLAYER_ACTION = TagRule("PLAYER_ACTION", ("team-lead",), ("gm",), (CHARACTER, FieldRule("action")))
STATE_UPDATED = TagRule(
    "STATE_UPDATED",
    ("gm",),
    ("team-lead",),
    (FieldRule("deltas_written", "texts"), FieldRule("characters_involved", "names", may_be_empty=True)),
)
AWAIT_PLAYERS = TagRule(
    "AWAIT_PLAYERS",
    ("gm",),
    ("team-lead",),
    (
        FieldRule(
            "characters",
            "maps",
            parts=(
                FieldRule("name", "name"),
                FieldRule("request_type", values=REQUEST_TYPES),
                FieldRule("scene_context"),
                FieldRule("just_happened"),
                FieldRule("request"),
            ),
        ),
        *SCENE,
    ),
)
PLAYER_RESPONSES = TagRule(
    "PLAYER_RESPONSES",
    ("team-lead",),
    ("gm",),
    (
        FieldRule("responses", "maps", may_be_empty=True, parts=(CHARACTER, FieldRule("response"))),
        FieldRule("vetoes", "maps", required=False, parts=(CHARACTER, FieldRule("reason"))),
    ),
)
PLAYER_TO_GM = TagRule(
    "PLAYER_TO_GM",
    ("player",),
    ("gm",),
    (FieldRule("type", values=("ACTION", "REACTION", "VETO")), CHARACTER),
    body="free",
)
PLAYER_TO_PLAYER = TagRule(
    "PLAYER_TO_PLAYER", ("player",), ("player",), (FieldRule("from", "name"), FieldRule("to", "name")), body="speech"
)
RELAY_TO_HUMAN = TagRule(
    "RELAY_TO_HUMAN",
    ("player",),
    ("team-lead",),
    (CHARACTER,),
    body="sections",
    sections=("Scene", "Decision Needed", "Suggested Options"),
)
HUMAN_DECISION = TagRule("HUMAN_DECISION", ("team-lead",), ("player",), (CHARACTER,), body="free")
MODE_SWITCH = TagRule(
    "MODE_SWITCH", ("team-lead",), ("player",), (FieldRule("mode", values=("AUTONOMOUS", "HUMAN_RELAY")), REASON)
)
JOURNAL_CHECKPOINT = TagRule(
    "JOURNAL_CHECKPOINT",
    ("team-lead",),
    ("player",),
    (
        FieldRule("campaign", "slug"),
        *SCENE,
        FieldRule("trigger", values=("state_updated", "session_end", "manual")),
    ),
)

SIGNAL = TagRule("AWAIT_AI_PLAYERS", ("gm",), ("team-lead",), (FieldRule("names", "names"),))
"""The signal of file mode, a tag of its own form in every edition (F-024). Its names are in the field `names`."""


def _by_tag(*rules: TagRule) -> Mapping[str, TagRule]:
    return MappingProxyType({rule.tag: rule for rule in rules})


EDITIONS: Mapping[str, Edition] = MappingProxyType(
    {
        "phase-1": Edition(
            "phase-1",
            _by_tag(
                NARRATIVE,
                _gm_to_player(REQUEST_TYPES, "task"),
                ASK_PLAYER,
                STATE_UPDATED,
                SESSION_END,
                GM_NOTE,
                AWAIT_PLAYERS,
                PLAYER_ACTION,
                DICE_RESULT,
                PLAYER_ANSWER,
                PLAYER_RESPONSES,
                SESSION_COMMAND,
                replace(CONTEXT_REFRESH, recipients=("gm", "narrator")),
                NARRATOR_REQUEST,
            ),
            transports=("broadcast", "message", "task"),
        ),
        "phase-2": Edition(
            "phase-2",
            _by_tag(
                NARRATIVE,
                _gm_to_player(REQUEST_TYPES, "message"),
                ASK_PLAYER,
                STATE_UPDATED,
                SESSION_END,
                NARRATOR_NOTE,
                PLAYER_ACTION,
                DICE_RESULT,
                PLAYER_ANSWER,
                SESSION_COMMAND,
                CONTEXT_REFRESH,
                NARRATOR_REQUEST,
                HUMAN_DECISION,
                MODE_SWITCH,
                PLAYER_TO_GM,
                PLAYER_TO_PLAYER,
                RELAY_TO_HUMAN,
                JOURNAL_CHECKPOINT,
            ),
            deprecated=("AWAIT_PLAYERS", "PLAYER_RESPONSES"),
        ),
        "current": Edition(
            "current",
            _by_tag(
                NARRATIVE,
                _gm_to_player(CURRENT_REQUEST_TYPES, "message"),
                ASK_PLAYER,
                SESSION_END,
                NARRATOR_NOTE,
                DICE_RESULT,
                PLAYER_ANSWER,
                SESSION_COMMAND,
                CONTEXT_REFRESH,
                HUMAN_DECISION,
                MODE_SWITCH,
                PLAYER_TO_GM,
                PLAYER_TO_PLAYER,
                RELAY_TO_HUMAN,
                NARRATOR_REQUEST,
            ),
            action_prompts=False,
        ),
    }
)
"""Every edition by its name (T-001)."""

DEFAULT_EDITION = "current"


def edition_named(name: str) -> Edition:
    """The edition of that name, or SetupRefused (T-002)."""
    if name not in EDITIONS:
        raise SetupRefused(f"There is no edition {name[:40]!r}; choose one of: {', '.join(EDITIONS)}.")
    return EDITIONS[name]
