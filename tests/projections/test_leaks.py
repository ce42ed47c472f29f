"""Planted leaks are found, and clean games have none."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from typing import Any

import pytest
from table import Table

from sottovoce.domain.audience import EVERYONE, NOBODY, only
from sottovoce.domain.events import FallbackApplied, ReplyAccepted, TurnOpened
from sottovoce.projections.audit import leaks
from sottovoce.rulesets.mafia.rules import MAFIA
from sottovoce.rulesets.mafia.rules import events as e


def kinds(found: Any, severity: str = "finding") -> Any:
    return [finding.kind for finding in found.findings if finding.severity == severity]


def check(log: Any, receipts: Any = None, block: Any = None) -> Any:
    return leaks(MAFIA, log.recorded, receipts.made if receipts else [], block)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_clean_game_has_no_findings(played: Callable[[int], Table], seed: int) -> None:
    found = leaks(MAFIA, played(seed).recorded, [])
    assert found.ok, [finding.what for finding in found.findings if finding.severity == "finding"]


def test_a_player_who_tells_is_a_note(log: Any) -> None:
    log.add(e.PlayerInvestigated(night=1, detective="Ada", target="Cleo", role="Mafia"))
    said = log.says("Ada", "Cleo is Mafia.")
    found = check(log)
    assert found.ok
    (finding,) = (finding for finding in found.findings if finding.fact == ("role", "Cleo", "Mafia"))
    assert (finding.kind, finding.severity, finding.position) == ("disclosed by player", "note", said)
    assert (finding.author, finding.seats) == ("Ada", ("Bram", "Dirk", "Edda"))


def test_a_bluff_is_no_leak(log: Any) -> None:
    log.says("Bram", "Cleo is Mafia.")
    assert check(log).findings == ()


def test_what_the_rules_have_made_public_is_no_leak(log: Any) -> None:
    log.add(e.RoleRevealed(player="Dirk", role="Doctor"))
    log.add(e.NarrationGiven(scene="execution", subject="Dirk", text="Dirk was the Doctor."))
    assert check(log).findings == ()


def test_a_narrator_that_gives_a_role_away_is_a_finding(log: Any) -> None:
    said = log.add(e.NarrationGiven(scene="opening", text="And Cleo, we all know, is Mafia."))
    found = check(log)
    assert not found.ok
    finding = next(finding for finding in found.findings if finding.severity == "finding")
    assert (finding.kind, finding.position, finding.author) == ("narrator", said, "narrator")
    assert finding.fact == ("role", "Cleo", "Mafia")


def test_an_audience_wider_than_the_rules_give_is_a_finding(log: Any) -> None:
    position = log.add(
        e.PlayerInvestigated(night=1, detective="Ada", target="Cleo", role="Mafia"), only("Ada", "Bram", "narrator")
    )
    (finding,) = check(log).findings
    assert (finding.kind, finding.position, finding.seats) == ("widened", position, ("Bram",))


def test_an_audience_of_everyone_is_wider_for_the_public_too(log: Any) -> None:
    log.add(e.NightResolved(night=1, target="Ada", protected=None, died="Ada", cause="killed by the Mafia"), EVERYONE)
    (finding,) = check(log).findings
    assert finding.seats == ("Ada", "Bram", "Cleo", "Dirk", "Edda", "the public")


def test_an_audience_narrower_than_the_rules_give_is_a_finding(log: Any) -> None:
    log.says("Bram", "Hear me!", NOBODY)
    assert kinds(check(log)) == ["narrowed"]


def test_an_audience_is_checked_against_the_state_just_before(log: Any) -> None:
    """A dead Mafia member sees no later vote (M-048)."""
    log.add(e.DeathsAnnounced(day=1, deaths=("Cleo",)))
    ballot = e.MafiaBallotClosed(night=2, round=0, votes={"Cleo": "Ada"}, tally={"Ada": 1}, target="Ada")
    log.add(ballot, only("Cleo", "narrator"))
    assert kinds(check(log)) == ["widened"]


def test_a_turn_closed_twice_is_a_finding(log: Any) -> None:
    log.add(TurnOpened(seat="Bram", turn=1, kind="role", attempts=3, ballot="roles"))
    log.add(ReplyAccepted(seat="Bram", turn=1, text="Yes."))
    assert check(log).findings == ()
    again = log.add(FallbackApplied(seat="Bram", turn=1, reason="timeout"))
    log.add(ReplyAccepted(seat="Edda", turn=1, text="Yes."))
    found = check(log)
    assert kinds(found) == ["answered twice", "answered unasked"]
    assert found.findings[0].position == again


def test_receipts_within_the_view_are_fine(log: Any, receipts: Any) -> None:
    receipts.handed("Bram", 3)
    receipts.handed("Bram", 3, first=4)
    assert check(log, receipts).findings == ()


@pytest.mark.parametrize(
    ("seat", "given", "kind"),
    [
        ("Bram", {"last": 4}, "receipt beyond view"),
        ("Zed", {"last": 1}, "receipt beyond view"),
        ("Bram", {"last": 2, "first": 0}, "receipt malformed"),
        ("Bram", {"last": "all"}, "receipt malformed"),
        ("Bram", {"last": 2, "turn": "one"}, "receipt malformed"),
        ("Bram", {"last": 2, "by": None}, "receipt malformed"),
        ("Bram", {"last": 2, "turn": 5}, "receipt malformed"),
        ("Bram", {"last": 2, "by": "prompt"}, "prompt missing"),
    ],
)
def test_a_receipt_that_does_not_fit_is_a_finding(log: Any, receipts: Any, seat: str, given: Any, kind: str) -> None:
    receipts.handed(seat, **given)
    found = check(log, receipts)
    assert kinds(found) == [kind]
    assert found.findings[0].receipt == 1


def test_a_hand_over_older_than_its_events_is_a_note(log: Any, receipts: Any) -> None:
    receipts.handed("Bram", 3, after=-1)
    found = check(log, receipts)
    assert found.ok
    assert kinds(found, "note") == ["receipt before event"]


def test_two_accepted_calls_for_one_turn_are_a_finding(log: Any, receipts: Any) -> None:
    log.add(TurnOpened(seat="Bram", turn=1, kind="role", attempts=3))
    for how in ("refused", "accepted", "late", "accepted"):
        receipts.ended("Bram", receipts.handed("Bram", 4, turn=1), how)
    assert kinds(check(log, receipts)) == ["answered twice"]


def test_prompt_texts_are_checked_where_they_can_be_had(log: Any, receipts: Any) -> None:
    good = "You are Bram."
    digest = sha256(good.encode()).hexdigest()
    other = sha256(b"other").hexdigest()
    receipts.handed("Bram", 3, by="prompt", agent="openai:m", blocks=(digest,))
    assert check(log, receipts, {digest: good}.__getitem__).findings == ()
    receipts.handed("Bram", 3, by="prompt", agent="openai:m", blocks=(digest, other))
    assert kinds(check(log, receipts, {digest: good}.__getitem__)) == ["prompt missing"]
    assert kinds(check(log, receipts, {digest: good, other: "changed"}.__getitem__)) == ["prompt altered"]
    assert check(log, receipts).ok


def test_the_json_is_one_object_for_each_finding(log: Any) -> None:
    log.says("Bram", "Hear me!", NOBODY)
    (answer,) = check(log).to_json()
    assert list(answer) == ["kind", "severity", "what", "position", "seats", "author", "fact", "receipt"]
