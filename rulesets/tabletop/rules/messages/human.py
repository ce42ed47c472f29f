"""What goes between the table and the human, through the human's character and the team lead."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Annotated, Literal

from sottovoce import Chair, Piece, Refused, marked, spoken
from sottovoce.rulesets.tabletop.rules import turns
from sottovoce.rulesets.tabletop.rules.events import rolled
from sottovoce.rulesets.tabletop.rules.messages.fields import Called, Integer, Name, Notation
from sottovoce.rulesets.tabletop.rules.messages.tag import (
    GM_TO_LEAD,
    LEAD_TO_GM,
    LEAD_TO_PLAYER,
    ForTheHuman,
    OfTheHuman,
    Route,
    ToTheHumansCharacter,
    WithTheHuman,
)
from sottovoce.rulesets.tabletop.rules.names import HUMAN, called
from sottovoce.rulesets.tabletop.rules.phrases import numbered, options, options_shown
from sottovoce.rulesets.tabletop.rules.rolls import Result
from sottovoce.rulesets.tabletop.rules.state import Act, Game, Option, Question
from sottovoce.rulesets.tabletop.rules.state import TabletopState as State
from sottovoce.rulesets.tabletop.rules.texts import sections


def by_the_human(chair: Chair, does: str, words: str) -> Piece:
    """How the human's own words are told, whoever carries them; `{s}` is the ending of the verb."""
    does = does.replace("{s}", "" if chair.owns(HUMAN) else "s")
    lead = f"{called(HUMAN, chair, first=True)} {does}:"
    return Piece(lead, "speech", HUMAN, words=spoken(HUMAN, words), private="")


class RelayToHuman(
    WithTheHuman,
    tag="RELAY_TO_HUMAN",
    route=Route(("player",), ("team-lead",)),
    sections=("Scene", "Decision Needed", "Suggested Options"),
):
    """The human's character asks its human what to do (T-078 to T-080)."""

    character: Name

    def amiss(self) -> Iterable[str]:
        try:
            options(sections(self.body).get("Suggested Options", ""))
        except Refused as refusal:
            yield str(refusal).rstrip(".")

    def check(self, game: Game) -> None:
        """T-013, T-078, T-080."""
        self.speaks_for("character", self.character)
        state = game.state
        if self.seat != state.character or not state.has_human:
            raise Refused("Only the human's character sends RELAY_TO_HUMAN.")
        if state.alone:
            raise Refused("The human is away: decide for yourself and answer the GM.")
        request = state.requests.get(self.seat)
        if request is None or request.vetoed:
            raise Refused("You have no open GM_TO_PLAYER to relay; wait until the GM prompts you.")
        if request.with_the_human:
            raise Refused("A relay is pending; wait for the HUMAN_DECISION.")

    def tell(self, chair: Chair) -> Piece:
        parts = sections(self.body)
        shown = numbered(options_shown(options(parts.get("Suggested Options", ""))))
        asked = "\n".join(filter(None, (parts.get("Scene"), parts.get("Decision Needed"), "", *shown)))
        return self.piece(chair, f"{{}} ask{{s}} {called(HUMAN, chair)}:", asked, kind="speech", note="asks", weight=2)

    def fold(self, state: State) -> State:
        request = state.requests.get(self.seat)
        relayed = replace(request, relayed=True, by_clerk=self.fallback) if request else None
        return state.with_request(self.seat, relayed).but(relay=self.body)


class HumanDecision(
    ToTheHumansCharacter, OfTheHuman, WithTheHuman, tag="HUMAN_DECISION", route=LEAD_TO_PLAYER, form="free"
):
    """What the human has decided about what was relayed (T-081, T-082)."""

    character: Name

    def check(self, game: Game) -> None:
        super().check(game)
        request = game.state.requests.get(game.state.character or "")
        if request is None or not request.with_the_human:
            raise Refused("No RELAY_TO_HUMAN is pending; there is nothing to decide.")

    def tell(self, chair: Chair) -> Piece:
        return by_the_human(chair, "decide{s} for " + called(self.to, chair), self.body)

    def fold(self, state: State) -> State:
        request = state.requests.get(self.recipient)
        return state.with_request(self.recipient, replace(request, decision=self.body)) if request else state

    def effect(self, game: Game, before: State) -> None:
        turns.withdraw(game, HUMAN, "decide")


