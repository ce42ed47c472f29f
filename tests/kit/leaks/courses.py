"""Planted leaks that only a rare course of a game shows: ties, holds, limits, saves, second tasks, vetoes, endings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Any
from unittest import mock

from sottovoce.domain.draws import pick
from sottovoce.domain.errors import Refused
from sottovoce.domain.events import HoldPlaced, TurnOpened
from sottovoce.domain.game import Game, withdraw_and_hold
from sottovoce.domain.ruleset import Ruleset
from sottovoce.domain.rulesets import RULESETS
from sottovoce.domain.turns import Turn
from sottovoce.isolation.system import System
from sottovoce.rulesets.delegation.rules import events as work_events
from sottovoce.rulesets.delegation.rules import turns as work
from sottovoce.rulesets.delegation.rules.ruleset import Delegation
from sottovoce.rulesets.mafia.rules import MAFIA
from sottovoce.rulesets.mafia.rules import events as mafia_events
from sottovoce.rulesets.mafia.rules import phases as mafia
from sottovoce.rulesets.mafia.rules.turns import Dawn
from sottovoce.rulesets.tabletop.rules.course import BACKGROUND, team_lead
from sottovoce.rulesets.tabletop.rules.documents import secrecy
from sottovoce.rulesets.tabletop.rules.messages import NarratorNote, PlayerToPlayer

Patch = Callable[[], Any]


def patched(ruleset: str, *patches: Patch, value: Ruleset[Any] | None = None) -> System:
    """Return the product of that ruleset with parts of its rules replaced while it plays."""

    @contextmanager
    def entered() -> Iterator[None]:
        with ExitStack() as stack:
            for patch in patches:
                stack.enter_context(patch())
            yield

    return replace(System(value or RULESETS[ruleset]), patches=entered)


def in_place(owner: Any, name: str, value: Any) -> Patch:
    return lambda: mock.patch.object(owner, name, value)


def entry(table: Any, key: Any, value: Any) -> Patch:
    return lambda: mock.patch.dict(table, {key: value})


# Mafia: ties, saves, hunted roles, limits

_WITHDRAW_AND_HOLD, _WORK_ASK, _WORK_EMIT = withdraw_and_hold, Delegation.ask_next, Game.emit


def _tie_spares_the_doctor(game: Any, choices: Sequence[str], *purpose: object) -> str:
    """A tied vote of the Mafia never draws the Doctor."""
    if purpose[0] == "mafia-tie":
        choices = [name for name in choices if game.state.roles[name] != "Doctor"]
    return pick(choices, game.state.seed, *purpose)


def _emitting(change: Callable[[Any, Any], Any]) -> Patch:
    """Change events by the full state before they are decided."""
    return in_place(Game, "emit", lambda game, event: _WORK_EMIT(game, change(game.state, event)))


def _tied_trial_with_mafia_again(state: Any, event: Any) -> Any:
    """A tie with one of the Mafia among the tied is always voted on again."""
    if isinstance(event, mafia_events.TrialClosed) and event.tied:
        again = event.again or any(state.roles[name] == "Mafia" for name in event.tied)
        return event.but(again=again and state.trial_round < 4)
    return event


def _tied_second_by_role(state: Any, event: Any) -> Any:
    """With equal numbers of seconds, a nominee of the town is let go and another is not."""
    if isinstance(event, mafia_events.SecondingClosed) and event.tally["yes"] == event.tally["no"]:
        return event.but(seconded=state.roles[event.nominee] == "Mafia")
    return event


def _tied_execution_by_role(state: Any, event: Any) -> Any:
    """A tied execution goes against the Mafia."""
    if isinstance(event, mafia_events.ExecutionVoteClosed) and event.tally["execute"] == event.tally["spare"]:
        return event.but(executed=state.roles[event.condemned] == "Mafia")
    return event


def _dawn_hurried(game: Any) -> None:
    """The morning after the Detective's death uses the game's own neutral words."""
    state = game.state
    died = state.resolved.died if state.resolved else None
    if state.phase == "dawn" and state.narrated is None and died and state.roles[died] == "Detective":
        text = Dawn.neutral(None, state)  # type: ignore[arg-type]
        game.emit(mafia_events.NarrationGiven(scene="dawn", subject=None, text=text))
    else:
        mafia.dawn(game)


def _less_talk_after_a_drawn_vote(game: Any) -> None:
    """The day after the Mafia's target was drawn begins with the town hall."""
    ballots = game.state.mafia_ballots
    if ballots and ballots[-1].drawn and game.state.floor is None:
        mafia.begin(game, "nominations")
    else:
        mafia.discussion(game)


