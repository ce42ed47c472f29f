"""The events of a tabletop session, without its messages (`messages.MessageSent`) and its documents (`records`).

An event that a seat does not see leaves the seat's state unchanged. Whose turn it is and what the GM owes follow from
the full state.
"""

from __future__ import annotations

import re
from dataclasses import replace

from sottovoce import Chair, Event, Heading, Piece, everyone, line, marked, named_in, plainly, spoken
from sottovoce.rulesets.tabletop.rules.audience import FOR_THE_HUMAN, TABLE_LEADS, at_table, told_with_it
from sottovoce.rulesets.tabletop.rules.names import GM, HUMAN, NARRATOR, TEAM_LEAD, called
from sottovoce.rulesets.tabletop.rules.records import DocumentOpened as DocumentOpened
from sottovoce.rulesets.tabletop.rules.records import FactsShown as FactsShown
from sottovoce.rulesets.tabletop.rules.records import PieceRemoved as PieceRemoved
from sottovoce.rulesets.tabletop.rules.records import PieceShown as PieceShown
from sottovoce.rulesets.tabletop.rules.records import PieceWritten as PieceWritten
from sottovoce.rulesets.tabletop.rules.records import ResourceChanged as ResourceChanged
from sottovoce.rulesets.tabletop.rules.state import NO_DEEDS, WRITERS, OpenRequest, Task
from sottovoce.rulesets.tabletop.rules.state import TabletopState as State

Facts = frozenset[tuple[str, ...]]


class RequestPassed(Event[State], name="tabletop.request-passed.v1", seen_by=at_table("character", GM)):
    """A character's open request was closed without an answer; by `fallback` where its attempts or its time ran out."""

    character: str
    fallback: bool = False

    example = {"character": "tilda-brannock"}
    tell = line("{character:You} let it pass.", private="", mood="quiet")

    def fold(self, state: State) -> State:
        return state.with_settled(self.character).with_response(self.character)


class RequestWithdrawn(Event[State], name="tabletop.request-withdrawn.v1", seen_by=at_table("character", GM)):
    """A character's open request is no longer asked for."""

    character: str

    example = {"character": "tilda-brannock"}
    tell = line("The request to {character:you} is withdrawn.", private="")

    def fold(self, state: State) -> State:
        tasks = tuple(name for name in state.tasks if name != self.character)
        signalled = tuple(name for name in state.signalled if name != self.character)
        return state.with_request(self.character, None).but(tasks=tasks, signalled=signalled)


class RelayWithdrawn(Event[State], name="tabletop.relay-withdrawn.v1", seen_by=at_table("character", TEAM_LEAD, HUMAN)):
    """The human is no longer asked about the relay that was pending."""

    character: str

    example = {"character": "tilda-brannock"}
    tell = line("The relay is withdrawn; {character:name} decides alone.", private="")

    def fold(self, state: State) -> State:
        request = state.requests.get(self.character)
        if request is None or not request.relayed:
            return state
        return state.with_request(self.character, replace(request, relayed=False, alone=True))


class QuestionWithdrawn(Event[State], name="tabletop.question-withdrawn.v1", seen_by=FOR_THE_HUMAN):
    """The oldest open question to the human is no longer asked."""

    question: str

    example = {"question": "Which door?"}
    tell = line("The question is withdrawn:", words="question", private="")

    def fold(self, state: State) -> State:
        return state.but(questions=state.questions[1:])


class PromptClosed(Event[State], name="tabletop.prompt-closed.v1", seen_by=FOR_THE_HUMAN):
    """The action prompt of the last NARRATIVE was closed without an action of the human.

    By `fallback` where nobody answered it; otherwise because it is no longer asked.
    """

    fallback: bool = True

    tell = line("The prompt for action is closed.", private="")

    def fold(self, state: State) -> State:
        closed = state.but(action_prompt=False)
        return closed.with_call("outcome") if self.fallback else closed


class BeatBegun(Event[State], name="tabletop.beat-begun.v1", seen_by=at_table("characters", GM)):
    """While the party is split, a new beat has begun for a group: its limits count anew (T-161).

    It says nothing of what the NARRATIVE told, which no player sees (T-047).
    """

    characters: tuple[str, ...]

    example = {"characters": ("corwin-voss", "tilda-brannock")}

    def tell(self, chair: Chair) -> None:
        return None

    def fold(self, state: State) -> State:
        """The pairs within the group count anew; one with a character elsewhere waits for a beat of both."""
        return state.but(pairs={pair: n for pair, n in state.pairs.items() if not set(pair) <= set(self.characters)})


