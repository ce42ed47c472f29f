"""A host makes a character on the page, or takes one that comes along, and sits down with it."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from browser.geometry import ill_placed
from browser.looks import settled
from browser.sessions import People
from playwright.sync_api import Page, expect
from remote import EXAMPLES, RemoteServer, bounded, log_in

from sottovoce.server.http.settings import Settings

CAMPAIGN = "ten-past-four"
EMPTY = "sunken-mill"
"""A campaign without characters."""


@pytest.fixture(scope="module")
def remote(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RemoteServer]:
    """A server with a campaign, and one without characters, which plays its bots."""
    folder = tmp_path_factory.mktemp("far")
    bare = folder / EMPTY
    for path, text in {
        "locations/mill.md": "# The Mill\n\n## Description\n\nA mill that stands in the water.\n",
        "npcs/jory.md": "# Jory\n\n## Public Knowledge\n\nJory keeps the mill.\n",
    }.items():
        (bare / path).parent.mkdir(parents=True, exist_ok=True)
        (bare / path).write_text(text, encoding="utf-8")
    places = {"campaign": {EMPTY: bare, CAMPAIGN: EXAMPLES / "campaigns" / CAMPAIGN}}
    with RemoteServer(log_in(folder), Settings(bounds=bounded(), log_requests=False, places=places)) as server:
        yield server


def new_session(people: People, remote: RemoteServer, width: int = 1280) -> Page:
    page = people.context(viewport={"width": width, "height": 844}, reduced_motion="reduce").new_page()
    page.goto(f"{remote.base}/#{remote.host}")
    page.get_by_role("button", name="Change things first Tabletop").click()
    expect(page.get_by_role("group", name="Who are you?")).to_be_visible()
    return page


def played(page: Page, remote: RemoteServer) -> str:
    """Create the game, and return whom the person in it plays, who sits there by now."""
    page.get_by_role("button", name="Create game").click()
    page.wait_for_url(re.compile(r"/games/"))
    expect(page.get_by_role("heading", name="The party")).to_be_attached()
    state = remote.live_games.games.load(page.url.partition("/games/")[2].partition("#")[0]).state
    assert state.own == "human"
    return str(state.character)


@pytest.mark.parametrize("width", [1280, 390])
def test_a_character_is_made_by_mouse_where_the_folder_has_none(
    remote: RemoteServer, people: People, width: int
) -> None:
    people.faults.expect("422")
    page = new_session(people, remote, width)
    page.locator("label.card", has_text="Make one").click()
    make = page.get_by_role("region", name="Your character")
    page.get_by_role("button", name="Create game").click()
    expect(make.get_by_role("alert")).to_have_text("Give your character a name.")
    make.get_by_label("Name", exact=True).fill("***")
    expect(make.get_by_role("alert")).to_contain_text("The name is plain words")
    make.get_by_label("Name", exact=True).fill("Ada Brook")
    make.get_by_label("Concept").fill("a smuggler of clocks")
    for skill in ("stealth", "arcana", "insight", "nature"):
        make.get_by_label(skill, exact=True).check()
    expect(make.get_by_label("survival")).to_be_disabled()
    make.get_by_label("dex", exact=True).fill("16")
    expect(page.get_by_text("You are Ada Brook.")).to_be_visible()
    settled(page)
    assert ill_placed(page) == []
    assert played(page, remote) == "ada-brook"
    state = remote.live_games.games.load(page.url.partition("/games/")[2].partition("#")[0]).state
    (made,) = state.setup["characters"]
    assert (made["concept"], sorted(made["skills"]), made["numbers"]) == (
        "a smuggler of clocks",
        ["arcana", "insight", "nature", "stealth"],
        {"dex": 16},
    )


def test_a_sheet_is_pasted_beside_a_party_and_keeps_its_name(remote: RemoteServer, people: People) -> None:
    page = new_session(people, remote)
    page.get_by_label("Campaign", exact=True).select_option(CAMPAIGN)
    page.locator("label.card", has_text="Make one").click()
    page.get_by_label("Sheet").fill("# Tom Reed\n\n**Background**: a diver\n")
    expect(page.get_by_text("You are Tom Reed.")).to_be_visible()
    assert played(page, remote) == "tom-reed"


def test_one_who_comes_along_joins_the_folders_party(remote: RemoteServer, people: People) -> None:
    page = new_session(people, remote)
    page.get_by_label("Campaign", exact=True).select_option(CAMPAIGN)
    page.locator("label.card", has_text="Osric Pell").filter(has_text="Comes with Sottovoce.").click()
    expect(page.get_by_text("You are Osric Pell.")).to_be_visible()
    page.locator("label.card", has_text="Pim Tallow").click()
    expect(page.get_by_text("You are Pim Tallow.")).to_be_visible()
    page.locator("label.card", has_text="Osric Pell").click()
    assert played(page, remote) == "osric-pell"


def test_play_now_stays_one_press_where_the_folder_has_no_characters(remote: RemoteServer, people: People) -> None:
    page = people.page(f"{remote.base}/#{remote.host}")
    page.get_by_role("button", name="Play now Tabletop").click()
    page.wait_for_url(re.compile(r"/games/"))
    expect(page.get_by_role("heading", name="The party")).to_be_attached()
