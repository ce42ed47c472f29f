"""How a reply is taken: what it is read into, what each part of it does, and when its turn is over."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from sottovoce import Failure, Refused, Turn
from sottovoce.rulesets.tabletop.rules import messages
from sottovoce.rulesets.tabletop.rules.course import changes, inquiries
from sottovoce.rulesets.tabletop.rules.documents import Delta
from sottovoce.rulesets.tabletop.rules.names import HUMAN
from sottovoce.rulesets.tabletop.rules.phrases import is_pass
from sottovoce.rulesets.tabletop.rules.state import Game
from sottovoce.rulesets.tabletop.rules.state import TabletopState as State
from sottovoce.rulesets.tabletop.rules.texts import blank

Deed = Callable[[Game], None]
"""What a part of a reply does that is no item of an envelope."""
Move = messages.Item | Deed


class TabletopTurn(Turn[State]):
    """An open request in a session; its subclasses say what is asked of whom.

    A `skippable` one is closed without an error by a `pass`, an empty reply or a timeout (T-060), and what is done in
    the `background` holds nothing up (T-159). One that is `settled_at_once` is over once its request is settled,
    whatever else of the reply was refused.
    """

    skippable: ClassVar[bool] = False
    background: ClassVar[bool] = False
    settled_at_once: ClassVar[bool] = False

    def moves(self, state: State, text: str) -> Sequence[Move]:
        """What a reply does, in order. Refused where nothing can be made of it as a whole."""
        if self.skippable and is_pass(text):
            return [self.passed]
        return some_items(state, self.seat, text)

    def passed(self, game: Game) -> None:
        """The turn is passed over."""
        game.accept(self, "", "pass")

    def lacks(self, state: State) -> str | None:
        """What a reply that left the turn open still lacks to answer it, or None."""
        return None

    def goes_on(self, game: Game) -> bool:
        """Whether a reply that left the turn open is to be followed by another, and no attempt is used up."""
        return False

    def besides(self, text: str, refusals: Sequence[str]) -> str:
        """What to know besides the refusals of a reply."""
        return ""

    def settled(self, game: Game) -> None:
        """Close a turn whose messages stand in the log by themselves."""
        game.accept(self, "")

    def fallen_silent(self, game: Game, reason: Failure) -> None:
        """What stands in when the attempts have run out (T-138 to T-140, T-158, T-160, T-164, T-167)."""
        state = game.state
        game.fall_back(self, reason, "pass" if self.skippable else None)
        self.unanswered(game, state)

    def unanswered(self, game: Game, before: State) -> None:
        """What follows from a turn that was closed without an answer, given the state before it."""

    def is_stale(self, state: State) -> bool:
        """Whether it asks for what has been settled otherwise."""
        return False


def items(state: State, seat: str, text: str) -> tuple[messages.Item, ...]:
    """What a reply in envelopes or plain text sends."""
    edition = messages.edition_of(state)
    return messages.read_reply(text, seat=seat, edition=edition, seats=messages.addressees(edition, state.played))


def some_items(state: State, seat: str, text: str) -> tuple[messages.Item, ...]:
    """The same, Refused where it sends nothing."""
    found = items(state, seat, text)
    if not found:
        raise Refused("Your reply is empty; send what the turn asks for.")
    return found


def words_of(text: str) -> str:
    """The text, Refused where it says nothing."""
    if blank(text):
        raise Refused("Your reply is empty; write something.")
    return text


def apply(game: Game, seat: str, move: Move) -> None:
    """What one part of a reply does; it stands or is refused by itself (T-142)."""
    match move:
        case messages.Send():
            messages.send(game, seat, move)
        case messages.TextDelta():
            changes.write(game, seat, Delta(move.document, move.operation, move.text, move.heading))
        case messages.ResourceDelta():
            changes.change_resource(game, seat, move)
        case messages.RollRequest():
            changes.roll(game, seat, move)
        case messages.OpenDocument():
            changes.open_document(game, seat, move)
        case messages.FactsRequest():
            inquiries.show_facts(game, seat, move)
        case messages.CheckRequest():
            inquiries.check(game, seat, move)
        case messages.AttitudeChange():
            inquiries.change_attitude(game, seat, move)
        case messages.Malformed(message):
            raise Refused(message)
        case deed:
            deed(game)


def settle(game: Game, turn: Turn, text: str, refusals: Sequence[str]) -> None:
    """Whether a reply that left its turn open has answered it after all (T-142, T-157, T-163)."""
    assert isinstance(turn, TabletopTurn), turn.kind
    lacks = turn.lacks(game.state)
    over = lacks is None and (turn.settled_at_once or not refusals or game.state.ended)
    if turn.seat == HUMAN and (not refusals or text.strip().startswith("/")):
        pass  # A command beside what is asked: the question stays.
    elif turn.goes_on(game) and not game.state.ended:
        pass  # What it asked for has been shown: it is asked again.
    elif over:
        turn.settled(game)
    else:
        told = [*refusals, turn.besides(text, refusals)] if refusals else [lacks or ""]
        game.fail(turn, "invalid", text, " ".join(filter(None, told)))
        return
    for refusal in refusals:
        game.refuse(turn.seat, turn.number, text, refusal)


def expired(game: Game, turn: Turn) -> None:
    """The time of an attempt ran out: what may be skipped is passed (T-060), what the human is asked lapses (T-140)."""
    assert isinstance(turn, TabletopTurn), turn.kind
    if turn.skippable or turn.seat == HUMAN:
        turn.fallen_silent(game, "timeout")
    else:
        game.fail(turn, "timeout", "", "The time for this attempt ran out.")


def fallback(game: Game, turn: Turn, reason: Failure) -> None:
    assert isinstance(turn, TabletopTurn), turn.kind
    turn.fallen_silent(game, reason)
