"""The course of delegated work: how a game opens, what each move does, and who is asked next.

Every task goes its own way: `advance` asks whoever owes the next step of each, all at once, and nothing that happens to
one task touches another.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta

from domain import commands
from domain.errors import Refused, SetupRefused
from domain.events import Failure, GameOpened, SeatsFilled
from domain.game import Game, withdraw_and_hold
from domain.rulesets.delegation import events
from domain.rulesets.delegation.briefs import PARTS, read_brief
from domain.rulesets.delegation.checking import Contents, check, check_stop, contents, parts
from domain.rulesets.delegation.commands import Broken, Choose, Declare, Move, Send
from domain.rulesets.delegation.events import Artifact
from domain.rulesets.delegation.messages import ACTIONS, USER, ControlMessage, artifact_path, task_id_fault
from domain.rulesets.delegation.orders import Abandon, Add, Change, word_of_change
from domain.rulesets.delegation.reports import missing_in
from domain.rulesets.delegation.state import ANSWER, DelegationState, Step, Task
from domain.seats import checked_names
from domain.turns import Turn

Work = Game[DelegationState]

FEWEST = 2
MOST_TASKS = 100

KINDS: Mapping[Step, tuple[str, tuple[str, ...]]] = {
    "proposed": ("delegate", ("execute_delegate_task",)),
    "delegated": ("implement", ("review_requested",)),
    "rework": ("implement", ("review_requested",)),
    "iterating": ("implement", ("review_requested",)),
    "review": ("review", ("rework_required", "stop_recommended")),
    "stopped": ("decide", ("accept", "iterate")),
    "requested": ("hand-back", ("user_requested_iteration",)),
    "accepted": ("close", ("closeout_delivered",)),
    "guarded": ("instruct", ("close",)),
    "instructed": ("record", ("merged", "progress")),
    "closing": ("record", ("merged", "progress")),
}
"""The kind of turn that each step asks for, and its choices."""
HOLD = ("hold", ("resume", "abandon"))

ARTIFACTS: Mapping[str, Artifact] = {
    "execute_delegate_task": "task",
    "review_requested": "request",
    "rework_required": "report",
    "stop_recommended": "report",
    "user_requested_iteration": "report",
    "closeout_delivered": "closeout",
}


def seats_for(sessions: Sequence[str]) -> tuple[str, ...]:
    """The game's seats: the sessions in seating order, and the user."""
    return (*checked_names(sessions, (USER, *ACTIONS)), USER)


def open_game(work: Work, command: commands.Open) -> None:
    """Check the setup and open the game. `command.files` holds a brief for each task, as `TASK_ID.md`."""
    if not command.seats or command.seats[-1] != USER:
        raise SetupRefused("The last seat of a delegation is the user.")
    seats = seats_for(command.seats[:-1])
    sessions = seats[:-1]
    if len(sessions) < FEWEST:
        raise SetupRefused(f"Delegation needs at least {FEWEST} sessions and the user, not {len(sessions)}.")
    options = work.ruleset.checked_options(command.options)
    for name in options.skills:
        if name not in sessions:
            raise SetupRefused(f"skills names {name!r}, which is no session; there are: {', '.join(sessions)}.")
    briefs = [_brief(name, data, sessions) for name, data in command.files.items()]
    if not 1 <= len(briefs) <= MOST_TASKS:
        raise SetupRefused(f"Delegation needs 1 to {MOST_TASKS} briefs, not {len(briefs)}.")
    work.emit(GameOpened(ruleset="delegation", seats=seats, options=options.model_dump(mode="json")))
    work.emit(SeatsFilled(agents=dict(command.agents), seed=command.seed))
    if command.folder is not None:
        work.emit(events.FolderGiven(folder=command.folder))
    for brief in briefs:
        work.emit(brief)


