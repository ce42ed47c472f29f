"""Whatever anybody writes, and a model answers, changes nothing in a page and in a file to share but its own text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from browser.files import file_opened
from browser.harmless import harm, letters, show_the_rest, unread
from browser.sessions import People
from browser.walks import look_back, pressed
from hostile import NAMES, SAYINGS
from ill_will import FILES, MODEL, OFFERED, PLACES, RULES, IllOptions, IllWill, ill_will
from playwright.sync_api import Page, expect
from served import eventually
from sizes import sized

from sottovoce.projections.bundle import Bundle

SURFACES = {
    "a seat at the table": ("table", "seat", NAMES[0]),
    "a seat that looks back": ("over", "seat", NAMES[3]),
    "the human of a session": ("story", "seat", "human"),
    "the game master": ("story", "seat", "gm"),
    "the user of delegated work": ("work", "seat", "user"),
    "a spectator": ("over", "spectator", None),
    "a spectator of hostile rules": ("odd", "spectator", None),
    "an auditor of delegated work": ("work", "auditor", None),
    "an auditor of a game": ("over", "auditor", None),
    "a keeper": ("table", "keeper", None),
}
"""Pages with what they show: of which game, by which link."""
SHOWN = ["Constructor" if name == "constructor" else name for name in NAMES]
"""The names as pages show them."""
PROMPTED = {"over": NAMES[4], "work": "planner"}
"""Whose prompts an auditor looks at: a model's."""
WIDE, NARROW = 1280, 360
LOOKED_AT = sized(
    [(name, NARROW if at % 2 == 0 else WIDE) for at, name in enumerate(SURFACES)],
    [(name, width) for name in SURFACES for width in (WIDE, NARROW)],
)


@pytest.fixture(scope="module")
def ill(built_page: Bundle, tmp_path_factory: pytest.TempPathFactory) -> Iterator[IllWill]:
    with ill_will(tmp_path_factory.mktemp("ill")) as running:
        yield running


@pytest.fixture
def harmless(people: People, ill: IllWill) -> Iterator[People]:
    """People to whose pages nothing happens, and whose browsers report nothing."""
    before = ill.reports
    yield people
    assert ill.reports == before


def looked_at(people: People, address: str, width: int) -> Page:
    page = people.context(viewport={"width": width, "height": 800}, reduced_motion="reduce").new_page()
    page.on("dialog", lambda dialog: people.faults.found.append(f"dialog: {dialog.message}"))
    page.goto(address)
    page.locator("main").get_by_role("group").or_(page.locator("main ol, main section")).first.wait_for()
    return page


def unharmed(page: Page) -> None:
    assert harm(page) == []


def told(ill: IllWill, address: str, *, least: int = 0) -> list[str]:
    """The words that the page's own chair was told, in pieces of that weight and more."""
    game, token = address.rpartition("/")[2].split("#")
    entries: list[dict[str, Any]] = ill.remote.get(f"/v1/games/{game}/replay", token)["entries"]
    pieces = [entry["piece"] for entry in entries if entry["piece"] and entry["piece"]["weight"] >= least]
    return [voice["text"] for piece in pieces for voice in piece["words"]]


def thoughts(ill: IllWill, address: str) -> list[str]:
    """What the models of a game thought, as an auditor's receipts have it."""
    game, token = address.rpartition("/")[2].split("#")
    found: list[str] = []
    after: int | None = 0
    while after is not None:
        told: dict[str, Any] = ill.remote.get(f"/v1/games/{game}/receipts", token, after=after)
        found += [one["data"]["mind"]["thoughts"] for one in told["receipts"] if "mind" in one["data"]]
        after = told["next"]
    return found


def test_what_is_said_means_ill(ill: IllWill) -> None:
    """Otherwise the other tests show nothing. Of what a model says, markup that could be reasoning is cut."""
    for game, words in ((ill.over, 18), (ill.table, 8), (ill.story, 2), (ill.work, 8)):
        said = {letters(text) for text in told(ill, ill.link(game, "auditor"))}
        assert sum(any(letters(text) in one for one in said) for text in SAYINGS if letters(text)) >= words