class NoteRequestLapsed(Event[State], name="tabletop.note-request-lapsed.v1", seen_by=at_table(NARRATOR, GM)):
    """The GM left the narrator's open request unanswered."""

    tell = line("The narrator's request lapses.", private="")

    def fold(self, state: State) -> State:
        return state.but(note_open=False)


class SceneChanged(Event[State], name="tabletop.scene-changed.v1", seen_by=TABLE_LEADS):
    """Another scene is being played. `number` keeps its zeros."""

    number: str
    slug: str

    example = {"number": "002", "slug": "the-drowned-stair"}

    def tell(self, chair: Chair) -> Piece:
        chapter = Heading(f"Scene {self.number}: {self.slug.replace('-', ' ')}")
        return Piece(f"Scene {self.number} - {self.slug} begins.", "heading", chapter=chapter)

    def fold(self, state: State) -> State:
        return state.but(scene=(self.number, self.slug), scene_told=True)


class PlaceNamed(Event[State], name="tabletop.place-named.v1", seen_by=told_with_it):
    """Where and when the NARRATIVE that comes next plays, in the GM's plain words; one of them may be empty (T-168).

    `group` are the characters that it is told of while the party is split.
    """

    place: str
    time: str = ""
    group: tuple[str, ...] | None = None

    example = {"place": "The drowned chapel", "time": "dusk, an hour before the tide turns"}

    def tell(self, chair: Chair) -> Piece:
        where = ", ".join(filter(None, (self.place, self.time)))
        heading = Heading(plainly(where), level=2)
        known = chair.state is not None and chair.state.place == (self.place, self.time)
        return Piece(f"{plainly(where)}.", "heading", chapter=None if known else heading, weight=0 if known else 1)

    def fold(self, state: State) -> State:
        shown = self.group is None or state.character in self.group
        words = f"{self.place}\n{self.time}"
        state = state.with_words(GM, words, state.seats if self.group is None else (GM, *self.group))
        return state.but(place=(self.place, self.time)) if shown else state

    def facts(self) -> Facts:
        return frozenset(("said", GM, words) for words in (self.place, self.time) if words)


class DiceRolled(Event[State], name="tabletop.dice-rolled.v1", seen_by=at_table("seat", GM)):
    """The server drew dice for a character at a seat's request.

    `roll` is the whole notation (`1d20+5 = [8]+5 = 13`), `total` its value; `result` stands where a `dc` was known.
    """

    seat: str
    character: str
    check: str
    roll: str
    total: int
    dc: int | None = None
    result: str | None = None

    example = {
        "seat": GM,
        "character": "tilda-brannock",
        "check": "perception",
        "roll": "1d20+5 = [8]+5 = 13",
        "total": 13,
    }

    def tell(self, chair: Chair) -> Piece:
        return rolled(self.seat, self.character, self.check, self.roll, self.dc, self.result)

    def fold(self, state: State) -> State:
        by = self.seat, self.character
        return state.but(rolls={**state.rolls, by: state.rolls.get(by, 0) + 1})

    def facts(self) -> Facts:
        return frozenset({("rolled", self.character, self.roll)})


_NUMBER = re.compile(r"-?[0-9]{1,9}")


def rolled(seat: str, character: str, what: str, roll: str, dc: int | None, result: str | None) -> Piece:
    """How a roll is told. What it is for are a seat's words; a log from elsewhere may hold a roll without a total."""
    outcome = (result or "").replace("_", " ")
    against = "" if dc is None else f" against {dc}"
    lead = f"{marked(character)} rolls {plainly(roll)}{against}{f', {outcome}' if outcome else ''}, for:"
    total = roll.rpartition("=")[2].strip()
    numbers = {"total": int(total)} if _NUMBER.fullmatch(total) else {}
    return Piece(lead, "roll", seat, words=spoken(seat, what), private="", numbers=numbers)


class ChatSaid(Event[State], name="tabletop.chat-said.v1", seen_by=at_table("seat", "to"), by=named_in("seat")):
    """Talk out of character between the human and one companion: no message of the protocol."""

    seat: str
    to: str
    text: str

    example = {"seat": HUMAN, "to": "corwin-voss", "text": "Shall we let the others lead for once?"}

    def tell(self, chair: Chair) -> Piece:
        lead = f"{called(self.seat, chair, first=True)} to {called(self.to, chair)}, aside:"
        words = spoken(self.seat, self.text)
        return Piece(lead, "speech", self.seat, (self.to,), words, note="aside", private="", mood="quiet")

    def fold(self, state: State) -> State:
        return state

    def facts(self) -> Facts:
        return frozenset({("said", self.seat, self.text)})


