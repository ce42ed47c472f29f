"""Characters asked together: the tasks of phase-1, and the signal of file mode."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from typing import Annotated, TypedDict

from sottovoce import Chair, Growing, Piece, Refused, Voice, names
from sottovoce.rulesets.tabletop.rules import events, turns
from sottovoce.rulesets.tabletop.rules.documents import GM_CONTEXT, prompt_file, read_prompt, rebuild
from sottovoce.rulesets.tabletop.rules.messages.fields import MayBeEmpty, Name, SceneNumber, Slug
from sottovoce.rulesets.tabletop.rules.messages.session import twice
from sottovoce.rulesets.tabletop.rules.messages.tag import GM_TO_LEAD, LEAD_TO_GM, BetweenTwo
from sottovoce.rulesets.tabletop.rules.names import called, full_name
from sottovoce.rulesets.tabletop.rules.phrases import veto_reason
from sottovoce.rulesets.tabletop.rules.request_types import REQUEST_TYPES, EarlyRequest
from sottovoce.rulesets.tabletop.rules.state import Act, Game
from sottovoce.rulesets.tabletop.rules.state import TabletopState as State


class Awaited(TypedDict):
    """What one character is asked, and what it needs to know for it."""

    name: Name
    request_type: EarlyRequest
    scene_context: str
    just_happened: str
    request: str


class AwaitPlayers(BetweenTwo, tag="AWAIT_PLAYERS", route=GM_TO_LEAD):
    """The GM asks several characters at once, each by a task of its own (T-121 to T-126)."""

    while_ending = False
    while_awaiting = False
    asks_a_player = True

    characters: Sequence[Awaited]
    scene_number: SceneNumber
    scene_slug: Slug

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(entry["name"] for entry in self.characters)

    def amiss(self) -> Iterable[str]:
        return twice((entry.get("name", "") for entry in self.characters), "characters names")

    def check(self, game: Game) -> None:
        """T-123, T-129."""
        state = game.state
        for entry in self.characters:
            full_name(entry["name"], state.ai_characters)
            text = "\n".join((entry["scene_context"], entry["just_happened"], entry["request"]))
            state.heard.keep_closed(entry["name"], text, f"The entry of {entry['name']}")
        if state.task_vetoes:
            full = all(entry["request_type"] == "FULL_CONTEXT" for entry in self.characters)
            if set(self.names) != set(state.task_vetoes) or not full:
                raise Refused(
                    f"{', '.join(state.task_vetoes)} vetoed: send AWAIT_PLAYERS with FULL_CONTEXT for exactly those "
                    "first."
                )

    def tell(self, chair: Chair) -> Piece:
        asked = (
            "\n".join(
                (
                    f"{entry['name']} ({entry['request_type']}): {entry['scene_context']}",
                    entry["just_happened"],
                    entry["request"],
                )
            )
            for entry in self.characters
        )
        lead = f"{{}} ask{{s}} {names(self.names)} in scene {self.scene_number} - {self.scene_slug}:"
        return self.piece(chair, lead, "\n".join(asked))

    def fold(self, state: State) -> State:
        return state.but(tasks=self.names, task_round=state.task_round + 1, task_vetoes=())

    def effect(self, game: Game, before: State) -> None:
        """T-124, T-125: each character's task gets its own entry and nothing else."""
        turns.change_scene(game, self.scene_number, self.scene_slug)
        for entry in self.characters:
            game.emit(
                events.ActionAsked(
                    character=entry["name"],
                    request_type=entry["request_type"],
                    scene_number=self.scene_number,
                    scene_slug=self.scene_slug,
                    scene_context=entry["scene_context"],
                    just_happened=entry["just_happened"],
                    request=entry["request"],
                )
            )
            turns.ask_task(game, entry["name"])


class Response(TypedDict):
    """What one character does."""

    character: Name
    response: str


class Veto(TypedDict):
    """Why one character needs more before it answers."""

    character: Name
    reason: str


