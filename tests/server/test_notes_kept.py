"""Thoughts, beliefs and notes through a whole game: kept, given back to their own seat, and seen by nobody else."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from noting import Noting
from playing import PLAYERS, opened, play

from sottovoce.domain.commands import Reply
from sottovoce.domain.events import NotesKept, ReplyAccepted
from sottovoce.domain.piece import AUDITOR
from sottovoce.eventlog import open_log
from sottovoce.eventlog.verify import verify
from sottovoce.projections.leaks import leaks
from sottovoce.projections.perspective import FULL, PUBLIC, of_seat
from sottovoce.projections.pieces import Teller
from sottovoce.projections.thoughts import thoughts
from sottovoce.projections.transcript import markdown
from sottovoce.server.games import Games
from sottovoce.server.live import LiveGame, load

WORDS = ("zqthought", "zqnote")


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A finished game in which every seat thinks and notes, with its log and its agents."""
    folder = tmp_path_factory.mktemp("noting")
    games = Games(open_log(f"sqlite:///{folder / 'games.sqlite'}"))
    agents = {seat: Noting(seat) for seat in (*PLAYERS, "narrator")}

    async def story() -> LiveGame:
        live = await opened(games, max_days=2, max_speeches=2)
        return await play(games, live, dict(agents))

    live = asyncio.run(story())
    yield games, live, agents, folder
    games.close()
    games.log.close()


def kept(live: LiveGame) -> list[Any]:
    return [item for item in live.recorded if isinstance(item.event, NotesKept)]


def test_notes_stand_behind_the_reply_that_they_came_with_in_its_own_append(played: Any) -> None:
    _, live, agents, _ = played
    assert {item.event.seat for item in kept(live)} == {*agents}
    for item in kept(live):
        before = live.recorded[item.position - 2]
        assert isinstance(before.event, ReplyAccepted)
        assert (before.append, before.event.seat) == (item.append, item.event.seat)
        assert item.audience.seats == {item.event.seat}


def test_a_seat_finds_its_own_notes_at_every_turn(played: Any) -> None:
    _, _, agents, _ = played
    for agent in agents.values():
        assert agent.had[0] == ""
        assert set(agent.had) - {""} <= {*agent.given}
        assert agent.had[-1] in agent.given[-2:]


@pytest.mark.parametrize("form", ["entries", "pieces", "transcript"])
def test_no_seat_and_no_spectator_has_a_word_of_another(played: Any, form: str) -> None:
    _, live, agents, _ = played
    chairs = [(seat, of_seat(seat), live.view(seat)) for seat in agents] + [("", PUBLIC, live.public())]
    for seat, perspective, view in chairs:
        teller = Teller(live.ruleset, perspective.seat)
        match form:
            case "entries":
                told = json.dumps([entry.to_json() for entry in view.entries])
            case "pieces":
                told = json.dumps([teller.to_json(entry) for entry in view.entries])
            case _:
                told = markdown(live.ruleset, live.recorded, perspective)
        assert "zqthought" not in told
        for other in {*agents} - {seat}:
            assert f"zqnote-{other}-" not in told
        assert (f"zqnote-{seat}-" in told) == bool(seat and form != "transcript")


def test_the_full_transcript_leaves_notes_to_the_replay(played: Any) -> None:
    _, live, _, _ = played
    told = markdown(live.ruleset, live.recorded, FULL)
    assert not any(word in told for word in WORDS)
    teller = Teller(live.ruleset, auditor=True)
    shown = [teller.shown(item.event, item.audience) for item in live.recorded]
    marks = [mark for told in shown for mark in told["marks"] if mark["mark"] == "notes"]
    assert [(mark["seat"], mark["text"]) for mark in marks] == [(i.event.seat, i.event.text) for i in kept(live)]
    claims = [mark["words"] for told in shown for mark in told["marks"] if mark["mark"] == "claim"]
    assert not any("zqnote" in words for words in claims), "notes are no claims"


