"""What is decided in a tabletop session: how it opens, what each part of a reply does, and what stands in for one.

Whose turn is next: `course`.
"""

from __future__ import annotations

from collections.abc import Sequence

from domain import commands
from domain.errors import Refused, SetupRefused
from domain.events import Failure, GameOpened, SeatsFilled
from domain.game import withdraw_and_hold
from domain.rulesets.tabletop import events, turns
from domain.rulesets.tabletop.course import changes, clerk
from domain.rulesets.tabletop.course.moves import Chat, Entry, HumanCommand, Move, Pass, Response, Result, Scene, Words
from domain.rulesets.tabletop.documents import Delta, import_folder, response_file
from domain.rulesets.tabletop.messages import Malformed, ResourceDelta, RollRequest, Send, TextDelta, edition_of, send
from domain.rulesets.tabletop.names import GM, HUMAN, STANDING, checked_roster, is_slug
from domain.rulesets.tabletop.state import REST, Game, TabletopState
from domain.rulesets.tabletop.texts import blank
from domain.rulesets.tabletop.turns import open_turn_of
from domain.turns import Turn


def seats_for(names: Sequence[str]) -> tuple[str, ...]:
    """The session's seats: the standing ones, the characters in the order given, and `human` if it is among them."""
    characters = checked_roster([name for name in names if name != HUMAN])
    return (*STANDING, *characters, *((HUMAN,) if HUMAN in names else ()))


def open_game(game: Game, command: commands.Open) -> None:
    """Check the setup, open the session, and take in the campaign's documents."""
    seats = seats_for([seat for seat in command.seats if seat not in STANDING])
    roster = [seat for seat in seats if seat not in STANDING and seat != HUMAN]
    if set(command.seats) != set(seats):
        raise SetupRefused(f"A session has the seats {', '.join(STANDING)} beside its characters'.")
    if not roster:
        raise SetupRefused("A session needs at least one character.")
    options = game.ruleset.checked_options(command.options)
    if options.player_character is not None and options.player_character not in roster:
        raise SetupRefused(f"{options.player_character!r} is none of the characters: {', '.join(roster)}.")
    if not is_slug(options.campaign):
        raise SetupRefused(
            f"The rule 'campaign' is lower-case words joined by hyphens, such as 'the-drowned-bell', not "
            f"{options.campaign[:60]!r}."
        )
    if blank(options.narrative_style):
        raise SetupRefused("The rule 'narrative_style' is empty; name a style, such as hybrid.")
    game.emit(GameOpened(ruleset="tabletop", seats=seats, options=options.model_dump(mode="json")))
    game.emit(SeatsFilled(agents=dict(command.agents), seed=command.seed))
    documents = {path: content for path, content in command.files.items() if path != changes.CARRIED}
    changes.imported(game, import_folder(documents, roster))
    if changes.CARRIED in command.files:
        changes.carried_over(game, command.files[changes.CARRIED])


def apply(game: Game, seat: str, turn: Turn | None, move: Move) -> None:
    """What one part of a reply does; it stands or is refused by itself (T-142)."""
    match move:
        case Send():
            send(game, seat, move)
        case TextDelta():
            changes.write(game, seat, Delta(move.document, move.operation, move.text, move.heading))
        case ResourceDelta():
            changes.change_resource(game, seat, move)
        case RollRequest():
            changes.roll(game, seat, move)
        case Malformed(message):
            raise Refused(message)
        case Pass():
            _pass(game, seat, turn)
        case HumanCommand():
            _command(game, move)
        case Words(text):
            _words(game, turn, text)
        case Chat():
            _chat(game, seat, move)
        case Result(text):
            _result(game, seat, turn, text)
        case Response(text):
            _response(game, seat, turn, text)
        case Scene(text):
            changes.add_to_scene(game, text)
        case Entry(delta):
            changes.enter(game, seat, delta)
            if turn is not None:
                game.accept(turn, "")
                _journal_done(game, turn, done=True)


def _pass(game: Game, seat: str, turn: Turn | None) -> None:
    assert turn is not None, "only an open turn is passed"
    if turn.kind in turns.REQUESTS:
        turns.may_pass(game.state, seat)
        game.emit(events.RequestPassed(character=seat))
    game.accept(turn, "", "pass")


