"""The discussion by day: who gets the floor, and what everybody hears there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from sottovoce import Chair, Event, Piece, Tell, changes_nothing, everyone, marked, named_in, says, seat, spoken
from sottovoce.rulesets.mafia.rules.events.course import OWN, Facts
from sottovoce.rulesets.mafia.rules.roles import NARRATOR, TOWN_HALL
from sottovoce.rulesets.mafia.rules.state import MafiaState

Occasion = Literal["discussion", "defence", "final"]


class SpeakerChosen(Event[MafiaState], name="mafia.speaker-chosen.v1", seen_by=everyone, by=seat(NARRATOR)):
    """The narrator gives somebody the floor, or calls the town hall, aloud (M-059). `words` is None on a fallback."""

    choice: str
    words: str | None

    example = {"choice": "Ada", "words": "Ada, you have the floor."}

    def fold(self, state: MafiaState) -> MafiaState:
        return state.but(floor=self.choice)

    def tell(self, chair: Chair) -> Piece:
        hall = self.choice == TOWN_HALL
        lead = "The narrator calls the town hall" if hall else f"The narrator calls on {marked(self.choice)}"
        to = () if hall else (self.choice,)
        words = spoken(NARRATOR, self.words)
        return Piece(f"{lead}{':' if words else '.'}", "call", NARRATOR, to, words)


class BidsClosed(Event[MafiaState], name="mafia.bids-closed.v1", seen_by=seat(NARRATOR)):
    """How much each living player wanted the floor, in seating order: for the narrator (M-114)."""

    day: int
    round: int
    bids: dict[str, int]

    example = {"day": 1, "round": 0, "bids": {"Ada": 3, "Bram": 0, "Cleo": 1}}
    fold = changes_nothing

    def tell(self, chair: Chair) -> Piece:
        bids = ", ".join(f"{marked(player)} {bid}" for player, bid in self.bids.items() if bid)
        return Piece(f"Bids for the floor: {bids or 'none'}.", private=OWN, numbers=self.bids)

    def facts(self) -> Facts:
        return frozenset(("voted", player, str(bid)) for player, bid in self.bids.items())


class FloorGiven(Event[MafiaState], name="mafia.floor-given.v1", seen_by=everyone):
    """Who speaks next, or that the town hall opens, as the bids decided (M-114)."""

    day: int
    round: int
    choice: str

    example = {"day": 1, "round": 0, "choice": "Ada"}

    def fold(self, state: MafiaState) -> MafiaState:
        return state.after_ballot(floor=self.choice)

    def tell(self, chair: Chair) -> Piece:
        if self.choice == TOWN_HALL:
            return Piece("The town hall is called.", "call")
        return Piece(f"{marked(self.choice)} has the floor.", "call", to=(self.choice,))


SPEECHES: Mapping[Occasion, Tell] = {
    "discussion": says("{player:name} says:"),
    "defence": says("{player:name} says in defence:", note="in defence"),
    "final": says("{player:name} says as last words:", note="last words"),
}


class SpeechGiven(Event[MafiaState], name="mafia.speech-given.v1", seen_by=everyone, by=named_in("player")):
    """A player speaks to all (M-060, M-075, M-085). `text` is None for silence (M-021)."""

    player: str
    occasion: Occasion
    text: str | None

    example = {"player": "Ada", "occasion": "discussion", "text": "Bram was very quiet when Dirk was found."}

    def fold(self, state: MafiaState) -> MafiaState:
        state = state.with_claims(self.player, self.text)
        match self.occasion:
            case "discussion":
                return state.but(floor=None, speeches=state.speeches.and_then((self.player, self.text)))
            case "defence":
                return state.but(defences={**state.defences, self.player: self.text}, introduced=None)
            case "final":
                return state.but(final_speech=(self.text,))

    def tell(self, chair: Chair) -> Piece | None:
        return SPEECHES[self.occasion](self, chair)
