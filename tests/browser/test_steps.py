"""A step of the replay touches little, and as little in a game of thousands of entries as in a short one."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from browser.looks import settled
from browser.sessions import People
from playwright.sync_api import Page
from shared_file import SharedFile

from sottovoce.domain.rulesets import RULESETS
from sottovoce.extras import craft_of
from sottovoce.isolation.games import play
from sottovoce.isolation.system import System
from sottovoce.projections.bundle import Bundle

PANELS = ["Who knows what", "Who saw what", "Highlights", "Log"]
TIMES = 24
"""How often the long record has the short one's entries."""
FROM, STEPS = 60, 14
DRAWN, TOUCHED, LINE = 1_000, 300, 16
"""Elements of two chairs and a panel; nodes that come, go or change in a step, there and of the line: at the most."""
RECORD = re.compile(r'(<script type="application/json" id="record">)(.*?)(</script>)', re.DOTALL)
WALK = """
async (steps) => {
    const all = (nodes) => [...nodes].flatMap((node) => [node, ...(node.querySelectorAll?.('*') ?? [])]);
    const again = new Set();
    const drawn = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    const parts = ['main', 'footer'].map((name) => {
        const part = { moved: new Set(), changed: 0, count: null, watch: null };
        part.count = (records) => {
            for (const one of records) {
                if (one.type !== 'childList') part.changed++;
                if (one.type === 'attributes' && one.target.getAttribute(one.attributeName) === one.oldValue)
                    again.add(`${one.attributeName} of ${one.target.nodeName} ${one.target.className}`);
                // What is put into something new has come with it.
                for (const node of all([...one.addedNodes, ...one.removedNodes])) part.moved.add(node);
            }
        };
        part.watch = new MutationObserver(part.count);
        const what = { subtree: true, childList: true, attributes: true, attributeOldValue: true, characterData: true };
        part.watch.observe(document.querySelector(name), what);
        return part;
    });
    const found = [];
    for (let step = 0; step < steps; step++) {
        for (const part of parts) part.changed = 0, part.moved.clear();
        document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }));
        await drawn();
        for (const part of parts) part.count(part.watch.takeRecords());
        found.push(parts.map((part) => part.moved.size + part.changed));
    }
    const [above, line] = [0, 1].map((part) => found.map((step) => step[part]));
    return { above, line, again: [...again], elements: document.querySelectorAll('main *').length };
}
"""
"""Counts what each step touches above the line and of it, and what is there above it in the end."""

LOOK = """
() => ({
    told: document.querySelector('main').innerText,
    seats: [...document.querySelectorAll('main .ring li')].map((seat) => [seat.className, seat.textContent]),
    light: [...document.querySelectorAll('main .halo, main .wood')].map((light) => [
        light.className, light.hidden, light.hidden ? '' : light.style.transform,
    ]),
    arrows: [...document.querySelectorAll('main .votes path')].map((arrow) => arrow.outerHTML),
    cells: [...document.querySelectorAll('main table tbody td')].map((cell) => [cell.className, cell.innerHTML]),
})
"""
"""A moment as it stands there: all words, and what is drawn of seats, lights, votes and facts."""

HEBREW = "שלום לכם"
BEGINS = """
(lines) => lines.map((line) => {
    const words = document.createRange();
    words.selectNodeContents(line);
    const [box, text] = [line.getBoundingClientRect(), words.getBoundingClientRect()];
    return box.right - text.right < text.left - box.left ? 'right' : 'left';
})
"""
"""At which side of its box each line begins."""


def repeated(content: str) -> str:
    """The file of a game that happened again and again, with its entries numbered on."""
    found = RECORD.search(content)
    assert found is not None
    record = json.loads(found[2])
    length = len(record["tracks"]["*"]["entries"])
    for track in record["tracks"].values():
        entries, seen = track["entries"], len(track["entries"])
        track["entries"] = [
            [index, seq + turn * seen, None if position is None else position + turn * length]
            for turn in range(TIMES)
            for index, seq, position in entries
        ]
        track["seq"] = seen * TIMES
    return content[: found.start(2)] + json.dumps(record) + content[found.end(2) :]


