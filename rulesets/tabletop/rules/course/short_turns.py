"""A GM's turn in its short form: what a model with a small window can choose from now, and how that is told to it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from sottovoce import Among
from sottovoce.rulesets.tabletop.rules import words
from sottovoce.rulesets.tabletop.rules.course.changes import MOST_OPENED
from sottovoce.rulesets.tabletop.rules.course.inquiries import MOST_ASKED
from sottovoce.rulesets.tabletop.rules.state import TabletopState

if TYPE_CHECKING:
    from sottovoce.rulesets.tabletop.rules.lore.facts import Fact

OFFERED = 8
"""Facts, and names, that are offered at once."""
EVENING = 14
"""Beats after which a session without a person ends; from two thirds of them on it can."""
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
    from sottovoce.rulesets.tabletop.rules.lore.offer import offered

    turn = state.gm_turn
    asks, opens = turn.asked < MOST_ASKED, len(turn.opened) - turn.asked < MOST_OPENED
    offer = offered(state, OFFERED, asks=asks, opens=opens)
    vetoed = [name for name, request in state.requests.items() if request.vetoed]
    acted = list(dict.fromkeys(act.character for act in state.acts if act.character in state.played))
    others = [name for name in state.played if name not in acted and name != state.persons_character]
    among: dict[str, Sequence[str]] = {
        "step.facts": offer.names,
        "step.check": sorted({fact.skill or "insight" for fact in offer.roll}),
        "step.who": acted or state.played,
        "step.fact": [fact.id for fact in offer.roll],
        "step.open": offer.documents,
        "step.tell": [fact.id for fact in offer.tell],
        "step.prompt": vetoed or others or state.played,
    }
    among |= {"step.narrative": ()} if offer.meant else {}
    among |= dict.fromkeys(("step.question", "step.note_to_narrator", "step.save"), ())
    among |= {} if may_end else {"step.end": ()}
    return among, [*_told(among, offer.tell)]


def _told(among: Among, facts: Sequence[Fact]) -> Iterable[str]:
    """The lines of a turn: what there is to tell, and the steps that can be taken, each with what it is for."""
    if facts:
        yield "FACTS TO TELL, each with its id:"
    yield from (f"[{fact.id}] {fact.text}" for fact in facts)
    yield 'Answer {"step": …} with the one of these that the last words call for:'
    if among["step.facts"]:
        yield f'{{"facts": "…"}} looks up what there is to tell of {_either(among["step.facts"])}.'
    if among["step.fact"]:
        what = f"{_either(among['step.check'])} for {_either(among['step.fact'])}"
        yield f'{{"check": "…", "who": "…", "fact": "…"}} rolls {what}: what is not seen at once.'
    if among["step.open"]:
        yield f'{{"open": "…"}} reads {_either(among["step.open"])}, secrets and all.'
    if among["step.tell"]:
        yield f'{{"tell": "…", "prompt": "…"}} tells a fact by its id, and asks {_either(among["step.prompt"])}.'
    if "step.narrative" not in among:
        yield f'{{"narrative": "…", "prompt": "…"}} tells one plain sentence, and asks {_either(among["step.prompt"])}.'
    if "step.end" not in among:
        yield '{"end": "…"} ends the evening, with what happened in one or two sentences.'


def _either(values: Sequence[str]) -> str:
    return " or ".join(values)


def _only(field: str) -> Among:
    """That field's kind of step alone."""
    every = ("tell", "narrative", "facts", "check", "open", "question", "note_to_narrator", "save", "end")
    return {f"step.{name}": () for name in every if name != field}
