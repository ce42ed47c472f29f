"""The GM's turns: what the GM is called for, and what it owes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from sottovoce import Among, Failure, Refused, Request, withdraw_and_hold
from sottovoce.rulesets.tabletop.rules import events, words
from sottovoce.rulesets.tabletop.rules.course import inquiries, short_turns, team_lead
from sottovoce.rulesets.tabletop.rules.course.replies import Move, TabletopTurn, apply
from sottovoce.rulesets.tabletop.rules.names import GM
from sottovoce.rulesets.tabletop.rules.request_types import request_types
from sottovoce.rulesets.tabletop.rules.state import REST, Call, Game
from sottovoce.rulesets.tabletop.rules.state import TabletopState as State

CALLS: Mapping[Call, str] = {
    "opening": "The session starts: narrate the scene that opens it.",
    "outcome": "Narrate the outcome; weave in all that was done and said, given above.",
    "answer": "The human has answered your question; go on from there.",
    "veto": "A player asked for more before answering: prompt that player again, with the kind FULL_CONTEXT.",
    "note": "The narrator has asked you for details: send a note about what can be observed.",
    "recap": "The team lead asks where things stand: recap the situation in a narrative, in a split in one for each "
    "group.",
    "end": "The human ends the session: find a stopping point, save, and end it. No new prompts, and "
    "one short narrative at most.",
    "save": "The human asks to save.",
}
SAVING: Mapping[str, str] = {
    "current": "Bring story-state.md and party-knowledge.md up to date.",
    "phase-1": "Write tmp/gm-state-delta.md and, where the party learnt something, tmp/party-knowledge-delta.md.",
}
BY_TAGS: Mapping[str, str] = {
    "current": "Narrate by NARRATIVE, before it if you like a line '@place WHERE; WHEN' in plain words; "
    "prompt a character by GM_TO_PLAYER, whose body has the sections ## Scene, ## "
    "Just Happened and ## Request, and whose kind is its request_type; send a note by NARRATOR_NOTE, ask the human by "
    "ASK_PLAYER, end by SESSION_END; write into documents by state deltas.",
    "phase-1": "Narrate by NARRATIVE, before it if you like a line '@place WHERE; WHEN' in plain words; "
    "prompt characters by one AWAIT_PLAYERS; send a note by NARRATOR_NOTE, ask the "
    "human by ASK_PLAYER, end by SESSION_END; write into documents by state deltas, then send STATE_UPDATED.",
}
"""How a GM that writes messages does what it is asked."""


WARNING = "Before this is sent"
"""How the refusal of a telling begins that gives something away. It comes once in a turn."""
MOST_WARNED = 6
"""Names and passages that a warning has."""


class GmTurn(TabletopTurn):
    """A turn of the GM's. Its kind says what it is called for first; the calls in the state say all of it."""

    fields = words.GmFields
    brief = words.BriefGmFields

    def request(self, state: State) -> Request:
        """The table as the GM knows it, and what it is called for."""
        context = [
            f"Characters: {', '.join(state.played)}. The human's: {state.character or 'not chosen yet'}.",
            words.where(state),
            *words.resource_lines(state, state.played),
            *words.working_files(state, GM),
        ]
        if state.acts:
            context.append("DONE AND SAID SINCE THE LAST NARRATIVE:")
            context += [words.marked(f"{act.character} ({act.tag}):", act.text) for act in state.acts]
        waiting = [name for name in state.played if state.awaits(name)]
        if waiting:
            context.append(f"Still awaited: {', '.join(waiting)}.")
        lacks = self.lacks(state) if state.gm_turn.opened or self.failures else None
        context += [words.marked(f"OPENED IN THIS TURN, {name}:", text) for name, text in state.gm_turn.opened]
        ask = " ".join(filter(None, (self.called_for(state), lacks)))
        how = BY_TAGS["phase-1" if state.edition_name == "phase-1" else "current"]
        return Request(tuple(context), ask, how=how)

    def called_for(self, state: State) -> str:
        """What the GM is to do now."""
        saving = SAVING["current" if state.edition_name == "current" else "phase-1"]
        if state.ending:
            return f"{CALLS['end']} {saving}"
        asked = [CALLS[call] for call in CALLS if call in state.gm_turn.calls and call not in ("save", "end")]
        if "save" in state.gm_turn.calls:
            asked.append(saving)
        return " ".join(asked or ("Go on with the story: narrate, or prompt those whose turn it is.",))

    def among(self, state: State) -> Among:
        kinds = {"steps.kind": request_types(state.edition_name)}
        named = dict.fromkeys(("steps.to", "steps.prompt", "steps.who", "steps.character"), state.played)
        return kinds | (named if state.played else {})

    def briefly(self, state: State) -> tuple[Among, Sequence[str]] | None:
        """One step at a time, out of what there is."""
        return short_turns.choices(state, self.kind)

    def written(self, state: State, answer: words.GmFields | words.BriefGmFields) -> str:
        if isinstance(answer, words.BriefGmFields):
            return short_turns.steps_of(state, self.kind, answer)
        return words.gm_text(answer)

    def moves(self, state: State, text: str) -> Sequence[Move]:
        given = words.steps_in(text)
        if given is None:
            return super().moves(state, text)
        found = words.items_of(state, given)
        if not found:
            raise Refused(self.lacks(state) or "Your reply has no steps; say what happens, or prompt somebody.")
        told, facts = words.told_in(given), words.facts_in(state, given)
        self._look_over(state, told, facts)
        done: list[Move] = [partial(_stepped, step, self.seat) for step in found]
        prose = "\n\n".join(filter(None, (facts, told)))
        return [*done, partial(inquiries.note_telling, prose=prose)] if prose else done

    def _look_over(self, state: State, told: str, facts: str) -> None:
        """Refuse a telling once, before it is sent, where it gives away what the party has not heard of."""
        warned = any(WARNING in failure for failure in self.failures)
        if not told or warned or self.attempts_left == 1:
            return
        from sottovoce.rulesets.tabletop.rules.lore.lookup import given_away

        if found := given_away(state, told, facts):
            raise Refused(
                f"{WARNING}: your telling has {', '.join(found[:MOST_WARNED])}, which the party has not heard of yet. "
                "Nothing was sent. Leave it out, or send the same steps again if the party is to hear it now."
            )

    def goes_on(self, game: Game) -> bool:
        """The GM has opened a document or asked for facts in this reply, and is asked again with the answer."""
        return any(isinstance(draft.event, events.DocumentOpened | events.FactsShown) for draft in game.drafts)

    def besides(self, text: str, refusals: Sequence[str]) -> str:
        steps = words.steps_in(text) or ()
        return "The other steps are done; do not repeat them." if len(steps) > len(refusals) else ""

    def lacks(self, state: State) -> str | None:
        calls, done = state.gm_turn.calls, state.gm_turn
        if state.ending:
            return None if state.ended else "The session is ending: save what is to be saved, and end it now."
        if not state.started:
            return None if state.questions else "Ask the human which character to play."
        if "opening" in calls and not done.narrated:
            return "The session has just started: narrate the scene that opens it."
        recapped = set(state.group_labels) <= done.narrated if state.split else REST in done.narrated
        if "recap" in calls and not recapped:
            return "The team lead asks where things stand: tell it in a narrative, in a split in one for each group."
        vetoed = [name for name, request in state.requests.items() if request.vetoed] or list(state.task_vetoes)
        if "veto" in calls and state.file_vetoes:
            return f"{', '.join(state.file_vetoes)} asked for more: write a prompt with FULL_CONTEXT, and signal again."
        if "veto" in calls and vetoed:
            return f"{', '.join(vetoed)} asked for more: send a prompt of the kind FULL_CONTEXT."
        if "save" in calls and not done.saved:
            if state.edition_name == "current":
                return "Save: bring story-state.md and party-knowledge.md up to date."
            return "Save: write the delta files into tmp/, and report them by STATE_UPDATED."
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
                team_lead.end_without_gm(game)
        elif state.gm_turn.calls == {"note"}:
            game.fall_back(self, reason)
            _note_lapses(game)
        else:
            withdraw_and_hold(game, self, "The GM's attempts ran out; nobody can stand in for it.")


def _stepped(step: words.Stepped, seat: str, game: Game) -> None:
    """Do one step of a reply, or refuse it by its number."""
    try:
        apply(game, seat, step.item)
    except Refused as refusal:
        raise Refused(f"{step.called}: {refusal}") from None


def _note_lapses(game: Game) -> None:
    if game.state.note_open:
        game.emit(events.NoteRequestLapsed())


class Cast(GmTurn, kind="cast"):
    """Before the session starts: ask the human which character to play."""

    def called_for(self, state: State) -> str:
        return self.__doc__ or ""


class Opening(GmTurn, kind="opening"):
    """The session starts."""


class BeatTurn(GmTurn, kind="beat"):
    """The story goes on."""


class Note(GmTurn, kind="note"):
    """The narrator has asked for details, and nothing else is to be done."""


class Vetoed(GmTurn, kind="veto"):
    """A player asked for more before answering."""


class Save(GmTurn, kind="save"):
    """The human asks to save."""


class Recap(GmTurn, kind="recap"):
    """The team lead asks where things stand."""


class End(GmTurn, kind="end"):
    """The human ends the session."""


GM_TURNS = (Cast, Opening, BeatTurn, Note, Vetoed, Save, Recap, End)
