"""Whether a message may be sent as things stand, and what follows from it at once.

`send` is the only way in for every message of every seat, the server's own clerk included: routing first (who may send
this tag to whom, and how), then what the tag itself demands, then the fact, then its effects.
"""

from __future__ import annotations

from domain.errors import Refused
from domain.ruleset import Deciding
from domain.rulesets.tabletop import asking, events
from domain.rulesets.tabletop.checking import CHECKS
from domain.rulesets.tabletop.effects import EFFECTS
from domain.rulesets.tabletop.envelopes import Send
from domain.rulesets.tabletop.events import HUMAN, STANDING, MessageSent
from domain.rulesets.tabletop.messages import Message, parse
from domain.rulesets.tabletop.names import full_name
from domain.rulesets.tabletop.phrases import is_pass
from domain.rulesets.tabletop.routes import addressees, check_route
from domain.rulesets.tabletop.state import TabletopState

Game = Deciding[TabletopState]

BEFORE_START = ("ASK_PLAYER", "PLAYER_ANSWER", "CONTEXT_REFRESH")
NOT_AFTER_END = ("GM_TO_PLAYER", "AWAIT_PLAYERS", "AWAIT_AI_PLAYERS", "ASK_PLAYER")
NOT_WHILE_AWAITING = ("NARRATIVE", "STATE_UPDATED", "SESSION_END", "AWAIT_PLAYERS")


def send(game: Game, seat: str, item: Send, *, fallback: bool = False) -> None:
    """Send one envelope. Raises Refused with what is wrong; nothing has happened then."""
    message = parse(item.content, game.state.edition)
    post(game, seat, item.recipient if item.transport == "message" else None, message, fallback=fallback)


def post(game: Game, seat: str, to: str | None, message: Message, *, fallback: bool = False) -> None:
    """Send a message that has been read."""
    if seat not in (*STANDING, *addressees(game.state.edition, game.state.played)):
        raise Refused("You send no messages in this session; answer when you are asked.")
    if message.tag is None:
        _informal(game, seat, to, message)
        return
    _in_time(game.state, message)
    check_route(
        message.tag,
        sender=seat,
        transport="broadcast" if to is None else "message",
        recipient=to,
        edition=game.state.edition,
    )
    if to is not None:
        _known(game.state, seat, to)
    if message.tag == "PLAYER_TO_GM" and _passes(game.state, seat, message):
        game.emit(events.RequestPassed(character=seat))
        return
    event = MessageSent(
        seat=seat,
        to=to,
        tag=message.tag,
        fields=message.to_json(),
        undefined=message.undefined,
        body=message.body,
        fallback=fallback,
    )
    check = CHECKS.get(message.tag)
    if check is not None:
        event = check(game, event) or event
    before = game.state
    game.emit(event)
    effect = EFFECTS.get(message.tag)
    if effect is not None:
        effect(game, event, before)


def _passes(state: TabletopState, seat: str, message: Message) -> bool:
    """Whether a PLAYER_TO_GM says no more than `pass` to a request that may be passed over (T-060)."""
    request = state.requests.get(seat)
    if request is None or request.vetoed or request.type not in asking.OPTIONAL or not is_pass(message.body):
        return False
    if message.fields["type"] == "VETO" or message.fields["character"] != seat:
        return False
    asking.may_pass(state, seat)
    return True


def _informal(game: Game, seat: str, to: str | None, message: Message) -> None:
    if to is None:
        raise Refused("Only a NARRATIVE travels by broadcast; address informal text to one seat.")
    _known(game.state, seat, to)
    if game.state.ended:
        raise Refused("The session has ended; nothing more is sent.")
    game.emit(MessageSent(seat=seat, to=to, tag=None, body=message.body))


def _known(state: TabletopState, seat: str, to: str) -> None:
    seats = addressees(state.edition, state.played)
    if to not in seats:
        if to not in (*STANDING, HUMAN):
            full_name(to, state.played)
        raise Refused(f"No message can be addressed to {to!r}; the seats are: {', '.join(seats)}.")
    if to == seat:
        raise Refused("A message to yourself says nothing; address another seat.")


def _in_time(state: TabletopState, message: Message) -> None:
    """What the session's course allows at all: T-100, T-106, T-157, T-126."""
    tag = message.tag or ""
    starts = tag == "SESSION_COMMAND" and message.fields.get("command") == "start"
    if not state.started and not starts and tag not in BEFORE_START:
        raise Refused(
            f"The session has not started: before SESSION_COMMAND start only {', '.join(BEFORE_START)} is sent."
        )
    if state.ended:
        closing = tag == "JOURNAL_CHECKPOINT" and message.fields.get("trigger") == "session_end"
        if not (closing and state.edition_name == "phase-2"):
            raise Refused("The session has ended; nothing more is sent.")
    elif state.ending:
        if tag in NOT_AFTER_END:
            raise Refused(f"The session is ending: no {tag} any more; save what is to be saved and send SESSION_END.")
        if tag == "NARRATIVE" and state.words_after_end:
            raise Refused("The session is ending, and its one last NARRATIVE has been told; send SESSION_END.")
    if state.tasks and tag in NOT_WHILE_AWAITING:
        raise Refused(f"You wait for PLAYER_RESPONSES; until it comes no {tag} is sent.")