def _saved_has_an_attempt_more(state: Any, seat: str, kind: str) -> dict[str, Any]:
    """A player who was saved in the night has one more attempt by day."""
    saved = state.resolved is not None and state.resolved.died is None and state.resolved.target == seat
    return {"attempts": state.options.max_attempts + 1} if saved and kind != "kill" else {}


def _time_while_the_doctor_lives(state: Any, seat: str, kind: str) -> dict[str, Any]:
    """A nomination has more time while the Doctor lives."""
    seconds = state.options.turn_seconds
    return {"seconds": seconds + 5} if seconds and kind == "nominate" and state.holder("Doctor") else {}


def _time_by_revotes(state: Any, seat: str, kind: str) -> dict[str, Any]:
    """Each extra vote that the Mafia needed in the night takes a second from the speakers of the day."""
    seconds, ballots = state.options.turn_seconds, [one for one in state.mafia_ballots if one.night == state.number]
    return {"seconds": seconds - len(ballots)} if seconds and kind in ("moderate", "speech") else {}


def _unvisited_first(state: Any, event: Any) -> Any:
    """The player the Mafia wanted last night is listed last among the possible nominees."""
    if isinstance(event, TurnOpened) and event.kind == "nominate":
        target = state.resolved.target if state.resolved else None
        return event.but(choices=tuple(sorted(event.choices, key=lambda name: name == target)))
    return event


def _ballot_runs_out_at_once(game: Any, turn: Turn) -> None:
    """A whole ballot times out with the first of its turns."""
    ballot = [one for one in game.state.turns.values() if turn.ballot and one.ballot == turn.ballot] or [turn]
    for one in ballot:
        game.fail(one, "timeout", "", "The time for this attempt ran out.")


def _night_shorter_without_a_doctor(game: Any, number: int) -> None:
    """A night without a Doctor is not waited out."""
    game.emit(mafia_events.PhaseBegan(phase="night", number=number))
    seconds = game.state.options.night_seconds
    if seconds > 0 and game.state.holder("Doctor"):
        game.emit(mafia_events.DawnHeld(until=game.at + timedelta(seconds=seconds)))


def _fallback_by_failures(game: Any, choices: Sequence[str], *purpose: object) -> str:
    """The fallback for a vote is drawn by how many others have timed out."""
    silent = sum(turn.failures != () for turn in game.state.turns.values())
    return pick(choices, game.state.seed, *purpose, silent)


# delegation: holds, and what a second task is like


def _hold_names_the_task(game: Any, turn: Turn, why: str) -> None:
    """Everyone is told which turn the user did not answer."""
    task_id = game.state.assigned.get((turn.seat, turn.number), "")
    _WITHDRAW_AND_HOLD(game, turn, f"{why} ({task_id})")


def _hold_names_the_silent(game: Any, turn: Turn, why: str) -> None:
    """Everyone is told who else was waited for."""
    held = [task.held.waiting_for for task in game.state.tasks.values() if task.held]
    game.withdraw(turn)
    game.emit(HoldPlaced(waiting_for=(*held, turn.seat)[0], why=why))


def _hold_counts_the_work(state: Any, event: Any) -> Any:
    """A session on hold is told how much of the work continues."""
    if isinstance(event, work_events.TaskHeld):
        others = sum(not task.ended and task.held is None for task in state.tasks.values())
        return event.but(why=f"{event.why} {others} go on.")
    return event


def _work_asked(change: Callable[[Any, str, Any], dict[str, Any]]) -> Patch:
    """Open turns of delegation differently, by the full state, the seat and the task."""

    def ask(rules: Any, game: Any, seat: str, task: Any) -> None:
        opened = game.ask

        def changed(name: str, kind: str, choices: Sequence[str] = (), **rest: Any) -> None:
            given = {"choices": choices, **rest, **change(game.state, seat, task)}
            opened(name, kind, given.pop("choices"), **given)

        game.ask = changed
        try:
            _WORK_ASK(rules, game, seat, task)
        finally:
            del game.ask

    return in_place(Delegation, "ask_next", ask)


def _others(state: Any, task: Any) -> list[Any]:
    return [other for other in state.tasks.values() if other.task_id != task.task_id and not other.ended]


def _attempts_lost_in_another_task(state: Any, seat: str, task: Any) -> dict[str, Any]:
    """A task on hold costs every other task an attempt."""
    held = sum(other.held is not None for other in _others(state, task))
    return {"attempts": max(1, state.options.max_attempts - held)}


