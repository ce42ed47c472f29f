"""The user reviews code on the page: remarks at lines, which executor and reviewer answer."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from browser.sessions import People
from browser.walks import opened
from commands import ROOT
from playwright.sync_api import Locator, Page, expect
from remote import Opened, RemoteServer, bounded, log_in
from repositories import QUIET, Repo

from sottovoce.server.http.settings import Settings

PROGRAM = f"#!/bin/sh\nexec {sys.executable} {ROOT / 'tests' / 'kit' / 'task_agent.py'} answering\n"
PLAN = "a plan für alle.txt"


@pytest.fixture
def agent() -> Iterator[str]:
    """A program that works and answers, under a name as short as a server takes."""
    with TemporaryDirectory() as folder:
        program = Path(folder) / "agent"
        program.write_text(PROGRAM)
        program.chmod(0o700)
        yield f"command:{program}"


@pytest.fixture
def server(tmp_path: Path, agent: str) -> Iterator[RemoteServer]:
    """A server that plays programs in a repository."""
    folder = tmp_path
    repo = Repo(folder / "paper")
    repo.commit("briefs", {"tasks/mend-roof.md": "Mend the roof.\n"})
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(folder / "state"))
        patch.setenv("SOTTOVOCE_COMMANDS", "*")
        patch.setenv("SOTTOVOCE_COMMAND_ENVIRONMENT", " ".join(QUIET))
        for name, value in QUIET.items():
            patch.setenv(name, value)
        settings = Settings(bounds=bounded(), log_requests=False, places={"folder": {"paper": repo.folder}})
        settings = settings.model_copy(update={"agents": {"outside": None, agent: None}})
        with RemoteServer(log_in(folder), settings=settings) as running:
            yield running


def delegated(server: RemoteServer) -> Opened:
    """A task that programs work on, in all seats but the user's."""
    agent = next(name for name in server.settings.agents if name != "outside")
    return server.open(ruleset="delegation", setup={"folder": "paper"}, agents={"user": "outside"}, agent=agent)


def reviewing(server: RemoteServer, page: Page, game: Opened) -> Locator:
    """The code of the task on the user's page, once it is to be decided on."""
    opened(page, f"{server.base}/games/{game.game}#{game.seats['user']}")
    expect(answer(page).get_by_role("button", name="iterate")).to_be_visible()
    return page.get_by_role("region", name="Files of mend roof")


def answer(page: Page) -> Locator:
    return page.get_by_role("region", name="Answer")


def line(code: Locator, number: int, file: str = PLAN) -> Locator:
    """The button of a line that is new in a file."""
    return code.locator("details", has_text=file).get_by_role("button", name=f"Remark on line {number}, added")


def test_a_person_remarks_on_lines_and_reads_the_answers_there(server: RemoteServer, people: People) -> None:
    page = people.context().new_page()
    code = reviewing(server, page, delegated(server))
    line(code, 1).click()
    code.get_by_role("textbox", name="Remark on line 1").fill("Why does this stay?\nReally?")
    code.get_by_role("button", name="Add remark").click()
    expect(line(code, 1)).to_be_focused()
    line(code, 1).press("ArrowDown")
    line(code, 2).press("Shift+ArrowDown")
    page.keyboard.press("Enter")
    page.keyboard.type("Both, please: :12 (old)")
    page.reload()

    expect(answer(page)).to_contain_text("1 remark goes with your answer")
    field = code.get_by_role("group", name="Remark on lines 2 to 3").get_by_role("textbox")
    expect(field).to_have_value("Both, please: :12 (old)")
    field.press("Control+Enter")
    expect(answer(page)).to_contain_text("2 remarks go with your answer")
    expect(code.get_by_role("article", name="Your remark")).to_have_count(2)
    page.reload()

    expect(answer(page)).to_contain_text("2 remarks go with your answer")
    expect(code.get_by_role("article", name=f"Your remark on {PLAN}:1, not sent yet")).to_contain_text("Really?")
    answer(page).get_by_role("button", name="iterate").click()
    answer(page).get_by_role("textbox").fill("More of it.")
    answer(page).get_by_role("button", name="Send").click()

    expect(code.get_by_role("button", name="round 2")).to_be_visible()
    expect(answer(page).get_by_role("button", name="iterate")).to_be_visible()
    expect(answer(page)).not_to_contain_text("goes with your answer")
    expect(code.get_by_role("article", name="Your remark")).to_have_count(0)
    stays = code.get_by_role("article", name=f"Remark of User on {PLAN}:1")
    expect(stays).to_contain_text("item 2")
    expect(stays).to_contain_text("Executor, round 2: done: as item 2 says")
    expect(stays).to_contain_text("Reviewer, round 2: done: as item 2 says")
    expect(stays).not_to_contain_text("outdated")
    changed = code.get_by_role("article", name=f"Remark of User on {PLAN}:2–3")
    expect(changed).to_contain_text("outdated")
    expect(changed).to_contain_text("round 1\nlast", use_inner_text=True)

    code.get_by_role("button", name="round 1").click()
    expect(changed).to_contain_text("Both, please")
    expect(changed).not_to_contain_text("outdated")
    expect(changed).to_contain_text("Executor, round 2: done: as item 3 says")


