"""How each message of the protocol changes what a session knows: one function a tag."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import reduce

from domain.growing import Growing
from domain.rulesets.tabletop.access import in_tmp, notes_file, prompt_file
from domain.rulesets.tabletop.events import GM, MessageSent, Mode
from domain.rulesets.tabletop.filemode import read_prompt
from domain.rulesets.tabletop.hearing import hear_message
from domain.rulesets.tabletop.phrases import asks_for_action
from domain.rulesets.tabletop.pieces import rebuild
from domain.rulesets.tabletop.state import REST, WRITERS, Act, OpenRequest, Question
from domain.rulesets.tabletop.state import TabletopState as State
from domain.turns import NOTHING


def fold_message(state: State, event: MessageSent) -> State:
    """A message was sent: its words are kept for the closed-words check, then its tag says what it changes."""
    state = hear_message(state, event)
    if event.seat == GM:
        state = state.but(gm_turn=replace(state.gm_turn, accepted=state.gm_turn.accepted + 1))
    if event.tag is None and event.seat == state.character:
        return state.but(back=False)
    fold = _BY_TAG.get(event.tag or "")
    return fold(state, event) if fold else state


def _narrative(state: State, event: MessageSent) -> State:
    names = state.played if event.group is None else event.group
    label = REST if event.group is None else event.label or REST
    asks = state.edition_name != "current" and asks_for_action(event.body, last_line=True)
    shown = state.character in names if event.group is not None else True
    done = not state.signalled
    changed = state.but(
        beat=state.beat + 1,
        shown=event.body if shown else state.shown,
        told=event.body if event.group is None else state.told,
        acts=tuple(act for act in state.acts if act.character not in names),
        pairs=NOTHING if event.group is None else state.pairs,
        notes_asked=0 if event.group is None else state.notes_asked,
        unjournaled=() if done else state.unjournaled,
        journals_due=_journals_due(state, split=event.group is not None) if done else state.journals_due,
        action_prompt=(asks and state.has_human) if shown else state.action_prompt,
        save_owed=True,
        words_after_end=state.words_after_end + (1 if state.ending else 0),
        gm_turn=replace(state.gm_turn, narrated=state.gm_turn.narrated | {label}),
    )
    if event.group is None:
        return changed.but(split=False, groups=NOTHING)
    return changed.but(split=True, groups={**state.groups, **dict.fromkeys(event.group, label)})


def _journals_due(state: State, *, split: bool) -> tuple[str, ...]:
    """Who is to write a journal now that a narrative has returned (F-048); in a split only those with notes (F-064)."""
    able = (name for name in state.unjournaled if not split or notes_file(name) in state.documents)
    return tuple(dict.fromkeys((*state.journals_due, *able)))


def _gm_to_player(state: State, event: MessageSent) -> State:
    character = event.to or ""
    earlier = state.requests.get(character)
    kind = event.fields["request_type"]
    secret = kind == "SECRET_ACTION" or bool(earlier and earlier.vetoed and earlier.secret)
    asked = state.with_request(character, OpenRequest(kind, event.body, secret))
    return asked.but(settled=state.settled - {character})


def _player_to_gm(state: State, event: MessageSent) -> State:
    request = state.requests.get(event.seat)
    if event.fields["type"] == "VETO":
        vetoed = replace(request, vetoed=True, relayed=False, by_clerk=False, decision=None) if request else None
        return state.with_request(event.seat, vetoed).with_call("veto")
    acted = _deed(state, event).with_settled(event.seat).but(acted=True)
    if request and request.secret:
        return acted
    woven = Act(event.seat, "PLAYER_TO_GM", event.body)
    return acted.but(acts=(*state.acts, woven), deeds=state.deeds.and_then((event.seat, event.body)))


def _deed(state: State, event: MessageSent) -> State:
    """What the human's character does while its human is away, for the summary on return (T-086); no secret (T-059)."""
    request = state.requests.get(event.seat)
    if event.tag == "PLAYER_TO_GM" and request is not None and request.secret:
        return state
    if event.seat == state.character and state.mode == "AUTONOMOUS" and state.has_human:
        return state.but(away=(*state.away, f"To {event.to}: {event.body}"))
    return state


def _player_to_player(state: State, event: MessageSent) -> State:
    low, high = sorted((event.seat, event.to or ""))
    counted = _deed(state, event).but(
        pairs={**state.pairs, (low, high): state.pairs.get((low, high), 0) + 1},
        acts=(*state.acts, Act(event.seat, f"PLAYER_TO_PLAYER {event.to}", event.body)),
    )
    request = state.requests.get(event.seat)
    answers = request is not None and request.type == "INTERACTION" and not request.vetoed
    if not answers:
        return counted
    said = (event.seat, f"To {event.to}: {event.body}")
    return counted.with_settled(event.seat).but(acted=True, deeds=state.deeds.and_then(said))


def _relay(state: State, event: MessageSent) -> State:
    request = state.requests.get(event.seat)
    relayed = replace(request, relayed=True, by_clerk=event.fallback) if request else None
    return state.with_request(event.seat, relayed).but(relay=event.body)


def _decision(state: State, event: MessageSent) -> State:
    request = state.requests.get(event.to or "")
    return state.with_request(event.to or "", replace(request, decision=event.body)) if request else state


