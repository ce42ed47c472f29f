"""Everything by keys alone: a replay, a game that is opened, its keeper's panel, a seat's own page."""

from __future__ import annotations

import re

from browser.hands import press, reach, stop, tab
from browser.looks import settled
from browser.sessions import People
from browser.switchboard import Switchboard, setting
from browser.walks import opened
from browser.worlds import case_of
from playwright.sync_api import Locator, Page, Route, expect
from remote import PLAYERS, RemoteServer, token_of

from sottovoce.server.links import LinkKind

NOW_IN_SIGHT = """number => {
    const now = document.querySelector('tr.now');
    const numbers = [...(now?.parentElement.querySelectorAll('.number') ?? [])];
    const row = numbers.find((one) => one.textContent === String(number))?.closest('tr');
    if (row === undefined) return false;
    const places = [now.closest('.scroll'), now, row, document.querySelector('tr.future')];
    const [list, mark, at, veil] = places.map((one) => one.getBoundingClientRect());
    const head = list.top + now.closest('table').tHead.offsetHeight;
    const marked = Math.abs(mark.top - at.top) < 1 && Math.abs(mark.bottom - at.bottom) < 1;
    const veiled = Math.abs(veil.top - at.bottom) < 1 && veil.bottom >= list.bottom;
    return marked && veiled && at.top >= head - 1 && at.bottom <= list.bottom + 1;
}"""
"""The row of the moment is the one marked, what comes after it is dim, and it is not scrolled away."""

VEILED = """() => {
    const veil = document.querySelector('tr.future');
    veil.closest('.scroll').scrollIntoView({ block: 'center' });
    veil.style.pointerEvents = 'auto';
    const { left, top } = veil.getBoundingClientRect();
    const met = document.elementFromPoint(left + 40, top + 10);
    veil.style.pointerEvents = '';
    return met === veil;
}"""
"""What makes the rows to come dim lies above them; else it lets every pointer through."""


def moment(page: Page) -> int:
    return int(page.get_by_role("slider").get_attribute("aria-valuenow") or 0)


def button(page: Page, name: str) -> Locator:
    return page.get_by_role("button", name=name, exact=True)


def opened_panel(page: Page, name: str) -> Locator:
    """Go to the tabs, and with the arrows to that one: its panel is the one shown. Nothing moves behind them."""
    before = moment(page)
    tabs = page.get_by_role("tablist", name="Panels")
    reach(page, tabs.get_by_role("tab", selected=True), back=True)
    wanted = tabs.get_by_role("tab", name=name, exact=True)
    for _ in range(tabs.get_by_role("tab").count()):
        if wanted.get_attribute("aria-selected") == "true":
            break
        page.keyboard.press("ArrowRight")
    expect(wanted).to_be_focused()
    expect(page.get_by_role("tabpanel", name=name)).to_be_visible()
    assert moment(page) == before
    return wanted


