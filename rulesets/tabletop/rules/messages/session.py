"""What starts, saves and ends a session, and what is kept of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Annotated, ClassVar, Literal

from sottovoce import Chair, Heading, Piece, Refused
from sottovoce.rulesets.tabletop.rules import turns
from sottovoce.rulesets.tabletop.rules.documents import in_tmp
from sottovoce.rulesets.tabletop.rules.messages.fields import Flag, MayBeEmpty, Name, Scene, SceneNumber, Slug, When
from sottovoce.rulesets.tabletop.rules.messages.tag import (
    GM_TO_LEAD,
    LEAD_TO_GM,
    LEAD_TO_PLAYER,
    BetweenTwo,
    ForTheHuman,
    Route,
    Tag,
)
from sottovoce.rulesets.tabletop.rules.names import GM, called, full_name
from sottovoce.rulesets.tabletop.rules.records import show_to_the_person
from sottovoce.rulesets.tabletop.rules.state import WRITERS, Game
from sottovoce.rulesets.tabletop.rules.state import TabletopState as State

STEPS = {"start": "starts", "save": "is to be saved", "end": "is to end"}
AT_START = When("command", "start")


def twice(names: Iterable[str], whose: str) -> Iterable[str]:
    """What is wrong where somebody is named more than once."""
    again = [name for name, count in Counter(names).items() if count > 1 and name]
    if again:
        yield f"{whose} {', '.join(again[:3])} twice; name each once"


class SessionCommand(ForTheHuman, tag="SESSION_COMMAND", route=LEAD_TO_GM):
    """The session starts, is to be saved, or is to end (T-097 to T-103). The last four fields are a start's."""

    command: Literal["start", "save", "end"]
    reason: str | None = None
    campaign: Annotated[Slug, AT_START] = ""
    player_character: Annotated[Name, AT_START] = ""
    narrative_style: Annotated[str, AT_START] = ""
    ai_characters: Annotated[Sequence[Name], AT_START, MayBeEmpty()] = ()

    def amiss(self) -> Iterable[str]:
        if self.command == "start":
            roster = (self.player_character, *self.ai_characters)
            yield from twice(roster, "player_character and ai_characters name")

    def starts(self) -> bool:
        return self.command == "start"

    def check(self, game: Game) -> None:
        """T-099, T-100."""
        state = game.state
        if self.command != "start":
            if state.ending and self.command == "end":
                raise Refused("The session is already ending.")
            return
        if state.started:
            raise Refused("The session has already started; send start only once.")
        for name in (self.player_character, *self.ai_characters):
            full_name(name, state.roster)
        if state.campaign and self.campaign != state.campaign:
            raise Refused(f"campaign must be {state.campaign}; got {self.campaign!r}.")
        own = state.options.player_character
        if own is not None and self.player_character != own:
            raise Refused(f"player_character must be {own}; got {self.player_character!r}.")

    def tell(self, chair: Chair) -> Piece:
        chapter = Heading("The session") if self.command == "start" else None
        lead = f"The session {STEPS[self.command]}{':' if self.reason else '.'}"
        return self.piece(chair, lead, self.reason or "", chapter=chapter, private=None, mood="quiet")

    def fold(self, state: State) -> State:
        match self.command:
            case "start":
                return state.but(
                    started=True,
                    campaign=self.campaign,
                    character=self.player_character,
                    companions=tuple(self.ai_characters),
                ).with_call("opening")
            case "save":
                return state.but(save_owed=True).with_call("save")
            case "end":
                return state.but(ending=True, save_owed=True).with_call("end")

    def effect(self, game: Game, before: State) -> None:
        """T-157: after `end` nothing that is open is asked any more; T-165: a command wakes a paused session.

        With `start` and `end` the GM's task is another one: its open turn is taken back, and it is asked anew.
        """
        turns.lift(game)
        if self.command == "start":
            show_to_the_person(game)
        if self.command in ("start", "end"):
            turns.withdraw(game, GM)
        if self.command == "end":
            turns.withdraw_open(game)