class ModeSwitch(ToTheHumansCharacter, WithTheHuman, tag="MODE_SWITCH", route=LEAD_TO_PLAYER):
    """The human steps away, or is back (T-083 to T-086)."""

    mode: Literal["AUTONOMOUS", "HUMAN_RELAY"]
    reason: str | None = None

    def check(self, game: Game) -> None:
        super().check(game)
        if not game.state.has_human:
            raise Refused("No human takes part in this session; there is no mode to switch.")

    def tell(self, chair: Chair) -> Piece:
        away = self.mode == "AUTONOMOUS"
        lead = f"{marked(self.recipient)} {'decides alone' if away else 'asks the human again'}"
        return self.piece(chair, f"{lead}{':' if self.reason else '.'}", self.reason or "", mood="quiet")

    def fold(self, state: State) -> State:
        if self.mode == state.mode:
            return state
        back = self.mode == "HUMAN_RELAY"
        return state.but(mode=self.mode, back=back, away=state.away if back else ())


class AskPlayer(ForTheHuman, tag="ASK_PLAYER", route=GM_TO_LEAD):
    """A choice that the GM puts to the human (T-087 to T-089)."""

    before_start = True
    while_ending = False

    question: str
    header: str
    options: Sequence[Option]

    def tell(self, chair: Chair) -> Piece:
        shown = numbered([f"{option['label']}: {option['description']}" for option in self.options])
        words = "\n".join((f"{self.header}: {self.question}", *shown))
        return self.piece(chair, f"{{}} ask{{s}} {called(HUMAN, chair)}:", words, weight=2)

    def fold(self, state: State) -> State:
        question = Question(self.question, self.header, tuple(self.options))
        return state.but(questions=(*state.questions, question))


class PlayerAnswer(ForTheHuman, tag="PLAYER_ANSWER", route=LEAD_TO_GM):
    """What the human answers (T-090, T-091)."""

    before_start = True

    question: str
    answer: str

    def check(self, game: Game) -> None:
        if not game.state.questions:
            raise Refused("No ASK_PLAYER is open; there is nothing to answer.")

    def tell(self, chair: Chair) -> Piece:
        if self.fallback:
            return self.piece(chair, "Nobody answered; this stands:", self.answer)
        return by_the_human(chair, "answer{s}", self.answer)

    def fold(self, state: State) -> State:
        """Before the start it says whom the human plays: by a name, or by nobody's answer the first."""
        chosen = state.chosen
        if not state.started and self.answer in state.roster:
            chosen = self.answer
        elif not state.started and self.fallback:
            chosen = chosen or next(iter(state.roster), None)
        return state.but(questions=state.questions[1:], chosen=chosen).with_call("answer")

    def effect(self, game: Game, before: State) -> None:
        turns.withdraw(game, HUMAN, "choose")


class PlayerAction(OfTheHuman, ForTheHuman, tag="PLAYER_ACTION", route=LEAD_TO_GM):
    """What the human does, asked by a NARRATIVE (T-096)."""

    character: Name
    action: str

    def check(self, game: Game) -> None:
        super().check(game)
        if not game.state.action_prompt:
            raise Refused("No NARRATIVE has asked for action; wait for its prompt.")

    def tell(self, chair: Chair) -> Piece:
        return by_the_human(chair, "act{s}", self.action)

    def fold(self, state: State) -> State:
        act = Act(self.character, "PLAYER_ACTION", self.action)
        return state.but(action_prompt=False, acts=(*state.acts, act)).with_call("outcome")

    def effect(self, game: Game, before: State) -> None:
        turns.withdraw(game, HUMAN, "act")


class DiceResult(OfTheHuman, ForTheHuman, tag="DICE_RESULT", route=LEAD_TO_GM):
    """A roll for the human's character (T-092 to T-095)."""

    character: Name
    what: Annotated[str, Called("check")]
    roll: Notation
    dc: Integer | None = None
    result: Result | None = None

    def tell(self, chair: Chair) -> Piece:
        return rolled(self.seat, self.character, self.what, self.roll, self.dc, self.result)
