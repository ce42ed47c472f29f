"""Delegation: planner, executor, reviewer and user, who work on tasks by control messages and files."""

from __future__ import annotations

from importlib.resources import files as resources

from domain.ruleset import Ruleset
from domain.rulesets.delegation import commands, decide, facts, files, forms, prompts, words
from domain.rulesets.delegation.audience import DELEGATION_AUDIENCE
from domain.rulesets.delegation.events import DELEGATION_EVENTS
from domain.rulesets.delegation.state import DELEGATION_EVOLVE, DelegationOptions, DelegationState


def phase(state: DelegationState) -> str:
    """Where the work stands, by the tasks known here."""
    if state.over:
        return "over"
    under_way = sum(not task.ended for task in state.tasks.values())
    return f"{under_way} task{'' if under_way == 1 else 's'} under way" if under_way else "under way"


DELEGATION: Ruleset[DelegationState] = Ruleset(
    name="delegation",
    options=DelegationOptions,
    events=DELEGATION_EVENTS,
    initial=DelegationState(),
    evolvers=DELEGATION_EVOLVE,
    audiences=DELEGATION_AUDIENCE,
    seats_for=decide.seats_for,
    open=decide.open_game,
    read=commands.read,
    apply=decide.apply,
    fallback=decide.fallback,
    advance=decide.advance,
    beside_turns=True,
    wakes_at=lambda state: None,
    request=prompts.request,
    tell=words.tell,
    facts=facts.facts,
    mentions=facts.mentions,
    phase=phase,
    rulebook=resources(__package__).joinpath("rulebook.md").read_text(encoding="utf-8"),
    wording=commands.wording,
    form=forms.form,
    about=prompts.about,
    files_named=files.named,
    files_brought=files.brought,
    files_recorded=files.recorded,
    documents=files.documents,
    folder=files.folder,
)
