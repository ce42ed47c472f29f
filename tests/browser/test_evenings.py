"""Whole games with people in browsers, beside a terminal and a program, through whatever happens to a connection."""

from __future__ import annotations

import asyncio
import json
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser.player import BrowserPlayer, play
from browser.sessions import People
from commands import SOTTOVOCE, Cli
from mcp_player import Player, by_stdio
from patience import PATIENCE
from playwright.sync_api import expect
from remote import CAMPAIGN, Opened, RemoteServer, log_in, places_in
from server_process import Serving
from terminals import Pty
from wire import Wire
from working import until

NAMES = ["Ada", "Bram", "Cleo", "Dirk", "Edda", "Finn", "Gus", "Hedy"]
REFUSED = "Failed to load resource: .* status of 422"
"""Words may come when something else is asked already, and are refused then."""
AWAY = "Can’t reach the server"


class Terminal(threading.Thread):
    """A person at a terminal, who chooses the first of whatever is asked until the game is over."""

    def __init__(self, link: str) -> None:
        super().__init__(daemon=True)
        env = {"SOTTOVOCE_LINK": link, "SOTTOVOCE_DB": "sqlite:////nowhere/games.db", "SOTTOVOCE_PACE": "0"}
        self.program = Pty([SOTTOVOCE, "join"], env=env)

    def run(self) -> None:
        end = time.monotonic() + PATIENCE
        while "This was game" not in self.program.text and time.monotonic() < end:
            if self.program.process.poll() is None:
                self.program.type("1\r")
            if not self.program.read():
                return


class Program(threading.Thread):
    """A client of the seat's tools, that plays by what it is told."""

    def __init__(self, link: str) -> None:
        super().__init__(daemon=True)
        self._link = link
        self.last = ""
        self.failure: BaseException | None = None

    def run(self) -> None:
        try:
            asyncio.run(self._play())
        except BaseException as failure:
            self.failure = failure

    async def _play(self) -> None:
        async with by_stdio(SOTTOVOCE_LINK=self._link) as client:
            self.last = await asyncio.wait_for(Player(client).play(), PATIENCE)


def answered(sv: Cli, game: str) -> Counter[tuple[str, int]]:
    """How often each turn was answered, by the log."""
    events = [json.loads(line) for line in sv("export", game).out.splitlines()]
    return Counter(
        (event["data"]["seat"], event["data"]["turn"])
        for event in events
        if event["name"] in ("core.reply-accepted.v1", "core.fallback-applied.v1")
    )


def by(wire: Wire, link: str) -> str:
    """The link, by way of the wire."""
    return f"{wire.base}/{link.split('/', 3)[3]}"


def test_two_browsers_a_terminal_and_a_program_play_mafia_to_the_end(people: People, server: Serving, sv: Cli) -> None:
    outside = dict.fromkeys(NAMES[:4], "outside")
    options = {"max_days": 2, "max_speeches": 2}
    game, links = server.open(names=NAMES, agents=outside, agent="house", seed="4", options=options)
    people.faults.expect("Failed to load resource: net::ERR_")  # the test's own doing
    people.faults.expect(REFUSED)
    with Wire(server.port) as wire:
        ada = BrowserPlayer(people.page(by(wire, links["Ada"])))
        bram = BrowserPlayer(people.page(links["Bram"]), keys=True)
        terminal, program = Terminal(links["Cleo"]), Program(links["Dirk"])
        terminal.start()
        program.start()
        try:
            both = (ada, bram)
            # A reload keeps what is being written.
            expect(ada.page.locator(".answer.asked")).to_be_visible()
            field = ada.page.get_by_role("textbox")
            field.fill("Half a sentence that")
            ada.page.reload()
            expect(field).to_have_value("Half a sentence that")
            field.fill("")
            play(both, lambda: bool(ada.answers and bram.answers))

            # The network of one is lost, and comes back.
            wire.stall()
            wire.cut()
            expect(ada.page.get_by_text(AWAY).first).to_be_visible()
            wire.flow()
            expect(ada.page.get_by_text(AWAY)).to_have_count(0)
            before = ada.answers
            play(both, lambda: ada.answers > before)

            # The server is killed, and started again.
            server.stop(signal.SIGKILL)
            expect(bram.page.get_by_text(AWAY).first).to_be_visible()
            expect(ada.page.get_by_text(AWAY).first).to_be_visible()
            server.start()
            expect(bram.page.get_by_text(AWAY)).to_have_count(0)

            play(both, lambda: ada.over and bram.over)
            program.join(PATIENCE)
            terminal.join(PATIENCE)
            assert not program.is_alive()
            assert not terminal.is_alive()
        finally:
            terminal.program.close()
    assert program.failure is None
    assert "the game is over" in program.last
    assert f"This was game {game}." in terminal.program.text
    assert set(answered(sv, game).values()) == {1}
    assert ada.answers
    assert bram.answers


