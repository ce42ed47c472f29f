"""What a request looks like in each edition, and the form of answer that belongs to it (F-031)."""

from __future__ import annotations

from sottovoce.rulesets.tabletop.house.beats import Ask
from sottovoce.rulesets.tabletop.rules.request_types import request_types

INSTEAD = {
    "OPTIONAL_REACTION": "QUICK_REACTION",
    "REFLECTION": "FULL_CONTEXT",
    "INTERACTION": "QUICK_REACTION",
}
"""What the editions before `current` ask in place of the types that they lack."""

FORM = {
    "QUICK_REACTION": "One or two sentences will do.",
    "FULL_CONTEXT": "Answer in full; take your time.",
    "COMBAT_ACTION": "State action, target, and what you use.",
    "SECRET_ACTION": "Between us two: answer honestly, in character.",
    "OPTIONAL_REACTION": "You may pass.",
    "REFLECTION": "Tell what goes on inside; do nothing.",
    "INTERACTION": "Say it to a friend, or pass.",
}
"""Each of them shorter than a run of words that counts as a repetition (T-063): a form is no secret of anybody's."""


def type_in(edition: str, kind: str) -> str:
    """The request type as that edition has it."""
    return kind if kind in request_types(edition) else INSTEAD[kind]


def request_text(ask: Ask, kind: str) -> str:
    """The request as the character reads it: the question, what it might do, and the form of answer."""
    lines = [ask.request]
    if ask.options:
        lines += ["", *(f"- {option}" for option in ask.options), ""]
    form = (
        FORM[kind] if kind == ask.type else f"{FORM[ask.type]} {FORM[kind]}" if ask.type == "REFLECTION" else FORM[kind]
    )
    return "\n".join((*lines, form))


def body(ask: Ask, kind: str) -> str:
    """A GM_TO_PLAYER's body."""
    return f"## Scene\n{ask.scene}\n\n## Just Happened\n{ask.just_happened}\n\n## Request\n{request_text(ask, kind)}"
