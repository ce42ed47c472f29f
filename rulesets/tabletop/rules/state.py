"""What a tabletop session knows at a position. How each fact changes it: `fold`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, Self, TypedDict

from sottovoce import NOTHING, Growing, Options, Table, TurnOpened, option
from sottovoce.domain import game as core
from sottovoce.domain.turns import Kinds
from sottovoce.rulesets.tabletop.rules.documents import (
    GM_DELTA,
    NO_DOCUMENTS,
    PARTY_DELTA,
    Documents,
    EditionName,
    Heard,
)
from sottovoce.rulesets.tabletop.rules.names import GM, HUMAN, STANDING
from sottovoce.rulesets.tabletop.rules.resources import NO_RESOURCES, Resources

Mode = Literal["HUMAN_RELAY", "AUTONOMOUS"]
Task = Literal["state-delta-writer", "knowledge-delta-writer", "decision-log", "ai-player-journal", "ai-player-action"]
DEFAULT_EDITION = "current"
FIRST_SCENE = ("001", "opening")
NOTHING_HEARD = Heard()
REST = ""
"""The label of those whom no group note has named since the party split."""

WRITERS: Mapping[Task, str] = {"state-delta-writer": GM_DELTA, "knowledge-delta-writer": PARTY_DELTA}
"""The file that each writing task merges (T-117)."""

Call = Literal["opening", "outcome", "answer", "veto", "note", "save", "recap", "end"]
"""Why the GM is to act: what its next turn is about."""
URGENT: frozenset[Call] = frozenset(("veto", "note", "save", "recap", "end"))
"""The calls that do not wait until nobody else is awaited."""


class TabletopOptions(Options):
    """The rules options of a session. All are public, and recorded at the opening."""

    edition: EditionName = option(
        "current", "Message format", "Leave it unless an agent needs an older version.", group="fair play"
    )
    campaign: str = option("", "Campaign", "The name of the campaign's folder.")
    player_character: str | None = option(None, "Your character", "The character that the person at the table plays.")
    narrative_style: str = option(
        "hybrid", "Style of the story", "How much is told and how much is talk, such as hybrid.", group="how it is told"
    )
    dialogue_format: str = option(
        "quoted", "Dialogue", "How speech is written in the story, such as quoted.", group="how it is told"
    )
    max_attempts: int = option(
        3, "Attempts at a turn", "How often an answer can fail before the fallback.", group="waiting", ge=1, le=20
    )
    optional_seconds: float | None = option(
        300.0,
        "Seconds for a reaction",
        "How long a character has to answer what it need not answer. Empty for no limit.",
        group="waiting",
        gt=0,
    )
    request_seconds: float | None = option(
        None,
        "Seconds for a character",
        "How long a character has when the game master asks it. Empty for no limit.",
        group="waiting",
        gt=0,
    )
    gm_seconds: float | None = option(
        None,
        "Seconds for the game master",
        "How long the game master can think. Only models and people need it. Empty for no limit.",
        group="waiting",
        gt=0,
    )
    human_seconds: float | None = option(
        None,
        "Seconds for you",
        "How long you can think. Then your character decides by itself. Empty for no limit.",
        group="waiting",
        gt=0,
    )
    background_seconds: float | None = option(
        300.0,
        "Seconds for notes",
        "How long journals and other writing in the background can take. Empty for no limit.",
        group="waiting",
        gt=0,
    )
    messages_per_pair: int = option(
        6, "Messages between two characters", "How many messages two characters can exchange in a beat.", ge=0
    )
    note_requests_per_beat: int = option(
        3, "Questions of the narrator", "How often the narrator can ask the game master in a beat.", ge=0
    )
    idle_gm_turns: int = option(
        3,
        "If the story stands still",
        "After so many turns in a row in which the game master asks nobody, the session pauses.",
        group="waiting",
        ge=1,
    )
    after_end: Literal["characters", "seats", "keeper"] = option(  # type: ignore[assignment]
        "characters",
        "Who can look from other chairs",
        "After the end: everyone who sat, from the characters' chairs (characters) or also from the game master's "
        "(seats: for a last evening); or only the keeper, with an auditor link (keeper).",
        group="after the end",
    )


@dataclass(frozen=True, slots=True)
class OpenRequest:
    """A GM_TO_PLAYER that its character has not settled (T-064).

    `secret` outlives a veto (T-073). `vetoed` waits for the GM's full context. `relayed` was put to the human, by the
    clerk itself where `by_clerk`; `decision` are the human's words on it. `alone` leaves the human's character to
    answer by itself (T-140).
    """

    type: str
    body: str
    secret: bool = False
    vetoed: bool = False
    relayed: bool = False
    by_clerk: bool = False
    decision: str | None = None
    alone: bool = False

    @property
    def with_the_human(self) -> bool:
        """Whether the human is being asked about it."""
        return self.relayed and self.decision is None


class Option(TypedDict):
    """One option of a question."""

    label: str
    description: str


@dataclass(frozen=True, slots=True)
class Question:
    """An ASK_PLAYER that waits for its answer."""

    question: str
    header: str
    options: tuple[Option, ...]


@dataclass(frozen=True, slots=True)
class Act:
    """Something said or done in this beat that the next NARRATIVE is to weave in (T-041, T-069)."""

    character: str
    tag: str
    text: str


@dataclass(frozen=True, slots=True)
class GmTurn:
    """What the GM's open turn is about, and what came of it so far. `narrated` are group labels, REST for all,
    and `opened` the documents and facts that were read in it, with what they say; `asked` of them are facts."""

    calls: frozenset[Call] = frozenset()
    narrated: frozenset[str] = frozenset()
    saved: bool = False
    accepted: int = 0
    opened: tuple[tuple[str, str], ...] = ()
    asked: int = 0


NO_TURN = GmTurn()

NO_DEEDS: Growing[tuple[str, str]] = Growing()


class TabletopState(Table, frozen=True):
    """The session's state; of a seat's view, what that seat knows of it."""

    edition_name: str = DEFAULT_EDITION
    options: TabletopOptions = TabletopOptions()
    campaign: str = ""
    character: str | None = None
    companions: tuple[str, ...] = ()
    started: bool = False
    ending: bool = False
    words_after_end: int = 0
    ended: bool = False
    mode: Mode = "HUMAN_RELAY"
    relay: str = ""
    away: tuple[str, ...] = ()
    back: bool = False
    chosen: str | None = None
    scene: tuple[str, str] = FIRST_SCENE
    scene_told: bool = False
    place: tuple[str, str] = ("", "")
    beat: int = 0
    last_shown: str = ""
    last_narrative: str = ""
    deeds: Growing[tuple[str, str]] = NO_DEEDS
    rolls: Mapping[tuple[str, str], int] = NOTHING
    split: bool = False
    groups: Mapping[str, str] = NOTHING
    requests: Mapping[str, OpenRequest] = NOTHING
    settled: frozenset[str] = frozenset()
    acts: tuple[Act, ...] = ()
    questions: tuple[Question, ...] = ()
    action_prompt: bool = False
    tasks: tuple[str, ...] = ()
    task_round: int = 0
    actions: Mapping[str, OpenRequest] = NOTHING
    task_vetoes: tuple[str, ...] = ()
    signalled: tuple[str, ...] = ()
    signals: int = 0
    file_vetoes: tuple[str, ...] = ()
    secret_files: frozenset[str] = frozenset()
    unjournaled: tuple[str, ...] = ()
    journals_due: tuple[str, ...] = ()
    background: frozenset[tuple[str, str | None]] = frozenset()
    pairs: Mapping[tuple[str, str], int] = NOTHING
    note_open: bool = False
    notes_asked: int = 0
    calls: frozenset[Call] = frozenset()
    gm_turn: GmTurn = NO_TURN
    idle: int = 0
    acted: bool = False
    reported: tuple[str, ...] = ()
    updated: bool = False
    save_owed: bool = False
    documents: Documents = NO_DOCUMENTS
    resources: Resources = NO_RESOURCES
    heard: Heard = NOTHING_HEARD
    prompted: Heard = NOTHING_HEARD
    final_journals: bool = False
    shut_down: tuple[str, ...] = ()

    @property
    def roster(self) -> tuple[str, ...]:
        """The characters at the table, in seating order."""
        return tuple(seat for seat in self.seats if seat not in STANDING and seat != HUMAN)

    @property
    def played(self) -> tuple[str, ...]:
        """The characters that `start` named (T-099), or all of them before it; in seating order."""
        if not self.started:
            return self.roster
        return tuple(name for name in self.roster if name == self.character or name in self.companions)

    @property
    def ai_characters(self) -> tuple[str, ...]:
        """The characters played that no human plays: all of them where no human takes part."""
        return tuple(name for name in self.played if not (self.has_human and name == self.character))

    @property
    def has_human(self) -> bool:
        return HUMAN in self.seats

    @property
    def persons_character(self) -> str | None:
        """The character that the human decides for; None where there is no human, or before one is settled."""
        return (self.character or self.options.player_character) if self.has_human else None

    @property
    def alone(self) -> bool:
        """Whether the human's character decides for itself (T-084, T-085)."""
        return not self.has_human or self.mode == "AUTONOMOUS"

    def group_of(self, character: str) -> str:
        return self.groups.get(character, REST) if self.split else REST

    def members(self, label: str) -> tuple[str, ...]:
        return tuple(name for name in self.played if self.group_of(name) == label)

    @property
    def group_labels(self) -> tuple[str, ...]:
        """The groups that the played characters stand in, in seating order; one while the party is together."""
        return tuple(dict.fromkeys(self.group_of(name) for name in self.played))

    def awaits(self, character: str) -> bool:
        """Whether that character's answer is awaited: a vetoed request awaits the GM instead."""
        request = self.requests.get(character)
        return request is not None and not request.vetoed

    def awaited(self, names: Iterable[str]) -> bool:
        """Whether anybody's answer among those characters is awaited, the human's and the tasks' included."""
        names = set(names)
        human = self.character in names and not self.alone and (self.action_prompt or bool(self.questions))
        return human or any(self.awaits(name) for name in names) or bool(names & {*self.tasks, *self.signalled})

    @property
    def anybody_awaited(self) -> bool:
        """Whether an answer is awaited; what the clerk answers itself, nobody being there, is none (T-162, T-164)."""
        human = not self.alone and (bool(self.questions) or self.action_prompt)
        return human or bool(self.tasks or self.signalled) or any(map(self.awaits, self.requests))

    def with_turn(self, opened: TurnOpened, kinds: Kinds = NOTHING) -> Self:
        """With the GM asked, what it is to act on becomes what its turn is about."""
        state = super().with_turn(opened, kinds)
        if opened.seat != GM:
            return state
        outcome: frozenset[Call] = frozenset(("outcome",)) if state.settled else frozenset()
        return state.but(gm_turn=GmTurn(state.calls | outcome), calls=frozenset(), settled=frozenset())

    def with_request(self, character: str, request: OpenRequest | None) -> TabletopState:
        rest = {name: held for name, held in self.requests.items() if name != character}
        return self.but(requests={**rest, character: request} if request else rest)

    def with_settled(self, character: str) -> TabletopState:
        """That character's request is done with."""
        return self.with_request(character, None).but(settled=self.settled | {character})

    def exchanged(self, one: str, other: str) -> int:
        """How many messages those two have sent each other in this beat."""
        low, high = sorted((one, other))
        return self.pairs.get((low, high), 0)

    def with_words(self, author: str | None, text: str, readers: Iterable[str]) -> TabletopState:
        """Keep what the closed-words check compares with (T-063). Only the full state, which has the secret, checks.

        What the GM put to somebody is no secret once a player repeats it.
        """
        if self.seed is None:
            return self
        besides = None if author in (None, GM) else self.prompted
        return self.but(heard=self.heard.adding(text, readers, besides))

    def with_deed_of_absence(self, character: str, to: str, words: str) -> TabletopState:
        """What the human's character does while its human is away is summed up on return (T-086)."""
        if character == self.character and self.mode == "AUTONOMOUS" and self.has_human:
            return self.but(away=(*self.away, f"To {to}: {words}"))
        return self

    def with_response(self, character: str) -> TabletopState:
        """One of those signalled for has done its part; once all have, the GM goes on (F-062)."""
        if character not in self.signalled:
            return self
        rest = tuple(name for name in self.signalled if name != character)
        responded = self.but(signalled=rest, unjournaled=(*self.unjournaled, character))
        return responded if rest else responded.with_call("veto" if self.file_vetoes else "outcome")

    def with_call(self, call: Call) -> TabletopState:
        """The GM is to act on that too."""
        return self.but(calls=self.calls | {call})


Game = core.Game[TabletopState]
"""A session while one command is decided on."""