def _brief(name: str, data: bytes, sessions: Sequence[str]) -> events.BriefGiven:
    task_id = name.removesuffix(".md")
    fault = task_id_fault(task_id)
    if fault is not None:
        raise SetupRefused(f"The brief {name!r} names no task: {fault}.")
    try:
        brief = read_brief(data.decode(), name)
    except UnicodeDecodeError:
        raise SetupRefused(f"The brief {name!r} is not UTF-8 text.") from None
    usual = (sessions[0], sessions[1], sessions[2] if len(sessions) > 2 else sessions[0])
    meant = {part: brief.sessions.get(part, name) for part, name in zip(PARTS, usual, strict=True)}
    for part, session in meant.items():
        if session not in sessions:
            raise SetupRefused(f"{name}: the {part} {session!r} is no session; there are: {', '.join(sessions)}.")
    if meant["executor"] in (meant["planner"], meant["reviewer"]):
        raise SetupRefused(f"{name}: the executor is the planner or the reviewer too; name another session.")
    return events.BriefGiven(task_id=task_id, text=brief.text, **meant)


def apply(work: Work, seat: str, turn: Turn | None, move: Move) -> None:
    """What one read move does: it becomes the fact it makes, and closes the turn that it answers."""
    match move:
        case Send():
            _sent(work, seat, turn, move)
        case Choose():
            _chosen(work, move)
        case Declare(skills):
            if seat == USER:
                raise Refused("The user needs no skills (D-023).")
            work.emit(events.SkillsDeclared(session=seat, skills=skills))
        case Broken():
            _count(work, seat, move.task_id, move.text, move.why)
        case Add():
            _added(work, move)
        case Change():
            _changed(work, move)
        case Abandon():
            _abandoned(work, move)


def fallback(work: Work, turn: Turn, reason: Failure) -> None:
    """Nobody can stand in: the turn is taken back and its task held, or the whole game where the user fails (D-057)."""
    task_id = work.state.assigned.get((turn.seat, turn.number), "")
    why = f"{turn.seat} {'stayed silent' if reason == 'timeout' else 'sent nothing valid'} in {turn.attempts} attempts."
    if turn.kind == HOLD[0]:
        # Everybody's work stops, so everybody may know, and of no more than that.
        withdraw_and_hold(work, turn, "Nothing goes on without the user.")
        return
    work.withdraw(turn)
    if turn.kind == ANSWER:
        return  # whoever asked is asked for the step again, and goes on without an answer
    work.emit(events.TaskHeld(task_id=task_id, waiting_for=turn.seat, why=why))


def advance(work: Work) -> None:
    """Ask whoever owes the next step of each task; end the game when no task is left."""
    for task_id in tuple(work.state.tasks):
        task = work.state.tasks[task_id]
        if task.step == "accepted" and task.reviewer == task.planner and task.planner is not None:
            work.emit(events.HandoffGuarded(task_id=task_id, session=task.planner))
            task = work.state.tasks[task_id]
        seat = task.awaited
        if seat is None or work.state.turn_for(seat, task_id) is not None or work.state.answers_to(seat, task_id):
            continue
        _ask(work, seat, task)
    if all(task.ended for task in work.state.tasks.values()):
        for turn in tuple(work.state.turns.values()):
            work.withdraw(turn)
        work.emit(events.WorkEnded())


def _ask(work: Work, seat: str, task: Task) -> None:
    options = work.state.options
    kind, choices = KINDS[task.step] if task.held is None else HOLD
    if kind == "record":
        choices = tuple(choice for choice in choices if not getattr(task, choice))
    if kind == "review" and task.round >= options.max_rounds:
        choices = ("stop_recommended",)
    _open(work, seat, task.task_id, kind, choices)


def _open(work: Work, seat: str, task_id: str, kind: str, choices: tuple[str, ...]) -> None:
    options = work.state.options
    number = work.state.opened.get(seat, 0) + 1
    work.emit(events.TurnAssigned(seat=seat, turn=number, task_id=task_id))
    seconds = None if seat == USER else options.session_seconds
    work.ask(seat, kind, choices, attempts=options.max_attempts, seconds=seconds)