def _words(game: Game, turn: Turn | None, text: str) -> None:
    """What the human says to what it is asked; a bare number takes the option that it numbers."""
    assert turn is not None, "the human's words without a turn are refused when they are read"
    words = turns.by_number(game.state, turn.kind, text)
    game.accept(turn, text)
    match turn.kind:
        case "act":
            clerk.acted(game, words)
        case "choose":
            clerk.answered(game, words)
        case _:
            clerk.decided(game, words)


def _command(game: Game, move: HumanCommand) -> None:
    if move.name in ("away", "back") and "MODE_SWITCH" not in edition_of(game.state).tags:
        raise Refused(f"/{move.name} has no meaning in {game.state.edition_name}: your character acts only by you.")
    match move.name:
        case "away":
            clerk.switch(game, "AUTONOMOUS", move.words or None)
        case "back":
            clerk.switch(game, "HUMAN_RELAY", move.words or None)
        case "save" | "end":
            clerk.command(game, move.name, move.words or None)


def _chat(game: Game, seat: str, move: Chat) -> None:
    """Talk out of character, seen by those two alone (T-076)."""
    state = game.state
    if state.edition_name == "phase-1":
        raise Refused("In phase-1 there is nobody to chat with: characters are there for their tasks only.")
    if move.to != HUMAN and move.to not in state.played:
        raise Refused(f"There is no character {move.to!r} to chat with; there are: {', '.join(state.played)}.")
    game.emit(events.ChatSaid(seat=seat, to=move.to, text=move.text))
    if move.to != HUMAN:
        if open_turn_of(state, move.to, "chat") is None:
            game.ask(move.to, "chat", attempts=state.options.max_attempts, seconds=state.options.optional_seconds)
    else:
        turn = open_turn_of(game.state, seat, "chat")
        if turn is not None:
            game.accept(turn, "")


def _result(game: Game, seat: str, turn: Turn | None, text: str) -> None:
    assert turn is not None
    game.accept(turn, clerk.task_answer(game.state.actions.get(seat), text))


def _response(game: Game, seat: str, turn: Turn | None, text: str) -> None:
    """A response file takes the place of a stale one (F-035, F-053)."""
    assert turn is not None
    changes.write(game, seat, Delta(response_file(seat), "set", text))
    game.accept(turn, "")


def settle(game: Game, turn: Turn, text: str, refusals: Sequence[str]) -> None:
    """Whether a reply that left its turn open has answered it after all (T-142, T-157, T-163)."""
    said = " ".join(refusals)
    if turn.seat == HUMAN and (not refusals or text.strip().startswith("/")):
        for refusal in refusals:
            game.refuse(turn.seat, turn.number, text, refusal)
        return
    missing = _missing(game.state, turn)
    if missing is None and (turn.kind in ANSWERED_AT_ONCE or not refusals or game.state.ended):
        _accept(game, turn)
        for refusal in refusals:
            game.refuse(turn.seat, turn.number, text, refusal)
    else:
        game.fail(turn, "invalid", text, " ".join(filter(None, (said, missing if not refusals else None))))


ANSWERED_AT_ONCE = (*turns.REQUESTS, turns.RELAY, "response")
"""The kinds whose turn is over once its request is settled, whatever else of the reply was refused."""


def _accept(game: Game, turn: Turn) -> None:
    """Close a turn whose messages stand in the log by themselves."""
    if turn.seat == GM and "note" in game.state.gm_turn.calls and game.state.note_open:
        game.emit(events.NoteRequestLapsed())
    game.accept(turn, "")


def _missing(state: TabletopState, turn: Turn) -> str | None:
    """What the reply still lacks to answer its turn, or None."""
    seat = turn.seat
    if seat == GM:
        return _gm_owes(state)
    if turn.kind == "response":
        return "Write your response." if seat in state.signalled else None
    if turn.kind in turns.JOURNALS:
        return "Write the entry for your journal."
    if turn.kind in ANSWERED_AT_ONCE:
        request = state.requests.get(seat)
        if request is None or request.vetoed or (turn.kind == turns.RELAY and request.relayed):
            return None
        return "That does not answer the GM's request; send PLAYER_TO_GM, or what the request asks for."
    return None


