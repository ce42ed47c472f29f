"""How delegated work is shown: the board, the transcript, the audit, the status."""

from __future__ import annotations

import delegating as kit
import pytest
from delegating import TASK, recorded

from sottovoce.projections.knowledge import how
from sottovoce.projections.leaks import leaks
from sottovoce.projections.perspective import FULL, PUBLIC, of_seat
from sottovoce.projections.summary import show
from sottovoce.projections.tally import Tally
from sottovoce.projections.transcript import document, markdown
from sottovoce.rulesets.delegation.rules import DELEGATION
from sottovoce.rulesets.delegation.rules.events import ArtifactFiled
from sottovoce.rulesets.delegation.shown import parts

TITLED = f"Tidy notes ({TASK})"
"""The task as messages tell it."""


def board(game: kit.Game, seat: str | None = None) -> dict[str, str] | None:
    grid = show(DELEGATION, recorded(game), FULL if seat is None else of_seat(seat)).board
    return None if grid is None else dict(zip(grid.header, grid.rows[0], strict=True))


@pytest.mark.spec("D-033", "D-058")
def test_the_board_says_where_a_task_stands_and_who_is_awaited_since_when() -> None:
    row = board(kit.in_review(kit.reworking()))
    assert row is not None
    assert row == {
        "task": TASK,
        "stands": "in review",
        "round": "2",
        "awaited": "reviewer",
        "since": row["since"],
        "to be fixed": "1",
        "unanswered": "round 2",
    }
    assert row["since"].startswith("2026-01-01 12:")
    held = board(kit.held(kit.delegated(), "executor"))
    assert held is not None
    assert (held["stands"], held["awaited"]) == ("on hold, waiting for executor", "user")
    done = board(kit.complete())
    assert done is not None
    assert (done["stands"], done["awaited"], done["since"], done["unanswered"]) == ("complete", "—", "—", "—")


@pytest.mark.spec("D-021")
def test_a_board_shows_a_seat_what_it_has_seen_and_the_public_nothing() -> None:
    game = kit.in_review(kit.reworking())
    planner = board(game, "planner")
    assert planner is not None
    assert (planner["stands"], planner["round"], planner["to be fixed"]) == ("work begins", "—", "—")
    assert board(game, "other") is None
    assert show(DELEGATION, recorded(game), PUBLIC).board is None
    assert show(DELEGATION, recorded(game), PUBLIC).waiting_for == ("the sessions and the user",)


@pytest.mark.spec("D-033")
def test_the_audit_lists_a_review_that_nobody_answered() -> None:
    found = leaks(DELEGATION, recorded(kit.in_review()), []).findings
    assert [(one.kind, one.severity, one.seats) for one in found] == [("round unanswered", "note", ("reviewer",))]
    assert found[0].what == f"Round 1 of {TASK} has no answer from reviewer."
    for answered in (kit.reworking(), kit.stopped(), kit.complete()):
        assert leaks(DELEGATION, recorded(answered), []).findings == ()


def test_a_file_that_was_changed_is_a_finding() -> None:
    found = leaks(DELEGATION, recorded(kit.complete()), [], altered=[("a.md", "missing")])
    assert not found.ok
    assert found.findings[0].what == "a.md: missing since it was recorded."


def test_the_transcript_has_a_section_for_each_round_with_its_items() -> None:
    game = kit.stopped(kit.in_review(kit.reworking(items="## Must-fix\n- One.\n- Two.\n")))
    chapters = document(DELEGATION, recorded(game), of_seat("user")).chapters
    assert [chapter.heading.text for chapter in chapters] == [
        "The briefs",
        f"Task {TITLED}",
        f"Round 1 of {TITLED}",
        f"Round 2 of {TITLED}",
        f"The user decides on {TITLED}",
    ]
    grids = [item.piece.grid.rows for chapter in chapters for item in chapter.items if item.piece.grid]
    assert grids == [(("One.", "opened"), ("Two.", "opened")), (("One.", "closed"), ("Two.", "closed"))]
    told = markdown(DELEGATION, recorded(game), of_seat("executor"))
    assert "Round 2 of" in told
    assert "The user decides" not in told
    assert "schema_version" not in markdown(DELEGATION, recorded(game), of_seat("user"))


@pytest.mark.spec("D-022")
def test_how_a_seat_could_have_learnt_of_a_must_fix_item() -> None:
    game = kit.reworking()
    log = recorded(game)
    filed = next(item.position for item in log if isinstance(item.event, ArtifactFiled) and item.event.kind == "report")
    assert how(DELEGATION, log, "executor", filed).verdict == "direct"
    assert how(DELEGATION, log, "planner", filed).verdict == "impossible"


def test_a_session_has_won_if_all_its_tasks_are_complete() -> None:
    assert parts(kit.complete().state) == {
        "planner": ("planner", True),
        "executor": ("executor", True),
        "reviewer": ("reviewer", True),
        "other": ("none", False),
    }
    assert parts(kit.abandoned().state)["executor"] == ("executor", False)
    assert parts(kit.instructed().state)["planner"] == ("planner and reviewer", False)
    tally = Tally.of(DELEGATION, recorded(kit.complete()))
    assert (tally.games, tally.winners) == (1, {})
