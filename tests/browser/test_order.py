"""What is heard of the page: its parts in order, the seats in words, and what is said by itself."""

from __future__ import annotations

import re

import pytest
from browser.looks import settled
from browser.sessions import People
from browser.switchboard import Switchboard, setting
from browser.walks import opened
from browser.worlds import case_of
from playwright.sync_api import Page, expect
from remote import CAMPAIGN, PLAYERS, Opened, RemoteServer

from sottovoce.isolation.wire.world import token
from sottovoce.server.links import LinkKind

HEAD = """
- banner:
  - button "Skip to content"
  - heading {title} [level=1]
"""
SEATS = {
    "mafia, a seat late in the game": """
- main:
  - heading "The table" [level=2]
  - list /Table as .+ sees it/:
    - listitem:
      - group: '/^\\S+ , this seat: \\S+ , private$/'
    - listitem:
      - group: '/ : says: /'
    - listitem:
      - group: '/, out: (night|executed, day) \\d+ : /'
  - region "Answer":
    - textbox "Draft answer"
  - region "You":
    - heading /You are .+/ [level=2]
  - heading "Game log" [level=2]
  - log "Game log"
""",
    "mafia, a seat that is asked": """
- main:
  - heading "The table" [level=2]
  - list
  - region "Answer":
    - heading "Your turn" [level=2]
    - paragraph: Do you second this nomination? Answer yes or no.
    - group "Choices":
      - button "1 yes"
      - button "2 no"
    - textbox "Your answer"
    - button "Send" [disabled]
  - region "You"
  - heading "Game log" [level=2]
  - log "Game log"
""",
    "tabletop, a character": """
- main:
  - heading "The party" [level=2]
  - group "The party":
    - list:
      - listitem: /, you/
  - heading "The story" [level=2]
  - log "The story"
  - region "Answer"
  - region "You":
    - heading [level=2]
    - group:
      - list:
        - listitem:
          - button
""",
    "delegation, its user": """
- main:
  - heading "Tasks" [level=2]
  - group "Task board":
    - heading /To do/ [level=3]
    - heading /In progress/ [level=3]
    - heading /In review/ [level=3]
    - heading /Needs decision/ [level=3]
    - button /Needs you/ [pressed]
    - heading /Done/ [level=3]
  - region /Files of .+/:
    - heading [level=2]
    - group "Files"
    - article
  - region "Answer":
    - heading "Your turn" [level=2]
    - group "Choices":
      - button "1 accept"
      - button "2 iterate"
    - textbox "Your answer"
  - region "You":
    - heading "User" [level=2]
    - region "Actions":
      - button "New task"
  - heading "Messages" [level=2]
  - log "Messages"
""",
}
"""What a seat's page is heard as, in order."""

REPLAY = """
- banner:
  - button "Skip to content"
  - heading /A game of Mafia/ [level=1]
  - navigation "View as":
    - button "All seats" [pressed]
    - button "Spectator"
    - button "Auditor"
    - button "Compare"
- main:
  - status: /^\\d+. \\S+/
  - region "All seats":
    - heading "All seats" [level=2]
    - list "Table":
      - listitem:
        - button /, private/
    - region "Events in this view":
      - list "Latest"
  - tablist "Panels":
    - tab "Who knows what" [selected]
    - tab "Log"
  - switch "Votes"
  - tabpanel "Who knows what":
    - region "Who knows what":
      - heading /Who knows what at event \\d+/ [level=3]
      - group "Facts by seat":
        - table:
          - rowgroup:
            - row:
              - columnheader
          - rowgroup:
            - row:
              - rowheader
              - cell /saw it at event \\d+/
- contentinfo:
  - toolbar "Playback":
    - button "First event"
    - button "Play"
    - button "Last event" [disabled]
  - slider "Timeline"
"""
GAMES = """
- banner:
  - heading /Games/ [level=1]
- main:
  - heading "All games" [level=2]
  - group "Status":
    - button "All" [pressed]
  - combobox "Ruleset"
  - searchbox "Search by player or game ID"
  - button "New game"
  - list:
    - listitem:
      - heading "Mafia" [level=3]
      - list "Seats"
"""
HOME = """
- banner:
  - heading /This server/ [level=1]
  - button "All games"
  - button "New game"
- main:
  - region "What do you want to play?":
    - heading "What do you want to play?" [level=2]
    - textbox "Your name"
    - list:
      - listitem:
        - heading "Mafia" [level=3]
        - paragraph:
          - button "Play now Mafia"
          - button "Change things first Mafia"
  - complementary:
    - heading "Play with others" [level=2]
    - button "Invite people"
"""
FORM = """
- main:
  - form "New game":
    - heading "New game" [level=2]
    - group "Ruleset":
      - radio /Mafia/ [checked]
    - group "Who are you?":
      - radio "I play" [checked]
      - textbox "Your name"
      - radio /Nobody/
    - group "Who plays the others?":
      - radio /Bots/ [checked]
    - group: /Seats/
    - group: /Fair play/
    - paragraph:
      - button "Create game"
      - button "Cancel"
"""