LAMP = "I put the lamp down, and listen."


@pytest.fixture
def remote(tmp_path: Path) -> Iterator[RemoteServer]:
    """A server with a campaign and a folder of tasks to play in. It comes before `people`, to go after them."""
    with RemoteServer(log_in(tmp_path), places_in(tmp_path)) as running:
        yield running


def link(remote: RemoteServer, one: Opened, seat: str) -> str:
    return f"{remote.base}/games/{one.game}#{one.seats[seat]}"


def test_a_character_is_played_field_by_field(remote: RemoteServer, people: People) -> None:
    """Nobody has to know the tags of the rules, and nothing that is filled in is refused."""
    character = "pim-tallow"
    seats = {"human": "house", character: "outside"}
    one = remote.open(ruleset="tabletop", campaign=CAMPAIGN, character=character, agents=seats, seed="3")
    words = "I hold the lamp up, and count the stairs."
    page = people.page(link(remote, one, character))
    form = page.get_by_role("group", name="Answer form")
    expect(form).to_be_visible()
    asked = page.get_by_role("region", name="Answer", exact=True)
    expect(asked).not_to_contain_text("RELAY_TO_HUMAN")
    page.get_by_role("button", name="Write raw text").click()
    expect(asked).to_contain_text("Send RELAY_TO_HUMAN")
    page.get_by_role("button", name="Use the form").click()
    for field in form.get_by_role("textbox").all():
        field.fill(LAMP)
    page.reload()
    expect(form.get_by_role("textbox").first).to_have_value(LAMP)
    people.faults.expect("net::ERR_")
    page.context.set_offline(True)
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_role("button", name="Waiting for the server")).to_be_visible()
    page.context.set_offline(False)
    player = BrowserPlayer(page, words=words)
    play([player], lambda: player.answers >= 3)
    auditor = remote.issue(one.game, one.keeper, "auditor")
    told = json.dumps(remote.get(f"/v1/games/{one.game}/view", auditor, limit=1000)["entries"])
    assert words in told
    assert told.count(LAMP) >= 1
    assert f'"actor": "{character}"' in told


def test_an_auditor_reads_what_players_had_in_mind_at_any_moment(remote: RemoteServer, people: People) -> None:
    """To the word of their receipts, and nobody else does."""
    one = remote.open(names=NAMES, agent="house", seed="4", options={"max_days": 2})
    until(lambda: remote.get(f"/v1/games/{one.game}", one.keeper)["status"] == "over")
    auditor = remote.issue(one.game, one.keeper, "auditor")
    rows = remote.get(f"/v1/games/{one.game}/receipts", auditor, limit=1000)["receipts"]
    assert len(rows) < 1000, "all are in one answer"
    minds = [row for row in rows if "mind" in row["data"]]
    assert {row["seat"] for row in minds} == set(NAMES)
    page = people.page(f"{remote.base}/games/{one.game}#{auditor}")
    page.get_by_role("tab", name="Thoughts", exact=True).click()
    panel = page.get_by_role("region", name="Thoughts")
    page.keyboard.press("End")
    shown = panel.locator(".mind")
    expect(shown).to_have_count(len(NAMES))
    latest = {row["seat"]: row["data"]["mind"] for row in minds}
    assert set(shown.all_text_contents()) == {mind["thoughts"] for mind in latest.values()}
    suspected = latest["Ada"]["suspicion"]
    bars = panel.get_by_role("list", name="Suspicions of Ada").get_by_role("listitem")
    expect(bars).to_have_count(len(suspected))
    expect(bars.first).to_contain_text(max(suspected, key=suspected.__getitem__))
    page.keyboard.press("Home")
    expect(panel).to_contain_text("No thoughts recorded so far.")
    page.keyboard.press("End")
    page.get_by_label("View as").get_by_role("button", name="Ada").click()
    expect(shown).to_have_count(1)
    number = panel.get_by_role("button").last
    where = number.inner_text()
    number.click()
    page.keyboard.press("0")
    expect(page.get_by_role("slider")).to_have_attribute("aria-valuenow", where)
    seat = people.page(f"{remote.base}/games/{one.game}#{remote.issue(one.game, one.keeper, 'seat', 'Ada')}")
    seat.get_by_role("button", name="Replay", exact=True).click()
    seat.get_by_role("tab", name="Who knows what").wait_for()
    expect(seat.get_by_role("tab", name="Thoughts", exact=True)).to_have_count(0)