class TaskStarted(Event[State], name="tabletop.task-started.v1", seen_by=at_table("character", TEAM_LEAD)):
    """The team lead started a short piece of work in the background; `character` is whose it is, if anybody's."""

    task: Task
    character: str | None = None

    example = {"task": "ai-player-journal", "character": "corwin-voss"}
    tell = line("In the background: {task} starts.", private="", weight=0)

    def fold(self, state: State) -> State:
        begun = state.but(background=state.background | {(self.task, self.character)})
        if self.task != "ai-player-journal":
            return begun
        return begun.but(
            unjournaled=tuple(name for name in state.unjournaled if name != self.character),
            journals_due=tuple(name for name in state.journals_due if name != self.character),
        )


class TaskEnded(Event[State], name="tabletop.task-ended.v1", seen_by=at_table("character", TEAM_LEAD)):
    """A piece of background work ended; `done` is False where it failed or took too long, which holds up nothing."""

    task: Task
    character: str | None = None
    done: bool = True

    example = {"task": "ai-player-journal", "character": "corwin-voss"}

    def tell(self, chair: Chair) -> Piece:
        how = "has ended" if self.done else "has failed"
        return Piece(f"In the background: {self.task} {how}.", private="", weight=0 if self.done else 1)

    def fold(self, state: State) -> State:
        """The delta of a writer that has ended is no longer reported; the decision log covers all the deeds so far."""
        logged = self.task == "decision-log"
        reported = tuple(path for path in state.reported if path != WRITERS.get(self.task))
        deeds, acted = (NO_DEEDS, False) if logged else (state.deeds, state.acted)
        return state.but(
            background=state.background - {(self.task, self.character)},
            reported=reported,
            acted=acted,
            updated=state.updated and bool(reported or deeds or acted),
            deeds=deeds,
        )


class ActionAsked(Event[State], name="tabletop.action-asked.v1", seen_by=at_table("character", TEAM_LEAD)):
    """One entry of an AWAIT_PLAYERS as its character's task gets it, and nothing else of that message."""

    character: str
    request_type: str
    scene_number: str
    scene_slug: str
    scene_context: str
    just_happened: str
    request: str

    example = {
        "character": "corwin-voss",
        "request_type": "QUICK_REACTION",
        "scene_number": "001",
        "scene_slug": "the-ferry",
        "scene_context": "You stand at the rail.",
        "just_happened": "The rope snaps.",
        "request": "What do you do at once?",
    }

    def tell(self, chair: Chair) -> Piece:
        words = "\n".join((self.scene_context, self.just_happened, self.request))
        is_asked = "You are" if chair.owns(self.character) else f"{marked(self.character)} is"
        return Piece(f"{is_asked} asked ({self.request_type}):", words=spoken(GM, words), private="")

    def fold(self, state: State) -> State:
        body = f"## Scene\n{self.scene_context}\n\n## Just Happened\n{self.just_happened}\n\n## Request\n{self.request}"
        return state.but(actions={**state.actions, self.character: OpenRequest(self.request_type, body)})

    def facts(self) -> Facts:
        return frozenset({("asked", self.character, self.request)})


class ShutdownRequested(Event[State], name="tabletop.shutdown-requested.v1", seen_by=at_table("seat", TEAM_LEAD)):
    """The team lead asked a seat to stop: the session is over."""

    seat: str

    example = {"seat": NARRATOR}
    tell = line("{seat:name} is asked to stop.", private="", weight=0)

    def fold(self, state: State) -> State:
        return state.but(shut_down=(*state.shut_down, self.seat))


class TeamDissolved(Event[State], name="tabletop.team-dissolved.v1", seen_by=everyone):
    """The session's seats are let go: the end of the game."""

    tell = line("The session is over.", mood="quiet")

    def fold(self, state: State) -> State:
        return state.but(over=True)


SESSION_EVENTS: tuple[type[Event], ...] = (
    RequestPassed,
    RequestWithdrawn,
    RelayWithdrawn,
    QuestionWithdrawn,
    PromptClosed,
    BeatBegun,
    NoteRequestLapsed,
    SceneChanged,
    PlaceNamed,
    DiceRolled,
    ChatSaid,
    TaskStarted,
    TaskEnded,
    ActionAsked,
    ShutdownRequested,
    TeamDissolved,
    PieceWritten,
    PieceRemoved,
    PieceShown,
    DocumentOpened,
    FactsShown,
    ResourceChanged,
)
