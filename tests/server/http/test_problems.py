"""Every error is a problem document (RFC 9457)."""

from __future__ import annotations

import json

import pytest

from sottovoce.server.http.problems import MEDIA_TYPE, PROBLEM_TYPES, Problem, problem


@pytest.mark.parametrize("slug", PROBLEM_TYPES)
def test_a_problem_says_type_title_status_and_detail(slug: str) -> None:
    answer = problem(slug, "Say what to do.")
    assert answer.status_code == PROBLEM_TYPES[slug].status
    assert answer.headers["content-type"] == MEDIA_TYPE
    assert json.loads(bytes(answer.body)) == {
        "type": f"/problems/{slug}",
        "title": PROBLEM_TYPES[slug].title,
        "status": PROBLEM_TYPES[slug].status,
        "detail": "Say what to do.",
    }


def test_a_detail_of_any_origin_can_be_sent() -> None:
    answer = problem("refused", "A lone half of a sign: \ud83d")
    assert json.loads(bytes(answer.body))["detail"] == "A lone half of a sign: \ud83d"


def test_what_is_raised_is_what_is_answered() -> None:
    raised = Problem("too-many", "Wait 12 s.", {"retry-after": "12"})
    assert raised.response().headers["retry-after"] == "12"
    assert raised.response().body == problem("too-many", "Wait 12 s.").body