def _gm_owes(state: TabletopState) -> str | None:
    calls, done = state.gm_turn.calls, state.gm_turn
    if state.ending:
        return None if state.ended else "The session is ending: save what is to be saved and send SESSION_END now."
    if not state.started:
        return None if state.questions else "Ask the human which character to play: send ASK_PLAYER to team-lead."
    if "opening" in calls and not done.narrated:
        return "The session has just started: open it with a NARRATIVE."
    if "recap" in calls and not _recapped(state):
        return "The team lead asks where things stand: tell it in a NARRATIVE, in a split in one for each group."
    vetoed = [name for name, request in state.requests.items() if request.vetoed] or list(state.task_vetoes)
    if "veto" in calls and state.file_vetoes:
        return f"{', '.join(state.file_vetoes)} asked for more: write a prompt with FULL_CONTEXT, and signal again."
    if "veto" in calls and vetoed:
        tag = "AWAIT_PLAYERS" if state.task_vetoes else "GM_TO_PLAYER"
        return f"{', '.join(vetoed)} asked for more: send {tag} with request_type FULL_CONTEXT."
    if "save" in calls and not done.saved:
        if state.edition_name == "current":
            return "Save: bring story-state.md and party-knowledge.md up to date by state deltas."
        return "Save: write the delta files into tmp/ and send STATE_UPDATED."
    return None


def _recapped(state: TabletopState) -> bool:
    told = state.gm_turn.narrated
    return set(state.group_labels) <= told if state.split else REST in told


def expired(game: Game, turn: Turn) -> None:
    """The time of an attempt ran out: what may be skipped is passed (T-060), what the human is asked lapses (T-140)."""
    if turn.kind in turns.SKIPPABLE or turn.seat == HUMAN:
        fallback(game, turn, "timeout")
    else:
        game.fail(turn, "timeout", "", "The time for this attempt ran out.")


def fallback(game: Game, turn: Turn, reason: Failure) -> None:
    """What stands in when the attempts at a turn ran out (T-138 to T-140, T-158, T-160, T-164, T-167)."""
    state = game.state
    if turn.seat == GM:
        _without_gm(game, turn, reason)
        return
    seat = turn.seat
    game.fall_back(turn, reason, "pass" if turn.kind in turns.SKIPPABLE else None)
    request = state.requests.get(seat)
    if turn.kind == turns.RELAY:
        if request is not None and turns.kind_wanted(state, seat) == turns.RELAY:
            clerk.relay_for(game, seat)
    elif turn.kind in turns.REQUESTS and request is not None:
        if request.decision is not None:
            clerk.speak_for(game, seat)
        else:
            game.emit(events.RequestPassed(character=seat, fallback=turn.kind not in turns.SKIPPABLE))
    elif turn.kind == "response" and seat in state.signalled:
        game.emit(events.RequestPassed(character=seat, fallback=True))
    elif turn.kind == "decide":
        turns.decide_alone(game)
    elif turn.kind == "choose" and state.questions:
        clerk.answered(game, state.questions[0].options[0]["label"], fallback=True)
    elif turn.kind == "act":
        game.emit(events.PromptClosed())
    elif turn.kind in turns.JOURNALS:
        _journal_done(game, turn, done=False)


def _without_gm(game: Game, turn: Turn, reason: Failure) -> None:
    state = game.state
    if state.ending:
        game.fall_back(turn, reason)
        if not state.ended:
            clerk.end_without_gm(game)
    elif state.gm_turn.calls == {"note"}:
        game.fall_back(turn, reason)
        if state.note_open:
            game.emit(events.NoteRequestLapsed())
    else:
        withdraw_and_hold(game, turn, "The GM's attempts ran out; nobody can stand in for it.")


def _journal_done(game: Game, turn: Turn, *, done: bool) -> None:
    if ("ai-player-journal", turn.seat) in game.state.background:
        game.emit(events.TaskEnded(task="ai-player-journal", character=turn.seat, done=done))
