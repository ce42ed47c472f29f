"""The narrator's turn."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import ClassVar

from sottovoce import Form, Request
from sottovoce.rulesets.tabletop.rules import words
from sottovoce.rulesets.tabletop.rules.course import changes
from sottovoce.rulesets.tabletop.rules.course.replies import Asked, Move, items
from sottovoce.rulesets.tabletop.rules.messages import Send, in_json
from sottovoce.rulesets.tabletop.rules.names import NARRATOR
from sottovoce.rulesets.tabletop.rules.phrases import is_pass
from sottovoce.rulesets.tabletop.rules.state import TabletopState as State


class SceneFile(Asked, kind="scene"):
    """The GM has narrated; its words stand in the scene file already. Add what the players' answers and the notes sent
    to you make of it, as prose; ask the GM by NARRATOR_REQUEST for what is missing; or answer pass."""

    background: ClassVar[bool] = True

    def request(self, state: State) -> Request:
        """The scene as its file has it (T-045, T-112, T-114)."""
        known = ("You are the narrator, who keeps the scene files.", words.where(state))
        return Request((*known, *words.documents_for(state, NARRATOR)), " ".join((self.__doc__ or "").split()))

    def form(self, state: State) -> Form:
        """The fields of prose, and of a request where one may be made."""
        return words.scene_form(state)

    def moves(self, state: State, text: str) -> Sequence[Move]:
        found = items(state, self.seat, text)
        if is_pass(text):
            return []
        sent = found[0] if len(found) == 1 else None
        # Plain prose would go to the GM otherwise, as one informal text.
        if isinstance(sent, Send) and not sent.content.startswith("[") and not in_json(text):
            return [partial(changes.add_to_scene, text=sent.content)]
        return found
