"""From the first screen to the end of a game, to another chair, and to the next game: no step needs a pasted link."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress

import pytest
from browser.geometry import ill_placed
from browser.hands import press
from browser.looks import settled
from browser.player import OVER, BrowserPlayer, play
from browser.sessions import People
from playwright.sync_api import Locator, Page, TimeoutError, expect
from remote import RemoteServer, log_in, places_in
from sizes import sized
from working import until

REFUSED = "Failed to load resource: .* status of (409|422)"
"""Words may come when something else is asked already, and are refused then."""
QUICK = {"turn_seconds": 0.05, "max_attempts": 1, "max_days": 1, "max_speeches": 1}


@pytest.fixture(scope="module")
def remote(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RemoteServer]:
    """A server with a campaign and a folder of tasks, which plays its bots."""
    folder = tmp_path_factory.mktemp("far")
    with RemoteServer(log_in(folder), places_in(folder)) as running:
        yield running


def first_screen(people: People, remote: RemoteServer, width: int = 1280) -> Page:
    page = people.context(viewport={"width": width, "height": 844}, reduced_motion="reduce").new_page()
    page.goto(f"{remote.base}/#{remote.host}")
    expect(page.get_by_role("button", name="Play now Mafia")).to_be_visible()
    return page


def game_of(page: Page) -> str:
    page.wait_for_url(re.compile(r"/games/"))
    return page.url.partition("/games/")[2].partition("#")[0]


def test_two_open_questions_fit_on_a_phone(remote: RemoteServer, people: People) -> None:
    page = first_screen(people, remote, 390)
    page.get_by_role("button", name="Play now Delegation").click()
    game_of(page)
    expect(page.get_by_role("group", name="You have several open turns")).to_be_visible()
    settled(page)
    expect(page.get_by_role("button", name="Send", exact=True)).to_be_in_viewport(ratio=1)
    assert ill_placed(page) == []


def test_work_is_given_away_and_looked_at_from_every_chair_by_mouse(remote: RemoteServer, people: People) -> None:
    people.faults.expect(REFUSED)
    page = first_screen(people, remote)
    page.get_by_role("button", name="Play now Delegation").click()
    game = game_of(page)
    user = BrowserPlayer(page, words="Add a page about the tides.")
    play([user], lambda: user.over)
    assert user.answers
    page.get_by_role("button", name=OVER).first.click()
    expect(page.get_by_role("heading", name="Look from any chair")).to_be_visible()

    page.get_by_role("button", name=re.compile("^Two chairs")).click()
    expect(page.get_by_role("region", name="Two views")).to_be_visible()
    page.get_by_role("button", name="Back to the end").click()
    page.get_by_role("button", name="Reviewer", exact=True).click()
    expect(page.get_by_role("heading", name="Reviewer’s view")).to_be_visible()
    expect(page.get_by_role("tab", name="Prompts", exact=True)).to_have_count(0)
    page.get_by_role("button", name="Back to the end").click()
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save the file").click()
    text = saved.value.path().read_text(encoding="utf-8")
    assert '"first":"*"' in text

    page.get_by_role("button", name="Play again").click()
    page.wait_for_url(lambda address: game not in address)
    expect(page.get_by_role("heading", name="Tasks")).to_be_attached()


def test_an_evening_is_played_and_looked_at_from_another_chair_by_keys(remote: RemoteServer, people: People) -> None:
    people.faults.expect(REFUSED)
    page = first_screen(people, remote)
    press(page, page.get_by_role("button", name="Play now Tabletop"))
    game = game_of(page)
    human = BrowserPlayer(page, keys=True, words="I look around, and wait for the others.")
    play([human], lambda: human.over)
    assert human.answers > 2
    press(page, page.get_by_role("button", name=OVER).first)
    # The game master's chair stays closed, since other evenings may follow.
    chairs = page.get_by_role("region", name="Look from any chair")
    expect(chairs.get_by_role("button", name="Sefa Quillon", exact=True)).to_be_visible()
    expect(chairs.get_by_role("button", name="GM", exact=True)).to_have_count(0)
    press(page, chairs.get_by_role("button", name="Sefa Quillon", exact=True))
    expect(page.get_by_role("heading", name="Sefa Quillon’s view")).to_be_visible()
    press(page, page.get_by_role("button", name="Back to the end"))
    press(page, page.get_by_role("button", name="Play again"))
    page.wait_for_url(lambda address: game not in address)
    expect(page.get_by_role("heading", name="The party")).to_be_attached()


CARDS = ("Mafia", "Tabletop", "Delegation")
WAYS = {"by mouse": (1280, False), "by keys": (1280, True), "on a phone": (390, False)}
"""How wide the window is, and whether no pointer is used."""


@pytest.mark.parametrize(
    ("card", "way"),
    sized([("Mafia", "by mouse"), ("Mafia", "on a phone")], [(card, way) for card in CARDS for way in WAYS]),
)
def test_the_way_leads_from_the_first_screen_to_another_chair_and_the_next_game(
    remote: RemoteServer, people: People, card: str, way: str
) -> None:
    people.faults.expect(REFUSED)
    width, keys = WAYS[way]
    page = first_screen(people, remote, width)

    def take(name: str | re.Pattern[str], within: Locator | None = None) -> None:
        button = (within or page).get_by_role("button", name=name).first
        if keys:
            press(page, button)
        else:
            button.click()

    take(f"Play now {card}")
    game = game_of(page)
    person = BrowserPlayer(page, keys=keys, words="I look around, and wait for the others.")

    def over() -> bool:
        skip = page.get_by_role("button", name="Skip ahead").first
        if skip.count() and not keys:
            with suppress(TimeoutError):
                skip.click(timeout=500)
        elif skip.count():
            page.keyboard.press("Space")
        return person.over

    play([person], over)
    assert person.answers
    take(OVER)
    chairs = page.get_by_role("region", name="Look from any chair")
    expect(chairs).to_be_visible()
    other = chairs.locator("button bdi").last.inner_text()
    take(re.compile(f"^{re.escape(other)}$"), chairs)
    expect(page.get_by_role("heading", name=f"{other}’s view")).to_be_visible()
    take("Back to the end")
    take("Play again")
    page.wait_for_url(lambda address: game not in address)
    expect(page.locator("section.answer")).to_be_visible()


def test_a_host_who_closed_the_tab_is_back_in_two_clicks_and_sees_the_end_on_a_phone(
    remote: RemoteServer, people: People
) -> None:
    people.faults.expect("status of 401")  # the older link has ended
    one = remote.open(names=["Ada", "Bram", "Cleo", "Dirk", "Edda"], own="Ada", options=QUICK)
    until(lambda: remote.get(f"/v1/games/{one.game}", one.keeper)["status"] == "over")
    page = first_screen(people, remote, 390)
    row = page.get_by_role("region", name="Continue").get_by_role("link", name="You are Ada").first
    row.click()
    game_of(page)
    expect(page.get_by_role("heading", name="Look from any chair")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    for name in ("What you never knew", "Where it turned", "Share as one file"):
        expect(page.get_by_role("heading", name=name)).to_be_visible()
    page.get_by_role("region", name="Where it turned").get_by_role("button").first.click()
    expect(page.get_by_role("region", name="Two views")).to_be_visible()
    page.get_by_role("button", name="Back to the end").click()
    page.get_by_role("button", name="Play again").click()
    page.wait_for_url(lambda address: one.game not in address)
    # What was the seat's link leads nowhere any more, and no token is kept or shown.
    assert "#" not in page.url or "sv" not in page.url.partition("#")[2]


def test_closed_chairs_are_not_offered(remote: RemoteServer, people: People) -> None:
    options = {**QUICK, "after_end": "keeper"}
    one = remote.open(names=["Ada", "Bram", "Cleo", "Dirk", "Edda"], own="Ada", options=options)
    until(lambda: remote.get(f"/v1/games/{one.game}", one.keeper)["status"] == "over")
    page = people.page(f"{remote.base}/games/{one.game}#{one.seats['Ada']}")
    expect(page.get_by_text("The other chairs stay closed")).to_be_visible()
    expect(page.get_by_role("heading", name="What you never knew")).to_have_count(0)
    expect(page.get_by_role("button", name="Bram", exact=True)).to_have_count(0)
    page.get_by_role("button", name="Your own chair").click()
    expect(page.get_by_role("heading", name="Ada’s view")).to_be_visible()
