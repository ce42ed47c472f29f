"""What a tabletop session knows at a position, and how each fact changes it.

Every function is total over any seat's subset of the events. What a seat does not see leaves its state as it was; who
is awaited, whose turn is next and what the GM owes are read from the full state by `decide`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any, Literal

from pydantic import Field

from domain.events import Event, FallbackApplied, GameOpened, HoldLifted, ReplyAccepted, TurnOpened, TurnWithdrawn
from domain.growing import Growing
from domain.ruleset import Options
from domain.rulesets.tabletop import events
from domain.rulesets.tabletop.access import (
    GM_DELTA,
    PARTY_DELTA,
    PARTY_KNOWLEDGE,
    STORY_STATE,
    notes_file,
    owner_of,
    response_file,
)
from domain.rulesets.tabletop.audience import message as message_audience
from domain.rulesets.tabletop.closed import Heard
from domain.rulesets.tabletop.editions import DEFAULT_EDITION, EDITIONS, Edition
from domain.rulesets.tabletop.events import GM, HUMAN, STANDING, MessageSent, Mode
from domain.rulesets.tabletop.phrases import asks_for_action, is_error_report, veto_reason
from domain.rulesets.tabletop.pieces import NO_DOCUMENTS, Documents, Piece, with_piece, without_piece
from domain.rulesets.tabletop.resources import NO_RESOURCES, Resource, Resources
from domain.turns import CORE_EVOLVE, NOTHING, Table

FIRST_SCENE = ("001", "opening")
NOTHING_HEARD = Heard()
REST = ""
"""The label of those whom no group note has named since the party split."""

WRITERS: Mapping[events.Task, str] = {"state-delta-writer": GM_DELTA, "knowledge-delta-writer": PARTY_DELTA}
"""The file that each writing task merges (T-117)."""

Call = Literal["opening", "outcome", "answer", "veto", "note", "save", "recap", "end"]
"""Why the GM is to act: what its next turn is about."""
URGENT: frozenset[Call] = frozenset(("veto", "note", "save", "recap", "end"))
"""The calls that do not wait until nobody else is awaited."""


class TabletopOptions(Options):
    """The rules options of a session. All are public, and recorded at the opening."""

    edition: Literal["phase-1", "phase-2", "current"] = DEFAULT_EDITION  # type: ignore[assignment]
    campaign: str = ""
    player_character: str | None = None
    narrative_style: str = "hybrid"
    max_attempts: int = Field(default=3, ge=1, le=20)
    optional_seconds: float | None = Field(default=300.0, gt=0)
    request_seconds: float | None = Field(default=None, gt=0)
    gm_seconds: float | None = Field(default=None, gt=0)
    human_seconds: float | None = Field(default=None, gt=0)
    background_seconds: float | None = Field(default=300.0, gt=0)
    messages_per_pair: int = Field(default=6, ge=0)
    note_requests_per_beat: int = Field(default=3, ge=0)
    idle_gm_turns: int = Field(default=3, ge=1)


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


@dataclass(frozen=True, slots=True)
class Question:
    """An ASK_PLAYER that waits for its answer."""

    question: str
    header: str
    options: tuple[Mapping[str, str], ...]


@dataclass(frozen=True, slots=True)
class Act:
    """Something said or done in this beat that the next NARRATIVE is to weave in (T-041, T-069)."""

    character: str
    tag: str
    text: str


@dataclass(frozen=True, slots=True)
class GmTurn:
    """What the GM's open turn is about, and what came of it so far. `narrated` are group labels, REST for all."""

    calls: frozenset[Call] = frozenset()
    narrated: frozenset[str] = frozenset()
    saved: bool = False
    accepted: int = 0


NO_TURN = GmTurn()

NO_DEEDS: Growing[tuple[str, str]] = Growing()


