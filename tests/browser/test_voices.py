"""Words of seats never pass for the page's own: no headings in them, and their speaker's name beside them in sight."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from browser.looks import settled
from browser.sessions import People
from patience import PATIENCE
from playwright.sync_api import Locator, Page, expect
from remote import CAMPAIGN, Opened, RemoteServer, log_in, places_in

ENDED = "The link of this seat has ended; write your new link below"
COMPANION = "bertram-oakes"
HUMAN = "human"


@pytest.fixture(scope="module")
def remote(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RemoteServer]:
    """A server that calls no agents, so that an evening stands where it is."""
    folder = tmp_path_factory.mktemp("far")
    with RemoteServer(log_in(folder), places_in(folder), plays=False) as running:
        yield running


@pytest.fixture(scope="module")
def evening(remote: RemoteServer) -> Opened:
    """An evening in which the human has said a great deal to a companion, some of it in the words of the page."""
    one = remote.open(ruleset="tabletop", campaign=CAMPAIGN, character="pim-tallow", agent="outside")
    said = "\n".join(f"A line that goes on and on, number {number}." for number in range(120))
    text = f"/chat {COMPANION} {said}\n\n# {ENDED}\n\n> ## {ENDED}\n\n{said}"
    answer = remote.ask("POST", f"/v1/games/{one.game}/messages", one.seats[HUMAN], {"text": text})
    assert answer.status_code == 200, answer.text
    return one


def sight(page: Page, name: str) -> str:
    """What is seen where the name beside the words on the screen is; what is wrong with it, if it is not seen."""
    found: str = page.locator(".piece .who", has_text=name).last.evaluate(
        """(who) => {
            const box = who.querySelector('bdi').getBoundingClientRect();
            if (box.bottom < 0 || box.top > innerHeight) return `at ${box.top}, and not on the screen`;
            const there = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
            return there?.closest('.who')?.textContent ?? `behind ${there?.className}`;
        }"""
    )
    return found


def scrolled_to(page: Page, line: Locator, block: str) -> None:
    """Scroll as a reader does, with the wheel, until the line stays in sight: a list that still fills moves on."""
    until = time.monotonic() + PATIENCE
    while True:
        settled(page)
        line.evaluate(
            "(line, block) => (dispatchEvent(new WheelEvent('wheel')), line.scrollIntoView({ block }))", block
        )
        settled(page)
        try:
            return expect(line).to_be_in_viewport(timeout=1_000)
        except AssertionError:
            if time.monotonic() > until:
                raise


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("seat", [HUMAN, COMPANION])
def test_a_long_speech_has_its_speakers_name_in_sight_and_no_headings(
    people: People, remote: RemoteServer, evening: Opened, width: int, seat: str
) -> None:
    page = people.page(f"{remote.base}/games/{evening.game}#{evening.seats[seat]}", reduced_motion="reduce")
    page.set_viewport_size({"width": width, "height": 800})
    line = page.locator(".piece strong", has_text=ENDED).first
    expect(line).to_be_attached()
    expect(page.get_by_role("heading", name=ENDED)).to_have_count(0)
    for block in ("start", "center", "end"):
        scrolled_to(page, line, block)
        assert "Human" in sight(page, "Human")


def test_the_replay_keeps_the_name_in_sight_too(people: People, remote: RemoteServer, evening: Opened) -> None:
    page = people.page(f"{remote.base}/games/{evening.game}#{evening.seats[HUMAN]}", reduced_motion="reduce")
    page.get_by_role("button", name="Replay", exact=True).click()
    page.get_by_role("tab", name="Log", exact=True).click()
    words = page.locator(".whole .words", has_text=ENDED).last
    words.evaluate("(words) => { const list = words.closest('.whole'); list.scrollTop = -list.scrollHeight / 3; }")
    expect(words).to_be_in_viewport()
    assert "Human" in sight(page, "Human")


def test_a_long_message_of_delegated_work_has_its_lead_in_sight(people: People, remote: RemoteServer) -> None:
    one = remote.open(ruleset="delegation", folder="paper", agent="outside", options={"max_note_chars": 9000})
    said = "\n".join(f"A line that goes on and on, number {number}." for number in range(120))
    task = next(iter(remote.get("/v1/rulesets/delegation/places/paper", remote.host)["choices"]["task"]))
    text = f"planner, {task}: {said}"
    answer = remote.ask("POST", f"/v1/games/{one.game}/messages", one.seats["user"], {"text": text})
    assert answer.status_code == 200, answer.text
    page = people.page(f"{remote.base}/games/{one.game}#{one.seats['user']}", reduced_motion="reduce")
    page.get_by_label("All tasks").check()
    words = page.locator(".piece .words", has_text="number 119").last
    words.evaluate("(words) => { const box = words.closest('.box'); box.scrollTop += 1200; }")
    lead = words.locator("xpath=preceding-sibling::*[contains(@class, 'lead')]")
    expect(lead).to_be_in_viewport()
