"""The host opens games in a browser and hands out their links; the keeper keeps one."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from typing import Any

import pytest
from browser.sessions import People
from commands import ROOT
from playwright.sync_api import APIResponse, Page, Route, expect
from remote import PLAYERS, Opened, RemoteServer, bounded, log_in

from sottovoce.server.http.settings import Settings

CAMPAIGN = "ten-past-four"


@pytest.fixture(scope="module")
def remote(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RemoteServer]:
    """A server that calls no agents, so that games stand where they are."""
    folder = tmp_path_factory.mktemp("far")
    work = shutil.copytree(ROOT / "examples" / "delegation" / "village-paper", folder / "paper")
    settings = Settings(
        bounds=bounded(),
        log_requests=False,
        places={"campaign": {CAMPAIGN: ROOT / "examples" / "campaigns" / CAMPAIGN}, "folder": {"paper": work}},
    )
    with RemoteServer(log_in(folder), settings, plays=False) as server:
        yield server


@pytest.fixture
def lobby(people: People, remote: RemoteServer) -> Page:
    page = people.page(f"{remote.base}/#{remote.host}")
    expect(page.get_by_role("button", name="New game")).to_be_visible()
    return page


def links_shown(page: Page) -> dict[str, str]:
    """The links that the page shows, by whose they are."""
    expect(page.get_by_label(re.compile("^Link: ")).first).to_be_visible()
    found: dict[str, str] = {}
    for field in page.get_by_label(re.compile("^Link: ")).all():
        label = page.locator(f"label[for='{field.get_attribute('id')}']").inner_text()
        found[label.removeprefix("Link: ")] = field.input_value()
    return found


def token_of(link: str) -> str:
    return link.partition("#")[2]


def begun(page: Page, ruleset: str) -> None:
    page.get_by_role("button", name="New game").click()
    page.locator("form label", has=page.get_by_role("radio"), has_text=ruleset).click()
    expect(page.get_by_role("group", name="Who are you?")).to_be_visible()


def unfold(page: Page) -> None:
    """Open every fold of the form."""
    for fold in page.locator("form summary").all():
        fold.click()


def test_a_game_is_opened_with_people_house_and_random_players_and_each_link_opens_its_seat(
    lobby: Page, remote: RemoteServer, people: People
) -> None:
    begun(lobby, "Mafia")
    unfold(lobby)
    names = ["Ana", "Bo", "Cas", "Dov", "Eva", "Fay", "Gus", "Hal"]
    for number, name in enumerate(names, 1):
        lobby.get_by_label(f"Name of seat {number}").fill(name)
    lobby.get_by_role("button", name="Invite", exact=True).click()
    lobby.get_by_role("button", name="Assign Invite to Bo").click()
    lobby.keyboard.press("Escape")
    lobby.get_by_label("Player type for Cas").select_option("random")
    lobby.get_by_role("button", name="Random bot", exact=True).drag_to(
        lobby.get_by_label("Player type for Dov").locator("..")
    )
    lobby.get_by_role("button", name="Move Hal,").drag_to(lobby.get_by_label("Player type for Eva").locator(".."))
    names = ["Ana", "Bo", "Cas", "Dov", "Hal", "Eva", "Fay", "Gus"]
    lobby.get_by_label("Attempts at a turn").fill("2")
    lobby.get_by_label("Who says who speaks").select_option("bids")
    lobby.get_by_role("button", name="Create game").click()
    expect(lobby.get_by_role("heading", name="Mafia game created")).to_be_visible()
    links = links_shown(lobby)
    assert list(links) == ["Bo", "Spectator", "Keeper"]
    assert lobby.get_by_role("img", name=re.compile("^QR code")).count() == 3
    expect(lobby.get_by_text("a phone can’t open it").first).to_be_visible()
    game = links["Keeper"].rpartition("/")[2].partition("#")[0]
    shown = remote.get(f"/v1/games/{game}", token_of(links["Keeper"]))
    assert shown["seats"] == [*names, "narrator"]
    assert (shown["options"]["max_attempts"], shown["options"]["floor"]) == (2, "bids")
    opening = remote.get(f"/v1/games/{game}/export", remote.issue(game, token_of(links["Keeper"]), "auditor"))["events"]
    agents = next(event["data"]["agents"] for event in opening if "agents" in event["data"])
    assert {name: agents[name] for name in ("Ana", "Bo", "Cas", "Dov", "Eva")} == {
        **dict.fromkeys(("Ana", "Bo"), "outside"),
        **dict.fromkeys(("Cas", "Dov"), "random"),
        "Eva": "house",
    }
    bo = people.page(links["Bo"])
    expect(bo.get_by_text("Bo").first).to_be_visible()
    lobby.get_by_role("button", name="All games").click()
    lobby.get_by_role("button", name="Links").click()
    assert links_shown(lobby) == links
    lobby.on("dialog", lambda asked: asked.accept())  # whether to leave the links
    lobby.get_by_role("button", name="Sit down").click()
    expect(lobby.get_by_role("region", name="Answer", exact=True)).to_be_visible()
    assert game in lobby.url


def test_a_session_is_opened_in_a_campaign_with_a_character_for_a_person(lobby: Page, remote: RemoteServer) -> None:
    begun(lobby, "Tabletop")
    lobby.get_by_role("radio", name="Sefa Quillon").check(force=True)
    expect(lobby.get_by_text("You are Sefa Quillon.")).to_be_visible()
    lobby.get_by_role("radio", name="Nobody").check(force=True)
    expect(lobby.get_by_text("Nobody sits here")).to_be_visible()
    lobby.get_by_role("radio", name="Pim Tallow").check(force=True)
    expect(lobby.get_by_text("You are Pim Tallow.")).to_be_visible()
    lobby.get_by_role("radio", name="Friends").check(force=True)
    lobby.get_by_role("button", name="Create game").click()
    expect(lobby.get_by_role("heading", name="Tabletop game created")).to_be_visible()
    links = links_shown(lobby)
    assert list(links)[-4:] == ["Isolde Marrow", "Sefa Quillon", "Spectator", "Keeper"]
    assert "Human" not in links
    shown = remote.get("/v1/games", token_of(links["Keeper"]), standing="true")["games"][0]
    assert {"gm", "pim-tallow", "human"} < set(shown["seats"])


def test_work_is_opened_in_a_folder_and_one_sits_down_at_once(lobby: Page) -> None:
    begun(lobby, "Delegation")
    expect(lobby.get_by_label("Folder", exact=True)).to_have_value("paper")
    expect(lobby.get_by_role("radio", name="User")).to_be_checked()
    lobby.get_by_role("button", name="Create game").click()
    expect(lobby.get_by_role("heading", name="Tasks")).to_be_attached()
    assert re.fullmatch(r".*/games/\w{10}", lobby.url)


def test_a_refusal_stands_at_its_field(lobby: Page, people: People) -> None:
    people.faults.expect("422")
    begun(lobby, "Mafia")
    unfold(lobby)
    lobby.get_by_label("Attempts at a turn").fill("0")
    lobby.get_by_role("button", name="Create game").click()
    expect(lobby.get_by_label("Attempts at a turn")).to_be_focused()
    expect(lobby.get_by_text("Must be at least 1.")).to_be_visible()
    lobby.get_by_label("Attempts at a turn").fill("3")
    lobby.get_by_label("Detective").fill("30")
    lobby.get_by_role("button", name="Create game").click()
    expect(lobby.get_by_text("deals 30 roles to 8 players")).to_be_visible()
    expect(lobby.get_by_label("Detective")).to_be_focused()


def test_games_are_filtered_searched_and_paged(lobby: Page, remote: RemoteServer) -> None:
    lobby.get_by_role("button", name="All games").click()
    rows = lobby.locator("main ol > li")
    made = [remote.open(names=["Zed", *PLAYERS[1:]], agent="outside") for _ in range(26)]
    expect(rows).to_have_count(25)
    lobby.get_by_role("button", name="Older games").click()
    expect(rows.nth(25)).to_be_visible()
    lobby.get_by_role("searchbox").fill(made[3].game)
    expect(rows).to_have_count(1)
    expect(rows.first).to_contain_text(made[3].game)
    expect(rows.first).to_contain_text("Zed")
    expect(rows.first).to_contain_text("Waiting for")
    remote.ask("POST", f"/v1/games/{made[3].game}/hold", made[3].keeper)
    expect(rows.first).to_contain_text("Waiting for the keeper")
    lobby.get_by_role("button", name="In progress", exact=True).click()
    expect(lobby.get_by_text("No games match")).to_be_visible()
    lobby.get_by_role("button", name="On hold", exact=True).click()
    expect(rows).to_have_count(1)


def test_a_keeper_holds_a_game_goes_on_fills_a_seat_and_forks(people: People, remote: RemoteServer) -> None:
    one = remote.open(names=list(PLAYERS), agents={"Ada": "outside"}, agent="outside")
    page = people.page(f"{remote.base}/games/{one.game}#{one.keeper}")
    page.get_by_role("button", name="Manage").click()
    page.get_by_role("button", name="Put on hold").click()
    page.get_by_role("button", name="Resume").click()
    expect(page.get_by_role("button", name="Put on hold")).to_be_visible()
    page.get_by_label("New player type for Cleo").select_option("random")
    page.locator("li", has=page.get_by_label("New player type for Cleo")).get_by_role("button", name="Assign").click()
    expect(page.get_by_text("Cleo: Random bot.")).to_be_visible()
    page.get_by_role("button", name="Fork game").click()
    page.get_by_role("dialog", name="Fork this game?").get_by_role("button", name="Cancel").click()
    assert [entry for entry in entries(remote, one) if entry["name"] == "core.game-copied.v1"] == []
    page.get_by_role("button", name="Fork game").click()
    agreed(page, "Fork this game?", "Fork it and tell everyone", remote, one)
    expect(page.get_by_role("heading", name="Game forked")).to_be_visible()
    forked = token_of(links_shown(page)["Keeper"])
    assert remote.get("/v1/link", forked)["game"] != one.game


def entries(remote: RemoteServer, one: Opened) -> list[Any]:
    """What everyone at the game has seen."""
    found: list[Any] = remote.get(f"/v1/games/{one.game}/view", one.spectator, limit=1000)["entries"]
    return found


def agreed(page: Page, title: str, does: str, remote: RemoteServer, one: Opened) -> None:
    """The keeper reads what everyone will be told, and says yes; then everyone is told just that."""
    dialog = page.get_by_role("dialog", name=title)
    words = dialog.locator("blockquote").inner_text()
    before = len(entries(remote, one))
    dialog.get_by_role("button", name=does).click()
    expect(dialog).to_have_count(0)
    expect(page.get_by_text(re.compile("^Copy (it|them) now"))).to_be_visible()
    told = entries(remote, one)[before:]
    (lead,) = (entry["piece"]["lead"] for entry in told)
    assert "".join(run if isinstance(run, str) else run["name"] for run in lead) == words


def test_a_keeper_of_a_blind_game_is_offered_neither_a_copy_nor_an_auditors_link(
    people: People, remote: RemoteServer
) -> None:
    one = remote.open(names=list(PLAYERS), agent="outside", options={"keeper": "blind"})
    page = people.page(f"{remote.base}/games/{one.game}#{one.keeper}")
    page.get_by_role("button", name="Manage").click()
    expect(
        page.get_by_text("created with keeper=blind. You can fork it and create auditor links once it is over.")
    ).to_be_visible()
    expect(page.get_by_role("button", name="Fork game")).to_have_count(0)
    expect(page.get_by_role("button", name="Create auditor link (sees every secret)")).to_have_count(0)
    expect(page.get_by_role("button", name="Replace link for Ada")).to_be_visible()


def test_a_keepers_new_links_end_the_older_ones_and_the_page_goes_on_with_its_own(
    people: People, remote: RemoteServer
) -> None:
    people.faults.expect("401")
    one = remote.open(names=list(PLAYERS), agents={"Ada": "outside"}, agent="outside")
    page = people.page(f"{remote.base}/games/{one.game}#{one.keeper}")
    page.get_by_role("button", name="Manage").click()
    page.get_by_role("button", name="Replace link for Ada").click()
    agreed(page, "Create a new link for Ada?", "Create the link and tell everyone", remote, one)
    seat = links_shown(page)["Ada"]
    assert remote.ask("GET", "/v1/link", one.seats["Ada"]).status_code == 401
    assert remote.get("/v1/link", token_of(seat))["seat"] == "Ada"
    close = page.get_by_role("dialog", name="New link").get_by_role("button", name="Close")
    close.click()
    page.get_by_role("button", name="Create auditor link (sees every secret)").click()
    agreed(page, "Create an auditor link?", "Create the link and tell everyone", remote, one)
    expect(page.get_by_text("Anyone with this link sees every secret")).to_be_visible()
    assert remote.get("/v1/link", token_of(links_shown(page)["Auditor"]))["kind"] == "auditor"
    close.click()
    page.get_by_role("button", name="Revoke spectator link").click()
    expect(page.get_by_role("button", name="Create spectator link")).to_be_visible()
    # The page is told at once that the older link has ended, and here before it has the new one.
    answers: list[tuple[Route, APIResponse]] = []

    def late(route: Route) -> None:
        if route.request.method == "POST":
            answers.append((route, route.fetch()))
        else:
            route.continue_()

    page.route("**/v1/games/*/links", late)
    page.get_by_role("button", name="Replace keeper link").click()
    expect(page.get_by_role("heading", name="This link no longer works")).to_be_visible()
    [(route, answer)] = answers
    route.fulfill(response=answer)
    expect(page.get_by_role("dialog", name="New link")).to_be_visible()
    new = links_shown(page)["Keeper"]
    assert remote.ask("GET", "/v1/link", one.keeper).status_code == 401
    close.click()
    page.reload()
    page.get_by_role("button", name="Manage").click()
    expect(page.get_by_role("button", name="Put on hold")).to_be_visible()
    assert token_of(new) not in page.url