@pytest.mark.parametrize(("name", "width"), LOOKED_AT)
def test_a_page_is_as_it_was_meant(harmless: People, ill: IllWill, name: str, width: int) -> None:
    game, kind, seat = SURFACES[name]
    address = ill.link(getattr(ill, game), kind, seat)
    page = looked_at(harmless, address, width)
    unharmed(page)
    if kind == "seat":
        ending = page.get_by_role("heading", name="Look from any chair")
        table = page.get_by_role("button", name="Back to the game").or_(page.locator(".answer"))
        table.or_(ending).first.wait_for()
        for button in page.get_by_role("button", name="Back to the game").all():
            button.click()
        for box in page.get_by_label("All tasks").all():
            box.check()
        unharmed(page)
        assert ending.count() or list(unread(page, told(ill, address))) == []
        look_back(page)
    pressed(page, unharmed)
    for key in ("Home", "n", "v", "End"):
        page.keyboard.press(key)
    unharmed(page)
    if kind == "auditor":
        page.get_by_role("tab", name="Prompts", exact=True).click()
        page.get_by_role("region", name="Prompts").locator("select").select_option(PROMPTED[game])
        expect(page.locator("pre").first).to_be_attached()
        unharmed(page)
        shown = page.locator("pre").all_text_contents()
        assert any(letters(text) in letters(words) for text in SAYINGS if letters(text) for words in shown)
        page.get_by_role("tab", name="Thoughts", exact=True).click()
        minds = page.get_by_role("region", name="Thoughts").locator(".mind")
        expect(minds.first).to_be_attached()
        unharmed(page)
        kept = {letters(text) for text in thoughts(ill, address)}
        shown = [letters(words) for words in minds.all_text_contents()]
        assert [words for words in shown if words not in kept] == []
        assert any(letters(text) in one for one in kept for text in SAYINGS if letters(text))


def test_a_document_is_read_as_it_was_written(harmless: People, ill: IllWill) -> None:
    """Whatever its name, its kind and its words."""
    address = ill.link(ill.story, "seat", "gm")
    page = looked_at(harmless, address, NARROW)
    page.get_by_text("Documents", exact=False).first.click()
    path, token = f"/v1/games/{ill.story.game}/documents", address.partition("#")[2]
    there = [one["path"] for one in ill.remote.get(path, token)["documents"]]
    assert {f"npcs/{name}" for name in FILES} < set(there)
    for name in (*(f"npcs/{name}" for name in FILES), "party/pim-tallow.md", "party-knowledge.md"):
        words = ill.remote.ask("GET", f"{path}/{quote(name)}", token).text
        page.locator("li button").and_(page.locator(f"[title={json.dumps(name, ensure_ascii=False)}]")).click()
        shown = page.get_by_role("dialog")
        expect(shown.get_by_role("document")).not_to_be_empty()
        show_the_rest(page)
        expect(shown.get_by_text("sottovoce" if name.startswith("party") else "Own page").last).to_be_attached()
        assert list(unread(page, [words, name])) == [], name
        unharmed(page)
        page.keyboard.press("Escape")


def test_a_game_is_opened_where_every_name_means_ill(harmless: People, ill: IllWill) -> None:
    page = looked_at(harmless, f"{ill.remote.base}/#{ill.remote.host}", NARROW)
    expect(page.get_by_role("heading", name="Continue")).to_be_visible()
    unharmed(page)
    page.get_by_role("button", name="All games").click()
    expect(page.get_by_text(ill.over.game)).to_be_visible()
    unharmed(page)
    assert list(unread(page, SHOWN)) == []
    page.get_by_role("button", name="New game").click()

    def unfolded() -> None:
        folded = page.locator("form details:not([open]) > summary")
        while folded.count():
            folded.first.click()

    def chosen(rules: str) -> None:
        page.get_by_role("radio").and_(page.locator(f"[value={json.dumps(rules, ensure_ascii=False)}]")).check(
            force=True
        )
        expect(page.get_by_role("group", name="Who are you?")).to_be_visible()
        unfolded()
        unharmed(page)

    for rules, where in (("tabletop", "Campaign"), ("delegation", "Folder")):
        chosen(rules)
        for place in PLACES:
            page.get_by_label(where, exact=True).select_option(place)
            assert page.get_by_label(where, exact=True).input_value() == place
            unharmed(page)
        assert list(unread(page, [*PLACES, MODEL.partition(":")[2]])) == []
    chosen(OFFERED.name)
    ill_ones = [IllOptions.model_fields[name] for name in IllOptions.__annotations__]
    words = [word for field in ill_ones for word in (field.alias or "", field.description or "")]
    assert list(unread(page, [OFFERED.name, *words, "javascript:ran=28"])) == []
    chosen(RULES.name)
    for number, (name, shown) in enumerate(zip(NAMES, SHOWN, strict=True), 1):
        page.get_by_label(f"Name of seat {number}").fill(name)
        page.get_by_label(f"Player type for {shown}", exact=True).select_option("outside")
    page.get_by_role("button", name="Create game").click()
    expect(page.get_by_role("heading", name="game created")).to_be_visible()
    unharmed(page)
    assert list(unread(page, [RULES.name, *SHOWN])) == []


