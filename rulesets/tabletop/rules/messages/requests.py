"""What the GM asks of one player, and what the player answers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Literal

from sottovoce import Audience, Chair, Piece, Refused
from sottovoce.rulesets.tabletop.rules import turns
from sottovoce.rulesets.tabletop.rules.audience import present
from sottovoce.rulesets.tabletop.rules.messages.fields import Name, SceneNumber, Slug
from sottovoce.rulesets.tabletop.rules.messages.tag import BetweenTwo, Route, Tag
from sottovoce.rulesets.tabletop.rules.names import GM, NARRATOR, called
from sottovoce.rulesets.tabletop.rules.phrases import is_pass
from sottovoce.rulesets.tabletop.rules.request_types import REQUEST_TYPES, EarlyRequest, RequestName
from sottovoce.rulesets.tabletop.rules.state import Act, Game, OpenRequest
from sottovoce.rulesets.tabletop.rules.state import TabletopState as State


class GmToPlayer(
    BetweenTwo,
    tag="GM_TO_PLAYER",
    route=Route(("gm",), ("player",)),
    sections=("Scene", "Just Happened", "Request"),
):
    """One character is asked for something, with what it needs to know for it (T-049 to T-066)."""

    while_ending = False
    asks_a_player = True

    request_type: RequestName
    scene_number: SceneNumber
    scene_slug: Slug

    def check(self, game: Game) -> None:
        """T-062, T-063, T-070."""
        state, name = game.state, self.recipient
        request = state.requests.get(name)
        if self.request_type == "INTERACTION" and len(state.played) < 2:
            raise Refused("INTERACTION needs another character to talk to; this roster has none.")
        if request is not None and request.vetoed and self.request_type != "FULL_CONTEXT":
            raise Refused(f"{name} vetoed; answer with a GM_TO_PLAYER of request_type FULL_CONTEXT before any other.")
        state.heard.keep_closed(name, self.body, "The body")

    def is_secret(self, state: State) -> bool:
        """Whether it asks in secret, or follows up such a request that was vetoed (T-059, T-073)."""
        earlier = state.requests.get(self.recipient)
        return REQUEST_TYPES[self.request_type].secret or bool(earlier and earlier.vetoed and earlier.secret)

    def open_to(self, state: State, audience: frozenset[str]) -> Iterable[str] | None:
        return audience if self.is_secret(state) else None

    def fold(self, state: State) -> State:
        request = OpenRequest(self.request_type, self.body, self.is_secret(state))
        return state.with_request(self.recipient, request).but(settled=state.settled - {self.recipient})

    def tell(self, chair: Chair) -> Piece:
        where = f"in scene {self.scene_number} - {self.scene_slug}"
        lead = f"{{}} ask{{s}} {called(self.to, chair)} {where} ({self.request_type}):"
        private = "only you and the GM" if chair.owns(self.to) else ""
        return self.piece(chair, lead, to=(self.recipient,), private=private)

    def effect(self, game: Game, before: State) -> None:
        if not game.state.requests[self.recipient].secret:
            turns.change_scene(game, self.scene_number, self.scene_slug)
        turns.replace_request(game, self.recipient, before)


class EarlyGmToPlayer(GmToPlayer):
    """Four types of request (T-053)."""

    request_type: EarlyRequest


class TaskGmToPlayer(EarlyGmToPlayer, route=Route(("gm",), ("player",), ("task",))):
    """No message of its own: it travels as an entry of an AWAIT_PLAYERS (T-051)."""


class PlayerToGm(Tag, tag="PLAYER_TO_GM", route=Route(("player",), ("gm",)), form="free"):
    """A character's answer to the GM's request, or its veto (T-067 to T-073)."""

    type: Literal["ACTION", "REACTION", "VETO"]
    character: Name

    def passes(self, state: State) -> bool:
        """Whether it says no more than `pass` to a request that may be passed over (T-060), and may be."""
        request = state.requests.get(self.seat)
        if request is None or request.vetoed or not REQUEST_TYPES[request.type].optional or not is_pass(self.body):
            return False
        if self.type == "VETO" or self.character != self.seat:
            return False
        turns.may_pass(state, self.seat)
        return True

    def check(self, game: Game) -> None:
        """T-061, T-062, T-068, T-071, T-155."""
        self.speaks_for("character", self.character)
        request = game.state.requests.get(self.seat)
        if request is None or request.vetoed:
            raise Refused("You have no open GM_TO_PLAYER to answer; wait until the GM prompts you.")
        asked = REQUEST_TYPES[request.type]
        if self.type == "VETO":
            if not asked.vetoable:
                raise Refused("A FULL_CONTEXT request cannot be vetoed: you have the full context; answer it.")
            return
        if not asked.answers:
            raise Refused("An INTERACTION is answered by PLAYER_TO_PLAYER to a party member, or passed.")
        if self.type not in asked.answers:
            raise Refused("A REFLECTION asks for thoughts and feelings; answer it with type: REACTION.")
        turns.wait_for_the_human(game.state, self.seat)

    def is_closed(self, state: State) -> bool:
        """Whether it stays between its character and the GM: a veto, or the answer to a secret request."""
        request = state.requests.get(self.seat)
        return self.type == "VETO" or (request is not None and request.secret)

    def audience(self, state: State) -> Audience:
        """The narrator too, but for a veto and for whatever answers a secret request (T-072, T-073)."""
        return present(state, self.seat, GM, None if self.is_closed(state) else NARRATOR)

    def open_to(self, state: State, audience: frozenset[str]) -> Iterable[str] | None:
        return audience if self.is_closed(state) else None

    def tell(self, chair: Chair) -> Piece:
        note = "" if self.type == "ACTION" else self.type.lower()
        lead = f"{{}} to {called(self.to, chair)} ({self.type}):"
        return self.piece(chair, lead, kind="speech", note=note)

    def fold(self, state: State) -> State:
        request = state.requests.get(self.seat)
        if self.type == "VETO":
            vetoed = replace(request, vetoed=True, relayed=False, by_clerk=False, decision=None) if request else None
            return state.with_request(self.seat, vetoed).with_call("veto")
        if request and request.secret:
            return state.with_settled(self.seat).but(acted=True)
        return (
            state.with_deed_of_absence(self.seat, self.recipient, self.body)
            .with_settled(self.seat)
            .but(
                acted=True,
                acts=(*state.acts, Act(self.seat, "PLAYER_TO_GM", self.body)),
                deeds=state.deeds.and_then((self.seat, self.body)),
            )
        )
