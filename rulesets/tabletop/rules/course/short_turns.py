"""A GM's turn in its short form: what a model with a small window can choose from now, and how that is told to it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from sottovoce import Among
from sottovoce.rulesets.tabletop.rules import words
from sottovoce.rulesets.tabletop.rules.names import GM
from sottovoce.rulesets.tabletop.rules.state import TabletopState

if TYPE_CHECKING:
    from sottovoce.rulesets.tabletop.rules.lore.facts import Fact

OFFERED = 8
"""Facts, and names, that are offered at once."""
MOST_LOOKED_UP = 1
"""Facts, checks and documents that are looked up in one turn: each is a call."""
EVENING = 14
"""Beats after which a session without a person ends; from two thirds of them on it can."""
DOCUMENTS = ("beats/", "npcs/", "locations/", "factions/", "items/")
NOTE, SAVE, RECAP = "note", "save", "recap"


def steps_of(state: TabletopState, kind: str, answer: words.BriefGmFields) -> str:
    """The reply that an answer in the short form makes."""
    asks = "FULL_CONTEXT" if any(request.vetoed for request in state.requests.values()) else "QUICK_REACTION"
    awaited = [name for name in state.played if state.awaits(name) or kind == RECAP]
    now = words.Circumstances(state.persons_character, awaited, asks, state.roster, _facts(state, answer.step))
    return words.brief_text(answer.step, now)


def _facts(state: TabletopState, step: Any) -> str:
    """The words of the fact that a step tells, as far as it is open."""
    return words.facts_in(state, [{"tell": [step["tell"]]}]) if isinstance(step, dict) and "tell" in step else ""


def choices(state: TabletopState, kind: str) -> tuple[Among, Sequence[str]] | None:
    """The legal values of a step's fields, and the lines that tell them; None where the turn needs the whole form."""
    if state.split or state.edition_name != "current":
        return None
    if not state.started:
        return _only("question"), ['Answer {"step": {"question": which character the human wants, in a sentence}}.']
    if state.ending:
        return _only("end"), ['Answer {"step": {"end": what happened this evening, in one or two sentences}}.']
    if kind == NOTE:
        told = 'Answer {"step": {"note_to_narrator": what can be seen or heard, in one or two sentences}}.'
        return _only("note_to_narrator"), [told]
    if kind == SAVE or state.gm_turn.calls == {SAVE}:
        return _only("save"), ['Answer {"step": {"save": what happened so far, in one or two sentences}}.']
    done = 0 if state.has_human else state.beat
    if done >= EVENING:
        return _only("end"), ['Answer {"step": {"end": how the evening ends, in one or two sentences}}.']
    return _in_play(state, may_end=done * 3 >= EVENING * 2)


def _in_play(state: TabletopState, *, may_end: bool) -> tuple[Among, Sequence[str]]:
    from sottovoce.rulesets.tabletop.rules.lore.lookup import offered

    offer = offered(state, OFFERED)
    vetoed = [name for name, request in state.requests.items() if request.vetoed]
    free = len(state.gm_turn.opened) < MOST_LOOKED_UP and "opening" not in state.gm_turn.calls
    acted = {act.character for act in state.acts}
    others = [name for name in state.played if name not in acted and name != state.persons_character]
    skills = {fact.skill or "insight" for fact in offer.near}
    among: dict[str, Sequence[str]] = {
        "step.tell": [fact.id for fact in offer.open],
        "step.prompt": vetoed or others or state.played,
        "step.facts": offer.names if free and not offer.meant else [],
        "step.check": sorted(skills) if free else [],
        "step.who": state.played,
        "step.fact": [fact.id for fact in offer.near] if free else [],
        "step.open": _documents(state) if free and not offer.meant else [],
    }
    among |= {"step.narrative": ()} if offer.meant else {}
    among |= dict.fromkeys(("step.question", "step.note_to_narrator", "step.save"), ())
    among |= {} if may_end else {"step.end": ()}
    return among, [*_told(among, offer.open, may_end)]


def _told(among: Among, facts: Sequence[Fact], ends: bool) -> Iterable[str]:
    """The lines of a turn: what there is, the steps by their keys, and last what is to be written."""
    if facts:
        yield "FACTS TO TELL, each with its id:"
    yield from (f"[{fact.id}] {fact.text}" for fact in facts)
    if among["step.facts"]:
        yield f"NAMES: {', '.join(among['step.facts'])}."
    if among["step.open"]:
        yield f"DOCUMENTS: {', '.join(among['step.open'])}."
    if among["step.fact"]:
        yield f"TO ROLL FOR: {', '.join(among['step.fact'])}, by {' or '.join(among['step.check'])}."
    steps = ['{"facts": "…"}'] * bool(among["step.facts"])
    steps += ['{"check": "…", "who": "…", "fact": "…"}'] * bool(among["step.fact"])
    steps += ['{"open": "…"}'] * bool(among["step.open"]) + ['{"end": "…"}'] * ends
    own = "step.narrative" not in among
    steps += ['{"narrative": "…", "prompt": "…"}'] * own + ['{"tell": "…", "prompt": "…"}'] * bool(among["step.tell"])
    yield f'Answer {{"step": …}} with {" or ".join(steps)}. Ask one of {", ".join(among["step.prompt"])}.'
    if own:
        yield "A narrative is one sentence, in plain words: what you see and hear, after what was done."


def _only(field: str) -> Among:
    """That field's kind of step alone."""
    every = ("tell", "narrative", "facts", "check", "open", "question", "note_to_narrator", "save", "end")
    return {f"step.{name}": () for name in every if name != field}


def _documents(state: TabletopState) -> list[str]:
    """The campaign's documents that the GM can open, as many as can be offered."""
    known = (path for path in sorted(state.documents) if path.startswith(DOCUMENTS))
    return [path for path in known if all(GM in piece.readers for piece in state.documents[path])][:OFFERED]