def _sent(work: Work, seat: str, turn: Turn | None, move: Send) -> None:
    message = move.message
    try:
        if turn is not None:
            _check_answer(work.state, turn, message)
        check(work.state, seat, message)
        task = work.state.tasks.get(message.task_id)
        found = contents(work.files, task, message, move.carried)
        if task is not None and found is not None and message.action in ("rework_required", "stop_recommended"):
            check_stop(work.state, task, message.action, found.must_fix)
    except Refused as refusal:
        if turn is None and message.workflow and work.state.turn_for(seat, message.task_id) is not None:
            _count(work, seat, message.task_id, move.text, str(refusal))
            return
        raise
    answered = _answered(work.state, seat, turn, message)
    if answered is not None:
        work.accept(answered, move.text, message.action)
    _deliver(work, seat, message, found)
    if answered is not None and not message.workflow and answered.kind != ANSWER:
        _ask_back(work, message)


def _check_answer(state: DelegationState, turn: Turn, message: ControlMessage) -> None:
    """Refused unless the message can stand as the reply to that turn: as its answer, or as a question first (D-012)."""
    about = state.assigned.get((turn.seat, turn.number), "another task")
    if message.task_id != about:
        raise Refused(f"task_id: this turn is about {about}; send other messages without a turn.")
    if message.workflow and turn.kind == ANSWER:
        raise Refused(f"action: this turn asks for an answer; send {message.action} without a turn (D-012).")
    asked = state.asked_by(turn.seat, about)
    if not message.workflow and turn.kind != ANSWER and asked >= state.options.max_attempts:
        legal = " or ".join(turn.choices)
        raise Refused(f"action: you have asked often enough ({asked} times); answer {legal} now (D-012).")


def _answered(state: DelegationState, seat: str, turn: Turn | None, message: ControlMessage) -> Turn | None:
    """The turn that a message closes. Unprompted, it is the one that the message answers."""
    if turn is not None:
        return turn
    if message.workflow:
        number = state.turn_for(seat, message.task_id)
        return None if number is None else state.turns[seat, number]
    asked = state.answers_to(message.to_session_id, message.task_id)
    return next((open_turn for open_turn in asked if open_turn.seat == seat), None)


def _ask_back(work: Work, message: ControlMessage) -> None:
    """Ask the receiver for an answer, if it is one that may write about the task."""
    seat = message.to_session_id
    if seat == USER or parts(work.state.tasks[message.task_id], seat):
        _open(work, seat, message.task_id, ANSWER, ())


def _deliver(work: Work, seat: str, message: ControlMessage, found: Contents | None) -> None:
    before = work.state.tasks.get(message.task_id)
    work.emit(events.MessageSent(message=message))
    if found is not None and found.fresh:
        listed_before = before.reports.get(before.round - 1, ()) if before is not None else ()
        new = missing_in(listed_before, found.must_fix)
        work.emit(
            events.ArtifactFiled(
                task_id=message.task_id,
                kind=ARTIFACTS.get(message.action, "other"),
                session=seat,
                round=message.round if isinstance(message.round, int) and message.workflow else None,
                path=message.artifact_path,
                sha256=found.sha256,
                size=len(found.data),
                text=found.text,
                must_fix=found.must_fix,
                again=tuple(item for item in found.must_fix if item not in new),
                closed=missing_in(found.must_fix, listed_before) if found.report else (),
            )
        )
    if message.action == "review_requested" and before is not None and before.reviewer is None:
        _disclose(work, before, message.to_session_id)