@dataclass(frozen=True)
class TabletopState(Table):
    """The session's state; of a seat's view, what that seat knows of it."""

    edition_name: str = DEFAULT_EDITION
    options: TabletopOptions = field(default_factory=TabletopOptions)
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
    beat: int = 0
    shown: str = ""
    told: str = ""
    deeds: Growing[tuple[str, str]] = NO_DEEDS
    rolls: Mapping[tuple[str, str], int] = field(default_factory=lambda: NOTHING)
    split: bool = False
    groups: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    requests: Mapping[str, OpenRequest] = field(default_factory=lambda: NOTHING)
    settled: frozenset[str] = frozenset()
    acts: tuple[Act, ...] = ()
    questions: tuple[Question, ...] = ()
    action_prompt: bool = False
    tasks: tuple[str, ...] = ()
    task_round: int = 0
    actions: Mapping[str, OpenRequest] = field(default_factory=lambda: NOTHING)
    task_vetoes: tuple[str, ...] = ()
    signalled: tuple[str, ...] = ()
    signals: int = 0
    file_vetoes: tuple[str, ...] = ()
    unjournaled: tuple[str, ...] = ()
    journals_due: tuple[str, ...] = ()
    background: frozenset[tuple[str, str | None]] = frozenset()
    pairs: Mapping[tuple[str, str], int] = field(default_factory=lambda: NOTHING)
    note_open: bool = False
    notes_asked: int = 0
    calls: frozenset[Call] = frozenset()
    gm_turn: GmTurn = NO_TURN
    idle: int = 0
    acted: bool = False
    reported: tuple[str, ...] = ()
    updated: bool = False
    documents: Documents = field(default_factory=lambda: NO_DOCUMENTS)
    resources: Resources = field(default_factory=lambda: NO_RESOURCES)
    heard: Heard = NOTHING_HEARD
    prompted: Heard = NOTHING_HEARD
    final_journals: bool = False
    shut_down: tuple[str, ...] = ()

    @property
    def edition(self) -> Edition:
        return EDITIONS[self.edition_name]

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

    def with_request(self, character: str, request: OpenRequest | None) -> TabletopState:
        rest = {name: held for name, held in self.requests.items() if name != character}
        return self.but(requests={**rest, character: request} if request else rest)


State = TabletopState


def _opened(state: State, event: GameOpened) -> State:
    options = TabletopOptions.model_validate(event.options)
    return state.but(
        seats=event.seats,
        edition_name=options.edition,
        options=options,
        campaign=options.campaign,
        mode="HUMAN_RELAY" if HUMAN in event.seats else "AUTONOMOUS",
    )


def _turn_opened(state: State, event: TurnOpened) -> State:
    state = CORE_EVOLVE[TurnOpened](state, event)
    if event.seat != GM:
        return state
    outcome: frozenset[Call] = frozenset(("outcome",)) if state.settled else frozenset()
    return state.but(gm_turn=GmTurn(state.calls | outcome), calls=frozenset(), settled=frozenset())


def _accepted(state: State, event: ReplyAccepted) -> State:
    state = CORE_EVOLVE[ReplyAccepted](state, event)
    return _gm_done(state) if event.seat == GM else state


def _fell_back(state: State, event: FallbackApplied) -> State:
    state = CORE_EVOLVE[FallbackApplied](state, event)
    return _gm_done(state) if event.seat == GM else state


def _gm_done(state: State) -> State:
    return state.but(gm_turn=GmTurn(), idle=0 if state.anybody_awaited else state.idle + 1)


def _withdrawn(state: State, event: TurnWithdrawn) -> State:
    """What a GM's turn was about is still owed when it is taken back."""
    state = CORE_EVOLVE[TurnWithdrawn](state, event)
    if event.seat != GM:
        return state
    return state.but(calls=state.calls | state.gm_turn.calls, gm_turn=GmTurn())


def _lifted(state: State, event: HoldLifted) -> State:
    return CORE_EVOLVE[HoldLifted](state, event).but(idle=0)  # type: ignore[no-any-return]


def _called(state: State, call: Call) -> State:
    return state.but(calls=state.calls | {call})


def _heard(state: State, author: str | None, text: str, readers: Iterable[str]) -> State:
    """Keep what the closed-words check compares with (T-063). Only the full state, which alone has the seed, checks.

    What the GM put to somebody is no secret once a player repeats it.
    """
    if state.seed is None:
        return state
    besides = None if author in (None, GM) else state.prompted
    return state.but(heard=state.heard.adding(text, readers, besides))


def _exchanged(state: State, event: MessageSent) -> State:
    """Keep a message's words for that check."""
    if state.seed is None:
        return state
    text = "\n".join((event.body, *_texts(event.fields)))
    readers = _readers_that_count(state, event)
    if readers is not None:
        return _heard(state, event.seat, text, readers)
    asks = event.seat == GM and event.tag in ("GM_TO_PLAYER", "AWAIT_PLAYERS")
    return state.but(prompted=state.prompted.adding(text, (GM,))) if asks else state


