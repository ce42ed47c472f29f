"""Who is asked what: the turns of characters, of the human and of the narrator, and how they are taken back."""

from __future__ import annotations

from collections.abc import Iterable

from sottovoce import HoldLifted, Refused, Turn
from sottovoce.rulesets.tabletop.rules import events
from sottovoce.rulesets.tabletop.rules.names import HUMAN, NARRATOR
from sottovoce.rulesets.tabletop.rules.phrases import is_pass, options
from sottovoce.rulesets.tabletop.rules.request_types import REQUEST_TYPES
from sottovoce.rulesets.tabletop.rules.state import Game, OpenRequest, TabletopState
from sottovoce.rulesets.tabletop.rules.texts import sections

RELAY = "relay"
REQUESTS = tuple(name.lower().replace("_", "-") for name in REQUEST_TYPES)
"""The kinds of turn by which a character answers a GM_TO_PLAYER itself."""
HUMAN_KINDS = ("decide", "choose", "act")
JOURNALS = ("journal", "own-notes")
"""The kinds of turn that ask for a journal entry; the second in a split, when there is no shared narrative (F-064)."""


def kind_of(request_type: str) -> str:
    return request_type.lower().replace("_", "-")


def open_turn_of(state: TabletopState, seat: str, *kinds: str) -> Turn | None:
    """The seat's open turn of one of those kinds; with none given, of any."""
    return next(
        (turn for turn in state.turns.values() if turn.seat == seat and (not kinds or turn.kind in kinds)), None
    )


def withdraw(game: Game, seat: str, *kinds: str) -> None:
    """Take back the seat's open turns of those kinds."""
    while (turn := open_turn_of(game.state, seat, *kinds)) is not None:
        game.withdraw(turn)


def ask_character(game: Game, character: str) -> None:
    """Open the turn for the character's open request, in place of an older one: to relay it, or to answer it."""
    state = game.state
    request = state.requests[character]
    withdraw(game, character, RELAY, *REQUESTS)
    options = state.options
    seconds = options.optional_seconds if REQUEST_TYPES[request.type].optional else options.request_seconds
    game.ask(character, kind_wanted(state, character), attempts=options.max_attempts, seconds=seconds)


def kind_wanted(state: TabletopState, character: str) -> str:
    """The kind of turn by which the character deals with its open request as things stand."""
    request = state.requests[character]
    return RELAY if _relays(state, character, request) else kind_of(request.type)


def _relays(state: TabletopState, character: str, request: OpenRequest) -> bool:
    return character == state.character and not state.alone and not request.alone and request.decision is None


def replace_request(game: Game, character: str, before: TabletopState) -> None:
    """A new GM_TO_PLAYER: whatever was open for that character is asked no more (T-064, T-150, T-156)."""
    earlier = before.requests.get(character)
    if character == before.character:
        if earlier is not None and earlier.with_the_human:
            game.emit(events.RelayWithdrawn(character=character))
        if before.action_prompt:
            game.emit(events.PromptClosed(fallback=False))
        withdraw(game, HUMAN, "decide", "act")
    ask_character(game, character)


def may_pass(state: TabletopState, character: str) -> None:
    """Refused where the human decides about the request, or has decided to do something (T-155, T-167)."""
    wait_for_the_human(state, character)
    request = state.requests.get(character)
    if request is not None and request.decision is not None and not is_pass(request.decision):
        raise Refused("Your human has decided: put the decision into your character's words, and do not pass.")


def wait_for_the_human(state: TabletopState, character: str) -> None:
    """Refused where the human's character would decide without its human (T-155)."""
    request = state.requests.get(character)
    if request is not None and _relays(state, character, request):
        raise Refused("Your human decides: send RELAY_TO_HUMAN and wait for the HUMAN_DECISION.")


def ask_human(game: Game, kind: str) -> None:
    options = game.state.options
    game.ask(HUMAN, kind, attempts=options.max_attempts, seconds=options.human_seconds)


