"""How the turns of a ruleset are put into files, and how replies are made of files: what differs between rulesets."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agents.bridge.mirror import Access, Edit
from agents.prompt import build_prompt
from domain.turns import Turn
from projections.view import View


@dataclass(frozen=True, slots=True)
class Form:
    """What one ruleset's turns look like as files.

    `head(view, turn)` are further lines of a prompt file's front matter; `body(view, turn)` is what stands below it,
    without how to answer. `access(view)` says which documents the seat may change. `reply(view, turn, text, edits)` is
    the reply that a response file makes together with what was changed in documents, or None where this turn's reply
    cannot carry changes; without edits it is never None.
    """

    head: Callable[[View[Any], Turn], Mapping[str, str]]
    body: Callable[[View[Any], Turn], str]
    access: Callable[[View[Any]], Access]
    reply: Callable[[View[Any], Turn, str, Sequence[Edit]], str | None]


def _choices(view: View[Any], turn: Turn) -> Mapping[str, str]:
    return {"choices": json.dumps(turn.choices, ensure_ascii=False)} if turn.choices else {}


def _prompt(view: View[Any], turn: Turn) -> str:
    return build_prompt(view, turn).text


def _nothing(view: View[Any]) -> Access:
    return Access()


def _as_it_is(view: View[Any], turn: Turn, text: str, edits: Sequence[Edit]) -> str | None:
    return None if edits else text


PLAIN = Form(head=_choices, body=_prompt, access=_nothing, reply=_as_it_is)
"""A prompt in full, and a reply that is the response file's text."""
