"""The file to share: it has exactly what its viewer has, runs only its own script, and treats no text as markup."""

from __future__ import annotations

import json
import random
import re
from base64 import b64encode
from collections.abc import Callable, Sequence
from dataclasses import replace
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import msgspec
import pytest
from golden import LOGS
from hostile import HOSTILE, varied
from hypothesis import given, settings
from hypothesis import strategies as st
from small_page import SMALL, small_page
from table import Table

from sottovoce.domain.events import GameOpened, Recorded
from sottovoce.domain.rulesets import RULESETS
from sottovoce.domain.safe_text import hides
from sottovoce.golden import read_log
from sottovoce.projections import bundle
from sottovoce.projections.bundle import Bundle, NotBuilt
from sottovoce.projections.perspective import FULL, PUBLIC, Perspective, of_seat, seats_of
from sottovoce.projections.replay_file import ALL, EVERYBODY, record, replay_file
from sottovoce.projections.track import Head, Track
from sottovoce.rulesets.mafia.rules import MAFIA
from sottovoce.rulesets.mafia.rules import events as e
from sottovoce.server.entries import Entries, exported
from sottovoce.server.live import LiveGame


def file(recorded: Sequence[Recorded], whose: Perspective, ruleset: Any = MAFIA, page: Bundle = SMALL) -> str:
    return exported(live(recorded, ruleset), whose, page)


def live(recorded: Sequence[Recorded], ruleset: Any = MAFIA) -> LiveGame:
    game = LiveGame(recorded[0].game, ruleset)
    game.take(recorded)
    return game


class Page(HTMLParser):
    """The tags of a file with their attributes, the content of its scripts and style, and its record."""

    VOID = ("meta",)

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, tuple[tuple[str, str | None], ...]]] = []
        self.inside: dict[int, str] = {}
        self.open: list[tuple[str, int]] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append((tag, tuple(attrs)))
        if tag not in self.VOID:
            self.open.append((tag, len(self.tags) - 1))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop()[0] == tag

    def handle_data(self, data: str) -> None:
        if self.open:
            place = self.open[-1][1]
            self.inside[place] = self.inside.get(place, "") + data

    def texts(self, tag: str) -> list[str]:
        return [self.inside.get(place, "") for place, (name, _) in enumerate(self.tags) if name == tag]

    @property
    def record(self) -> Any:
        return json.loads(self.texts("script")[0])

    @property
    def policy(self) -> dict[str, str]:
        (text,) = (dict(given)["content"] for tag, given in self.tags if ("http-equiv", POLICY) in given)
        assert text is not None
        return dict(rule.split(" ", 1) for rule in text.split("; "))


POLICY = "Content-Security-Policy"


def unfolded(stored: Any) -> dict[str, Any]:
    """Return the tracks as a reader of the file puts them together."""
    tracks = {}
    for name, track in stored["tracks"].items():
        entries = []
        for place, seq, position in track["entries"]:
            entry = {"seq": seq, **stored["told"][place]}
            entries.append(entry if position is None else {**entry, "position": position})
        tracks[name] = {**track, "entries": entries}
    return tracks


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.stem)
def test_a_chair_s_file_holds_its_track_and_the_full_one_all_of_them(path: Path) -> None:
    log = read_log(path)
    ruleset = RULESETS[log[0].event.data()["ruleset"]]
    game, seats = live(log, ruleset), seats_of(log)
    for whose in (PUBLIC, of_seat(seats[0])):
        stored = Page(exported(game, whose, SMALL)).record
        own = json.loads(Entries(ruleset, whose.seat).track(game).to_bytes())
        assert stored["first"] == (whose.seat or EVERYBODY)
        assert unfolded(stored) == {stored["first"]: {**own, "game": ""}}
    text = exported(game, FULL, SMALL)
    stored = Page(text).record
    tracks = unfolded(stored)
    assert list(tracks) == [ALL, EVERYBODY, *game.state.seats]
    assert stored["first"] == ALL
    full = json.loads(Entries(ruleset, None, auditor=True).track(game, audited=True).to_bytes())
    assert [{**entry, "seq": 0} for entry in tracks[ALL].pop("entries")] == [
        {**event, "seq": 0} for event in full.pop("entries")
    ]
    assert tracks[ALL] == full
    for name in (EVERYBODY, *game.state.seats):
        track = json.loads(Entries(ruleset, name or None).track(game, audited=True).to_bytes())
        assert tracks[name] == {**track, "game": ""}
    assert len(stored["told"]) < sum(len(track["entries"]) for track in stored["tracks"].values())
    assert text == exported(live(log, ruleset), FULL, SMALL), "the same game is the same file, to the byte"