def offered(state: TabletopState, kind: str) -> tuple[str, ...]:
    """The options that the human is shown with a turn of that kind, in order; a reply may give one by its number."""
    if kind == "choose" and state.questions:
        return tuple(option["label"] for option in state.questions[0].options)
    suggested = sections(state.relay).get("Suggested Options") if kind == "decide" else None
    return options(suggested) if suggested else ()


def by_number(state: TabletopState, kind: str, words: str) -> str:
    """The option that a bare number stands for, or the words as they are."""
    shown = offered(state, kind)
    number = words.strip().rstrip(".")
    index = int(number) if number.isdecimal() and len(number) <= 4 else 0
    return shown[index - 1] if 1 <= index <= len(shown) else words


def decide_alone(game: Game) -> None:
    """The human is not asked any longer about the request that was relayed: the character answers it (T-085, T-140)."""
    character = game.state.character or ""
    withdraw(game, HUMAN, "decide")
    game.emit(events.RelayWithdrawn(character=character))
    ask_character(game, character)


def answer_in_kind(game: Game, seat: str, to: str) -> None:
    """T-153: an optional turn for the character that was spoken to, if it may still answer in this beat."""
    state = game.state
    present = to == state.character and not state.alone
    spent = state.exchanged(seat, to) >= state.options.messages_per_pair
    if not (present or spent or state.ending or open_turn_of(state, to, "reply")):
        game.ask(to, "reply", attempts=state.options.max_attempts, seconds=state.options.optional_seconds)


def ask_in_background(game: Game, seat: str, kind: str) -> None:
    if open_turn_of(game.state, seat, kind) is None:
        options = game.state.options
        game.ask(seat, kind, attempts=options.max_attempts, seconds=options.background_seconds)


def ask_for_journal(game: Game, character: str) -> None:
    """The turn for a journal entry, unless one is open."""
    if open_turn_of(game.state, character, *JOURNALS) is None:
        ask_in_background(game, character, "own-notes" if game.state.split else "journal")


def ask_task(game: Game, character: str) -> None:
    """The turn of a phase-1 task (T-125)."""
    options = game.state.options
    ballot = f"tasks.{game.state.task_round}"
    game.ask(character, "action", attempts=options.max_attempts, seconds=options.request_seconds, ballot=ballot)


def ask_for_response(game: Game, character: str) -> None:
    """The turn of a character whose prompt is a file (F-026)."""
    options = game.state.options
    game.ask(character, "response", attempts=options.max_attempts, seconds=options.request_seconds)


def lift(game: Game) -> None:
    """A paused session goes on (T-165)."""
    if game.state.hold is not None:
        game.emit(HoldLifted())


def withdraw_open(game: Game) -> None:
    """Nothing that is open is asked any more: requests, relays, questions, prompts and tasks (T-157)."""
    state = game.state
    for character, request in state.requests.items():
        if request.with_the_human:
            game.emit(events.RelayWithdrawn(character=character))
    for name in _once((*state.requests, *state.tasks, *state.signalled)):
        withdraw(game, name, RELAY, *REQUESTS, "action", "response")
        game.emit(events.RequestWithdrawn(character=name))
    withdraw(game, HUMAN, *HUMAN_KINDS)
    for question in state.questions:
        game.emit(events.QuestionWithdrawn(question=question.question))
    if game.state.action_prompt:
        game.emit(events.PromptClosed(fallback=False))
    for name in state.played:
        withdraw(game, name, "reply", "chat")


def dismiss(game: Game) -> None:
    """Take back every turn that is open, whoever holds it."""
    for turn in tuple(game.state.turns.values()):
        game.withdraw(turn)


def _once(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


def change_scene(game: Game, number: str, slug: str) -> None:
    """T-151: another number or slug is another scene."""
    if game.state.scene != (number, slug):
        game.emit(events.SceneChanged(number=number, slug=slug))


def narrate_scene(game: Game) -> None:
    """The narrator may add to the scene, or ask the GM for more (T-045, T-112, T-114)."""
    if not game.state.ending:
        ask_in_background(game, NARRATOR, "scene")