def test_no_name_is_taken_for_what_every_object_has(harmless: People, ill: IllWill) -> None:
    """A seat called `constructor` is filled no sooner than any other."""
    page = looked_at(harmless, ill.link(ill.table, "keeper"), WIDE)
    page.get_by_role("button", name="Manage").click()
    fill = page.get_by_role("button", name="Assign", exact=True)
    expect(fill).to_have_count(len(NAMES) + 1)
    assert [button.is_disabled() for button in fill.all()] == [True] * (len(NAMES) + 1)


FILED = {
    "everybody's file": ("odd", "spectator", None),
    "the file of a session": ("story", "seat", "human"),
    "the file of delegated work": ("work", "seat", "user"),
    "the file of everything": ("over", "auditor", None),
}


def filed(ill: IllWill, name: str) -> tuple[str, list[str]]:
    """The file, and what its chair was told last."""
    game, kind, seat = FILED[name]
    address = ill.link(getattr(ill, game), kind, seat)
    path, _, token = address.removeprefix(ill.remote.base).partition("#")
    return ill.remote.ask("GET", f"/v1{path}/transcript", token, format="html").text, told(ill, address, least=1)[-2:]


@pytest.mark.parametrize("name", FILED)
def test_a_file_is_as_it_was_meant(harmless: People, ill: IllWill, tmp_path: Path, name: str) -> None:
    text, last = filed(ill, name)
    (tmp_path / "game.html").write_text(text, encoding="utf-8")
    page = file_opened(harmless, tmp_path / "game.html")
    unharmed(page)
    page.keyboard.press("End")
    unharmed(page)
    assert list(unread(page, last)) == []
    pressed(page, unharmed)


def test_a_record_that_could_end_its_script_is_found_out(people: People, ill: IllWill, tmp_path: Path) -> None:
    """As it would be without being escaped."""
    text, _ = filed(ill, "the file of everything")
    (tmp_path / "game.html").write_text(text.replace(r"\u003c", "<"), encoding="utf-8")
    people.faults.expect("")
    page = people.page((tmp_path / "game.html").as_uri())
    assert any(one.startswith("element: <iframe") for one in harm(page))


HARM = {
    "element": "main.append(document.createElement('u'))",
    "element: <b": "main.append(document.createElement('b'))",
    "attribute": "main.setAttribute('ping', '/v1/link')",
    "address: a": "main.append(Object.assign(document.createElement('a'), { href: 'javascript:ran=1' }))",
    "address: link": "document.querySelector('link').href = '/v1/link'",
    "style": "main.style.background = 'url(/lamp.svg)'",
    "ran": "Object.prototype.ran = 1",
    "wide": "main.style.minWidth = '3000px'",
    "turns": "main.append(Object.assign(document.createElement('p'), { textContent: '\u202eno' })); "
    "main.lastChild.append(document.createElement('span')); main.lastChild.lastChild.append('beside')",
}


@pytest.mark.parametrize("what", HARM)
def test_harm_is_seen(people: People, ill: IllWill, what: str) -> None:
    people.faults.expect("policy|violates|Refused|javascript")
    page = looked_at(people, ill.link(ill.odd, "spectator"), WIDE)
    unharmed(page)
    page.evaluate(f"() => {{ const main = document.querySelector('main'); {HARM[what]}; }}")
    assert any(one.startswith(what) for one in harm(page))


def test_what_is_typed_is_sent_as_it_is(harmless: People, ill: IllWill) -> None:
    """And shown so, where one has said it."""
    address = ill.link(ill.story, "seat", "human")
    page = looked_at(harmless, address, NARROW)
    typed = " ".join(SAYINGS[number] for number in (0, 1, 3, 4, 7))
    page.locator(".answer .line textarea").fill(typed)
    page.locator(".answer button.primary").click()
    expect(page.locator(".answer .line textarea")).to_have_value("")
    unharmed(page)
    eventually(lambda: list(unread(page, [typed])) == [])
    unharmed(page)