def test_a_replay_is_worked_by_keys(people: People, board: Switchboard) -> None:
    case = case_of("mafia, a seat late in the game")
    with board.serving(setting(case.game, case.ruleset, case.seat, case.first)):
        page = people.context(reduced_motion="reduce").new_page()
        opened(page, board.address(case.game, LinkKind.AUDITOR))
        keys = page.keyboard
        # The first stop leads to the content, past the row of chairs.
        tab(page)
        expect(button(page, "Skip to content")).to_be_focused()
        keys.press("Enter")
        expect(page.locator("main")).to_be_focused()

        # From moment to moment, wherever the focus is, and on the line itself.
        keys.press("Home")
        first = moment(page)
        for key in ("ArrowRight", "j"):
            before = moment(page)
            keys.press(key)
            assert moment(page) > before
        for key in ("ArrowLeft", "k"):
            keys.press(key)
        assert moment(page) == first
        for on, back in (("Shift+ArrowRight", "Shift+ArrowLeft"), ("n", "p")):
            keys.press(on)
            there = moment(page)
            assert there > first
            keys.press(on)
            keys.press(back)
            assert moment(page) == there
            keys.press("Home")
        reach(page, page.get_by_role("slider"))
        keys.press("End")
        last = moment(page)
        keys.press("PageUp")
        assert moment(page) < last
        expect(page.get_by_role("slider")).to_have_attribute("aria-valuetext", re.compile(r"^event \d+, "))

        # It plays, and stops, by the key and by its button; at an end the button stays where it is.
        keys.press("Home")
        keys.press("Space")
        expect(button(page, "Pause")).to_be_visible()
        keys.press("Space")
        expect(button(page, "Play")).to_be_visible()
        press(page, button(page, "Previous event"), back=True)
        expect(button(page, "Previous event")).to_be_focused()

        # Whose eyes: by the row of chairs, and by number; two beside one another; and let go.
        press(page, page.get_by_label("View as").get_by_role("button", name="Ada"), back=True)
        expect(page.get_by_role("region", name="Ada’s view")).to_be_visible()
        press(page, page.get_by_label("View as").get_by_role("button", name="Compare"))
        keys.press("2")
        expect(page.get_by_role("region", name="Two views")).to_be_visible()
        expect(page.get_by_label("View as").get_by_role("button", pressed=True)).to_have_count(3)
        keys.press("0")
        expect(page.get_by_role("region", name="All seats")).to_be_visible()
        press(page, page.get_by_label("Table", exact=True).get_by_role("button", name="Bram"))
        expect(page.get_by_role("region", name="Bram’s view")).to_be_visible()
        keys.press("0")

        # Every panel, and what leads from it to its moment.
        for name in ("Who saw what", "Highlights", "Thoughts", "Prompts", "Log", "Who knows what"):
            opened_panel(page, name)
        keys.press("End")
        expect(page.get_by_role("tab", name="Log")).to_be_focused()
        keys.press("ArrowRight")
        expect(page.get_by_role("tab", name="Who knows what")).to_be_focused()
        opened_panel(page, "Who saw what")
        tab(page)
        for key in ("Home", "End", "PageUp", "ArrowLeft", "Home", "ArrowRight"):
            keys.press(key)
            page.wait_for_function(NOW_IN_SIGHT, arg=moment(page))
        assert page.evaluate(VEILED)
        opened_panel(page, "Log")
        record = page.get_by_role("log")
        reach(page, record.locator("[tabindex]"))
        keys.press("Shift+ArrowLeft")
        reach(page, record.get_by_role("button").first)
        number = record.get_by_role("button").first.inner_text()
        keys.press("Enter")
        expect(page.get_by_role("slider")).to_have_attribute("aria-valuenow", number)
        opened_panel(page, "Highlights")
        highlight = page.get_by_role("region", name="Highlights").get_by_role("button").first
        press(page, highlight)
        expect(highlight).to_have_attribute("aria-current", "step")
        votes = page.get_by_role("switch", name="Votes")
        press(page, votes, back=True)
        expect(votes).to_have_attribute("aria-checked", "true")

        # The sheet of keys is gone into and out of, and nothing moves behind it.
        before = moment(page)
        keys.press("?")
        sheet = page.get_by_role("dialog", name="Keyboard shortcuts")
        expect(sheet.get_by_role("button", name="Close")).to_be_focused()
        keys.press("ArrowRight")
        keys.press("Escape")
        expect(sheet).to_have_count(0)
        expect(votes).to_be_focused()
        assert moment(page) == before


def test_a_game_is_opened_by_keys(people: People, remote: RemoteServer) -> None:
    page = people.page(f"{remote.base}/#{remote.host}", reduced_motion="reduce")
    keys = page.keyboard
    expect(button(page, "New game")).to_be_visible()
    tab(page)
    keys.press("Enter")
    expect(page.locator("main")).to_be_focused()
    press(page, button(page, "New game"))
    expect(page.get_by_role("heading", name="New game")).to_be_focused()
    reach(page, page.get_by_role("radio", name="Mafia"))
    keys.press("ArrowDown")
    expect(page.get_by_label("Campaign", exact=True)).to_be_visible()
    keys.press("ArrowUp")
    expect(page.get_by_label("Your name", exact=True)).to_be_visible()
    press(page, page.locator("summary", has_text="Seats"))
    expect(page.get_by_label("Name of seat 1", exact=True)).to_be_visible()

    # An agent is taken up, put to a seat, and put back.
    names = ["Ana", "Bo", "Cas", "Dov", "Eva", "Fay", "Gus", "Hal"]
    for number, name in enumerate(names, 1):
        reach(page, page.get_by_label(f"Name of seat {number}", exact=True))
        keys.press("ControlOrMeta+a")
        keys.type(name)
    handle = page.get_by_role("button", name="Move Hal,")
    press(page, handle, "Home")
    press(page, handle, "ArrowRight")
    expect(handle).to_be_focused()
    expect(handle).to_have_accessible_name("Move Hal, seat 2 of 8")
    names = ["Ana", "Hal", *names[1:-1]]
    press(page, button(page, "Invite"), "Space", back=True)
    press(page, button(page, "Assign Invite to Bo"), "Space")
    keys.press("Escape")
    reach(page, page.get_by_label("Player type for Cas"))
    keys.type("Rand")
    press(page, page.locator("summary", has_text="Waiting"))
    reach(page, page.get_by_label("Attempts at a turn"))
    keys.press("ControlOrMeta+a")
    keys.type("2")
    press(page, button(page, "Create game"))
    expect(page.get_by_role("heading", name="Mafia game created")).to_be_focused()

    # A link is taken, and the games are gone back to.
    field = page.get_by_label("Link: Keeper", exact=True)
    reach(page, field)
    link = field.input_value()
    press(page, button(page, "All games"), back=True)
    expect(page.get_by_role("heading", name="All games")).to_be_focused()
    press(page, button(page, "Links"))
    expect(page.get_by_role("heading", name="Mafia game created")).to_be_focused()

    game = link.rpartition("/")[2].partition("#")[0]
    shown = remote.get(f"/v1/games/{game}", token_of(link))
    assert shown["seats"] == [*names, "narrator"]
    assert shown["options"]["max_attempts"] == 2
    opening = remote.get(f"/v1/games/{game}/export", remote.issue(game, token_of(link), "auditor"))["events"]
    agents = next(event["data"]["agents"] for event in opening if "agents" in event["data"])
    assert {name: agents[name] for name in ("Ana", "Bo", "Cas", "Dov")} == {
        "Ana": "outside",
        "Bo": "outside",
        "Cas": "random",
        "Dov": "house",
    }