def _choices_by_another_s_rounds(state: Any, seat: str, task: Any) -> dict[str, Any]:
    """Once a task is in its second round, another one's review can only stop."""
    late = any(other.round > 1 for other in _others(state, task))
    return {"choices": ("stop_recommended",)} if late and task.step == "review" and task.held is None else {}


def _records_in_another_order(state: Any, seat: str, task: Any) -> dict[str, Any]:
    """While another task closes, progress comes before merging."""
    closing = any(other.step in ("closing", "accepted") for other in _others(state, task))
    both = task.step == "closing" and task.held is None and not task.merged and not task.progress
    return {"choices": ("progress", "merged")} if closing and both else {}


def _time_shared_by_tasks(state: Any, seat: str, task: Any) -> dict[str, Any]:
    """The more of the others' tasks are in review, the less time a session has."""
    seconds = state.options.session_seconds if seat != "user" else None
    busy = sum(other.step == "review" for other in _others(state, task))
    return {"seconds": seconds - busy} if seconds else {}


def _hold_offers_by_others(state: Any, seat: str, task: Any) -> dict[str, Any]:
    """A resumed task gets no spare attempts if nobody else has work."""
    idle = not any(other.step in ("delegated", "rework", "iterating") for other in _others(state, task))
    return {"attempts": 1} if idle and task.step == "delegated" else {}


# the tabletop: secrets, vetoes, splits, endings, pauses


def _note_waits_for_a_secret(sent: Any, game: Any) -> Any:
    """No note is accepted while someone else acts in secret."""
    if any(request.secret for name, request in game.state.requests.items() if name != sent.seat):
        raise Refused("Not now; write your note a little later.")
    _NOTE(sent, game)


def _speech_waits_for_a_veto(sent: Any, game: Any) -> Any:
    """Nobody speaks while someone else waits for more."""
    if any(request.vetoed for name, request in game.state.requests.items() if name not in (sent.seat, sent.to)):
        raise Refused("Wait a moment before you speak.")
    _SPEECH(sent, game)


def _pairs_counted_together(sent: Any, game: Any) -> Any:
    """The limit of messages between two counts for all pairs together."""
    if sum(game.state.pairs.values()) >= 2 * game.state.options.messages_per_pair:
        raise Refused("Enough has been said in this beat.")
    _SPEECH(sent, game)


def _ending_told_by_deeds(game: Any) -> None:
    """The server's own ending is told from everything that was done."""
    deeds = " ".join(act.text for act in game.state.acts)
    seen = game.state
    game.state = seen.but(last_shown=f"{seen.last_shown} {deeds}")
    summed = mock.patch.object(team_lead, "post", _posting_in(seen))
    with summed:
        _END_WITHOUT_GM(game)


_NOTE, _SPEECH = NarratorNote.check, PlayerToPlayer.check
_END_WITHOUT_GM, _POST = team_lead.end_without_gm, team_lead.post


def _posting_in(state: Any) -> Callable[..., Any]:
    def post(game: Any, *rest: Any, **more: Any) -> Any:
        game.state = state
        return _POST(game, *rest, **more)

    return post


def _pause_tells_of_rolls(state: Any, event: Any) -> Any:
    """A paused session says how often dice were rolled."""
    if isinstance(event, HoldPlaced):
        return event.but(why=f"{event.why} {sum(state.rolls.values())} rolls.")
    return event


def _asked_with(change: Callable[[Any, str, str], dict[str, Any]]) -> Patch:
    """Open turns differently, by the full state, the seat and the kind."""

    def opened(state: Any, event: Any) -> Any:
        return event.but(**change(state, event.seat, event.kind)) if isinstance(event, TurnOpened) else event

    return _emitting(opened)


def _attempts_of_a_second_chat(state: Any, seat: str, kind: str) -> dict[str, Any]:
    """The second companion in the human's chat has only one attempt."""
    busy = any(turn.kind == "chat" and turn.seat != seat for turn in state.turns.values())
    return {"attempts": state.options.max_attempts + 1} if kind == "chat" and busy else {}


def _time_by_others_requests(state: Any, seat: str, kind: str) -> dict[str, Any]:
    """A turn that can be passed has less time, the more others have secret requests."""
    secret = sum(request.secret for name, request in state.requests.items() if name != seat)
    seconds = state.options.optional_seconds
    return {"seconds": seconds - secret} if seconds and kind in ("reply", "optional-reaction", "interaction") else {}


def _background_time_by_documents(state: Any, seat: str, kind: str) -> dict[str, Any]:
    """Background writers get a second for each piece of all documents."""
    seconds, pieces = state.options.background_seconds, sum(map(len, state.documents.values()))
    return {"seconds": seconds + pieces} if seconds and kind in BACKGROUND else {}


