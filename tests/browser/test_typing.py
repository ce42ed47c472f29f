"""Writing while the game goes on: nothing typed is lost, and a question comes in time and never too early."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser.sessions import People
from patience import PATIENCE
from playwright.sync_api import Page, expect
from remote import CAMPAIGN, PLAYERS, Opened, RemoteServer, log_in, places_in
from sizes import sized

TEXT = (
    "Good evening, that is all true, and yet the lamp tells another tale; nobody turned it down. "
    "Take the stairs two at a time, then wait: the third one talks. Then tell me again, slowly, "
    "what the hen did, and who saw."
)
PER_SECOND = 15
LONGEST = 8.0
"""Seconds from the opening of a turn to its question."""
SLACK = 2.0
"""Seconds that a loaded machine may take over that."""

PROMPT = {
    "prompt": "pim-tallow",
    "kind": "QUICK_REACTION",
    "scene": "You stand on the bridge.",
    "just_happened": "The river fell silent.",
    "request": "What do you do?",
}
CALLS: list[dict[str, Any]] = [
    {"narrative": "It rains.", "to": [], "place": "The bridge", "time": "ten past four"},
    PROMPT,
]


@pytest.fixture
def remote(tmp_path: Path) -> Iterator[RemoteServer]:
    with RemoteServer(log_in(tmp_path), places_in(tmp_path)) as running:
        yield running


def link(remote: RemoteServer, one: Opened, seat: str) -> str:
    return f"{remote.base}/games/{one.game}#{one.seats[seat]}"


def turns(remote: RemoteServer, one: Opened, seat: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = remote.get(f"/v1/games/{one.game}/turns", one.seats[seat], since=10**9)["turns"]
    return found


def reply(remote: RemoteServer, one: Opened, seat: str, text: str) -> None:
    for turn in turns(remote, one, seat):
        remote.ask("POST", f"/v1/games/{one.game}/turns/{turn['turn']}", one.seats[seat], {"text": text})


def answer_first(remote: RemoteServer, one: Opened, seat: str) -> None:
    """Answer what the seat is asked, from elsewhere, as a person with two screens might."""
    for turn in turns(remote, one, seat):
        text = (turn["choices"] or ["I listen."])[0]
        remote.ask("POST", f"/v1/games/{one.game}/turns/{turn['turn']}", one.seats[seat], {"text": text})


def is_over(remote: RemoteServer, one: Opened) -> bool:
    return bool(remote.get(f"/v1/games/{one.game}", one.keeper)["status"] == "over")


def typed(page: Page) -> str:
    """All that stands in the fields for words."""
    values: list[str] = page.locator(".answer textarea").evaluate_all("all => all.map(one => one.value)")
    return "".join(values)


def test_nothing_typed_is_lost_while_turns_open_and_forms_replace_the_field(
    remote: RemoteServer, people: People
) -> None:
    mafia = remote.open(ruleset="mafia", names=list(PLAYERS), agents={"Ada": "outside"}, seed="5")
    table = remote.open(
        ruleset="tabletop",
        campaign=CAMPAIGN,
        character="pim-tallow",
        agents={"gm": "outside", "pim-tallow": "outside", "human": "house"},
        seed="3",
    )
    work = remote.open(ruleset="delegation", folder="paper", agents={"user": "outside"}, seed="3")
    seats = ((mafia, "Ada"), (table, "pim-tallow"), (work, "user"))
    pages = [people.page(link(remote, one, seat)) for one, seat in seats]
    for page in pages:
        expect(page.locator(".answer")).to_be_visible()
    form = pages[1].locator(".answer .form")
    expect(form).to_have_count(0)
    next_key = time.monotonic()
    for place, sign in enumerate(TEXT):
        for page in pages:
            page.keyboard.type(sign)
        if place == 40:
            reply(remote, table, "gm", json.dumps({"steps": CALLS}))
        if place % 30 == 20:
            answer_first(remote, mafia, "Ada")
        if place % 60 == 50:
            reply(remote, work, "user", "iterate\nOnce more, please.")
        next_key += 1 / PER_SECOND
        time.sleep(max(0.0, next_key - time.monotonic()))
    assert [typed(page) for page in pages] == [TEXT] * 3
    assert len(TEXT) >= 200


@pytest.mark.parametrize("seed", sized(("7",), tuple(str(seed) for seed in range(10))))
def test_a_question_comes_within_eight_seconds_and_never_before_what_it_refers_to(
    remote: RemoteServer, people: People, seed: str
) -> None:
    one = remote.open(ruleset="mafia", names=list(PLAYERS), agents={"Ada": "outside"}, seed=seed)
    page = people.page(link(remote, one, "Ada"))
    asked = page.locator(".answer.asked")
    expect(asked).to_be_visible()
    waits: list[float] = []
    end = time.monotonic() + PATIENCE
    while len(waits) < 6 and time.monotonic() < end and not is_over(remote, one):
        answer_first(remote, one, "Ada")
        opened = time.monotonic()
        while not asked.count() and not is_over(remote, one):
            assert time.monotonic() < end
            if not turns(remote, one, "Ada"):
                opened = time.monotonic()
            # What is still to be told is faint; a question beside it would speak of what nobody has read.
            page.wait_for_timeout(40)
        waits.append(time.monotonic() - opened)
        ahead = page.locator(".row.ahead").count()
        newest = page.evaluate("() => Number([...document.querySelectorAll('.row')].at(-1)?.dataset.place ?? 0)")
        assert ahead == 0 or page.locator(".row.here").count() == 1, (ahead, newest)
    print(seed, [round(wait, 1) for wait in waits])
    assert max(waits) < LONGEST + SLACK, waits


def test_space_tells_the_rest_at_once(remote: RemoteServer, people: People) -> None:
    one = remote.open(ruleset="mafia", names=list(PLAYERS), agents={"Ada": "outside"}, seed="9")
    page = people.page(link(remote, one, "Ada"))
    expect(page.locator(".answer.asked")).to_be_visible()
    answer_first(remote, one, "Ada")
    expect(page.get_by_text("then it is your turn")).to_be_visible()
    page.keyboard.press("Space")
    expect(page.locator(".answer.asked")).to_be_visible(timeout=LONGEST * 250)
    expect(page.locator(".row.ahead")).to_have_count(0)


def test_goes_to_is_what_the_server_says_of_the_turn(remote: RemoteServer, people: People) -> None:
    one = remote.open(
        ruleset="tabletop", campaign=CAMPAIGN, character="pim-tallow", agents={"human": "outside"}, seed="3"
    )
    page = people.page(link(remote, one, "human"))
    expect(page.locator(".answer.asked")).to_be_visible()
    turn = turns(remote, one, "human")[0]
    seats = turn["goes_to"][""]
    expect(page.locator("[data-goes-to]")).to_have_attribute("data-goes-to", " ".join(seats))
    reply(remote, one, "human", "I knock.")
    auditor = remote.issue(one.game, one.keeper, "auditor")
    told = remote.get(f"/v1/games/{one.game}/view", auditor, limit=1000)["entries"]
    became = next(entry for entry in told if entry["data"].get("tag") == "HUMAN_DECISION")
    assert sorted(became["audience"]) == sorted(seats)
    # The person has the sheet, the papers and the place of the story beside it.
    expect(page.get_by_label("What you have")).to_contain_text("Hit points", ignore_case=True)
    expect(page.locator("h2.place")).to_contain_text("bridge", ignore_case=True)
    expect(page.get_by_label("Places you know")).to_contain_text("bridge", ignore_case=True)
