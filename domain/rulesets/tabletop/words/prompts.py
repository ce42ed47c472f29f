"""What a tabletop turn asks, from nothing but the seat's own state."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from domain.rulesets.tabletop import turns
from domain.rulesets.tabletop.documents import VETO_FIRST_LINE, error_report, prompt_file, read_prompt, rebuild
from domain.rulesets.tabletop.names import GM, NARRATOR
from domain.rulesets.tabletop.phrases import numbered, options_shown
from domain.rulesets.tabletop.request_types import REQUEST_TYPES
from domain.rulesets.tabletop.state import Call, OpenRequest, TabletopState
from domain.rulesets.tabletop.texts import sections
from domain.rulesets.tabletop.words.extracts import documents_for, files_of_journal, files_of_task, resource_lines
from domain.turns import Request, Turn

State = TabletopState

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

GM_GUIDELINES = (
    "You are the game master. Speak to the table by NARRATIVE and to one character by GM_TO_PLAYER, whose body has the "
    "sections ## Scene, ## Just Happened and ## Request.",
    "Tell each character only what that character knows; nothing out of story-state.md, another's secrets or a hidden "
    "motive.",
    "Let the dice decide what is uncertain: ask for a roll, and go on from its result.",
    "Do not ask everybody at once every time: ask those whose answer matters, and let the others overhear it.",
)


def request(state: State, turn: Turn) -> Request:
    """The context and the request of an open turn, from the seat's own state."""
    context, ask = _REQUESTS[turn.kind](state, turn) if turn.kind in _REQUESTS else _character(state, turn)
    return Request(tuple(context), ask)


Asked = tuple[Iterable[str], str]


def marked(title: str, text: str) -> str:
    """A text that the game shows but did not write, every line of it marked."""
    lines = "\n".join(f"> {line}" for line in text.strip().splitlines())
    return f"{title}\n{lines}" if lines else title


def _where(state: State) -> str:
    number, slug = state.scene
    together = "The party is together."
    if state.split:
        groups = [f"{label or 'not named'}: {', '.join(state.members(label))}" for label in state.group_labels]
        together = f"The party is split. {'; '.join(groups)}."
    return f"Scene {number} - {slug}. {together}"


def _gm(state: State, turn: Turn) -> Asked:
    context = [
        *GM_GUIDELINES,
        f"Characters: {', '.join(state.played)}. The human's: {state.character or 'not chosen yet'}.",
        _where(state),
        *resource_lines(state, state.played),
        *documents_for(state, GM),
    ]
    if state.acts:
        context.append("DONE AND SAID SINCE THE LAST NARRATIVE:")
        context += [marked(f"{act.character} ({act.tag}):", act.text) for act in state.acts]
    waiting = [name for name in state.played if state.awaits(name)]
    if waiting:
        context.append(f"Still awaited: {', '.join(waiting)}.")
    return context, _gm_is_asked(state, turn)


def _gm_is_asked(state: State, turn: Turn) -> str:
    if turn.kind == "cast":
        return "Before the session starts: ask the human which character to play, by ASK_PLAYER to team-lead."
    if state.ending:
        return f"{CALLS['end']} {SAVING['current' if state.edition_name == 'current' else 'phase-1']}"
    told = [CALLS[call] for call in CALLS if call in state.gm_turn.calls and call not in ("save", "end")]
    if "save" in state.gm_turn.calls:
        told.append(SAVING["current" if state.edition_name == "current" else "phase-1"])
    return " ".join(told or ("Go on with the story: narrate, or prompt those whose turn it is.",))


def _character(state: State, turn: Turn) -> Asked:
    seat = turn.seat
    held = state.requests.get(seat)
    context = [
        f"You are {seat}; speak and act as that character, from what it knows and is.",
        *resource_lines(state, (seat,)),
        *documents_for(state, seat),
    ]
    if held is None:
        return context, "Answer the GM's request."
    context.append(marked(f"THE GM ASKS YOU ({held.type}):", held.body))
    if held.decision is not None:
        context.append(marked("YOUR HUMAN HAS DECIDED:", held.decision))
    return context, _answer_form(seat, held)


def _answer_form(seat: str, held: OpenRequest) -> str:
    asked = REQUEST_TYPES[held.type]
    form = asked.form
    if held.decision is not None:
        form = f"Put your human's decision into your character's words and deeds, changing nothing of it. {form}"
    if not asked.answers:
        return form
    kind = ", ".join(asked.answers) + (" or VETO" if len(asked.answers) > 1 and asked.vetoable else "")
    return f"{form} Send PLAYER_TO_GM with type ({kind}), character: {seat}, and your words as the body."