def test_the_file_runs_what_stands_in_it_and_loads_nothing(played: Callable[[int], Table]) -> None:
    for whose in (of_seat("Ada"), PUBLIC, FULL):
        page = Page(file(played(3).recorded, whose))
        names = [name for name, _ in page.tags]
        assert not {"link", "img", "iframe", "object", "form", "a", "base"} & set(names)
        attributes = {name for _, given in page.tags for name, _ in given}
        assert attributes == {"lang", "charset", "name", "content", "http-equiv", "id", "type"}
        (script, style), policy = (page.texts("script")[1], page.texts("style")[0]), page.policy
        assert policy["script-src"] == f"'sha256-{digest(script)}'"
        assert policy["style-src"] == f"'sha256-{digest(style)}'"
        assert policy["default-src"] == policy["base-uri"] == policy["form-action"] == "'none'"
        assert policy["font-src"] == policy["img-src"] == "data:"
        assert policy["require-trusted-types-for"] == "'script'"
        assert names.index("meta") < names.index("style") < names.index("script")


def digest(text: str) -> str:
    return b64encode(sha256(text.encode()).digest()).decode()


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_speech_makes_no_markup(log: Any, text: str) -> None:
    log.says("Bram", "Good evening.")
    plain = Page(file(log.recorded, PUBLIC))
    log.says("Bram", text)
    log.add(e.NarrationGiven(scene="opening", text=text))
    hostile = Page(file(log.recorded, PUBLIC))
    assert hostile.tags == plain.tags
    assert hostile.texts("script")[1:] == plain.texts("script")[1:]
    assert "<" not in hostile.texts("script")[0]
    assert [entry["data"]["text"] for entry in hostile.record["told"][-2:]] == [text, text]


def test_a_hostile_name_is_escaped_wherever_it_stands(log: Any) -> None:
    name = '</title><b>[x](y)|"&\u202e'
    opening = GameOpened(ruleset="mafia", seats=(name, "Bram", "narrator"), options={})
    log.recorded[0] = msgspec.structs.replace(log.recorded[0], event=opening)
    log.says(name, "Hear me.")
    for whose in (of_seat(name), PUBLIC, FULL):
        text = file(log.recorded, whose)
        assert [tag for tag, _ in Page(text).tags].count("b") == 0
        assert not hides(text)
        seats = next(iter(Page(text).record["tracks"].values()))["seats"]
        assert seats == [name, "Bram", "narrator"]


@given(st.text(max_size=40), st.text(st.characters(exclude_categories=["Cs"]), max_size=40))
@settings(max_examples=300, deadline=None)
def test_any_text_in_the_record_reads_back_and_begins_no_markup(said: str, title: str) -> None:
    entry = msgspec.json.encode(
        {"seq": 1, "name": "x.y.v1", "data": {"text": said.encode("utf-8", "replace").decode()}}
    )
    head = Head("g", "mafia", "table", title, "Ada", False, (), False, 1, (title,), (), (), None, None)
    text = record({"Ada": Track(head, [entry])})
    assert "<" not in text
    assert not hides(text)
    stored = json.loads(text)
    assert stored["told"] == [{"name": "x.y.v1", "data": {"text": said}}]
    assert stored["tracks"]["Ada"]["title"] == title


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_seat_s_file_depends_on_nothing_it_may_not_see(played: Callable[[int], Table], seed: int) -> None:
    table = played(seed)
    rng = random.Random(seed)
    for seat in table.seats:
        recorded = table.recorded[: rng.randrange(20, len(table.recorded))]
        own = file(recorded, of_seat(seat))
        for _ in range(3):
            assert file(varied(recorded, seat, rng), of_seat(seat)) == own