def _message(state: State, event: MessageSent) -> State:
    state = _exchanged(state, event)
    if event.seat == GM:
        state = state.but(gm_turn=replace(state.gm_turn, accepted=state.gm_turn.accepted + 1))
    if event.tag is None and event.seat == state.character:
        return state.but(back=False)
    fold = _BY_TAG.get(event.tag or "")
    return fold(state, event) if fold else state


def _readers_that_count(state: State, event: MessageSent) -> Iterable[str] | None:
    """Who has access to a message's words, where the closed-words check is to know it (T-063); None where it is not.

    Closed to others are secret requests and their answers, vetoes, and talk between two. What is told to all, or to the
    group that a NARRATIVE names, is open to those. The GM's other prompts and the answers to them are no secret: many
    may be told of one scene, and what was answered is about to be narrated.
    """
    audience = message_audience(state, event)
    if audience.seats is None:
        return state.seats
    request = state.requests.get(event.seat)
    match event.tag:
        case "NARRATIVE":
            return audience.seats | set(state.played if event.group is None else event.group)
        case "GM_TO_PLAYER":
            earlier = state.requests.get(event.to or "")
            secret = event.fields["request_type"] == "SECRET_ACTION" or (earlier and earlier.vetoed and earlier.secret)
            return audience.seats if secret else None
        case "PLAYER_TO_GM":
            secret = event.fields["type"] == "VETO" or (request is not None and request.secret)
            return audience.seats if secret else None
        case "PLAYER_TO_PLAYER" | None:
            return audience.seats
        case _:
            return None


def _texts(value: Any) -> list[str]:
    """Every text in a field's value."""
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    return [text for item in inner for text in _texts(item)]


def _narrative(state: State, event: MessageSent) -> State:
    names = state.played if event.group is None else event.group
    label = REST if event.group is None else event.label or REST
    asks = state.edition_name != "current" and asks_for_action(event.body, last_line=True)
    shown = state.character in names if event.group is not None else True
    done = not state.signalled
    changed = state.but(
        beat=state.beat + 1,
        shown=event.body if shown else state.shown,
        told=event.body if event.group is None else state.told,
        acts=tuple(act for act in state.acts if act.character not in names),
        pairs=NOTHING if event.group is None else state.pairs,
        notes_asked=0 if event.group is None else state.notes_asked,
        unjournaled=() if done else state.unjournaled,
        journals_due=_journals_due(state, split=event.group is not None) if done else state.journals_due,
        action_prompt=(asks and state.has_human) if shown else state.action_prompt,
        words_after_end=state.words_after_end + (1 if state.ending else 0),
        gm_turn=replace(state.gm_turn, narrated=state.gm_turn.narrated | {label}),
    )
    if event.group is None:
        return changed.but(split=False, groups=NOTHING)
    return changed.but(split=True, groups={**state.groups, **dict.fromkeys(event.group, label)})


def _journals_due(state: State, *, split: bool) -> tuple[str, ...]:
    """Who is to write a journal now that a narrative has returned (F-048); in a split only those with notes (F-064)."""
    able = (name for name in state.unjournaled if not split or notes_file(name) in state.documents)
    return tuple(dict.fromkeys((*state.journals_due, *able)))


def _beat_begun(state: State, event: events.BeatBegun) -> State:
    """The pairs within the group count anew; one with a character elsewhere waits for a beat of both."""
    return state.but(pairs={pair: n for pair, n in state.pairs.items() if not set(pair) <= set(event.characters)})


def _gm_to_player(state: State, event: MessageSent) -> State:
    character = event.to or ""
    earlier = state.requests.get(character)
    kind = event.fields["request_type"]
    secret = kind == "SECRET_ACTION" or bool(earlier and earlier.vetoed and earlier.secret)
    asked = state.with_request(character, OpenRequest(kind, event.body, secret))
    return asked.but(settled=state.settled - {character})