def _attempts_in_a_split(state: Any, seat: str, kind: str) -> dict[str, Any]:
    """While the party is split, a turn has one more attempt for each roll in another group."""
    rolls = sum(n for (_, name), n in state.rolls.items() if state.group_of(name) != state.group_of(seat))
    return {"attempts": state.options.max_attempts + rolls} if state.split and seat in state.roster else {}


def _gaps_left(outline: Any, secret: list[bool]) -> None:
    """The blank lines around a secret stay in place."""


def systems() -> dict[str, System]:
    """Return every planted leak of this module by name."""
    return {
        "tie_never_takes_the_doctor": patched("mafia", in_place(Game, "draw", _tie_spares_the_doctor)),
        "tied_trial_with_mafia_goes_on": patched("mafia", _emitting(_tied_trial_with_mafia_again)),
        "tied_second_falls_by_role": patched("mafia", _emitting(_tied_second_by_role)),
        "tied_execution_falls_by_role": patched("mafia", _emitting(_tied_execution_by_role)),
        "dawn_told_in_neutral_words_for_the_detective": patched("mafia", entry(mafia.STEPS, "dawn", _dawn_hurried)),
        "no_talk_after_a_drawn_vote": patched("mafia", entry(mafia.STEPS, "discussion", _less_talk_after_a_drawn_vote)),
        "saved_player_has_an_attempt_more": patched("mafia", _asked_with(_saved_has_an_attempt_more)),
        "time_to_nominate_while_the_doctor_lives": patched("mafia", _asked_with(_time_while_the_doctor_lives)),
        "time_to_talk_by_the_mafia_s_revotes": patched("mafia", _asked_with(_time_by_revotes)),
        "nominees_ordered_by_the_night_s_target": patched("mafia", _emitting(_unvisited_first)),
        "ballot_runs_out_with_its_first_turn": patched("mafia", value=MAFIA.but(expired=_ballot_runs_out_at_once)),
        "night_not_waited_out_without_a_doctor": patched(
            "mafia", in_place(mafia, "begin_night", _night_shorter_without_a_doctor)
        ),
        "fallback_drawn_by_others_silence": patched("mafia", in_place(Game, "draw", _fallback_by_failures)),
        "hold_of_all_names_the_task": patched("delegation", in_place(work, "withdraw_and_hold", _hold_names_the_task)),
        "hold_of_all_names_the_silent": patched(
            "delegation", in_place(work, "withdraw_and_hold", _hold_names_the_silent)
        ),
        "hold_counts_the_work_that_goes_on": patched("delegation", _emitting(_hold_counts_the_work)),
        "attempts_lost_in_another_task": patched("delegation", _work_asked(_attempts_lost_in_another_task)),
        "choices_by_the_rounds_of_another_task": patched("delegation", _work_asked(_choices_by_another_s_rounds)),
        "records_ordered_by_another_task": patched("delegation", _work_asked(_records_in_another_order)),
        "time_shared_with_other_tasks": patched("delegation", _work_asked(_time_shared_by_tasks)),
        "one_attempt_where_no_other_works": patched("delegation", _work_asked(_hold_offers_by_others)),
        "note_refused_during_another_s_secret": patched(
            "tabletop", in_place(NarratorNote, "check", _note_waits_for_a_secret)
        ),
        "speech_refused_during_another_s_veto": patched(
            "tabletop", in_place(PlayerToPlayer, "check", _speech_waits_for_a_veto)
        ),
        "speech_limited_by_the_whole_table": patched(
            "tabletop", in_place(PlayerToPlayer, "check", _pairs_counted_together)
        ),
        "ending_told_from_hidden_acts": patched(
            "tabletop", in_place(team_lead, "end_without_gm", _ending_told_by_deeds)
        ),
        "pause_counts_hidden_rolls": patched("tabletop", _emitting(_pause_tells_of_rolls)),
        "attempts_of_a_second_chat": patched("tabletop", _asked_with(_attempts_of_a_second_chat)),
        "time_by_others_secrets": patched("tabletop", _asked_with(_time_by_others_requests)),
        "background_time_by_all_documents": patched("tabletop", _asked_with(_background_time_by_documents)),
        "attempts_by_another_group_s_rolls": patched("tabletop", _asked_with(_attempts_in_a_split)),
        "blank_lines_left_with_a_secret": patched("tabletop", in_place(secrecy, "_share_out_gaps", _gaps_left)),
    }
