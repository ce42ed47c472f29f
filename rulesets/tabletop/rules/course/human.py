"""What the human is asked, and the commands that it types unasked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from sottovoce import Event, Refused, Request
from sottovoce.rulesets.tabletop.rules import events, turns, words
from sottovoce.rulesets.tabletop.rules.course import team_lead
from sottovoce.rulesets.tabletop.rules.course.replies import Deed, Move, TabletopTurn, words_of
from sottovoce.rulesets.tabletop.rules.messages import MessageSent, edition_of
from sottovoce.rulesets.tabletop.rules.names import GM, HUMAN, TEAM_LEAD
from sottovoce.rulesets.tabletop.rules.phrases import numbered, options_shown
from sottovoce.rulesets.tabletop.rules.state import Game
from sottovoce.rulesets.tabletop.rules.state import TabletopState as State
from sottovoce.rulesets.tabletop.rules.texts import sections

COMMANDS = ("away", "back", "chat", "save", "end")
"""What a human types behind a slash."""


class HumanTurn(TabletopTurn):
    """The human is asked something; a bare number takes the option that it numbers."""

    def moves(self, state: State, text: str) -> Sequence[Move]:
        if text.strip().startswith("/"):
            return [command(text)]
        return [partial(self._say, words_of(text.strip()))]

    def _say(self, text: str, game: Game) -> None:
        meant = turns.by_number(game.state, self.kind, text)
        game.accept(self, text)
        self.said(game, meant)

    def said(self, game: Game, meant: str) -> None:
        """What follows from the human's words."""
        raise NotImplementedError


class Decide(HumanTurn, kind="decide"):
    """What do you want your character to do? Say it in your own words, or take an option by its number."""

    def becomes(self, state: State) -> Mapping[str, Event]:
        return {"": MessageSent(seat=TEAM_LEAD, to=state.character, tag="HUMAN_DECISION")}

    def request(self, state: State) -> Request:
        """What the human's character has relayed (T-080)."""
        parts = sections(state.relay)
        asked = "\n".join((parts.get("Scene", ""), parts.get("Decision Needed", "")))
        offered = tuple(turns.offered(state, "decide"))
        shown = words.marked("Options:", "\n".join(numbered(options_shown(offered))))
        return Request((words.marked("Your character asks you:", asked), shown), self.__doc__ or "", options=offered)

    def said(self, game: Game, meant: str) -> None:
        team_lead.decided(game, meant)

    def unanswered(self, game: Game, before: State) -> None:
        turns.decide_alone(game)


class Choose(HumanTurn, kind="choose"):
    """Take one of the options by its name or number, or answer in your own words."""

    def becomes(self, state: State) -> Mapping[str, Event]:
        return {"": MessageSent(seat=TEAM_LEAD, to=GM, tag="PLAYER_ANSWER")}

    def request(self, state: State) -> Request:
        """The oldest question of the GM's (T-087)."""
        if not state.questions:
            return Request((), "Answer the GM's question.")
        question = state.questions[0]
        offered = tuple(f"{option['label']}: {option['description']}" for option in question.options)
        asked = words.marked("The GM asks:", f"{question.header}: {question.question}")
        shown = words.marked("Options:", "\n".join(numbered(offered)))
        return Request((asked, shown), self.__doc__ or "", options=offered)

    def said(self, game: Game, meant: str) -> None:
        team_lead.answered(game, meant)

    def unanswered(self, game: Game, before: State) -> None:
        if before.questions:
            team_lead.answered(game, before.questions[0].options[0]["label"], fallback=True)


class Act(HumanTurn, kind="act"):
    """What does your character do?"""

    def becomes(self, state: State) -> Mapping[str, Event]:
        return {"": MessageSent(seat=TEAM_LEAD, to=GM, tag="PLAYER_ACTION")}

    def said(self, game: Game, meant: str) -> None:
        team_lead.acted(game, meant)

    def unanswered(self, game: Game, before: State) -> None:
        game.emit(events.PromptClosed())


HUMAN_TURNS = (Decide, Choose, Act)


def command(text: str) -> Deed:
    """What the human types unasked, or beside what it is asked."""
    line = text.strip()
    if not line.startswith("/"):
        raise Refused("You have no open turn. You can type /chat NAME WORDS, /away, /back, /save or /end.")
    name, _, rest = line[1:].partition(" ")
    if name not in COMMANDS:
        raise Refused(f"There is no command /{name[:20]}. Choose one of: {', '.join('/' + each for each in COMMANDS)}.")
    if name != "chat":
        return partial(_command, name, rest.strip() or None)
    to, _, said = rest.strip().partition(" ")
    if not to or not said.strip():
        raise Refused("Name a character and write a message: /chat corwin-voss Shall we let the others lead?")
    return lambda game: team_lead.chat(game, HUMAN, to, said.strip())


def _command(name: str, reason: str | None, game: Game) -> None:
    match name:
        case "save" | "end":
            team_lead.command(game, name, reason)
        case _ if "MODE_SWITCH" not in edition_of(game.state).tags:
            raise Refused(f"/{name} is not available in {game.state.edition_name}: only you act for your character.")
        case "away":
            team_lead.switch(game, "AUTONOMOUS", reason)
        case _:
            team_lead.switch(game, "HUMAN_RELAY", reason)
