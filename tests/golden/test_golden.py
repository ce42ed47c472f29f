"""Golden logs replay to the byte: stored bytes, states, views, and the very decisions that made them.

Written by `make golden` alone. Read a difference as what it is: an old log that would now say something else.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import golden_api
import golden_audiences
import golden_prompt
import pytest
from commands import Cli
from golden import FOLDERS, GUESTS, LOGS, golden_games, guest_games, named, of
from guests import EXAMPLES

from sottovoce import golden as kit
from sottovoce.domain import commands
from sottovoce.domain.commands import Command
from sottovoce.domain.events import (
    AttemptFailed,
    AuditorLinkIssued,
    GameCopied,
    GameForked,
    GameOpened,
    HoldLifted,
    MessageRefused,
    Recorded,
    ReplyAccepted,
    SeatLinkIssued,
    SeatsFilled,
)
from sottovoce.domain.game import decide
from sottovoce.domain.piece import AUDITOR
from sottovoce.domain.rulesets import RULESETS
from sottovoce.rulesets.delegation.rules import events as delegation
from sottovoce.rulesets.mafia.rules import events as mafia

SESSIONS = {path.stem for path in LOGS if path.is_relative_to(FOLDERS["tabletop"])}
"""A session's replies hold several messages each, which the log keeps as facts and not as they were put together."""


@pytest.mark.parametrize("ruleset", FOLDERS)
def test_making_them_anew_changes_nothing(ruleset: str) -> None:
    found = kit.differences(golden_games(ruleset), FOLDERS[ruleset])
    changed = {path.name: what for path, what in found.items()}
    assert changed == {}, "read the difference, then run: make golden"


@pytest.mark.parametrize("guest", GUESTS)
def test_making_an_example_s_anew_changes_nothing(guest: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert kit.differences(guest_games(monkeypatch, guest), EXAMPLES / guest / "golden") == {}


def test_the_page_of_audiences_says_what_the_event_classes_say() -> None:
    assert golden_audiences.PAGE.read_text(encoding="utf-8") == golden_audiences.page(), "run: make golden"


def test_the_page_with_a_prompt_shows_the_prompt_as_it_is_now() -> None:
    assert golden_prompt.PAGE.read_text(encoding="utf-8") == golden_prompt.page(), "run: make golden"


def test_the_page_of_the_interface_says_what_the_openapi_document_says() -> None:
    assert golden_api.PAGE.read_text(encoding="utf-8") == golden_api.page(), "run: make golden"


def test_the_document_that_is_kept_is_the_one_that_a_server_answers_with() -> None:
    assert golden_api.DOCUMENT.read_text(encoding="utf-8") == golden_api.written(), "run: make golden"


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.stem)
def test_a_log_comes_back_from_the_database_as_it_went_in(path: Path, tmp_path: Path) -> None:
    sv = Cli(tmp_path / "games.db")
    imported = sv("import", path, "--json").json
    assert imported["new"] is True
    assert sv("export", imported["game"]).out.encode() == path.read_bytes()
    assert sv("audit", "verify", imported["game"], "--json").json == {
        "events": imported["events"],
        "receipts": 0,
        "taken_over": 0,
        "ok": True,
        "problems": [],
    }
    assert sv("import", path, "--json").json["new"] is False


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.stem)
def test_states_and_every_view_are_folded_as_they_were(path: Path) -> None:
    recorded = json.loads(path.with_suffix(".digests.json").read_text(encoding="utf-8"))
    assert kit.digests(kit.read_log(path)) == recorded


@pytest.mark.parametrize("path", [path for path in LOGS if path.stem not in SESSIONS], ids=lambda path: path.stem)
def test_the_recorded_commands_decide_the_same_events_again(path: Path) -> None:
    log = kit.read_log(path)
    ruleset = RULESETS[log[0].event.data()["ruleset"]]
    state: Any = ruleset.initial
    for append in appends(log):
        command = command_of(append)
        drafts = decide(ruleset, state, command)
        assert [draft.event for draft in drafts] == [item.event for item in append], command
        assert [draft.audience for draft in drafts] == [item.audience for item in append], command
        for item in append:
            state = ruleset.evolve(state, item.event)
    assert state.over