def _mode(state: State, event: MessageSent) -> State:
    mode: Mode = event.fields["mode"]
    return (
        state
        if mode == state.mode
        else state.but(mode=mode, back=mode == "HUMAN_RELAY", away=state.away if mode == "HUMAN_RELAY" else ())
    )


def _asked_player(state: State, event: MessageSent) -> State:
    options = tuple(event.fields["options"])
    question = Question(event.fields["question"], event.fields["header"], options)
    return state.but(questions=(*state.questions, question))


def _answered(state: State, event: MessageSent) -> State:
    chosen = state.chosen
    if not state.started and event.fields["answer"] in state.roster:
        chosen = event.fields["answer"]
    elif not state.started and event.fallback:
        chosen = chosen or next(iter(state.roster), None)
    return state.but(questions=state.questions[1:], chosen=chosen).with_call("answer")


def _player_action(state: State, event: MessageSent) -> State:
    act = Act(event.fields["character"], "PLAYER_ACTION", event.fields["action"])
    return state.but(action_prompt=False, acts=(*state.acts, act)).with_call("outcome")


def _await_players(state: State, event: MessageSent) -> State:
    names = tuple(entry["name"] for entry in event.fields["characters"])
    return state.but(tasks=names, task_round=state.task_round + 1, task_vetoes=())


def _signal(state: State, event: MessageSent) -> State:
    names = tuple(event.fields["names"])
    vetoes = tuple(name for name in state.file_vetoes if name not in names)
    secret = frozenset(name for name in names if _asked_in_secret(state, name))
    return state.but(signalled=names, signals=state.signals + 1, file_vetoes=vetoes, secret_files=secret)


def _asked_in_secret(state: State, name: str) -> bool:
    """Whether that character's prompt file asks for a secret action, or follows up a vetoed one (T-059, T-073)."""
    prompt = read_prompt(rebuild(state.documents.get(prompt_file(name), ())), state.edition_name)
    return prompt.request_type == "SECRET_ACTION" or (name in state.file_vetoes and name in state.secret_files)


def _player_responses(state: State, event: MessageSent) -> State:
    given = [Act(entry["character"], "PLAYER_RESPONSES", entry["response"]) for entry in event.fields["responses"]]
    vetoes = tuple(entry["character"] for entry in event.fields.get("vetoes", ()))
    told = (
        state.with_call("outcome")
        .without_ballot(f"tasks.{state.task_round}")
        .but(
            tasks=(),
            task_vetoes=vetoes,
            acts=(*state.acts, *given),
            acted=state.acted or bool(given),
            deeds=reduce(Growing.and_then, ((act.character, act.text) for act in given), state.deeds),
        )
    )
    return told.with_call("veto") if vetoes else told


def _command(state: State, event: MessageSent) -> State:
    match event.fields["command"]:
        case "start":
            started = state.but(
                started=True,
                campaign=event.fields["campaign"],
                character=event.fields["player_character"],
                companions=tuple(event.fields["ai_characters"]),
            )
            return started.with_call("opening")
        case "save":
            return state.but(save_owed=True).with_call("save")
        case _:
            return state.but(ending=True, save_owed=True).with_call("end")


def _refresh(state: State, event: MessageSent) -> State:
    return state.with_call("recap") if event.to == GM and state.started else state


def _note_requested(state: State, event: MessageSent) -> State:
    return state.but(note_open=True, notes_asked=state.notes_asked + 1).with_call("note")


def _noted(state: State, event: MessageSent) -> State:
    return state.but(note_open=False) if event.seat == GM else state


def _updated(state: State, event: MessageSent) -> State:
    reported = tuple(path for path in map(in_tmp, event.fields["deltas_written"]) if path in WRITERS.values())
    return state.but(
        reported=reported,
        updated=bool(reported or state.deeds or state.acted),
        save_owed=False,
        gm_turn=replace(state.gm_turn, saved=True),
    )


def _session_end(state: State, event: MessageSent) -> State:
    return state.but(ended=True, ending=True)


def _checkpoint(state: State, event: MessageSent) -> State:
    return state.but(final_journals=True) if event.fields["trigger"] == "session_end" else state


_BY_TAG: Mapping[str, Callable[[State, MessageSent], State]] = {
    "NARRATIVE": _narrative,
    "GM_TO_PLAYER": _gm_to_player,
    "PLAYER_TO_GM": _player_to_gm,
    "PLAYER_TO_PLAYER": _player_to_player,
    "RELAY_TO_HUMAN": _relay,
    "HUMAN_DECISION": _decision,
    "MODE_SWITCH": _mode,
    "ASK_PLAYER": _asked_player,
    "PLAYER_ANSWER": _answered,
    "PLAYER_ACTION": _player_action,
    "AWAIT_PLAYERS": _await_players,
    "AWAIT_AI_PLAYERS": _signal,
    "PLAYER_RESPONSES": _player_responses,
    "SESSION_COMMAND": _command,
    "CONTEXT_REFRESH": _refresh,
    "NARRATOR_REQUEST": _note_requested,
    "NARRATOR_NOTE": _noted,
    "STATE_UPDATED": _updated,
    "SESSION_END": _session_end,
    "JOURNAL_CHECKPOINT": _checkpoint,
}
"""What a message changes, by its tag; one that is not listed changes nothing more."""