def test_a_game_is_kept_by_keys(people: People, remote: RemoteServer) -> None:
    one = remote.open(names=list(PLAYERS), agents={"Ada": "outside"}, agent="outside")
    page = people.page(f"{remote.base}/games/{one.game}#{one.keeper}", reduced_motion="reduce")
    keys = page.keyboard
    expect(button(page, "Manage")).to_be_visible()
    press(page, button(page, "Manage"))
    panel = page.get_by_role("dialog", name="Manage game")
    # What is pressed stays under the hand, whatever becomes of it.
    press(page, button(page, "Put on hold"))
    expect(button(page, "Resume")).to_be_focused()
    keys.press("Enter")
    expect(button(page, "Put on hold")).to_be_focused()
    held = page.get_by_label("New player type for Cleo")
    reach(page, held)
    keys.type("Rand")
    tab(page)
    keys.press("Enter")
    expect(page.get_by_text("Cleo: Random bot.")).to_be_visible()
    expect(held).to_be_focused()
    press(page, button(page, "Replace link for Ada"))
    # Everyone is told of it, which is said first; Escape leaves it.
    keys.press("Escape")
    expect(button(page, "Replace link for Ada")).to_be_focused()
    keys.press("Enter")
    press(page, button(page, "Create the link and tell everyone"))
    dialog = page.get_by_role("dialog", name="New link")
    expect(dialog.get_by_role("button", name="Close")).to_be_focused()
    keys.press("Escape")
    expect(dialog).to_have_count(0)
    expect(button(page, "Replace link for Ada")).to_be_focused()
    press(page, button(page, "Revoke spectator link"))
    expect(button(page, "Create spectator link")).to_be_visible()
    expect(button(page, "Replace link for Ada")).to_be_focused()
    press(page, button(page, "Create spectator link"))
    expect(dialog).to_be_visible()
    keys.press("Escape")
    expect(button(page, "Revoke spectator link")).to_be_visible()
    here = stop(page)
    assert here is not None, "the focus is not lost"
    entry = page.get_by_role("textbox", name="From event")
    reach(page, entry)
    keys.type("1")
    keys.press("Enter")
    press(page, button(page, "Fork it and tell everyone"))
    expect(page.get_by_role("heading", name="Game forked from event 1")).to_be_visible()
    keys.press("Escape")
    expect(entry).to_be_focused()
    keys.press("Escape")
    expect(panel).to_have_count(0)
    expect(button(page, "Manage")).to_be_focused()


def test_a_seats_own_page_is_worked_by_keys(people: People, board: Switchboard) -> None:
    case = case_of("delegation, its user")
    with board.serving(setting(case.game, case.ruleset, case.seat, case.first)):
        page = people.context(reduced_motion="reduce").new_page()
        opened(page, board.address(case.game, LinkKind.SEAT, case.seat))
        keys = page.keyboard
        press(page, button(page, "Replay"))
        expect(page.get_by_role("button", name=re.compile("ack to the game"))).to_be_focused()
        keys.press("Enter")
        expect(button(page, "Replay")).to_be_focused()
        # What may be said at any time is a form that is gone into and out of.
        press(page, button(page, "New task"))
        reach(page, page.get_by_label("Short name"))
        keys.press("Escape")
        expect(button(page, "New task")).to_be_focused()
        expect(page.get_by_label("Short name")).to_have_count(0)
        # So is a document.
        reach(page, page.locator("summary", has_text="Documents"))
        if page.locator("details:not([open])", has_text="Documents").count():
            keys.press("Enter")
        document = page.locator("details", has_text="Documents").get_by_role("button").first
        press(page, document)
        expect(page.get_by_role("dialog")).to_be_visible()
        settled(page)
        keys.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)
        expect(document).to_be_focused()
        # Whatever is typed goes into the field, its first sign too; Escape leaves it.
        field = page.locator(".answer .line textarea")
        keys.type("w1")
        expect(field).to_be_focused()
        expect(field).to_have_value("w1")
        keys.press("Escape")
        expect(field).not_to_be_focused()


def test_a_form_that_comes_late_is_led_to(people: People, remote: RemoteServer) -> None:
    page = people.context(reduced_motion="reduce").new_page()
    held: list[Route] = []
    page.route("**/v1/rulesets*", lambda route: held.append(route))
    page.goto(f"{remote.base}/#{remote.host}")
    press(page, button(page, "New game"))
    expect(page.get_by_role("heading", name="New game")).to_have_count(0)
    for route in held:
        route.continue_()
    expect(page.get_by_role("heading", name="New game")).to_be_focused()