@pytest.mark.parametrize("name", SEATS)
def test_a_seats_page_is_heard_in_order(people: People, board: Switchboard, name: str) -> None:
    case = case_of(name)
    with board.serving(setting(case.game, case.ruleset, case.seat, case.first)):
        page = people.context(reduced_motion="reduce").new_page()
        opened(page, board.address(case.game, LinkKind.SEAT, case.seat))
        title = {"mafia": "/A game of Mafia/", "tabletop": "/A tabletop session/", "delegation": "/Delegated work/"}
        body = page.locator("body")
        expect(body).to_match_aria_snapshot(HEAD.format(title=title[case.ruleset]) + SEATS[name])
        # What lies in the middle of the table is told beside it, and heard there alone.
        if case.ruleset == "mafia":
            assert page.locator(".speech blockquote, .speech p").count()
            assert "blockquote" not in body.aria_snapshot()


def test_a_replay_the_games_and_the_form_are_heard_in_order(people: People, board: Switchboard) -> None:
    case = case_of("mafia, a seat late in the game")
    with board.serving(setting(case.game, case.ruleset, case.seat, case.first)):
        page = people.context(reduced_motion="reduce").new_page()
        opened(page, board.address(case.game, LinkKind.AUDITOR))
        body = page.locator("body")
        expect(body).to_match_aria_snapshot(REPLAY)
        said = page.get_by_role("status").filter(has_text=re.compile(r"^\d+: "))
        before = said.inner_text()
        page.keyboard.press("ArrowLeft")
        expect(said).not_to_have_text(before)
        opened(page, f"{board.base}/#{token(LinkKind.HOST)}")
        expect(body).to_match_aria_snapshot(HOME)
        page.get_by_role("button", name="All games").click()
        expect(body).to_match_aria_snapshot(GAMES)
        page.get_by_role("button", name="New game").click()
        expect(body).to_match_aria_snapshot(FORM)


def partners(remote: RemoteServer, one: Opened) -> tuple[str, str]:
    """A seat of that game, and one that it knows to be its partner."""
    for seat, given in one.seats.items():
        record = remote.get(f"/v1/games/{one.game}/replay", given)
        for mark in (mark for entry in record["entries"] for mark in entry["marks"]):
            if mark["mark"] == "fact" and mark["label"] == "Mafia" and mark["about"] != [seat]:
                return seat, mark["about"][0]
    raise AssertionError("somebody has a partner")


def test_a_partner_is_heard_to_be_one(people: People, remote: RemoteServer) -> None:
    one = remote.open(names=[*PLAYERS, "Finn", "Gus", "Hedy"], agent="outside")
    seat, partner = partners(remote, one)
    page = people.page(f"{remote.base}/games/{one.game}#{one.seats[seat]}", reduced_motion="reduce")
    seats = page.get_by_role("list", name=f"Table as {seat} sees it")
    expect(seats).to_match_aria_snapshot(f"- group: '{seat} , this seat: Mafia , private'")
    expect(seats).to_match_aria_snapshot(f"- group: '{partner} : Mafia , private'")


def live(page: Page, text: str | re.Pattern[str]) -> str | None:
    """How urgently that text is said by itself, once it is there."""
    found = page.get_by_text(text).first
    expect(found).to_be_attached()
    told: str | None = found.evaluate(
        "(it) => { const at = it.closest('[aria-live], [role=alert], [role=status], [role=log]');"
        " return at?.getAttribute('aria-live') ?? at?.getAttribute('role') ?? null; }"
    )
    return told


def test_what_comes_is_said_by_itself(people: People, remote: RemoteServer) -> None:
    people.faults.expect("net::ERR_|status of 422")
    one = remote.open(ruleset="tabletop", campaign=CAMPAIGN, agents={"gm": "outside"}, agent="outside")
    page = people.page(f"{remote.base}/games/{one.game}#{one.seats['gm']}", reduced_motion="reduce")
    expect(page.get_by_role("heading", name="Your turn")).to_be_visible()
    assert live(page, "Your turn") == "assertive"
    assert live(page, "The session starts.") == "polite"
    form = page.get_by_role("group", name="Answer form")
    form.get_by_role("button", name="Add document").click()
    form.get_by_role("textbox", name="Document").fill("../nowhere")
    page.get_by_role("button", name="Send").click()
    expect(form).to_have_attribute("aria-describedby", "refusal")
    expect(page.locator(".answer .refusal")).to_contain_text("1")
    page.get_by_role("button", name="Write raw text").click()
    page.locator(".answer .line textarea").fill("nothing that the rules could take")
    page.keyboard.press("Enter")
    refusal = page.locator(".answer .refusal")
    expect(refusal).to_be_visible()
    expect(refusal).to_have_role("alert")
    expect(page.locator(".answer .line textarea")).to_have_attribute("aria-describedby", "refusal")
    settled(page)
    page.context.set_offline(True)
    assert live(page, "Can’t reach the server") == "polite"
    page.context.set_offline(False)
    assert live(page, "Reconnected.") == "polite"
