"""The narrator's turn."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import ClassVar

from sottovoce import Among, Request
from sottovoce.rulesets.tabletop.rules import words
from sottovoce.rulesets.tabletop.rules.course import changes
from sottovoce.rulesets.tabletop.rules.course.replies import Move, TabletopTurn, items
from sottovoce.rulesets.tabletop.rules.messages import Send, in_json
from sottovoce.rulesets.tabletop.rules.names import NARRATOR
from sottovoce.rulesets.tabletop.rules.phrases import is_pass
from sottovoce.rulesets.tabletop.rules.state import TabletopState as State


class SceneFile(TabletopTurn, kind="scene"):
    """The GM has narrated; its words stand in the scene file already. Add what the players' answers and the notes sent
    to you make of it, as prose; or ask the GM for what is missing; or pass."""

    background: ClassVar[bool] = True
    fields = words.SceneFields

    def request(self, state: State) -> Request:
        """The scene as its file has it (T-045, T-112, T-114)."""
        known = ("You are the narrator, who keeps the scene files.", words.where(state))
        how = "Write prose, a NARRATOR_REQUEST with to: gm and request, or the one word pass."
        return Request((*known, *words.working_files(state, NARRATOR)), self.request_text, how=how)

    def among(self, state: State) -> Among:
        """No request to the GM while one is open, or when this beat has had its number of them."""
        may_ask = not state.note_open and state.notes_asked < state.options.note_requests_per_beat
        return {} if may_ask else {"request": ()}

    def written(self, state: State, answer: words.SceneFields) -> str:
        return words.scene_text(state, answer)

    def moves(self, state: State, text: str) -> Sequence[Move]:
        found = items(state, self.seat, text)
        if is_pass(text):
            return []
        sent = found[0] if len(found) == 1 else None
        # Plain prose would go to the GM otherwise, as one informal text.
        if isinstance(sent, Send) and not sent.content.startswith("[") and not in_json(text):
            return [partial(changes.add_to_scene, text=sent.content)]
        return found