class PlayerResponses(BetweenTwo, tag="PLAYER_RESPONSES", route=LEAD_TO_GM):
    """What all the awaited characters answered (T-127, T-128)."""

    responses: Annotated[Sequence[Response], MayBeEmpty()]
    vetoes: Sequence[Veto] = ()

    @property
    def listed(self) -> list[str]:
        return [entry.get("character", "") for entry in (*self.responses, *self.vetoes)]

    def amiss(self) -> Iterable[str]:
        yield from twice(self.listed, "responses and vetoes list")
        if any(veto_reason(entry.get("response", "")) is not None for entry in self.responses):
            yield "a response that opens with [VETO belongs in vetoes, with its reason"

    def check(self, game: Game) -> None:
        state = game.state
        if not state.tasks:
            raise Refused("No AWAIT_PLAYERS is open; there is nothing to respond to.")
        if sorted(self.listed) != sorted(state.tasks):
            raise Refused(f"PLAYER_RESPONSES must list each of these characters once: {', '.join(state.tasks)}.")
        if any(turns.open_turn_of(state, name, "action") for name in state.tasks):
            raise Refused("Not all tasks have ended; wait for them.")

    def tell(self, chair: Chair) -> Piece:
        answers = [Voice(entry["character"], entry["response"]) for entry in self.responses]
        answers += [Voice(entry["character"], f"[VETO] {entry['reason']}") for entry in self.vetoes]
        does = "bring" if chair.owns(self.seat) else "brings"
        lead = f"{called(self.seat, chair, first=True)} {does} the answers:"
        return Piece(lead, who=self.seat, words=tuple(answers), private="")

    def fold(self, state: State) -> State:
        done = [(entry["character"], entry["response"]) for entry in self.responses]
        vetoes = tuple(entry["character"] for entry in self.vetoes)
        responded = (
            state.with_call("outcome")
            .without_ballot(f"tasks.{state.task_round}")
            .but(
                tasks=(),
                task_vetoes=vetoes,
                acts=(*state.acts, *(Act(name, "PLAYER_RESPONSES", text) for name, text in done)),
                acted=state.acted or bool(done),
                deeds=reduce(Growing.and_then, done, state.deeds),
            )
        )
        return responded.with_call("veto") if vetoes else responded


class AwaitAiPlayers(BetweenTwo, tag="AWAIT_AI_PLAYERS", route=GM_TO_LEAD):
    """The signal of file mode, a tag of its own form in every edition (F-024)."""

    while_ending = False

    names: Sequence[Name]

    def amiss(self) -> Iterable[str]:
        return twice(self.names, f"{self.tag} names")

    def check(self, game: Game) -> None:
        """The notes and every listed character's prompt file exist (F-024, F-025; F-036 where somebody vetoed)."""
        state = game.state
        strangers = [name for name in self.names if name not in state.ai_characters]
        if strangers:
            raise Refused(
                f"The signal lists {', '.join(strangers)}; list AI characters: {', '.join(state.ai_characters)}."
            )
        missing = [path for path in (GM_CONTEXT, *map(prompt_file, self.names)) if path not in state.documents]
        if missing:
            raise Refused(f"Write {', '.join(missing)} before you signal.")
        for name in self.names:
            if name in state.file_vetoes and _asked(state, name) != "FULL_CONTEXT":
                raise Refused(f"{name} vetoed; write {prompt_file(name)} again with request_type: FULL_CONTEXT.")
        if state.signalled:
            raise Refused(f"You wait for the responses of {', '.join(state.signalled)}; signal again afterwards.")

    def tell(self, chair: Chair) -> Piece:
        return self.piece(chair, f"{{}} waits for the responses of {names(self.names)}.", mood="quiet")

    def fold(self, state: State) -> State:
        return state.but(
            signalled=tuple(self.names),
            signals=state.signals + 1,
            file_vetoes=tuple(name for name in state.file_vetoes if name not in self.names),
            secret_files=frozenset(name for name in self.names if _asked_in_secret(state, name)),
        )

    def effect(self, game: Game, before: State) -> None:
        """Each listed character gets a turn of its own (F-026)."""
        for name in self.names:
            turns.ask_for_response(game, name)


def _asked(state: State, name: str) -> str:
    """The request type of that character's prompt file; empty where it has none in order."""
    return read_prompt(rebuild(state.documents.get(prompt_file(name), ())), state.edition_name).request_type


def _asked_in_secret(state: State, name: str) -> bool:
    """Whether that prompt file asks for a secret action, or follows up a vetoed one (T-059, T-073)."""
    kind = REQUEST_TYPES.get(_asked(state, name))
    return bool(kind and kind.secret) or (name in state.file_vetoes and name in state.secret_files)
