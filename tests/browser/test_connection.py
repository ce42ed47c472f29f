"""What goes wrong has its words and a way on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from browser.sessions import People
from playwright.sync_api import Page, Route, expect
from remote import PLAYERS, Opened, RemoteServer, log_in


@pytest.fixture(scope="module")
def remote(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RemoteServer]:
    with RemoteServer(log_in(tmp_path_factory.mktemp("far")), plays=False) as server:
        yield server


@pytest.fixture
def one(remote: RemoteServer) -> Opened:
    return remote.open(names=list(PLAYERS), agents={"Ada": "outside"}, agent="outside")


def address(remote: RemoteServer, one: Opened, token: str) -> str:
    return f"{remote.base}/games/{one.game}#{token}"


def stands(page: Page) -> None:
    """A game is shown."""
    expect(page.get_by_text("A game of Mafia begins").first).to_be_visible()


def test_without_a_link_the_page_asks_for_one_and_a_pasted_link_opens(
    people: People, remote: RemoteServer, one: Opened
) -> None:
    page = people.page(f"{remote.base}/")
    expect(page.get_by_role("heading", name="Open your link")).to_be_visible()
    page.get_by_label("Your link", exact=True).fill("no link")
    page.get_by_role("button", name="Open").click()
    expect(page.get_by_text("That link is incomplete")).to_be_visible()
    page.get_by_label("Your link", exact=True).fill(address(remote, one, one.spectator))
    page.keyboard.press("Enter")
    stands(page)


def test_a_link_that_ends_while_it_is_open_says_so_and_a_newer_one_goes_on(
    people: People, remote: RemoteServer, one: Opened
) -> None:
    people.faults.expect("401")
    page = people.page(address(remote, one, one.seats["Ada"]))
    stands(page)
    newer = remote.issue(one.game, one.keeper, "seat", "Ada")
    expect(page.get_by_role("heading", name="This link no longer works")).to_be_visible()
    expect(page.get_by_text("Ask the keeper of the game for a new one")).to_be_visible()
    page.get_by_label("Your link", exact=True).fill(address(remote, one, newer))
    page.keyboard.press("Enter")
    stands(page)
    page.reload()
    stands(page)


def test_a_link_pasted_into_the_address_of_an_open_page_takes_its_place(
    people: People, remote: RemoteServer, one: Opened
) -> None:
    page = people.page(address(remote, one, one.spectator))
    stands(page)
    page.evaluate("token => { location.hash = token }", one.seats["Ada"])
    expect(page.get_by_role("region", name="Answer", exact=True)).to_be_visible()
    page.wait_for_function("() => !location.hash.includes('sv')")
    assert page.evaluate("history.state.token") == one.seats["Ada"]


def test_a_host_whose_link_ended_is_told_where_the_new_one_stands(people: People, remote: RemoteServer) -> None:
    people.faults.expect("401")
    page = people.page(f"{remote.base}/#svh_{'x' * 43}")
    expect(page.get_by_text("from the server’s terminal")).to_be_visible()


def test_a_game_that_is_not_the_links_leads_to_the_one_that_is(
    people: People, remote: RemoteServer, one: Opened
) -> None:
    page = people.page(f"{remote.base}/games/nosuchgame#{one.spectator}")
    page.get_by_role("button", name="Open the game for this link").click()
    stands(page)
    assert page.url.partition("#")[0] == f"{remote.base}/games/{one.game}"


def test_a_game_that_is_gone_says_so(people: People, remote: RemoteServer, one: Opened) -> None:
    people.faults.expect("404")
    context = people.context()
    gone = '{"type": "/problems/unknown", "title": "Not there", "status": 404, "detail": "There is no such game here."}'
    context.route(
        re.compile("/v1/games/"),
        lambda route: route.fulfill(status=404, content_type="application/problem+json", body=gone),
    )
    page = context.new_page()
    page.goto(address(remote, one, one.spectator))
    expect(page.get_by_role("heading", name="Game not found")).to_be_visible()
    context.unroute_all()
    page.get_by_role("button", name="Try again").click()
    stands(page)


def test_a_server_that_is_away_is_waited_for(people: People, remote: RemoteServer) -> None:
    people.faults.expect("Failed to load")
    context = people.context()
    page = context.new_page()
    page.goto(f"{remote.base}/#{remote.host}")
    new = page.get_by_role("button", name="New game")
    expect(new).to_be_visible()
    context.route("**/*", lambda route: route.abort())
    expect(page.get_by_text("Can’t reach the server")).to_be_visible()
    expect(new).to_be_visible()
    context.unroute_all()
    expect(page.get_by_text("Reconnected.")).to_be_visible()
    expect(page.get_by_text("Can’t reach the server")).to_be_hidden()


def test_a_server_that_is_away_at_first_is_asked_until_it_answers(
    people: People, remote: RemoteServer, one: Opened
) -> None:
    people.faults.expect("Failed to load")
    context = people.context()
    context.route("**/v1/**", lambda route: route.abort())
    page = context.new_page()
    page.goto(address(remote, one, one.spectator))
    expect(page.get_by_role("heading", name="Can’t reach the server")).to_be_visible()
    context.unroute_all()
    stands(page)


def test_an_old_page_offers_to_be_loaded_anew_once_the_server_is_back(people: People, remote: RemoteServer) -> None:
    people.faults.expect("Failed to load")

    def newer(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, body=re.sub(r"/assets/[\w-]+\.js", "/assets/index-Newer.js", answer.text()))

    context = people.context()
    page = context.new_page()
    page.goto(f"{remote.base}/#{remote.host}")
    expect(page.get_by_role("button", name="New game")).to_be_visible()
    context.route("**/*", lambda route: route.abort())
    expect(page.get_by_text("Can’t reach the server")).to_be_visible()
    context.unroute_all()
    context.route(f"{remote.base}/", newer)
    expect(page.get_by_text("A new version is available")).to_be_visible()
    context.unroute_all()
    page.get_by_role("button", name="Reload").click()
    expect(page.get_by_role("button", name="New game")).to_be_visible()
    expect(page.get_by_text("A new version is available")).to_be_hidden()


def test_a_clock_that_is_out_is_told_of_and_may_be_put_aside(people: People, remote: RemoteServer) -> None:
    context = people.context()
    page = context.new_page()
    page.clock.set_system_time(datetime.now(UTC) + timedelta(minutes=10))
    page.goto(f"{remote.base}/#{remote.host}")
    expect(page.get_by_text("Your clock is 10 minutes ahead of the server’s")).to_be_visible()
    page.get_by_role("button", name="OK").click()
    expect(page.get_by_text("Your clock is")).to_be_hidden()


def test_the_light_to_read_by_is_chosen_and_kept_over_a_reload(people: People, remote: RemoteServer) -> None:
    page = people.page(f"{remote.base}/#{remote.host}", color_scheme="light")
    paper = "getComputedStyle(document.body).backgroundColor"
    day = page.evaluate(paper)
    light = page.get_by_role("button", name=re.compile("^Theme: "))
    light.click()
    assert page.evaluate(paper) == day
    light.click()
    night = page.evaluate(paper)
    assert night != day
    page.reload()
    expect(light).to_have_accessible_name("Theme: dark")
    assert page.evaluate(paper) == night
    assert page.evaluate("Object.keys(localStorage).length + Object.keys(sessionStorage).length") == 0


def test_the_content_is_reached_past_the_header_by_key(people: People, remote: RemoteServer) -> None:
    page = people.page(f"{remote.base}/#{remote.host}")
    expect(page.get_by_role("button", name="New game")).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Skip to content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()
    assert page.evaluate("history.state.token") == remote.host
