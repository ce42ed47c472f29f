"""How the turns of a ruleset are put into files, and how replies are made of files: what differs between rulesets."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sottovoce.agents.bridge.mirror import Access, Edit
from sottovoce.agents.prompt import build_prompt
from sottovoce.domain.turns import Turn
from sottovoce.projections.view import View


def _choices(view: View[Any], turn: Turn) -> Mapping[str, str]:
    return {"choices": json.dumps(turn.choices, ensure_ascii=False)} if turn.choices else {}


def _prompt(view: View[Any], turn: Turn) -> str:
    return build_prompt(view, turn).text


def _nothing(view: View[Any]) -> Access:
    return Access()


def _as_it_is(view: View[Any], turn: Turn, text: str, edits: Sequence[Edit]) -> str | None:
    return None if edits else text


@dataclass(frozen=True, slots=True, kw_only=True)
class FileForm:
    """What one ruleset's turns look like as files; where nothing is said, the prompt in full and the answer as it is.

    `head(view, turn)` are further lines of a prompt file's front matter; `body(view, turn)` is what stands below it,
    but for where to answer. `access(view)` says which documents the seat may change. `reply(view, turn, text, edits)`
    is the reply that a response file makes together with what was changed in documents, or None where this turn's reply
    cannot carry changes; without edits it is never None.
    """

    head: Callable[[View[Any], Turn], Mapping[str, str]] = _choices
    body: Callable[[View[Any], Turn], str] = _prompt
    access: Callable[[View[Any]], Access] = _nothing
    reply: Callable[[View[Any], Turn, str, Sequence[Edit]], str | None] = _as_it_is