class SessionEnd(ForTheHuman, tag="SESSION_END", route=GM_TO_LEAD):
    """The GM has brought the session to its end (T-104)."""

    while_awaiting = False
    how_to_save: ClassVar[str] = "bring story-state.md and party-knowledge.md up to date by state deltas"

    summary: str
    state_saved: Flag
    next_hook: str

    def check(self, game: Game) -> None:
        """What it says of the save is so."""
        state = game.state
        if self.state_saved and state.save_owed and not state.gm_turn.saved:
            raise Refused(
                f"state_saved is true, but what was told last has not been saved: first {self.how_to_save}, or write "
                "false."
            )

    def tell(self, chair: Chair) -> Piece:
        return self.piece(
            chair,
            "The session ends." if self.state_saved else "The session ends. The state was not saved.",
            f"{self.summary}\n\n{self.next_hook}",
            kind="ending",
            title="The end of the session",
            chapter=Heading("The end of the session"),
            private=None,
            mood="good",
            weight=2,
        )

    def fold(self, state: State) -> State:
        return state.but(ended=True, ending=True)

    def effect(self, game: Game, before: State) -> None:
        turns.withdraw_open(game)


class DeltaSessionEnd(SessionEnd):
    """The state is saved by delta files and a report of them."""

    how_to_save = "write the delta files into tmp/ and send STATE_UPDATED"


class StateUpdated(BetweenTwo, tag="STATE_UPDATED", route=GM_TO_LEAD):
    """The GM reports the delta files that it has written (T-115 to T-117)."""

    while_awaiting = False

    deltas_written: Sequence[str]
    characters_involved: Annotated[Sequence[Name], MayBeEmpty()]

    def check(self, game: Game) -> None:
        missing = [path for path in self.deltas_written if in_tmp(path) not in game.state.documents]
        if missing:
            raise Refused(f"deltas_written names what has not been written: {', '.join(missing)}; write it first.")

    def tell(self, chair: Chair) -> Piece:
        return self.piece(chair, "{} report{s} what is to be saved:", "\n".join(self.deltas_written))

    def fold(self, state: State) -> State:
        reported = tuple(path for path in map(in_tmp, self.deltas_written) if path in WRITERS.values())
        return state.but(
            reported=reported,
            updated=bool(reported or state.deeds or state.acted),
            save_owed=False,
            gm_turn=replace(state.gm_turn, saved=True),
        )


class _OfTheCampaign(Tag):
    """Names the campaign that the session is played in (T-147)."""

    campaign: Slug

    def check(self, game: Game) -> None:
        if game.state.started and self.campaign != game.state.campaign:
            raise Refused(f"campaign must be {game.state.campaign}, as the session's start says.")


class ContextRefresh(
    _OfTheCampaign, BetweenTwo, tag="CONTEXT_REFRESH", route=Route(("team-lead",), ("gm", "narrator", "player"))
):
    """A seat is reminded of where things stand; the GM is asked to recap (T-107 to T-109)."""

    before_start = True

    campaign: Slug
    current_scene: Scene | None = None
    last_narrative_summary: str | None = None

    def tell(self, chair: Chair) -> Piece:
        words = "\n".join(filter(None, (self.current_scene, self.last_narrative_summary)))
        lead = f"{{}} refresh{'' if chair.owns(self.seat) else 'es'} {called(self.to, chair)}{':' if words else '.'}"
        return self.piece(chair, lead, words, mood="quiet")

    def fold(self, state: State) -> State:
        return state.with_call("recap") if self.to == GM and state.started else state

    def effect(self, game: Game, before: State) -> None:
        if self.to == GM:
            turns.lift(game)


class NoPlayersContextRefresh(ContextRefresh, route=Route(("team-lead",), ("gm", "narrator"))):
    """Not for players, who have no seats."""


class JournalCheckpoint(_OfTheCampaign, BetweenTwo, tag="JOURNAL_CHECKPOINT", route=LEAD_TO_PLAYER):
    """A player is asked to bring its journal up to date (T-119, T-120)."""

    campaign: Slug
    scene_number: SceneNumber
    scene_slug: Slug
    trigger: Literal["state_updated", "session_end", "manual"]

    def closes(self) -> bool:
        return self.trigger == "session_end"

    def tell(self, chair: Chair) -> Piece:
        why = self.trigger.replace("_", " ")
        return self.piece(chair, f"{{}} ask{{s}} {called(self.to, chair)} for a journal ({why}).", mood="quiet")

    def fold(self, state: State) -> State:
        return state.but(final_journals=True) if self.trigger == "session_end" else state

    def effect(self, game: Game, before: State) -> None:
        turns.ask_for_journal(game, self.recipient)
