"""What the golden games of delegation hold."""

from __future__ import annotations

from golden import named, of

from sottovoce.domain.events import AttemptFailed
from sottovoce.rulesets.delegation.rules import events as delegation
from sottovoce.rulesets.delegation.rules.actions import ACTIONS


def test_delegated_work_runs_through_every_action_and_every_kind_of_hold() -> None:
    actions = [sent.message.action for sent in of(named("delegated-notice"), delegation.MessageSent)]
    assert set(actions) == set(ACTIONS)
    assert actions.count("rework_required") >= 2
    capped = of(named("delegated-minutes"), delegation.ArtifactFiled)
    assert max(filed.round or 0 for filed in capped) == 5
    assert capped[-2].must_fix, "the last report lists what is left"
    log = named("delegated-holds")
    assert {held.waiting_for for held in of(log, delegation.TaskHeld)} == {"planner", "executor"}
    for kind in (delegation.TaskResumed, delegation.TaskAbandoned, delegation.HandoffGuarded):
        assert of(log, kind)
    assert {failed.reason for failed in of(log, AttemptFailed)} == {"invalid", "timeout"}
