"""Accepted means done and refused means that nothing happened, to anybody but the author and on the disk.

Over every state of a task, every sender and everything that one can send: unprompted, to each of its turns, and to
turns that it has not.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from delegating import SEATS, TASK, USER, Game, content_for, message, recorded
from delegation_states import STATES, favourable

from sottovoce.domain.audience import NOBODY
from sottovoce.domain.commands import Reply, Say
from sottovoce.domain.events import AttemptFailed, Draft, MessageRefused, ReplyAccepted
from sottovoce.eventlog.memory import MemoryLog
from sottovoce.eventlog.registry import default_registry
from sottovoce.rulesets.delegation.rules import DELEGATION
from sottovoce.rulesets.delegation.rules import events as work
from sottovoce.rulesets.delegation.rules.actions import ACTIONS
from sottovoce.server.files import altered
from sottovoce.server.folder import write_file
from sottovoce.server.games import Games, new_game_id, now
from sottovoce.server.live import LiveGame

DEEDS = (
    *(work.MessageSent, work.StopDecided, work.ClosingInstructed, work.WorkRecorded),
    *(work.TaskResumed, work.TaskAbandoned, work.SkillsDeclared, work.BriefGiven),
)
"""What an accepted text becomes."""
WORDS = (
    *("accept", "iterate: more", "close", "merged", "progress", "resume", "abandon", "skills: a, b", "What now?", "{"),
    *(
        f"abandon {TASK}",
        f"change {TASK}: Do it otherwise.",
        "add more: Do this too.",
        "executor: Go on.",
        "add",
        "add a_b: x",
    ),
)


@pytest.fixture
def games() -> Iterator[Games]:
    games = Games(MemoryLog(default_registry()))
    yield games
    games.close()


@cache
def built(state: str) -> Game:
    return STATES[state][0]()


def begun(games: Games, state: str, folder: Path) -> LiveGame:
    """A game in that state, with its files in the folder."""
    game = built(state)
    given = Draft(work.FolderGiven(folder=str(folder)), NOBODY)
    live = LiveGame(new_game_id(), DELEGATION)
    live.take(recorded(replace(game, drafts=(*game.drafts[:2], given, *game.drafts[2:]))))
    if not folder.exists():
        folder.mkdir()
        for path, (_, data) in DELEGATION.files_recorded(live.state).items():
            assert data is not None
            write_file(folder, path, data)
    return asyncio.run(games.store(live, live.recorded))


def texts(state: str, sender: str) -> Iterator[str]:
    """Every action as JSON and bare, right and not, messages of other actions, and plain words."""
    game = built(state)
    for action in ACTIONS:
        yield json.dumps(favourable(game, action, sender))
        yield f"{action}\n\n{content_for(action)}"
        yield f"{action}\nto: {sender}\n\n{content_for(action)}"
    for to in ("executor", USER):
        yield json.dumps(message("need_input", from_session_id=sender, to_session_id=to, artifact_path=""))
    yield json.dumps(message("ask_anything", from_session_id=sender, to_session_id=USER, note="x" * 1001))
    yield "need_input\nto: planner\n\nWhich title?"
    yield from WORDS


def seen(live: LiveGame, but: str) -> dict[str, object]:
    return {seat: (live.view(seat).seq, live.view(seat).state) for seat in SEATS if seat != but}


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def check(games: Games, state: str, sender: str, turn: int | None, text: str, folder: Path) -> bool:
    """Send it; whether it was accepted."""
    live = begun(games, state, folder)
    before, there, over = seen(live, sender), files(folder), live.state.over
    command = Say(now(), sender, text) if turn is None else Reply(now(), sender, turn, text)
    new = [item.event for item in asyncio.run(games.submit(live, command))]
    told = [event for event in new if isinstance(event, AttemptFailed | MessageRefused)]
    about = (state, sender, turn, text, [type(event).__name__ for event in new])
    if over:
        assert (new, seen(live, sender), files(folder)) == ([], before, there), about
        return False
    if told:
        assert seen(live, sender) == before, about
        assert files(folder) == there, about
        assert [event.seat for event in told] == [sender], about
        return False
    deeds = [event for event in new if isinstance(event, DEEDS)]
    assert deeds, about
    assert {deed.actor for deed in deeds} == {sender}, about
    for deed in deeds:
        if not isinstance(deed, work.MessageSent):
            continue
        sent = deed.message
        assert all(deed in [entry.event for entry in live.view(seat).entries] for seat in (sent.to_session_id, USER))
    assert (turn is None) or any(isinstance(event, ReplyAccepted) and event.turn == turn for event in new), about
    assert altered(live) == [], about
    assert files(folder).keys() == there.keys() | DELEGATION.files_recorded(live.state).keys(), about
    return True


@pytest.mark.spec("D-012", "D-056")
@pytest.mark.parametrize("state", STATES)
def test_refused_means_nothing_happened_and_accepted_means_done(state: str, games: Games, tmp_path: Path) -> None:
    accepted = cases = 0
    for sender in SEATS:
        open_turns = [turn.number for turn in built(state).state.turns.values() if turn.seat == sender]
        for number, text in enumerate(texts(state, sender)):
            for turn in (None, *open_turns, *([] if number else [99])):
                accepted += check(games, state, sender, turn, text, tmp_path / f"{accepted}")
                cases += 1
    assert cases > 150
    assert accepted < cases / 2
    assert (accepted == 0) == built(state).state.over
