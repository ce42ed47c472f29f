"""What players are asked before the first night, and in the discussion by day."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import ClassVar

from sottovoce import Answer, Ballot, Count, Event, Game, Turn, named
from sottovoce.rulesets.mafia.rules.events import BidsClosed, FloorGiven, SpeechGiven
from sottovoce.rulesets.mafia.rules.events.day import Occasion
from sottovoce.rulesets.mafia.rules.phrases import living, members, named_list, quoted
from sottovoce.rulesets.mafia.rules.roles import ROLE_TEXT, TOWN_HALL
from sottovoce.rulesets.mafia.rules.state import MafiaState
from sottovoce.rulesets.mafia.rules.turns.motives import tell_motives

RECENT = 12
"""How many of the latest speeches a player is shown."""
SPOKEN_TO = 4000
"""Characters of a speech in which it is looked for whom it speaks to."""
NO_BID = "0"


class AcceptRole(Ballot[MafiaState], kind="role", silence=None):
    """Acknowledge that you understand your role; only the narrator hears it."""

    enter = "I understand."

    def context(self, state: MafiaState) -> Iterable[str]:
        role, players = state.roles.get(self.seat), state.players
        yield f"You are {self.seat}. You are playing Mafia with {len(players)} players: {named_list(players)}."
        yield f"Your role: {role}. {ROLE_TEXT[role]}" if role else "Your role is not known."
        if role == "Mafia":
            yield members(state)
        if state.opening is not None:
            yield quoted("The narrator", state.opening)
        yield living(state)

    @classmethod
    def counted(cls, game: Game[MafiaState], count: Count) -> None:
        tell_motives(game, cls.stored_kind, count)


class Bid(Ballot[MafiaState], kind="bid", choices=("1", "2", "3", "4", NO_BID), silence=NO_BID):
    """How much do you want to speak next? The highest bid gets the floor: 4 you must answer at once, 3 you have
    something that cannot wait, 2 you would add something, 1 you would speak if nobody else does, 0 not now. When nobody
    bids, the town hall opens. Only the narrator learns your bid."""

    # nothing comes last among the choices, so that a list that is numbered from 1 numbers each bid by itself
    patterns = ("i bid {}", "my bid is {}", "{}")
    sentence = "I bid {}."
    as_text = "Answer: I bid NUMBER."

    def becomes(self, state: MafiaState) -> Mapping[str, Event]:
        return {"": BidsClosed(day=state.number, round=len(state.speeches), bids={})}

    def context(self, state: MafiaState) -> Iterable[str]:
        yield (
            f"Discussion, day {state.number}. Speeches so far: {len(state.speeches)} of at most {state.most_speeches}."
        )
        yield living(state)
        yield from (quoted(player, text) for player, text in state.speeches[-RECENT:])

    @classmethod
    def counted(cls, game: Game[MafiaState], count: Count) -> None:
        """The floor is the highest bidder's, first of all one who was spoken to; a tie is drawn (M-114)."""
        state = game.state
        round_ = len(state.speeches)
        bids = {player: int(bid) for player, bid in count.votes.items()}
        tell_motives(game, cls.stored_kind, count)
        game.emit(BidsClosed(day=state.number, round=round_, bids=bids))
        highest = max(bids.values())
        leaders = [player for player, bid in bids.items() if bid == highest]
        first = [player for player in leaders if player in waiting_to_answer(state)] or leaders
        speaker = first[0] if len(first) == 1 else game.draw(first, "floor", state.number, round_)
        game.emit(FloorGiven(day=state.number, round=round_, choice=speaker if highest else TOWN_HALL))


def waiting_to_answer(state: MafiaState) -> set[str]:
    """Who has been named today by another speaker since last speaking."""
    waiting: set[str] = set()
    for speaker, text in state.speeches:
        waiting.update(named((text or "")[:SPOKEN_TO], state.players))
        waiting.discard(speaker)
    return waiting


class Spoken(Turn[MafiaState], silence=None):
    """A player speaks to all, or is silent."""

    occasion: ClassVar[Occasion]

    def becomes(self, state: MafiaState) -> Mapping[str, Event]:
        return {"": SpeechGiven(player=self.seat, occasion=self.occasion, text="")}

    def answered(self, game: Game[MafiaState], answer: Answer) -> None:
        game.emit(SpeechGiven(player=self.seat, occasion=self.occasion, text=answer.words))


class Speech(Spoken, kind="speech"):
    """Share your thoughts, suspicions or information with the town."""

    occasion = "discussion"

    def context(self, state: MafiaState) -> Iterable[str]:
        bids = state.options.floor == "bids"
        given = "Your bid has won you the floor" if bids else "The narrator has chosen you to speak"
        yield f"Discussion, day {state.number}. {given}, {self.seat}."
        yield living(state)
        yield from (quoted(player, text) for player, text in state.speeches[-RECENT:])