def _player_to_gm(state: State, event: MessageSent) -> State:
    request = state.requests.get(event.seat)
    if event.fields["type"] == "VETO":
        vetoed = replace(request, vetoed=True, relayed=False, by_clerk=False, decision=None) if request else None
        return _called(state.with_request(event.seat, vetoed), "veto")
    acted = _settled(_deed(state, event), event.seat).but(acted=True)
    if request and request.secret:
        return acted
    woven = Act(event.seat, "PLAYER_TO_GM", event.body)
    return acted.but(acts=(*state.acts, woven), deeds=state.deeds.and_then((event.seat, event.body)))


def _settled(state: State, character: str) -> State:
    return state.with_request(character, None).but(settled=state.settled | {character})


def _deed(state: State, event: MessageSent) -> State:
    """What the human's character does while its human is away, for the summary on return (T-086); no secret (T-059)."""
    request = state.requests.get(event.seat)
    if event.tag == "PLAYER_TO_GM" and request is not None and request.secret:
        return state
    if event.seat == state.character and state.mode == "AUTONOMOUS" and state.has_human:
        return state.but(away=(*state.away, f"To {event.to}: {event.body}"))
    return state


def _player_to_player(state: State, event: MessageSent) -> State:
    low, high = sorted((event.seat, event.to or ""))
    counted = _deed(state, event).but(
        pairs={**state.pairs, (low, high): state.pairs.get((low, high), 0) + 1},
        acts=(*state.acts, Act(event.seat, f"PLAYER_TO_PLAYER {event.to}", event.body)),
    )
    request = state.requests.get(event.seat)
    answers = request is not None and request.type == "INTERACTION" and not request.vetoed
    if not answers:
        return counted
    said = (event.seat, f"To {event.to}: {event.body}")
    return _settled(counted, event.seat).but(acted=True, deeds=state.deeds.and_then(said))


def _relay(state: State, event: MessageSent) -> State:
    request = state.requests.get(event.seat)
    relayed = replace(request, relayed=True, by_clerk=event.fallback) if request else None
    return state.with_request(event.seat, relayed).but(relay=event.body)


def _decision(state: State, event: MessageSent) -> State:
    request = state.requests.get(event.to or "")
    return state.with_request(event.to or "", replace(request, decision=event.body)) if request else state


def _mode(state: State, event: MessageSent) -> State:
    mode: Mode = event.fields["mode"]
    return (
        state
        if mode == state.mode
        else state.but(mode=mode, back=mode == "HUMAN_RELAY", away=state.away if mode == "HUMAN_RELAY" else ())
    )


def _asked_player(state: State, event: MessageSent) -> State:
    options = tuple(event.fields["options"])
    question = Question(event.fields["question"], event.fields["header"], options)
    return state.but(questions=(*state.questions, question))


def _answered(state: State, event: MessageSent) -> State:
    chosen = state.chosen
    if not state.started and event.fields["answer"] in state.roster:
        chosen = event.fields["answer"]
    elif not state.started and event.fallback:
        chosen = chosen or next(iter(state.roster), None)
    return _called(state.but(questions=state.questions[1:], chosen=chosen), "answer")


def _player_action(state: State, event: MessageSent) -> State:
    act = Act(event.fields["character"], "PLAYER_ACTION", event.fields["action"])
    acted = state.but(action_prompt=False, acts=(*state.acts, act))
    return _called(acted, "outcome")


def _await_players(state: State, event: MessageSent) -> State:
    names = tuple(entry["name"] for entry in event.fields["characters"])
    return state.but(tasks=names, task_round=state.task_round + 1, task_vetoes=())


def _player_responses(state: State, event: MessageSent) -> State:
    given = [Act(entry["character"], "PLAYER_RESPONSES", entry["response"]) for entry in event.fields["responses"]]
    vetoes = tuple(entry["character"] for entry in event.fields.get("vetoes", ()))
    told = state.without_ballot(f"tasks.{state.task_round}").but(
        tasks=(),
        task_vetoes=vetoes,
        acts=(*state.acts, *given),
        acted=state.acted or bool(given),
        deeds=reduce(Growing.and_then, ((act.character, act.text) for act in given), state.deeds),
    )
    return _called(_called(told, "outcome"), "veto") if vetoes else _called(told, "outcome")


def _command(state: State, event: MessageSent) -> State:
    match event.fields["command"]:
        case "start":
            return _called(
                state.but(
                    started=True,
                    campaign=event.fields["campaign"],
                    character=event.fields["player_character"],
                    companions=tuple(event.fields["ai_characters"]),
                ),
                "opening",
            )
        case "save":
            return _called(state, "save")
        case _:
            return _called(state.but(ending=True), "end")


