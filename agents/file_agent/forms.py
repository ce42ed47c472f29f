"""How the turns of a ruleset are put into files, and how replies are made of files: what differs between rulesets."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sottovoce.agents.file_agent.mirror import Access, Edit
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
    """What one ruleset's turns look like as files. By default: the full prompt and the answer as it is.

    `head(view, turn)` are further lines of a prompt file's front matter; `body(view, turn)` is the text below it,
    without where to answer. `access(view)` says which documents the seat can change. `reply(view, turn, text, edits)`
    is the reply that follows from a response file and from changes to documents, or None if this turn's reply cannot
    carry changes; without edits it is never None.
    """

    head: Callable[[View[Any], Turn], Mapping[str, str]] = _choices
    body: Callable[[View[Any], Turn], str] = _prompt
    access: Callable[[View[Any]], Access] = _nothing
    reply: Callable[[View[Any], Turn, str, Sequence[Edit]], str | None] = _as_it_is
