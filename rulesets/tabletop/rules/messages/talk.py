"""What is said between seats: in character, and informally."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from sottovoce import Audience, Chair, Piece, Refused
from sottovoce.rulesets.tabletop.rules import turns
from sottovoce.rulesets.tabletop.rules.audience import present
from sottovoce.rulesets.tabletop.rules.messages.fields import Called, Name
from sottovoce.rulesets.tabletop.rules.messages.tag import Route, Tag
from sottovoce.rulesets.tabletop.rules.names import GM, HUMAN, NARRATOR, TEAM_LEAD, called
from sottovoce.rulesets.tabletop.rules.phrases import is_out_of_character
from sottovoce.rulesets.tabletop.rules.state import Act, Game
from sottovoce.rulesets.tabletop.rules.state import TabletopState as State


class PlayerToPlayer(Tag, tag="PLAYER_TO_PLAYER", route=Route(("player",), ("player",)), form="speech"):
    """What one character says to another (T-074 to T-077)."""

    speaker: Annotated[Name, Called("from")]
    addressee: Annotated[Name, Called("to")]

    def amiss(self) -> Iterable[str]:
        if self.speaker == self.addressee:
            yield "a PLAYER_TO_PLAYER goes to another player than its sender"
        if is_out_of_character(self.body):
            yield "a PLAYER_TO_PLAYER is spoken in character; use the /chat command for other talk"

    def answers(self, state: State) -> bool:
        """Whether it answers an INTERACTION."""
        request = state.requests.get(self.seat)
        return request is not None and request.type == "INTERACTION" and not request.vetoed

    def check(self, game: Game) -> None:
        """T-076, T-077, T-146, T-155."""
        self.speaks_for("from", self.speaker)
        self.goes_to(self.addressee)
        state = game.state
        limit = state.options.messages_per_pair
        if state.exchanged(self.seat, self.recipient) >= limit:
            raise Refused(
                f"You and {self.to} have exchanged {limit} messages in this beat; wait for the next NARRATIVE."
            )
        if self.answers(state):
            turns.wait_for_the_human(state, self.seat)

    def audience(self, state: State) -> Audience:
        heard = (state.character or state.options.player_character) in (self.seat, self.to)
        humans = (TEAM_LEAD, HUMAN) if heard else ()
        return present(state, self.seat, self.to, GM, NARRATOR, *humans)

    def open_to(self, state: State, audience: frozenset[str]) -> Iterable[str]:
        return audience

    def tell(self, chair: Chair) -> Piece:
        return self.piece(chair, f"{{}} to {called(self.to, chair)}:", kind="speech", to=(self.recipient,))

    def fold(self, state: State) -> State:
        low, high = sorted((self.seat, self.recipient))
        said = state.with_deed_of_absence(self.seat, self.recipient, self.body).but(
            pairs={**state.pairs, (low, high): state.exchanged(low, high) + 1},
            acts=(*state.acts, Act(self.seat, f"PLAYER_TO_PLAYER {self.to}", self.body)),
        )
        if not self.answers(state):
            return said
        deed = (self.seat, f"To {self.to}: {self.body}")
        return said.with_settled(self.seat).but(acted=True, deeds=state.deeds.and_then(deed))

    def effect(self, game: Game, before: State) -> None:
        turns.answer_in_kind(game, self.seat, self.recipient)


class Informal(Tag, form="free"):
    """Text without a tag: it answers no request and sets nothing off (T-017)."""

    def audience(self, state: State) -> Audience:
        """T-037, and T-038 for the human."""
        both = {self.seat, self.to}
        players = both <= set(state.roster)
        with_clerk = both == {state.character, TEAM_LEAD}
        extra = (GM, NARRATOR) if players else (HUMAN,) if with_clerk else ()
        return present(state, self.seat, self.to, *extra)

    def open_to(self, state: State, audience: frozenset[str]) -> Iterable[str]:
        return audience

    def tell(self, chair: Chair) -> Piece:
        lead = f"{{}} to {called(self.to, chair)}, informally:"
        return self.piece(chair, lead, kind="speech", to=(self.recipient,), mood="quiet")

    def fold(self, state: State) -> State:
        """The human's character has summed up what it did while the human was away."""
        return state.but(back=False) if self.seat == state.character else state
