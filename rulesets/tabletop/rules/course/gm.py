"""The GM's turns: what the GM is called for, and what it owes."""

from __future__ import annotations

from collections.abc import Mapping

from sottovoce import Failure, Form, Request, withdraw_and_hold
from sottovoce.rulesets.tabletop.rules import events, words
from sottovoce.rulesets.tabletop.rules.course import clerk
from sottovoce.rulesets.tabletop.rules.course.replies import Asked
from sottovoce.rulesets.tabletop.rules.names import GM
from sottovoce.rulesets.tabletop.rules.state import REST, Call, Game
from sottovoce.rulesets.tabletop.rules.state import TabletopState as State

CALLS: Mapping[Call, str] = {
    "opening": "The session starts: open it with a NARRATIVE that sets the scene.",
    "outcome": "Tell the outcome in a NARRATIVE that weaves in all that was done and said, given above.",
    "answer": "The human has answered your question; go on from there.",
    "veto": "A player asked for more before answering: send it GM_TO_PLAYER with request_type FULL_CONTEXT.",
    "note": "The narrator has asked you for details: answer with a NARRATOR_NOTE of what can be observed.",
    "recap": "The team lead asks where things stand: recap the situation in a NARRATIVE, in a split for each group.",
    "end": "The human ends the session: find a stopping point, save, and send SESSION_END. No new prompts; one short "
    "NARRATIVE at most.",
    "save": "The human asks to save.",
}
SAVING: Mapping[str, str] = {
    "current": "Bring story-state.md and party-knowledge.md up to date by state deltas.",
    "phase-1": "Write tmp/gm-state-delta.md and, where the party learnt something, tmp/party-knowledge-delta.md by "
    "state deltas, then send STATE_UPDATED.",
}
GUIDELINES = (
    "You are the game master. Speak to the table by NARRATIVE and to one character by GM_TO_PLAYER, whose body has the "
    "sections ## Scene, ## Just Happened and ## Request.",
    "Tell each character only what that character knows; nothing out of story-state.md, another's secrets or a hidden "
    "motive.",
    "Let the dice decide what is uncertain: ask for a roll, and go on from its result.",
    "Do not ask everybody at once every time: ask those whose answer matters, and let the others overhear it.",
)


class GmAsked(Asked):
    """A turn of the GM's. Its kind says what it is called for first; the calls in the state say all of it."""

    def request(self, state: State) -> Request:
        """The table as the GM knows it, and what it is called for."""
        context = [
            *GUIDELINES,
            f"Characters: {', '.join(state.played)}. The human's: {state.character or 'not chosen yet'}.",
            words.where(state),
            *words.resource_lines(state, state.played),
            *words.documents_for(state, GM),
        ]
        if state.acts:
            context.append("DONE AND SAID SINCE THE LAST NARRATIVE:")
            context += [words.marked(f"{act.character} ({act.tag}):", act.text) for act in state.acts]
        waiting = [name for name in state.played if state.awaits(name)]
        if waiting:
            context.append(f"Still awaited: {', '.join(waiting)}.")
        return Request(tuple(context), self.called_for(state))

    def called_for(self, state: State) -> str:
        """What the GM is to do now."""
        saving = SAVING["current" if state.edition_name == "current" else "phase-1"]
        if state.ending:
            return f"{CALLS['end']} {saving}"
        asked = [CALLS[call] for call in CALLS if call in state.gm_turn.calls and call not in ("save", "end")]
        if "save" in state.gm_turn.calls:
            asked.append(saving)
        return " ".join(asked or ("Go on with the story: narrate, or prompt those whose turn it is.",))

    def form(self, state: State) -> Form:
        """The fields of all that a GM does in one turn."""
        return words.gm_form(state)

    def lacks(self, state: State) -> str | None:
        calls, done = state.gm_turn.calls, state.gm_turn
        if state.ending:
            return None if state.ended else "The session is ending: save what is to be saved and send SESSION_END now."
        if not state.started:
            return None if state.questions else "Ask the human which character to play: send ASK_PLAYER to team-lead."
        if "opening" in calls and not done.narrated:
            return "The session has just started: open it with a NARRATIVE."
        recapped = set(state.group_labels) <= done.narrated if state.split else REST in done.narrated
        if "recap" in calls and not recapped:
            return "The team lead asks where things stand: tell it in a NARRATIVE, in a split in one for each group."
        vetoed = [name for name, request in state.requests.items() if request.vetoed] or list(state.task_vetoes)
        if "veto" in calls and state.file_vetoes:
            return f"{', '.join(state.file_vetoes)} asked for more: write a prompt with FULL_CONTEXT, and signal again."
        if "veto" in calls and vetoed:
            tag = "AWAIT_PLAYERS" if state.task_vetoes else "GM_TO_PLAYER"
            return f"{', '.join(vetoed)} asked for more: send {tag} with request_type FULL_CONTEXT."
        if "save" in calls and not done.saved:
            if state.edition_name == "current":
                return "Save: bring story-state.md and party-knowledge.md up to date by state deltas."
            return "Save: write the delta files into tmp/ and send STATE_UPDATED."
        return None

    def settled(self, game: Game) -> None:
        if "note" in game.state.gm_turn.calls:
            _note_lapses(game)
        game.accept(self, "")

    def fallen_silent(self, game: Game, reason: Failure) -> None:
        state = game.state
        if state.ending:
            game.fall_back(self, reason)
            if not state.ended:
                clerk.end_without_gm(game)
        elif state.gm_turn.calls == {"note"}:
            game.fall_back(self, reason)
            _note_lapses(game)
        else:
            withdraw_and_hold(game, self, "The GM's attempts ran out; nobody can stand in for it.")


def _note_lapses(game: Game) -> None:
    if game.state.note_open:
        game.emit(events.NoteRequestLapsed())


class Cast(GmAsked, kind="cast"):
    """Before the session starts: ask the human which character to play, by ASK_PLAYER to team-lead."""

    def called_for(self, state: State) -> str:
        return self.__doc__ or ""


class Opening(GmAsked, kind="opening"):
    """The session starts."""


class Beat(GmAsked, kind="beat"):
    """The story goes on."""


class Note(GmAsked, kind="note"):
    """The narrator has asked for details, and nothing else is to be done."""


class Vetoed(GmAsked, kind="veto"):
    """A player asked for more before answering."""


class Save(GmAsked, kind="save"):
    """The human asks to save."""


class Recap(GmAsked, kind="recap"):
    """The team lead asks where things stand."""


class End(GmAsked, kind="end"):
    """The human ends the session."""


GM_TURNS = (Cast, Opening, Beat, Note, Vetoed, Save, Recap, End)