def _refresh(state: State, event: MessageSent) -> State:
    return _called(state, "recap") if event.to == GM and state.started else state


def _note_requested(state: State, event: MessageSent) -> State:
    return _called(state.but(note_open=True, notes_asked=state.notes_asked + 1), "note")


def _noted(state: State, event: MessageSent) -> State:
    return state.but(note_open=False) if event.seat == GM else state


def in_tmp(path: str) -> str:
    """The path of a delta file inside the campaign folder, with or without its folder given."""
    return path if path.startswith("tmp/") else f"tmp/{path}"


def _updated(state: State, event: MessageSent) -> State:
    reported = tuple(path for path in map(in_tmp, event.fields["deltas_written"]) if path in WRITERS.values())
    return state.but(
        reported=reported,
        updated=bool(reported or state.deeds or state.acted),
        gm_turn=replace(state.gm_turn, saved=True),
    )


def _session_end(state: State, event: MessageSent) -> State:
    return state.but(ended=True, ending=True)


def _checkpoint(state: State, event: MessageSent) -> State:
    return state.but(final_journals=True) if event.fields["trigger"] == "session_end" else state


_BY_TAG: Mapping[str, Callable[[State, MessageSent], State]] = {
    "NARRATIVE": _narrative,
    "GM_TO_PLAYER": _gm_to_player,
    "PLAYER_TO_GM": _player_to_gm,
    "PLAYER_TO_PLAYER": _player_to_player,
    "RELAY_TO_HUMAN": _relay,
    "HUMAN_DECISION": _decision,
    "MODE_SWITCH": _mode,
    "ASK_PLAYER": _asked_player,
    "PLAYER_ANSWER": _answered,
    "PLAYER_ACTION": _player_action,
    "AWAIT_PLAYERS": _await_players,
    "AWAIT_AI_PLAYERS": lambda state, event: _signal(state, event),
    "PLAYER_RESPONSES": _player_responses,
    "SESSION_COMMAND": _command,
    "CONTEXT_REFRESH": _refresh,
    "NARRATOR_REQUEST": _note_requested,
    "NARRATOR_NOTE": _noted,
    "STATE_UPDATED": _updated,
    "SESSION_END": _session_end,
    "JOURNAL_CHECKPOINT": _checkpoint,
}


def _passed(state: State, event: events.RequestPassed) -> State:
    return _responded(_settled(state, event.character), event.character)


def _signal(state: State, event: MessageSent) -> State:
    names = tuple(event.fields["names"])
    vetoes = tuple(name for name in state.file_vetoes if name not in names)
    return state.but(signalled=names, signals=state.signals + 1, file_vetoes=vetoes)


def _responded(state: State, character: str) -> State:
    """One of those signalled for has done its part; once all have, the GM goes on (F-062)."""
    if character not in state.signalled:
        return state
    rest = tuple(name for name in state.signalled if name != character)
    responded = state.but(signalled=rest, unjournaled=(*state.unjournaled, character))
    return responded if rest else _called(responded, "veto" if state.file_vetoes else "outcome")


def _request_withdrawn(state: State, event: events.RequestWithdrawn) -> State:
    tasks = tuple(name for name in state.tasks if name != event.character)
    signalled = tuple(name for name in state.signalled if name != event.character)
    return state.with_request(event.character, None).but(tasks=tasks, signalled=signalled)


def _relay_withdrawn(state: State, event: events.RelayWithdrawn) -> State:
    request = state.requests.get(event.character)
    if request is None or not request.relayed:
        return state
    return state.with_request(event.character, replace(request, relayed=False, alone=True))


def _question_withdrawn(state: State, event: events.QuestionWithdrawn) -> State:
    return state.but(questions=state.questions[1:])


def _prompt_closed(state: State, event: events.PromptClosed) -> State:
    closed = state.but(action_prompt=False)
    return _called(closed, "outcome") if event.fallback else closed


def _note_lapsed(state: State, event: events.NoteRequestLapsed) -> State:
    return state.but(note_open=False)


def _scene(state: State, event: events.SceneChanged) -> State:
    return state.but(scene=(event.number, event.slug))