def _relay(state: State, turn: Turn) -> Asked:
    context, _ = _character(state, turn)
    return context, (
        f"Your human decides. Send RELAY_TO_HUMAN with character: {turn.seat} and the sections ## Scene, "
        "## Decision Needed and ## Suggested Options, the last one a list."
    )


def _task(state: State, turn: Turn) -> Asked:
    held = state.actions.get(turn.seat)
    context = [f"You are {turn.seat}.", *files_of_task(state, turn.seat)]
    if held is None:
        return context, "Answer in character."
    context.append(marked(f"YOU ARE ASKED ({held.type}):", held.body))
    veto = (
        ""
        if not REQUEST_TYPES[held.type].vetoable
        else " If you need more to decide, open with [VETO - need more input] and say why."
    )
    return context, f"{REQUEST_TYPES[held.type].form} Answer in character, mechanical notes in parentheses.{veto}"


def _response(state: State, turn: Turn) -> Asked:
    path = prompt_file(turn.seat)
    context = [f"You are {turn.seat}.", *files_of_task(state, turn.seat)]
    report = error_report(state.documents, state.edition_name, turn.seat, state.campaign)
    if report is not None:
        return (*context, marked("YOUR PROMPT FILE IS NOT IN ORDER. Report it:", report)), "Answer with that report."
    kind = REQUEST_TYPES[read_prompt(rebuild(state.documents[path]), state.edition_name).request_type]
    veto = f" If you need more, write {VETO_FIRST_LINE}, an empty line, and why." if kind.vetoable else ""
    return (
        context,
        f"Answer the request in {path}. {kind.form} In character, mechanical notes in parentheses.{veto}",
    )


def _reply(state: State, turn: Turn) -> Asked:
    context = [f"You are {turn.seat}.", *documents_for(state, turn.seat)]
    return context, (
        "Somebody of the party has spoken to you. Answer in character by PLAYER_TO_PLAYER (from, to, your words), or "
        "with the one word pass."
    )


def _chat(state: State, turn: Turn) -> Asked:
    return (f"You are {turn.seat}.",), "The human talks with you out of character. Answer in a line or two, or pass."


def _journal(state: State, turn: Turn) -> Asked:
    shared = turn.kind == "journal"
    context = [f"You are {turn.seat}.", *files_of_journal(state, turn.seat, shared=shared)]
    return context, (
        "Write an entry for your journal: a line ---, a title after ###, and five bullets: What happened: What I did: "
        "What I learned: How I feel: Notes:"
    )


def _scene(state: State, turn: Turn) -> Asked:
    context = ["You are the narrator, who keeps the scene files.", _where(state), *documents_for(state, NARRATOR)]
    return context, (
        "The GM has narrated; its words stand in the scene file already. Add what the players' answers and the notes "
        "sent to you make of it, as prose; ask the GM by NARRATOR_REQUEST for what is missing; or answer pass."
    )


def _decide(state: State, turn: Turn) -> Asked:
    parts = sections(state.relay)
    lines = [marked("Your character asks you:", "\n".join((parts.get("Scene", ""), parts.get("Decision Needed", ""))))]
    lines.append(marked("Options:", "\n".join(numbered(options_shown(turns.offered(state, "decide"))))))
    return lines, "What do you want your character to do? Say it in your own words, or take an option by its number."


def _choose(state: State, turn: Turn) -> Asked:
    if not state.questions:
        return (), "Answer the GM's question."
    question = state.questions[0]
    options = numbered([f"{option['label']}: {option['description']}" for option in question.options])
    asked = marked("The GM asks:", f"{question.header}: {question.question}")
    lines = (asked, marked("Options:", "\n".join(options)))
    return lines, "Take one of the options by its name or number, or answer in your own words."


def _act(state: State, turn: Turn) -> Asked:
    return (), "What does your character do?"


_REQUESTS: Mapping[str, Callable[[State, Turn], Asked]] = {
    **dict.fromkeys(("cast", "opening", "beat", "note", "veto", "save", "recap", "end"), _gm),
    turns.RELAY: _relay,
    "action": _task,
    "response": _response,
    "reply": _reply,
    "chat": _chat,
    **dict.fromkeys(turns.JOURNALS, _journal),
    "scene": _scene,
    "decide": _decide,
    "choose": _choose,
    "act": _act,
}