def test_no_position_game_id_or_second_shows_from_a_chair(played: Callable[[int], Table]) -> None:
    table = played(3)
    for whose in (of_seat("Ada"), PUBLIC):
        text = file(table.recorded, whose)
        assert "m-table" not in text
        assert not {"position", "append", "audience", "salt"} & set(re.findall(r'"(\w+)":', text))
        assert {found[-2:] for found in re.findall(r"\d\d:\d\d:\d\d", text)} == {"00"}


def test_what_would_end_the_script_or_the_style_early_is_spelled_otherwise(log: Any) -> None:
    script = "const a = '</script>', b = `<!-- ${a} -->`, c = '</SCRIPT>';"
    style = ".a::after { content: '</style><b>' }"
    files = {**SMALL.files, bundle.SCRIPT: script.encode(), bundle.STYLE: style.encode()}
    page = Page(file(log.recorded, PUBLIC, page=replace(SMALL, files=files)))
    assert page.texts("script")[1] == "const a = '\\x3c/script>', b = `\\x3c!-- ${a} -->`, c = '\\x3c/SCRIPT>';"
    assert page.texts("style") == [".a::after { content: '<\\/style><b>' }"]
    assert page.policy["script-src"] == f"'sha256-{digest(page.texts('script')[1])}'"


def test_any_ruleset_has_a_file(log: Any) -> None:
    plain = MAFIA.but(name="other", tell=lambda event, chair: event.tell(chair))
    opening = GameOpened(ruleset="other", seats=log.state.seats, options={})
    log.recorded[0] = msgspec.structs.replace(log.recorded[0], event=opening)
    log.says("Bram", "# Hello\nthere")
    for whose in (of_seat("Bram"), PUBLIC, FULL):
        page = Page(file(log.recorded, whose, plain))
        assert page.texts("title")[0].startswith("A game of Other: ")


def test_without_a_built_page_there_is_no_file(log: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(bundle, "PLACES", (tmp_path,))
    assert bundle.bundle() is None
    with pytest.raises(NotBuilt, match="make page"):
        bundle.built()
    (tmp_path / "index.html").write_text("<!doctype html>")
    with pytest.raises(NotBuilt, match="make page"):
        replay_file(bundle.built(), {"Ada": Entries(MAFIA, "Ada").track(live(log.recorded))})


def test_a_page_that_vanishes_while_it_is_read_is_not_built(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(bundle, "PLACES", (small_page(tmp_path),))
    assert bundle.bundle() is not None

    def read(path: Path) -> bytes:
        raise FileNotFoundError(path)

    monkeypatch.setattr(Path, "read_bytes", read)
    assert bundle.bundle() is None


def test_the_page_as_it_is_built_makes_a_file_that_is_whole(log: Any, built_page: Bundle) -> None:
    log.says("Bram", "</script><!-- Good evening. -->")
    text = file(log.recorded, FULL, page=built_page)
    page = Page(text)
    assert not hides(text)
    assert [tag for tag, _ in page.tags].count("script") == 2
    for inside in (page.texts("script")[1], page.texts("style")[0]):
        assert not re.search(r"</script|</style|<!--|@import|sourceMappingURL", inside, re.IGNORECASE)
    assert set(re.findall(r"url\(\"?(\w+):", page.texts("style")[0])) <= {"data"}
    assert len(re.findall(r"url\(", page.texts("style")[0])) == len(
        re.findall(r"url\(\"?data:", page.texts("style")[0])
    )
    assert page.policy["script-src"] == f"'sha256-{digest(page.texts('script')[1])}'"