def _task_started(state: State, event: events.TaskStarted) -> State:
    begun = state.but(background=state.background | {(event.task, event.character)})
    if event.task != "ai-player-journal":
        return begun
    return begun.but(
        unjournaled=tuple(name for name in state.unjournaled if name != event.character),
        journals_due=tuple(name for name in state.journals_due if name != event.character),
    )


def _task_ended(state: State, event: events.TaskEnded) -> State:
    """The delta of a writer that has ended is no longer reported; the decision log covers all the deeds so far."""
    logged = event.task == "decision-log"
    reported = tuple(path for path in state.reported if path != WRITERS.get(event.task))
    deeds, acted = (NO_DEEDS, False) if logged else (state.deeds, state.acted)
    return state.but(
        background=state.background - {(event.task, event.character)},
        reported=reported,
        acted=acted,
        updated=state.updated and bool(reported or deeds or acted),
        deeds=deeds,
    )


def _action_asked(state: State, event: events.ActionAsked) -> State:
    body = f"## Scene\n{event.scene_context}\n\n## Just Happened\n{event.just_happened}\n\n## Request\n{event.request}"
    return state.but(actions={**state.actions, event.character: OpenRequest(event.request_type, body)})


def _piece_written(state: State, event: events.PieceWritten) -> State:
    piece = Piece(
        event.key,
        event.document,
        event.heading,
        event.text,
        event.readers,
        event.level,
        event.opens,
        event.secret,
        event.coding,
    )
    state = state.but(documents=with_piece(state.documents, piece, event.after))
    closed = event.document == STORY_STATE or owner_of(event.document, state.roster) is not None
    if event.coding == "text" and (closed or set(state.roster) & set(event.readers)):
        state = _heard(state, event.seat, event.text, event.readers)
    if event.seat in state.signalled and event.document == response_file(event.seat):
        if veto_reason(event.text) is not None:
            state = state.but(file_vetoes=(*state.file_vetoes, event.seat))
        elif not is_error_report(event.text):
            state = state.but(deeds=state.deeds.and_then((event.seat, event.text)))
        state = _responded(state, event.seat)
    if event.seat == GM and event.document in (STORY_STATE, PARTY_KNOWLEDGE):
        state = state.but(gm_turn=replace(state.gm_turn, saved=True))
    return state


def _piece_removed(state: State, event: events.PieceRemoved) -> State:
    return state.but(documents=without_piece(state.documents, event.document, event.key))


def _resource(state: State, event: events.ResourceChanged) -> State:
    now = Resource(event.amount, event.most, event.words)
    return state.but(resources={**state.resources, (event.character, event.resource): now})


def _rolled(state: State, event: events.DiceRolled) -> State:
    rolled = event.seat, event.character
    return state.but(rolls={**state.rolls, rolled: state.rolls.get(rolled, 0) + 1})


def _shut_down(state: State, event: events.ShutdownRequested) -> State:
    return state.but(shut_down=(*state.shut_down, event.seat))


def _dissolved(state: State, event: events.TeamDissolved) -> State:
    return state.but(over=True)


def _unchanged(state: State, event: Event) -> State:
    return state


SESSION_EVOLVE: Mapping[type[Event], Callable[[State, Any], State]] = {
    **CORE_EVOLVE,
    GameOpened: _opened,
    TurnOpened: _turn_opened,
    ReplyAccepted: _accepted,
    FallbackApplied: _fell_back,
    TurnWithdrawn: _withdrawn,
    HoldLifted: _lifted,
    MessageSent: _message,
    events.RequestPassed: _passed,
    events.RequestWithdrawn: _request_withdrawn,
    events.RelayWithdrawn: _relay_withdrawn,
    events.QuestionWithdrawn: _question_withdrawn,
    events.PromptClosed: _prompt_closed,
    events.BeatBegun: _beat_begun,
    events.NoteRequestLapsed: _note_lapsed,
    events.SceneChanged: _scene,
    events.DiceRolled: _rolled,
    events.ChatSaid: _unchanged,
    events.TaskStarted: _task_started,
    events.TaskEnded: _task_ended,
    events.ActionAsked: _action_asked,
    events.ShutdownRequested: _shut_down,
    events.TeamDissolved: _dissolved,
    events.PieceWritten: _piece_written,
    events.PieceRemoved: _piece_removed,
    events.ResourceChanged: _resource,
}
