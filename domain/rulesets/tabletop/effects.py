"""What follows from a message at once, in the same append."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from domain.ruleset import Deciding
from domain.rulesets.tabletop import asking, events
from domain.rulesets.tabletop.access import scene_file
from domain.rulesets.tabletop.deltas import Delta
from domain.rulesets.tabletop.documents import write_quietly
from domain.rulesets.tabletop.events import GM, HUMAN, NARRATOR, MessageSent
from domain.rulesets.tabletop.state import TabletopState

Game = Deciding[TabletopState]
Effect = Callable[[Game, MessageSent, TabletopState], None]


def _narrated(game: Game, event: MessageSent, before: TabletopState) -> None:
    """What the human is asked to do is asked anew; the narrator keeps what it hears (T-045); a beat begins (T-161)."""
    if event.group is None or game.state.character in event.group:
        asking.withdraw(game, HUMAN, "act")
    if event.group is not None:
        game.emit(events.BeatBegun(characters=event.group))
        return
    write_quietly(game, NARRATOR, Delta(scene_file(*game.state.scene), "append", event.body))
    asking.narrate_scene(game)


def _request_opened(game: Game, event: MessageSent, before: TabletopState) -> None:
    if not game.state.requests[event.to or ""].secret:
        change_scene(game, event.fields["scene_number"], event.fields["scene_slug"])
    asking.replace_request(game, event.to or "", before)


def change_scene(game: Game, number: str, slug: str) -> None:
    """T-151: another number or slug is another scene."""
    if game.state.scene != (number, slug):
        game.emit(events.SceneChanged(number=number, slug=slug))


def _spoken_to(game: Game, event: MessageSent, before: TabletopState) -> None:
    asking.answer_in_kind(game, event)


def _command_given(game: Game, event: MessageSent, before: TabletopState) -> None:
    """T-157: after `end` nothing that is open is asked any more; T-165: a command wakes a paused session.

    With `start` and `end` the GM's task is another one: its open turn is taken back, and it is asked anew.
    """
    asking.lift(game)
    if event.fields["command"] in ("start", "end"):
        asking.withdraw(game, GM)
    if event.fields["command"] == "end":
        asking.withdraw_open(game)


def _no_longer(*kinds: str) -> Effect:
    """The human has spoken through the team lead: what it was asked by a turn of those kinds is settled."""

    def effect(game: Game, event: MessageSent, before: TabletopState) -> None:
        asking.withdraw(game, HUMAN, *kinds)

    return effect


def _session_ended(game: Game, event: MessageSent, before: TabletopState) -> None:
    asking.withdraw_open(game)


def _journal_asked(game: Game, event: MessageSent, before: TabletopState) -> None:
    asking.ask_for_journal(game, event.to or "")


def _refreshed(game: Game, event: MessageSent, before: TabletopState) -> None:
    if event.to == GM:
        asking.lift(game)


def _responses_awaited(game: Game, event: MessageSent, before: TabletopState) -> None:
    """Each listed character gets a turn of its own (F-026)."""
    for name in event.fields["names"]:
        asking.ask_for_response(game, name)


def _actions_started(game: Game, event: MessageSent, before: TabletopState) -> None:
    """T-124, T-125: each character's task gets its own entry and nothing else."""
    fields = event.fields
    change_scene(game, fields["scene_number"], fields["scene_slug"])
    for entry in fields["characters"]:
        game.emit(
            events.ActionAsked(
                character=entry["name"],
                request_type=entry["request_type"],
                scene_number=fields["scene_number"],
                scene_slug=fields["scene_slug"],
                **{part: entry[part] for part in ("scene_context", "just_happened", "request")},
            )
        )
        asking.ask_task(game, entry["name"])


EFFECTS: Mapping[str, Effect] = {
    "NARRATIVE": _narrated,
    "GM_TO_PLAYER": _request_opened,
    "PLAYER_TO_PLAYER": _spoken_to,
    "HUMAN_DECISION": _no_longer("decide"),
    "PLAYER_ANSWER": _no_longer("choose"),
    "PLAYER_ACTION": _no_longer("act"),
    "SESSION_COMMAND": _command_given,
    "SESSION_END": _session_ended,
    "CONTEXT_REFRESH": _refreshed,
    "AWAIT_PLAYERS": _actions_started,
    "JOURNAL_CHECKPOINT": _journal_asked,
    "AWAIT_AI_PLAYERS": _responses_awaited,
}
"""What follows from a tag in the same append, given the state before it; the rest is seen to by `advance`."""
