"""What each tag demands beyond its form, as things stand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from domain.errors import Refused
from domain.ruleset import Deciding
from domain.rulesets.tabletop import asking
from domain.rulesets.tabletop.access import in_tmp
from domain.rulesets.tabletop.events import GM, NARRATOR, MessageSent
from domain.rulesets.tabletop.filemode import check_signal
from domain.rulesets.tabletop.names import full_name
from domain.rulesets.tabletop.phrases import GroupNote, asks_for_action, group_note, is_out_of_character
from domain.rulesets.tabletop.state import TabletopState

Game = Deciding[TabletopState]
Check = Callable[[Game, MessageSent], MessageSent | None]


def _speaks_for_itself(event: MessageSent, field: str) -> None:
    """T-013: who is said to speak is who sends."""
    if event.fields[field] != event.seat:
        raise Refused(
            f"{field} says {event.fields[field]!r}, but {event.seat} sends this; write {field}: {event.seat}."
        )


def _speaks_of_the_human(state: TabletopState, event: MessageSent) -> None:
    """T-014."""
    if event.fields["character"] != state.character:
        raise Refused(f"character must be the human's character, {state.character}; got {event.fields['character']!r}.")


def _narrative(game: Game, event: MessageSent) -> MessageSent:
    state = game.state
    if state.edition_name == "current" and asks_for_action(event.body):
        raise Refused('A NARRATIVE does not ask for action ("What do you do?"); ask each player by GM_TO_PLAYER.')
    note = group_note(event.body)
    for name in note.names if note else ():
        full_name(name, state.played)
    whole = note is not None and set(note.names) == set(state.played)
    if event.to is None:
        if state.split and not whole:
            form = GroupNote("everyone", state.played).line
            raise Refused(
                f"The party is split: send NARRATIVE to team-lead for one group, or reunite all by a first line {form}."
            )
        return event
    if note is None or whole:
        form = GroupNote("docks", state.played[:1]).line
        raise Refused(f"A NARRATIVE for one group opens with a line such as {form} that names some of the party.")
    return event.but(group=note.names, label=note.group)


def _asked(game: Game, event: MessageSent) -> None:
    """GM_TO_PLAYER: T-062, T-063, T-070."""
    state = game.state
    request = state.requests.get(event.to or "")
    kind = event.fields["request_type"]
    if kind == "INTERACTION" and len(state.played) < 2:
        raise Refused("INTERACTION needs another character to talk to; this roster has none.")
    if request is not None and request.vetoed and kind != "FULL_CONTEXT":
        raise Refused(f"{event.to} vetoed; answer with a GM_TO_PLAYER of request_type FULL_CONTEXT before any other.")
    keep_closed(game, event.to or "", event.body, "The body")


def _answer(game: Game, event: MessageSent) -> None:
    """PLAYER_TO_GM: T-061, T-062, T-068, T-071, T-155."""
    _speaks_for_itself(event, "character")
    state = game.state
    request = state.requests.get(event.seat)
    kind = event.fields["type"]
    if request is None or request.vetoed:
        raise Refused("You have no open GM_TO_PLAYER to answer; wait until the GM prompts you.")
    if kind == "VETO":
        if request.type == "FULL_CONTEXT":
            raise Refused("A FULL_CONTEXT request cannot be vetoed: you have the full context; answer it.")
        return
    if request.type == "REFLECTION" and kind == "ACTION":
        raise Refused("A REFLECTION asks for what goes on inside; answer it with type: REACTION.")
    if request.type == "INTERACTION":
        raise Refused("An INTERACTION is answered by PLAYER_TO_PLAYER to a party member, or passed.")
    asking.wait_for_the_human(state, event.seat)


def _speech(game: Game, event: MessageSent) -> None:
    """PLAYER_TO_PLAYER: T-076, T-077, T-146, T-155."""
    _speaks_for_itself(event, "from")
    _same_addressee(event)
    state = game.state
    if is_out_of_character(event.body):
        raise Refused("PLAYER_TO_PLAYER is in-character speech; talk out of character goes through the /chat command.")
    low, high = sorted((event.seat, event.to or ""))
    limit = state.options.messages_per_pair
    if state.pairs.get((low, high), 0) >= limit:
        raise Refused(f"You and {event.to} have exchanged {limit} messages in this beat; wait for the next NARRATIVE.")
    request = state.requests.get(event.seat)
    if request is not None and request.type == "INTERACTION" and not request.vetoed:
        asking.wait_for_the_human(state, event.seat)


def _same_addressee(event: MessageSent) -> None:
    """T-146."""
    if event.fields["to"] != event.to:
        raise Refused(f"to says {event.fields['to']!r}, but the message is addressed to {event.to}; make them equal.")


def _relayed(game: Game, event: MessageSent) -> None:
    """RELAY_TO_HUMAN: T-078, T-080."""
    _speaks_for_itself(event, "character")
    state = game.state
    if event.seat != state.character or not state.has_human:
        raise Refused("RELAY_TO_HUMAN is sent by the human's character alone.")
    if state.alone:
        raise Refused("The human is away: decide for yourself and answer the GM.")
    request = state.requests.get(event.seat)
    if request is None or request.vetoed:
        raise Refused("You have no open GM_TO_PLAYER to relay; wait until the GM prompts you.")
    if request.relayed and request.decision is None:
        raise Refused("A relay is pending; wait for the HUMAN_DECISION.")


def _decided(game: Game, event: MessageSent) -> None:
    """HUMAN_DECISION: T-082."""
    _speaks_of_the_human(game.state, event)
    _to_the_human_s_character(game.state, event)
    request = game.state.requests.get(game.state.character or "")
    if request is None or not request.relayed or request.decision is not None:
        raise Refused("No RELAY_TO_HUMAN is pending; there is nothing to decide.")


def _to_the_human_s_character(state: TabletopState, event: MessageSent) -> None:
    if event.to != state.character:
        raise Refused(f"{event.tag} is addressed to the human's character, {state.character}, not to {event.to}.")


def _switched(game: Game, event: MessageSent) -> None:
    """MODE_SWITCH: T-083."""
    _to_the_human_s_character(game.state, event)
    if not game.state.has_human:
        raise Refused("No human takes part in this session; there is no mode to switch.")


def _question_answered(game: Game, event: MessageSent) -> None:
    """PLAYER_ANSWER: T-091."""
    if not game.state.questions:
        raise Refused("No ASK_PLAYER is open; there is nothing to answer.")


def _acted(game: Game, event: MessageSent) -> None:
    """PLAYER_ACTION: T-096."""
    _speaks_of_the_human(game.state, event)
    if not game.state.action_prompt:
        raise Refused("No NARRATIVE has asked for action; wait for its prompt.")


def _rolled(game: Game, event: MessageSent) -> None:
    _speaks_of_the_human(game.state, event)


def _commanded(game: Game, event: MessageSent) -> None:
    """SESSION_COMMAND: T-099, T-100."""
    state = game.state
    command = event.fields["command"]
    if command != "start":
        if state.ending and command == "end":
            raise Refused("The session is ending already.")
        return
    if state.started:
        raise Refused("The session has started already; start is sent once.")
    named = [event.fields["player_character"], *event.fields["ai_characters"]]
    for name in named:
        full_name(name, state.roster)
    if len(set(named)) < len(named):
        raise Refused("The roster names a character twice; name each once.")
    if state.campaign and event.fields["campaign"] != state.campaign:
        raise Refused(f"campaign must be {state.campaign}; got {event.fields['campaign']!r}.")


def _ended(game: Game, event: MessageSent) -> None:
    """SESSION_END: what it says of the save is so (T-104)."""
    state = game.state
    if event.fields["state_saved"] and state.save_owed and not state.gm_turn.saved:
        how = (
            "bring story-state.md and party-knowledge.md up to date by state deltas"
            if state.edition_name == "current"
            else "write the delta files into tmp/ and send STATE_UPDATED"
        )
        raise Refused(f"state_saved is true, but what was told last has not been saved: first {how}, or write false.")


def _same_campaign(game: Game, event: MessageSent) -> None:
    """T-147."""
    if game.state.started and event.fields["campaign"] != game.state.campaign:
        raise Refused(f"campaign must be {game.state.campaign}, as the session's start says.")


def _noted(game: Game, event: MessageSent) -> None:
    """NARRATOR_NOTE: T-013, T-114."""
    if event.fields["from"] != event.seat:
        _speaks_for_itself(event, "from")
    if event.seat == GM:
        keep_closed(game, NARRATOR, event.fields["note"], "The note")


def _note_requested(game: Game, event: MessageSent) -> None:
    """NARRATOR_REQUEST: T-146, T-160."""
    _same_addressee(event)
    state = game.state
    if state.note_open:
        raise Refused("An earlier NARRATOR_REQUEST is open; wait for the GM's note.")
    limit = state.options.note_requests_per_beat
    if state.notes_asked >= limit:
        raise Refused(f"You have asked {limit} times in this beat; work with what you have.")


def keep_closed(game: Game, seat: str, text: str, what: str) -> None:
    """Refused where the text repeats what is closed to the seat (T-063). The author has read it: it learns nothing."""
    found = game.state.heard.repeats(text, seat)
    if found is not None:
        shown = found if len(found) <= 120 else f"{found[:120]} […]"
        raise Refused(f'{what} repeats words that {seat} has no access to: "{shown}". Tell only what {seat} knows.')


def _written_already(state: TabletopState, paths: Sequence[str]) -> None:
    missing = [path for path in paths if in_tmp(path) not in state.documents]
    if missing:
        raise Refused(f"deltas_written names what has not been written: {', '.join(missing)}; write it first.")


def _state_updated(game: Game, event: MessageSent) -> None:
    """STATE_UPDATED: T-116."""
    _written_already(game.state, event.fields["deltas_written"])


def _players_awaited(game: Game, event: MessageSent) -> None:
    """AWAIT_PLAYERS: T-123, T-129."""
    state = game.state
    names = [entry["name"] for entry in event.fields["characters"]]
    for entry in event.fields["characters"]:
        full_name(entry["name"], state.ai_characters)
        text = "\n".join(entry[part] for part in ("scene_context", "just_happened", "request"))
        keep_closed(game, entry["name"], text, f"The entry of {entry['name']}")
    if len(set(names)) < len(names):
        raise Refused("characters names somebody twice; give each one entry.")
    if state.task_vetoes:
        full = all(entry["request_type"] == "FULL_CONTEXT" for entry in event.fields["characters"])
        if set(names) != set(state.task_vetoes) or not full:
            raise Refused(
                f"{', '.join(state.task_vetoes)} vetoed: send AWAIT_PLAYERS with FULL_CONTEXT for exactly those first."
            )


def _signal_given(game: Game, event: MessageSent) -> None:
    """AWAIT_AI_PLAYERS: F-024, F-025; F-036 where somebody vetoed."""
    check_signal(game.state, event.fields["names"])
    if game.state.signalled:
        raise Refused(f"You wait for the responses of {', '.join(game.state.signalled)}; signal again afterwards.")


def _responses_given(game: Game, event: MessageSent) -> None:
    """PLAYER_RESPONSES: T-128."""
    state = game.state
    if not state.tasks:
        raise Refused("No AWAIT_PLAYERS is open; there is nothing to respond to.")
    vetoes = event.fields.get("vetoes", [])
    listed = [entry["character"] for entry in (*event.fields["responses"], *vetoes)]
    if sorted(listed) != sorted(state.tasks):
        raise Refused(f"PLAYER_RESPONSES lists every awaited character once: {', '.join(state.tasks)}.")
    if any(asking.open_turn_of(state, name, "action") for name in state.tasks):
        raise Refused("Not all tasks have ended; wait for them.")


CHECKS: Mapping[str, Check] = {
    "NARRATIVE": _narrative,
    "GM_TO_PLAYER": _asked,
    "PLAYER_TO_GM": _answer,
    "PLAYER_TO_PLAYER": _speech,
    "RELAY_TO_HUMAN": _relayed,
    "HUMAN_DECISION": _decided,
    "MODE_SWITCH": _switched,
    "PLAYER_ANSWER": _question_answered,
    "PLAYER_ACTION": _acted,
    "DICE_RESULT": _rolled,
    "SESSION_COMMAND": _commanded,
    "SESSION_END": _ended,
    "CONTEXT_REFRESH": _same_campaign,
    "JOURNAL_CHECKPOINT": _same_campaign,
    "NARRATOR_NOTE": _noted,
    "NARRATOR_REQUEST": _note_requested,
    "STATE_UPDATED": _state_updated,
    "AWAIT_PLAYERS": _players_awaited,
    "PLAYER_RESPONSES": _responses_given,
    "AWAIT_AI_PLAYERS": _signal_given,
}
"""What each tag demands beyond its form. A check may return the event completed."""