def test_drafts_can_be_changed_and_deleted_and_lead_to_their_lines(server: RemoteServer, people: People) -> None:
    page = people.context().new_page()
    code = reviewing(server, page, delegated(server))
    for number in (1, 3):
        line(code, number).click()
        page.keyboard.type(f"Line {number}")
        page.keyboard.press("Control+Enter")
    drafts = code.get_by_role("article", name="Your remark")
    expect(drafts).to_have_count(2)
    drafts.first.get_by_role("button", name="Edit").click()
    page.keyboard.type(", changed")
    page.keyboard.press("Control+Enter")
    expect(drafts.first).to_contain_text("Line 1, changed")
    line(code, 2).click()
    page.keyboard.type("Not this.")
    page.keyboard.press("Escape")
    expect(drafts).to_have_count(2)
    drafts.first.get_by_role("button", name="Delete").click()
    expect(drafts).to_have_count(1)
    page.get_by_role("button", name="review request", exact=True).click()
    expect(drafts).to_have_count(0)
    answer(page).get_by_role("button", name=f"{PLAN}:3").click()
    expect(drafts).to_be_focused()
    answer(page).get_by_role("button", name="accept").click()
    answer(page).get_by_role("button", name="Send").click()
    noted = code.get_by_role("article", name=f"Remark of User on {PLAN}:3")
    expect(noted).to_contain_text("Line 3")
    expect(drafts).to_have_count(0)


def test_a_draft_is_seen_on_its_own_page_alone_and_sent_to_nobody(server: RemoteServer, people: People) -> None:
    context = people.context()
    page, game = context.new_page(), delegated(server)
    sent: list[str] = []
    code = reviewing(server, page, game)
    page.on("request", lambda request: sent.append(f"{request.url} {request.post_data}"))
    line(code, 1).click()
    page.keyboard.type("Keep this to yourself.")
    page.keyboard.press("Control+Enter")
    expect(code.get_by_role("article", name="Your remark")).to_have_count(1)
    for seat in ("executor", "reviewer", "user"):
        other = context.new_page()
        token = game.seats.get(seat) or server.issue(game.game, game.keeper, "seat", seat)
        opened(other, f"{server.base}/games/{game.game}#{token}")
        expect(other.get_by_role("region", name="Files of mend roof")).to_contain_text("stays")
        expect(other.locator("body")).not_to_contain_text("Keep this to yourself.")
        expect(other.locator("body")).not_to_contain_text("not sent yet")
    assert not [one for one in sent if "Keep this" in one]
    assert page.evaluate("[localStorage.length, sessionStorage.length]") == [0, 0]


def test_a_drag_over_numbers_chooses_their_lines(server: RemoteServer, people: People) -> None:
    page = people.context().new_page()
    code = reviewing(server, page, delegated(server))
    line(code, 1).hover()
    page.mouse.down()
    line(code, 2).hover()
    line(code, 3).hover()
    page.mouse.up()
    form = code.get_by_role("group", name="Remark on lines 1 to 3")
    expect(form.get_by_role("textbox")).to_be_focused()
    page.keyboard.press("Escape")
    line(code, 2).click()
    code.get_by_role("button", name="Include the next line").click()
    expect(code.get_by_role("group", name="Remark on lines 2 to 3")).to_be_visible()