def appends(log: list[Recorded]) -> Iterator[list[Recorded]]:
    """The events of each append, in order."""
    append: list[Recorded] = []
    for item in log:
        if append and append[-1].append != item.append:
            yield append
            append = []
        append.append(item)
    yield append


def command_of(append: list[Recorded]) -> Command:
    """The command that an append came from, made from nothing but its events."""
    at, event = append[0].at, append[0].event
    match event:
        case GameOpened():
            filled = append[1].event
            assert isinstance(filled, SeatsFilled)
            assert filled.seed is not None
            return commands.Open(at, event.seats, filled.agents, filled.seed, event.options, files_of(append))
        case ReplyAccepted():
            return commands.Reply(at, event.seat, event.turn, event.text or _said(append, event.seat))
        case AttemptFailed(reason="timeout"):
            return commands.Expire(at, event.seat, event.turn, event.attempt)
        case AttemptFailed() | MessageRefused(turn=int()):
            assert event.turn is not None
            return commands.Reply(at, event.seat, event.turn, event.text)
        case MessageRefused():
            return commands.Say(at, event.seat, event.text)
        case GameForked() | SeatsFilled() | HoldLifted():
            seats = next(iter(of(append, SeatsFilled)), None)
            forked = next(((one.parent, one.position) for one in of(append, GameForked)), None)
            return commands.Fill(at, seats.agents if seats else {}, seats.seed if seats else None, forked)
        case GameCopied() | AuditorLinkIssued() | SeatLinkIssued():
            return commands.Announce(at, event)
    return commands.Wake(at)


def files_of(append: list[Recorded]) -> dict[str, bytes]:
    """The files that an opening took in, as far as its events show them."""
    heads = "---\nplanner: {0.planner}\nexecutor: {0.executor}\nreviewer: {0.reviewer}\n---\n{0.text}"
    return {f"{brief.task_id}.md": heads.format(brief).encode() for brief in of(append, delegation.BriefGiven)}


def _said(append: list[Recorded], seat: str) -> str:
    """The words of an accepted reply that another event of its append keeps."""
    ruleset = RULESETS["mafia"]
    for made in of(append, mafia.NominationMade):
        return f"I nominate {made.nominee}. {made.words or ''}"
    if any(whisper.text is None for whisper in of(append, mafia.MafiaWhispered)):
        return "pass"
    told = (ruleset.tell(item.event, AUDITOR) for item in append if item.event.actor == seat)
    return next((one.said for one in told if one is not None and one.said is not None), "")


@pytest.mark.parametrize("ruleset", FOLDERS)
def test_every_ruleset_has_golden_games_and_playthroughs(ruleset: str) -> None:
    logs = {path.stem for path in LOGS if path.is_relative_to(FOLDERS[ruleset])}
    assert len(logs) > 2, "add one to the ruleset's golden_games.py"
    assert {path.stem for path in FOLDERS[ruleset].glob("playthroughs/*.md")} == logs


def test_a_playthrough_shows_the_view_of_every_seat() -> None:
    for path in LOGS:
        text = (path.parents[1] / "playthroughs" / f"{path.stem}.md").read_text(encoding="utf-8")
        for seat in kit.read_log(path)[0].event.data()["seats"]:
            assert f"## What {seat} saw\n" in text


def test_a_fork_keeps_its_past_to_the_letter() -> None:
    parent, fork = named("mafia-wins"), named("fork")
    end = of(fork, GameForked)[0].position
    assert [(item.append, item.at, item.body, item.audience) for item in fork[:end]] == [
        (item.append, item.at, item.body, item.audience) for item in parent[:end]
    ]
    assert {item.hash for item in parent}.isdisjoint(item.hash for item in fork)
