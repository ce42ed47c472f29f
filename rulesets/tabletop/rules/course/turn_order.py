"""The course of a tabletop session: what is owed now, and whose turn is next.

`advance` looks at what is owed and opens it, one step at a time, until a seat has a turn or the session is over. So
what is open follows only from the state, and a session that is resumed, forked or woken continues where it was.
"""

from __future__ import annotations

from sottovoce import HoldPlaced
from sottovoce.rulesets.tabletop.rules import events, turns
from sottovoce.rulesets.tabletop.rules.course import changes, team_lead
from sottovoce.rulesets.tabletop.rules.course.replies import TabletopTurn
from sottovoce.rulesets.tabletop.rules.documents import notes_file
from sottovoce.rulesets.tabletop.rules.messages import addressees, edition_of
from sottovoce.rulesets.tabletop.rules.names import GM, HUMAN, TEAM_LEAD
from sottovoce.rulesets.tabletop.rules.state import URGENT, Call, Game
from sottovoce.rulesets.tabletop.rules.turns import open_turn_of


def advance(game: Game) -> None:
    """Open what is owed until somebody is asked, the session pauses, or it is over."""
    while not game.state.over and game.state.hold is None and _step(game):
        pass


def _step(game: Game) -> bool:
    """The next thing that is owed; whether there was any."""
    state = game.state
    if state.ended:
        return _close(game)
    if any(step(game) for step in (_take_back, _ask_questions, _close_prompt, _ask_relays, _ask_requests)):
        return True
    if not state.started:
        return _before_start(game)
    return any(step(game) for step in (_welcome_back, _gather, _report, _journal, _call_gm))


def _take_back(game: Game) -> bool:
    """Turns that ask for what was settled in another turn, or unasked, are asked no more."""
    for turn in game.state.turns.values():
        if isinstance(turn, TabletopTurn) and turn.is_stale(game.state):
            game.withdraw(turn)
            return True
    return False


def _before_start(game: Game) -> bool:
    state = game.state
    known = state.options.player_character or state.chosen or not state.has_human or len(state.roster) == 1
    if known:
        team_lead.start(game)
        return True
    if state.questions or open_turn_of(state, GM):
        return False
    return _ask_gm(game, "cast")


def _ask_questions(game: Game) -> bool:
    """The human is asked the oldest question; alone, or without a human, the first option is taken (T-164)."""
    state = game.state
    if not state.questions or (open_turn_of(state, HUMAN, "choose") and not state.alone):
        return False
    if state.alone:
        team_lead.answered(game, state.questions[0].options[0]["label"], fallback=True)
    else:
        turns.ask_human(game, "choose")
    return True


def _close_prompt(game: Game) -> bool:
    state = game.state
    if not state.action_prompt or (open_turn_of(state, HUMAN, "act") and not state.alone):
        return False
    if state.alone:
        turns.withdraw(game, HUMAN, "act")
        game.emit(events.PromptClosed())
    else:
        turns.ask_human(game, "act")
    return True


def _ask_relays(game: Game) -> bool:
    """What the human's character has relayed is put to the human, unless it decides alone by now (T-080, T-085)."""
    state = game.state
    request = state.requests.get(state.character or "")
    if request is None or not request.with_the_human or request.vetoed:
        return False
    if state.alone:
        turns.decide_alone(game)
        return True
    if open_turn_of(state, HUMAN, "decide"):
        return False
    turns.ask_human(game, "decide")
    return True


def _ask_requests(game: Game) -> bool:
    """Every request has the turn that belongs to it as things stand: to relay it, or to answer it."""
    state = game.state
    for character, request in state.requests.items():
        if request.vetoed or request.with_the_human:
            continue
        if request.by_clerk and request.decision is not None:
            team_lead.speak_for(game, character)
            return True
        if open_turn_of(state, character, turns.kind_wanted(state, character)) is None:
            turns.ask_character(game, character)
            return True
    return False


def _welcome_back(game: Game) -> bool:
    if not game.state.back:
        return False
    team_lead.sum_up_absence(game)
    return True


def _gather(game: Game) -> bool:
    state = game.state
    if not state.tasks or any(open_turn_of(state, name, "action") for name in state.tasks):
        return False
    team_lead.gather(game)
    return True


def _report(game: Game) -> bool:
    """What a STATE_UPDATED starts: journals, merges and the decision log (T-117 to T-120)."""
    state = game.state
    if not state.updated:
        return False
    if state.acted and not (state.ended and state.edition_name == "phase-2"):
        changes.share_narrative(game)
        team_lead.ask_for_journals(game, "state_updated")
    changes.merge_deltas(game)
    if state.acted or state.deeds:
        changes.log_decisions(game)
    return True


def _journal(game: Game) -> bool:
    """After a cycle by files, once a narrative has returned, those who took part write their journals (F-048)."""
    state = game.state
    free = [name for name in state.journals_due if not open_turn_of(state, name, *turns.JOURNALS)]
    due = [name for name in free if not state.split or notes_file(name) in state.documents]
    if not due:
        return False
    changes.share_narrative(game)
    team_lead.ask_for_own_journals(game, due)
    return True


def _call_gm(game: Game) -> bool:
    """Open the GM's turn: at once for what cannot wait, otherwise when no answer is missing, or a group has answered
    (T-133).
    """
    state = game.state
    if open_turn_of(state, GM) or (state.tasks and not state.ending):
        return False
    answered = state.split and any(
        set(state.members(label)) & state.settled and not state.awaited(state.members(label))
        for label in state.group_labels
    )
    if not (state.calls & URGENT or answered or not state.anybody_awaited):
        return False
    if state.idle >= state.options.idle_gm_turns and not state.calls - SELF_MADE:
        game.emit(HoldPlaced(waiting_for=GM, why="The GM has asked nobody anything for several turns."))
        return False
    return _ask_gm(game, _kind(state.calls, bool(state.settled)))


SELF_MADE: frozenset[Call] = frozenset(("outcome", "answer", "note"))
"""The calls that the GM and the narrator can bring about without any player: they do not keep a monologue going."""


def _kind(calls: frozenset[Call], settled: bool) -> str:
    for call in ("end", "veto", "recap", "save", "opening"):
        if call in calls:
            return call
    return "note" if calls == {"note"} and not settled else "beat"


def _ask_gm(game: Game, kind: str) -> bool:
    options = game.state.options
    game.ask(GM, kind, attempts=options.max_attempts, seconds=options.gm_seconds)
    return True


def _close(game: Game) -> bool:
    """What the last STATE_UPDATED started is done first (T-105)."""
    state = game.state
    if _report(game):
        return True
    if state.edition_name == "phase-2" and not state.final_journals:
        changes.share_narrative(game)
        team_lead.ask_for_journals(game, "session_end")
        return True
    return _let_go(game)


def _let_go(game: Game) -> bool:
    """Once no background work is left, every seat is let go (T-105). Whether anything was done."""
    state = game.state
    if any(isinstance(turn, TabletopTurn) and turn.background for turn in state.turns.values()):
        return False
    turns.dismiss(game)
    present = addressees(edition_of(state), state.roster)
    for seat in state.seats:
        if seat in present and seat != TEAM_LEAD:
            game.emit(events.ShutdownRequested(seat=seat))
    game.emit(events.TeamDissolved())
    return True