def _disclose(work: Work, task: Task, reviewer: str) -> None:
    """The reviewer comes to see the task at the first review request; a reviewer who planned it has it (D-022)."""
    path = artifact_path("execute_delegate_task", task.task_id, 1)
    filed = task.files.get(path)
    if filed is not None and reviewer != task.planner:
        work.emit(
            events.ArtifactDisclosed(task_id=task.task_id, to=reviewer, path=path, sha256=filed.sha256, text=filed.text)
        )


def _count(work: Work, seat: str, task_id: str, text: str, why: str) -> None:
    """An unprompted message fails as an attempt at the turn that it should have answered (D-056)."""
    number = work.state.turn_for(seat, task_id)
    if number is None:
        raise Refused(why)
    work.fail(work.state.turns[seat, number], "invalid", text, why)


def _chosen(work: Work, move: Choose) -> None:
    turn, words = move.turn, move.words
    task_id = work.state.assigned[turn.seat, turn.number]
    held = work.state.tasks[task_id].held
    work.accept(turn, move.text, move.choice)
    match move.choice:
        case "accept" | "iterate":
            work.emit(events.StopDecided(task_id=task_id, decision=move.choice, words=words))
        case "close":
            work.emit(events.ClosingInstructed(task_id=task_id, words=words))
        case "merged" | "progress":
            work.emit(events.WorkRecorded(task_id=task_id, session=turn.seat, work=move.choice, words=words))
        case "resume" if held is not None:
            work.emit(events.TaskResumed(task_id=task_id, waiting_for=held.waiting_for))
        case "abandon" if held is not None:
            work.emit(events.TaskAbandoned(task_id=task_id, waiting_for=held.waiting_for))


def _added(work: Work, order: Add) -> None:
    """One more task, named after this minute, or the first one after it that no task here is named after."""
    if sum(1 for _ in work.state.tasks) >= MOST_TASKS:
        raise Refused(f"There are {MOST_TASKS} tasks already; play another game for more.")
    at, task_id = work.at, order.slug
    if task_id_fault(task_id) is not None:
        while (task_id := f"{at:%Y%m%d-%H%M}-{order.slug}") in work.state.tasks:
            at += timedelta(minutes=1)
    if task_id in work.state.tasks:
        raise Refused(f"There is a task {task_id} already; to change it, write `change {task_id}: …`.")
    try:
        brief = _brief(f"{task_id}.md", order.text.encode(), work.state.sessions)
    except SetupRefused as refusal:
        raise Refused(str(refusal)) from None
    work.emit(brief)


def _changed(work: Work, order: Change) -> None:
    """A brief that nobody has acted on is replaced, and its planner asked anew; those at work are written to."""
    task = work.state.tasks[order.task_id]
    if task.ended:
        raise Refused(f"{task.task_id} has ended; add another task instead.")
    if task.step != "proposed" or task.meant is None:
        for message in word_of_change(work.state, task, order.text):
            if len(message.note) > work.state.options.max_note_chars:
                raise Refused(f"Write at most {work.state.options.max_note_chars} characters (D-016).")
            work.emit(events.MessageSent(message=message))
        return
    number = work.state.turn_for(task.meant[0], task.task_id)
    if number is not None:
        work.withdraw(work.state.turns[task.meant[0], number])
    planner, executor, reviewer = task.meant
    given = events.BriefGiven(
        task_id=task.task_id, planner=planner, executor=executor, reviewer=reviewer, text=order.text
    )
    work.emit(given)


def _abandoned(work: Work, order: Abandon) -> None:
    """The task ends where it stands. Whoever is awaited learns of it, and nobody else but the user."""
    task = work.state.tasks[order.task_id]
    waiting_for = task.owing
    if task.ended or waiting_for is None:
        raise Refused(f"{task.task_id} has ended already.")
    for seat in dict.fromkeys((waiting_for, USER)):
        number = work.state.turn_for(seat, task.task_id)
        if number is not None:
            work.withdraw(work.state.turns[seat, number])
    work.emit(events.TaskAbandoned(task_id=task.task_id, waiting_for=waiting_for))