def test_an_auditor_has_all_three_in_the_order_of_the_game(played: Any) -> None:
    games, live, agents, _ = played
    found = thoughts(live.recorded, games.log.receipts(live.id))
    assert [one.position for one in found] == sorted(one.position for one in found)
    assert {one.seat for one in found} == {*agents}
    noted = [(one.seat, one.notes) for one in found if one.notes is not None]
    assert sorted(noted) == sorted((item.event.seat, item.event.text) for item in kept(live))
    for one in found:
        event = live.recorded[one.position - 1].event
        assert isinstance(event, ReplyAccepted)
        assert (event.seat, event.turn) == (one.seat, one.turn)
        assert one.thoughts == f"zqthought-{one.seat}-{one.turn}"
        assert bool(one.suspicion) == (one.seat != "narrator")
    ada = [one for one in found if one.seat == "Ada"]
    assert thoughts(live.recorded, games.log.receipts(live.id), "Ada") == ada
    name = next(iter(ada[1].suspicion))
    assert ada[0].suspicion[name][1] is None
    assert ada[1].suspicion[name][1] == pytest.approx(ada[1].suspicion[name][0] - ada[0].suspicion[name][0])


def test_the_audit_finds_nothing_wrong_with_them(played: Any) -> None:
    games, live, _, _ = played
    assert verify(games.log, live.id).ok
    found = leaks(live.ruleset, live.recorded, games.log.receipts(live.id))
    assert [finding for finding in found.findings if finding.severity == "finding"] == []
    told = json.dumps(found.to_json())
    assert not any(word in told for word in WORDS)


def test_an_auditor_is_told_whose_notes_they_are(played: Any) -> None:
    _, live, _, _ = played
    piece = live.ruleset.tell(kept(live)[0].event, AUDITOR)
    assert piece.said == kept(live)[0].event.text
    assert kept(live)[0].event.seat in piece.text


def test_a_game_that_is_loaded_again_has_the_same_notes(played: Any) -> None:
    games, live, agents, _ = played
    again = load(games.log, live.id)
    assert again.state.kept_notes == live.state.kept_notes
    assert {*again.state.kept_notes} == {*agents}
    for seat in agents:
        assert again.view(seat).state.kept_notes == {seat: live.state.kept_notes[seat]}


def test_a_fork_has_the_notes_up_to_its_position_and_goes_on_with_them(played: Any) -> None:
    games, live, agents, _ = played
    some = kept(live)
    middle = some[len(some) // 2].position - 1  # within an append: the reply alone, without its notes

    fork: LiveGame = asyncio.run(games.fork(live, middle))
    before = {item.event.seat: item.event.text for item in some if item.position < middle}
    assert fork.state.kept_notes == before
    noting = {seat: Noting(seat) for seat in agents}
    asyncio.run(play(games, fork, dict(noting)))
    for seat, agent in noting.items():
        if agent.had:
            assert agent.had[0] == before.get(seat, "")
    assert verify(games.log, fork.id).ok


def test_a_copy_in_another_database_has_the_same_notes(played: Any) -> None:
    _, live, _, folder = played
    other = Games(open_log(f"sqlite:///{Path(folder) / 'other.sqlite'}"))
    copy = asyncio.run(other.store(LiveGame(live.id, live.ruleset), live.recorded))
    assert copy.state.kept_notes == live.state.kept_notes
    assert [item.hash for item in copy.recorded] == [item.hash for item in live.recorded]
    other.close()
    other.log.close()


def test_a_reply_without_notes_leaves_no_event(tmp_path: Path) -> None:
    async def story() -> None:
        games = Games(open_log("memory:"))
        live = await opened(games)
        key = next(iter(live.state.turns))
        await games.submit(live, Reply(games.clock(), key[0], key[1], "I accept my role."))
        assert kept(live) == []
        games.close()

    asyncio.run(story())
