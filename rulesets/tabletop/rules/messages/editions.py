"""The three editions of the message protocol: which classes each has.

    EDITIONS["phase-1"].tags["AWAIT_PLAYERS"].fields

Everything else about messages (reading, writing, routes, what follows) is said by the classes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

from sottovoce import SetupRefused
from sottovoce.rulesets.tabletop.rules.messages import human, narration, requests, session, talk, tasks
from sottovoce.rulesets.tabletop.rules.messages.tag import Tag, Transport
from sottovoce.rulesets.tabletop.rules.state import DEFAULT_EDITION, TabletopState


@dataclass(frozen=True, slots=True)
class Deprecation:
    """When a tag came, when it went, and what to send now: the tag, and a sentence about it (T-007)."""

    introduced: str
    deprecated: str
    replaced_by: str
    advice: str


@dataclass(frozen=True)
class Edition:
    """One edition: its classes, the tags that are known and refused in it (T-008), and its transports (T-034)."""

    name: str
    classes: tuple[type[Tag], ...]
    deprecated: tuple[str, ...] = ()
    transports: tuple[Transport, ...] = ("broadcast", "message")

    @cached_property
    def tags(self) -> Mapping[str, type[Tag]]:
        """Each live tag's class, in order."""
        return MappingProxyType({each.tag: each for each in self.classes if each.tag})

    @cached_property
    def known(self) -> Mapping[str, type[Tag]]:
        """Every class by its tag, file mode's signal and informal text included."""
        return {"": talk.Informal, **self.tags, tasks.AwaitAiPlayers.tag: tasks.AwaitAiPlayers}

    def class_of(self, tag: str | None) -> type[Tag]:
        """The class of messages with that tag."""
        return self.known.get(tag or "", Tag)

    def live(self, tag: str | None) -> type[Tag] | None:
        """The class of a live tag, the signal's included; None for what is informal."""
        return self.known.get(tag) if tag else None


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

PHASE_1 = Edition(
    "phase-1",
    (
        narration.Narrative,
        requests.TaskGmToPlayer,
        human.AskPlayer,
        session.StateUpdated,
        session.DeltaSessionEnd,
        narration.GmOnlyNote,
        tasks.AwaitPlayers,
        human.PlayerAction,
        human.DiceResult,
        human.PlayerAnswer,
        tasks.PlayerResponses,
        session.SessionCommand,
        session.NoPlayersContextRefresh,
        narration.NarratorRequest,
    ),
    transports=("broadcast", "message", "task"),
)
PHASE_2 = Edition(
    "phase-2",
    (
        narration.Narrative,
        requests.EarlyGmToPlayer,
        human.AskPlayer,
        session.StateUpdated,
        session.DeltaSessionEnd,
        narration.NarratorNote,
        human.PlayerAction,
        human.DiceResult,
        human.PlayerAnswer,
        session.SessionCommand,
        session.ContextRefresh,
        narration.NarratorRequest,
        human.HumanDecision,
        human.ModeSwitch,
        requests.PlayerToGm,
        talk.PlayerToPlayer,
        human.RelayToHuman,
        session.JournalCheckpoint,
    ),
    deprecated=("AWAIT_PLAYERS", "PLAYER_RESPONSES"),
)
CURRENT = Edition(
    "current",
    (
        narration.CalmNarrative,
        requests.GmToPlayer,
        human.AskPlayer,
        session.SessionEnd,
        narration.NarratorNote,
        human.DiceResult,
        human.PlayerAnswer,
        session.SessionCommand,
        session.ContextRefresh,
        human.HumanDecision,
        human.ModeSwitch,
        requests.PlayerToGm,
        talk.PlayerToPlayer,
        human.RelayToHuman,
        narration.NarratorRequest,
    ),
)

EDITIONS: Mapping[str, Edition] = MappingProxyType({each.name: each for each in (PHASE_1, PHASE_2, CURRENT)})
"""Every edition by its name (T-001)."""

ANY_EDITION: Mapping[str, type[Tag]] = {tag: kind for each in EDITIONS.values() for tag, kind in each.known.items()}
"""A class for each tag there is: what differs between editions is not how it is told."""


def edition_named(name: str = DEFAULT_EDITION) -> Edition:
    """The edition of that name, or SetupRefused (T-002)."""
    if name not in EDITIONS:
        raise SetupRefused(f"There is no edition {name[:40]!r}. Choose one of: {', '.join(EDITIONS)}.")
    return EDITIONS[name]


def edition_of(state: TabletopState) -> Edition:
    """The edition that the session is played in."""
    return EDITIONS[state.edition_name]
