"""What is narrated to the table, and what the narrator is told and asks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Annotated, Literal

from sottovoce import NOTHING, Audience, Chair, Piece, Refused, names, plainly
from sottovoce.rulesets.tabletop.rules import events, turns
from sottovoce.rulesets.tabletop.rules.audience import present, told
from sottovoce.rulesets.tabletop.rules.documents import Delta, notes_file, scene_file
from sottovoce.rulesets.tabletop.rules.messages.fields import Called, Speaker
from sottovoce.rulesets.tabletop.rules.messages.tag import Route, Tag
from sottovoce.rulesets.tabletop.rules.names import GM, HUMAN, NARRATOR, called, full_name
from sottovoce.rulesets.tabletop.rules.phrases import GroupNote, asks_for_action, group_note
from sottovoce.rulesets.tabletop.rules.records import write_quietly
from sottovoce.rulesets.tabletop.rules.state import REST, Game
from sottovoce.rulesets.tabletop.rules.state import TabletopState as State


class Narrative(Tag, tag="NARRATIVE", route=Route(("gm",), ("team-lead",), ("broadcast", "message")), form="prose"):
    """What happens, told to all; in a split to one group, by its group note (T-040 to T-048)."""

    while_awaiting = False

    def asks(self, state: State) -> bool:
        """Whether it asks the human what to do (T-042)."""
        return state.has_human and asks_for_action(self.body, last_line=True)

    def group_note(self) -> GroupNote | None:
        return None if self.to is None else group_note(self.body)

    def check(self, game: Game) -> None:
        state, note = game.state, group_note(self.body)
        for name in note.names if note else ():
            full_name(name, state.played)
        whole = note is not None and set(note.names) == set(state.played)
        if self.to is not None and (note is None or whole):
            form = GroupNote("docks", state.played[:1]).line
            raise Refused(f"A NARRATIVE for one group opens with a line such as {form} that names some of the party.")
        if self.to is None and state.split and not whole:
            form = GroupNote("everyone", state.played).line
            raise Refused(
                f"The party is split: send NARRATIVE to team-lead for one group, or reunite all by a first line {form}."
            )

    def audience(self, state: State) -> Audience:
        return told(state, self.group)

    def open_to(self, state: State, audience: frozenset[str]) -> Iterable[str]:
        """What is told to all, or to the group that it names, is open to those."""
        return audience | set(state.played if self.group is None else self.group)

    def fold(self, state: State) -> State:
        group = self.group
        names = state.played if group is None else group
        shown = group is None or state.character in names
        after = state.but(
            beat=state.beat + 1,
            last_shown=self.body if shown else state.last_shown,
            acts=tuple(act for act in state.acts if act.character not in names),
            action_prompt=self.asks(state) if shown else state.action_prompt,
            save_owed=True,
            words_after_end=state.words_after_end + (1 if state.ending else 0),
            gm_turn=replace(
                state.gm_turn, narrated=state.gm_turn.narrated | {REST if group is None else self.label or REST}
            ),
        )
        if not state.signalled:
            after = after.but(unjournaled=(), journals_due=_journals_due(state, split=group is not None))
        if group is None:
            return after.but(last_narrative=self.body, pairs=NOTHING, notes_asked=0, split=False, groups=NOTHING)
        return after.but(split=True, groups={**state.groups, **dict.fromkeys(group, self.label or REST)})

    def tell(self, chair: Chair) -> Piece:
        if self.group is None:
            return self.piece(chair, "{} narrate{s}:", kind="narration", private=None, mood="story")
        words = self.body.partition("\n")[2].strip() if group_note(self.body) else self.body
        lead = f"{{}} narrate{{s}} for {plainly(self.label)} ({names(self.group)}):"
        return self.piece(chair, lead, words, kind="narration", to=self.group, private=None, mood="story")

    def effect(self, game: Game, before: State) -> None:
        """The human is asked anew what to do; the narrator keeps what it hears (T-045); a beat begins (T-161)."""
        if self.group is None or game.state.character in self.group:
            turns.withdraw(game, HUMAN, "act")
        if self.group is not None:
            game.emit(events.BeatBegun(characters=self.group))
            return
        write_quietly(game, NARRATOR, Delta(scene_file(*game.state.scene), "append", self.body))
        turns.narrate_scene(game)


class CalmNarrative(Narrative):
    """Asks nobody to act: each player is asked by a message of their own (T-043)."""

    def asks(self, state: State) -> bool:
        return False

    def amiss(self) -> Iterable[str]:
        if asks_for_action(self.body):
            yield "a NARRATIVE does not ask what anybody does; ask each player with a [GM_TO_PLAYER] of their own"


def _journals_due(state: State, *, split: bool) -> tuple[str, ...]:
    """Who is to write a journal now that a narrative has returned (F-048); in a split only those with notes (F-064)."""
    able = (name for name in state.unjournaled if not split or notes_file(name) in state.documents)
    return tuple(dict.fromkeys((*state.journals_due, *able)))


class _WithTheNarrator(Tag):
    """Seen by its sender, the narrator and the GM."""

    def audience(self, state: State) -> Audience:
        return present(state, self.seat, NARRATOR, GM)


def _to_keep(message: Tag, chair: Chair, words: str) -> Piece:
    lead = f"{{}} to {called(message.to, chair)}, for the scene file:"
    return message.piece(chair, lead, words, kind="speech", to=(message.recipient,), note="note", mood="quiet")


class NarratorNote(_WithTheNarrator, tag="NARRATOR_NOTE", route=Route(("gm", "player"), ("narrator",))):
    """What the scene file should hold, from the GM or a player (T-111, T-112)."""

    speaker: Annotated[Speaker, Called("from")]
    note: str

    def check(self, game: Game) -> None:
        """T-013, T-114."""
        self.speaks_for("from", self.speaker)
        if self.seat == GM:
            game.state.heard.keep_closed(NARRATOR, self.note, "The note")

    def tell(self, chair: Chair) -> Piece:
        return _to_keep(self, chair, self.note)

    def fold(self, state: State) -> State:
        return state.but(note_open=False) if self.seat == GM else state


class GmOnlyNote(NarratorNote, route=Route(("gm",), ("narrator",))):
    """Only the GM writes one: there are no players' seats."""

    speaker: Annotated[Literal["gm"], Called("from")]


class NarratorRequest(_WithTheNarrator, tag="NARRATOR_REQUEST", route=Route(("narrator",), ("gm",))):
    """What the narrator asks the GM for (T-113)."""

    addressee: Annotated[Literal["gm"], Called("to")]
    request: str

    def check(self, game: Game) -> None:
        """T-146, T-160."""
        self.goes_to(self.addressee)
        state = game.state
        if state.note_open:
            raise Refused("An earlier NARRATOR_REQUEST is open; wait for the GM's note.")
        limit = state.options.note_requests_per_beat
        if state.notes_asked >= limit:
            raise Refused(f"You have asked {limit} times in this beat; work with what you have.")

    def tell(self, chair: Chair) -> Piece:
        return _to_keep(self, chair, self.request)

    def fold(self, state: State) -> State:
        return state.but(note_open=True, notes_asked=state.notes_asked + 1).with_call("note")