@pytest.fixture(scope="module")
def files(built_page: Bundle, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, list[str]]:
    """The file of a game and that of the long one, and two of its seats."""
    folder = tmp_path_factory.mktemp("steps")
    game = play(System(RULESETS["mafia"]), craft_of("mafia"), 100_001)
    content = SharedFile(folder, built_page).written(game.log).decode()
    short, long = folder / "short.html", folder / "long.html"
    short.write_text(content)
    long.write_text(repeated(content))
    return short, long, [seat for seat in game.seats if seat != "narrator"][:2]


def walked(people: People, file: Path, seats: list[str]) -> dict[str, Any]:
    """What steps from two chairs touch, by the panel beside them."""
    moment = f"at={FROM}&as={'&as='.join(seats)}"
    page = people.page(f"{file.as_uri()}#{moment}", reduced_motion="reduce")
    page.locator(".chair").nth(1).wait_for()
    found = {}
    for panel in PANELS:
        button = page.locator(".panels").get_by_role("tab", name=panel, exact=True)
        button.click()
        # The address may still say so.
        page.evaluate("at => { location.hash = at; dispatchEvent(new Event('hashchange')) }", moment)
        settled(page, 400)
        found[panel] = page.evaluate(WALK, STEPS)
    return found


def test_a_step_touches_no_more_in_a_long_game_than_in_a_short_one(
    people: People, files: tuple[Path, Path, list[str]]
) -> None:
    short, long, seats = files
    once, often = walked(people, short, seats), walked(people, long, seats)
    for panel in PANELS:
        assert min(once[panel]["above"]) > 0, "there were steps to take"
        # A list is scrolled to its rows once nobody steps, which on a busy machine is between two steps.
        pairs = zip(once[panel]["above"], often[panel]["above"], strict=True)
        assert all(abs(one - other) <= 1 for one, other in pairs), (panel, once, often)
        assert max(once[panel]["above"]) <= TOUCHED, (panel, once[panel])
        assert not once[panel]["again"], "what stays as it is is not written"
        assert max(once[panel]["line"] + often[panel]["line"]) <= LINE, (panel, once, often)
        if panel != "Highlights":  # which are few, and all drawn
            assert often[panel]["elements"] <= min(DRAWN, once[panel]["elements"] * 1.1), (panel, once, often)


def test_a_moment_that_is_stepped_to_is_the_one_that_is_opened(
    people: People, files: tuple[Path, Path, list[str]]
) -> None:
    file, _, seats = files
    asked = f"as={'&as='.join(seats)}"
    walker, opener = (people.page(reduced_motion="reduce") for _ in range(2))

    def opened(page: Page, place: int) -> None:
        page.goto("about:blank")
        page.goto(f"{file.as_uri()}#at={place}&{asked}")
        page.locator(".chair").nth(1).wait_for()
        button = page.locator(".panels").get_by_role("tab", name=PANELS[0], exact=True)
        button.click()
        settled(page, 100)

    opened(walker, FROM)
    spoken = 0
    for _ in range(2 * STEPS):
        walker.keyboard.press("ArrowRight")
        settled(walker, 400)  # the address follows once nobody steps
        place = re.search(r"at=(\d+)", walker.url)
        assert place is not None
        opened(opener, int(place[1]))
        stepped, found = walker.evaluate(LOOK), opener.evaluate(LOOK)
        assert stepped == found, place[1]
        spoken += any("halo" in kind and not hidden for kind, hidden, _ in found["light"])
    assert spoken, "the light was somewhere"


def test_words_run_from_the_side_at_which_they_begin(
    people: People, files: tuple[Path, Path, list[str]], tmp_path: Path
) -> None:
    short, _, seats = files
    content = short.read_text()
    found = RECORD.search(content)
    assert found is not None
    hebrew = re.sub(r'("words": ?\[\{[^]]*?"text": ?)"(?:[^"\\]|\\.)*"', rf'\1"{HEBREW}"', found[2])
    assert HEBREW in hebrew
    file = tmp_path / "hebrew.html"
    file.write_text(content[: found.start(2)] + hebrew + content[found.end(2) :])
    page = people.page(f"{file.as_uri()}#at={FROM}&as={seats[0]}", reduced_motion="reduce")
    told = page.locator(".feed .words").filter(has_text=HEBREW)
    told.first.wait_for()
    for side in told.evaluate_all(BEGINS):
        assert side == "right"
