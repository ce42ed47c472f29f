"""A seat held by files: a turn becomes a prompt file, and a whole response to that very prompt becomes the reply."""

from __future__ import annotations

import asyncio
import os
import re
import resource
import shutil
import socket
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from bridging import Call, answering, call, left
from table import Table

from sottovoce.agents.agent import AgentFailed, PromptedAgent
from sottovoce.agents.file_agent import agent as bridge
from sottovoce.agents.file_agent.agent import FilesAgent, FolderUnusable
from sottovoce.agents.file_agent.complete_files import LONGEST, SETTLE, is_being_written
from sottovoce.agents.file_agent.prompts import id_in, prompt_id, stem
from sottovoce.domain.game import LONGEST_REPLY
from sottovoce.domain.turns import Turn
from sottovoce.projections.view import View

SECRET = "the vault's code is 4711"


def night(seed: int = 5, players: int = 6) -> tuple[Table, str]:
    """A game of Mafia in its first night, and a seat that is asked to choose."""
    table = Table(players, seed)
    while True:
        turn = next(iter(table.state.turns.values()))
        if turn.choices and turn.seat != "narrator":
            return table, turn.seat
        table.reply(turn.seat, turn.choices[0] if turn.choices else "Night falls over the village.")


@pytest.fixture
def asked() -> tuple[View[Any], Turn]:
    table, seat = night()
    view = table.view(seat)
    return view, view.turns[0]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "seat"


def test_a_turn_becomes_a_prompt_and_its_response_the_reply(folder: Path, asked: tuple[View[Any], Turn]) -> None:
    view, turn = asked

    async def program(call: Call) -> None:
        text = await call.prompted()
        assert text.startswith("---\n")
        for line in (f"turn: {turn.number}", f"kind: {turn.kind}", f"attempts_left: {turn.attempts}"):
            assert f"\n{line}\n" in text
        assert f'choices: ["{turn.choices[0]}"' in text
        assert f"Write your answer to tmp/{stem(view.seat)}-response.md." in text
        call.respond(turn.choices[0])

    reply, _ = call(FilesAgent(folder), view, turn, program)
    assert reply == turn.choices[0]
    assert os.listdir(folder / "tmp") == [], "prompt and response are removed"


def test_what_is_receipted_is_what_is_written(folder: Path, asked: tuple[View[Any], Turn]) -> None:
    agent = FilesAgent(folder)
    assert isinstance(agent, PromptedAgent)
    assert agent.by == "files"
    written = []

    async def program(call: Call) -> None:
        written.append(await call.prompted())
        call.respond("x")

    call(agent, *asked, program)
    assert agent.blocks(*asked) == (written[0],)


def test_a_file_that_is_being_written_is_not_taken(folder: Path, asked: tuple[View[Any], Turn]) -> None:
    """However slowly it grows, as long as it is open."""

    async def program(call: Call) -> None:
        await call.prompted()
        with call.response.open("w") as file:
            for part in ("I have ", "watched ", "the well."):
                file.write(part)
                file.flush()
                await call.untaken(3 * SETTLE)

    assert call(FilesAgent(folder), *asked, program)[0] == "I have watched the well."


def test_a_file_that_is_added_to_again_and_again_settles_first(folder: Path, asked: tuple[View[Any], Turn]) -> None:
    async def program(call: Call) -> None:
        await call.prompted()
        for _ in range(12):
            with call.response.open("a") as file:
                file.write("more ")
            await asyncio.sleep(SETTLE / 3)

    assert call(FilesAgent(folder), *asked, program)[0] == "more " * 12


def test_an_empty_file_is_not_whole(folder: Path, asked: tuple[View[Any], Turn]) -> None:
    async def program(call: Call) -> None:
        await call.prompted()
        call.response.touch()
        await call.untaken()
        call.response.write_text("Ada")

    assert call(FilesAgent(folder), *asked, program)[0] == "Ada"


def test_a_writer_is_seen_where_the_system_tells(tmp_path: Path) -> None:
    file = tmp_path / "x"
    file.write_text("x")
    with file.open("rb") as reader:
        if is_being_written(reader.fileno()) is None:
            pytest.skip("this file system does not tell")
        assert is_being_written(reader.fileno()) is False
        with file.open("a"):
            assert is_being_written(reader.fileno()) is True


@pytest.mark.spec("F-053")
def test_what_lay_there_before_the_prompt_never_answers_it(folder: Path, asked: tuple[View[Any], Turn]) -> None:
    table, seat = night(seed=6, players=7)
    call(FilesAgent(folder), table.view(seat), table.view(seat).turns[0], answering("x"))
    view, turn = asked
    for name in ("prompt", "response"):
        (folder / "tmp" / f"{stem(view.seat)}-{name}.md").write_text("from an earlier turn")

    async def program(call: Call) -> None:
        text = await call.prompted("## Not Taken", "lay there before this prompt and was removed")
        assert "from an earlier turn" not in text
        await call.untaken()
        call.respond("new")

    reply, record = call(FilesAgent(folder), view, turn, program)
    assert reply == "new"
    assert "lay there before" in record.notes["set_aside"][0]


def test_a_file_older_than_the_prompt_is_removed(folder: Path, asked: tuple[View[Any], Turn]) -> None:
    async def program(call: Call) -> None:
        await call.prompted()
        draft = folder / "draft"
        draft.write_text("an old answer")
        os.utime(draft, (time.time() - 60,) * 2)
        os.replace(draft, call.response)
        await call.prompted("is older than the prompt; it was removed")
        assert not call.response.exists()
        call.respond("new")

    assert call(FilesAgent(folder), *asked, program)[0] == "new"


def test_a_response_may_name_the_prompt_it_answers(folder: Path, asked: tuple[View[Any], Turn]) -> None:
    view, turn = asked

    async def program(call: Call) -> None:
        named = id_in(await call.prompted())
        assert named == prompt_id(view, turn)
        call.respond("---\nprompt: 0123456789abcdef\n---\nlate words")
        await call.prompted("answered another prompt, 0123456789abcdef; it was removed")
        call.respond(f"---\nprompt: {named}\n---\nAda, of course.")

    assert call(FilesAgent(folder), view, turn, program)[0] == "Ada, of course."


def test_front_matter_that_names_no_prompt_is_part_of_the_reply(folder: Path, asked: tuple[View[Any], Turn]) -> None:
    text = "---\nmood: grim\n---\nAda"
    assert call(FilesAgent(folder), *asked, answering(text))[0] == text


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        ("link", "was a symbolic link"),
        ("dangling link", "was a symbolic link"),
        ("pipe", "was a pipe"),
        ("hard link", "was a file that has a second name elsewhere"),
        ("socket", "was a device or a socket"),
    ],
)
def test_what_is_no_file_of_the_folder_is_never_opened(
    folder: Path, tmp_path: Path, asked: tuple[View[Any], Turn], kind: str, told: str
) -> None:
    secret = tmp_path / "secret"
    secret.write_text(SECRET)

    async def program(call: Call) -> None:
        await call.prompted()
        secret.write_text(SECRET)  # it is no older than the prompt
        match kind:
            case "link":
                call.response.symlink_to(secret)
            case "dangling link":
                call.response.symlink_to(tmp_path / "nowhere")
            case "pipe":
                os.mkfifo(call.response)
            case "hard link":
                os.link(secret, call.response)
            case "socket":
                with socket.socket(socket.AF_UNIX) as listening:
                    listening.bind(str(call.response))
        await call.prompted("## Not Taken", told, "it was removed")
        assert not call.response.is_symlink()
        assert not call.response.exists()
        call.respond("Ada")

    reply, record = call(FilesAgent(folder), *asked, program)
    assert reply == "Ada"
    assert SECRET not in str(record.notes)
    assert secret.read_text() == SECRET


def test_a_folder_in_the_response_s_place_is_told_of(folder: Path, asked: tuple[View[Any], Turn]) -> None:
    async def program(call: Call) -> None:
        await call.prompted()
        call.response.mkdir()
        await call.prompted("was a folder; remove it")
        call.response.rmdir()
        call.respond("Ada")

    reply, record = call(FilesAgent(folder), *asked, program)
    assert reply == "Ada"
    assert len(record.notes["set_aside"]) == 1, "said once"


def test_a_link_in_the_place_of_tmp_leads_nowhere(folder: Path, tmp_path: Path, asked: tuple[View[Any], Turn]) -> None:
    """Put there before the turn or during it: nothing is written or read through it."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    folder.mkdir()
    (folder / "notes.txt").write_text("the program's own")
    agent = FilesAgent(folder)
    (folder / "tmp").symlink_to(elsewhere)
    with pytest.raises(AgentFailed, match="contains 'tmp', which does not belong to a seat"):
        call(agent, *asked, answering("x"))
    (folder / "tmp").unlink()

    async def program(call: Call) -> None:
        await call.prompted()
        shutil.rmtree(folder / "tmp")
        (elsewhere / call.response.name).write_text("through the link")
        (folder / "tmp").symlink_to(elsewhere)
        while (folder / "tmp").is_symlink():
            await asyncio.sleep(0.01)
        await call.prompted("tmp was not a folder")
        await call.untaken()
        call.respond("Ada")

    assert call(agent, *asked, program)[0] == "Ada"
    assert os.listdir(elsewhere) == [f"{stem(asked[0].seat)}-response.md"]
    assert (folder / "notes.txt").read_text() == "the program's own"


def test_a_folder_that_is_deleted_is_made_anew(folder: Path, asked: tuple[View[Any], Turn]) -> None:
    async def program(call: Call) -> None:
        before = await call.prompted()
        for _ in range(3):
            shutil.rmtree(folder)
            assert await call.prompted() == before
        call.prompt.unlink()
        assert await call.prompted() == before
        call.respond("Ada")

    assert call(FilesAgent(folder), *asked, program)[0] == "Ada"


def test_an_answer_stands_though_the_prompt_was_written_anew(folder: Path, asked: tuple[View[Any], Turn]) -> None:
    async def program(call: Call) -> None:
        await call.prompted()
        call.respond("Ada")
        call.prompt.unlink()
        await call.prompted()

    assert call(FilesAgent(folder), *asked, program)[0] == "Ada"


def test_a_folder_that_is_taken_away_for_ever_ends_the_call(
    folder: Path, asked: tuple[View[Any], Turn], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bridge, "MENDS", 4)

    async def program(call: Call) -> None:
        assert call.task is not None
        while not call.task.done():
            shutil.rmtree(folder, ignore_errors=True)
            await asyncio.sleep(0.01)

    with pytest.raises(AgentFailed, match="was removed 4 times during an open turn"):
        call(FilesAgent(folder), *asked, program)


def test_a_file_in_the_folder_s_place_ends_the_call(
    folder: Path, asked: tuple[View[Any], Turn], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bridge, "TRIES", 3)
    agent = FilesAgent(folder)
    folder.write_text("")

    async def program(call: Call) -> None:
        pass

    with pytest.raises(AgentFailed, match="cannot be used: "):
        call(agent, *asked, program)


def test_a_full_disk_is_tried_again(folder: Path, asked: tuple[View[Any], Turn]) -> None:
    """A limit on file sizes stands in for the disk: writing fails half-way, as it does there."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)

    async def program(call: Call) -> None:
        await asyncio.sleep(0.5)
        assert not call.prompt.exists()
        assert [path for path in folder.rglob("*") if path.is_file()] == [], "nothing half-written is left"
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        await call.prompted()
        call.respond("Ada")

    resource.setrlimit(resource.RLIMIT_FSIZE, (20, hard))
    try:
        assert call(FilesAgent(folder), *asked, program)[0] == "Ada"
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.fixture
def nobody_s_folder() -> Iterator[Path]:
    """A folder of somebody who is not root, while this process is that somebody too."""
    home = Path(tempfile.mkdtemp(prefix="sottovoce-bridge-"))
    user = 65534 if os.geteuid() == 0 else None
    if user is not None:
        os.chown(home, user, user)
        os.seteuid(user)
    try:
        yield home / "seat"
    finally:
        if user is not None:
            os.seteuid(0)
        shutil.rmtree(home)


def test_permissions_that_vanish_end_the_call_unless_they_return(
    nobody_s_folder: Path, asked: tuple[View[Any], Turn], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = nobody_s_folder

    async def returning(call: Call) -> None:
        await call.prompted()
        folder.chmod(0)
        await call.untaken()
        folder.chmod(0o700)
        call.respond("Ada")

    agent = FilesAgent(folder)
    assert call(agent, *asked, returning)[0] == "Ada"
    monkeypatch.setattr(bridge, "TRIES", 3)
    folder.chmod(0)

    async def waiting(call: Call) -> None:
        pass

    with pytest.raises(AgentFailed, match="cannot be used: permission denied"):
        call(agent, *asked, waiting)
    folder.chmod(0o700)


def test_a_response_of_100_megabytes_is_refused_and_not_read_whole(folder: Path) -> None:
    table, seat = night()
    view = table.view(seat)

    async def program(call: Call) -> None:
        await call.prompted()
        with (folder / "draft").open("wb") as file:
            file.write(b"I will tell you everything. " * 20_000)
            file.truncate(100_000_000)
        os.replace(folder / "draft", call.response)

    reply, record = call(FilesAgent(folder), view, view.turns[0], program)
    assert LONGEST_REPLY < len(reply) <= LONGEST
    assert record.notes["set_aside"] == [f"The response has 100000000 bytes, of which {LONGEST} were read."]
    table.reply(seat, reply)
    assert "send at most" in table.view(seat).turns[0].failures[0]


def test_bytes_that_are_no_text_are_replaced(folder: Path, asked: tuple[View[Any], Turn]) -> None:
    assert call(FilesAgent(folder), *asked, answering(b"\xef\xbb\xbfAda\xff\xfe"))[0] == "Ada\ufffd\ufffd"


def test_a_refused_answer_s_reason_stands_in_the_next_prompt(folder: Path) -> None:
    table, seat = night()
    agent, first = FilesAgent(folder), table.view(seat)
    table.reply(seat, call(agent, first, first.turns[0], answering("nobody I know"))[0])
    view = table.view(seat)
    turn = view.turns[0]
    assert turn.attempt == 2

    async def program(call: Call) -> None:
        text = await call.prompted(f"Attempt 1 was refused: {turn.failures[0]}", "attempts_left: 2")
        assert id_in(text) != prompt_id(first, first.turns[0]), "another attempt is another prompt"
        call.respond(turn.choices[0])

    table.reply(seat, call(agent, view, turn, program)[0])
    assert not [each for each in table.view(seat).turns if each.number == turn.number]


def test_an_answer_written_while_nobody_listened_is_taken_if_it_answers_this_prompt(
    folder: Path, asked: tuple[View[Any], Turn]
) -> None:
    """The prompt lies there, its process is gone; the program answers; another process asks again."""
    view, turn = asked
    copies = folder.with_name("copies")

    async def killed(call: Call) -> None:
        await call.prompted()
        shutil.copytree(folder, copies)

    left(FilesAgent(folder), view, turn, killed)
    shutil.rmtree(folder)
    shutil.copytree(copies, folder)
    (folder / "tmp" / f"{stem(view.seat)}-response.md").write_text("meanwhile")

    async def nothing(call: Call) -> None:
        pass

    assert call(FilesAgent(folder), view, turn, nothing)[0] == "meanwhile"


def test_an_interrupted_call_takes_its_prompt_back_and_still_knows_it(
    folder: Path, asked: tuple[View[Any], Turn]
) -> None:
    view, turn = asked

    async def interrupted(call: Call) -> None:
        await call.prompted()

    left(FilesAgent(folder), view, turn, interrupted)
    assert os.listdir(folder / "tmp") == []
    (folder / "tmp" / f"{stem(view.seat)}-response.md").write_text("meanwhile")

    async def nothing(call: Call) -> None:
        pass

    assert call(FilesAgent(folder), view, turn, nothing)[0] == "meanwhile"


def test_an_answer_that_was_taken_and_never_decided_is_given_again(folder: Path, asked: tuple[View[Any], Turn]) -> None:
    """The process died between taking it and appending it: the program is not asked twice."""
    view, turn = asked
    assert call(FilesAgent(folder), view, turn, answering("Ada"))[0] == "Ada"

    async def nothing(call: Call) -> None:
        pass

    assert call(FilesAgent(folder), view, turn, nothing, seconds=1)[0] == "Ada"


def test_an_answer_that_was_decided_is_not_given_to_the_next_turn(folder: Path) -> None:
    table, seat = night()
    view = table.view(seat)
    table.reply(seat, call(FilesAgent(folder), view, view.turns[0], answering("nobody I know"))[0])
    again = table.view(seat)

    async def program(call: Call) -> None:
        await call.prompted()
        await call.untaken()
        call.respond("second")

    assert call(FilesAgent(folder), again, again.turns[0], program)[0] == "second"


def test_each_seat_needs_a_folder_of_its_own(
    folder: Path, asked: tuple[View[Any], Turn], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bridge, "TRIES", 1)
    table, seat = night()
    call(FilesAgent(folder), *asked, answering("x"))
    other = next(name for name in table.seats if name != seat)
    view, turn = table.view(other), Turn(other, 1, "speech", (), 3)
    with pytest.raises(AgentFailed, match=re.escape(f"is the folder of {seat}. Give each seat its own folder")):
        call(FilesAgent(folder), view, turn, answering("x"))

    async def shared(call_: Call) -> None:
        await call_.prompted()
        with pytest.raises(AgentFailed, match="another seat or process uses it"):
            await FilesAgent(folder).act(*asked, None, call_.record)  # type: ignore[arg-type]
        call_.respond("y")

    again, turn = asked
    assert (
        call(FilesAgent(folder), again, Turn(turn.seat, turn.number, turn.kind, (), 3, failures=("no",)), shared)[0]
        == "y"
    )


def test_a_folder_of_an_earlier_game_is_cleared_of_it(folder: Path, asked: tuple[View[Any], Turn]) -> None:
    async def killed(call: Call) -> None:
        await call.prompted()
        shutil.copytree(folder, folder.with_name("copies"))

    left(FilesAgent(folder), *asked, killed)
    shutil.rmtree(folder)
    shutil.copytree(folder.with_name("copies"), folder)
    table, seat = night(seed=9, players=7)
    (folder / "tmp" / f"{stem(seat)}-response.md").write_text("of the earlier game")

    async def program(call: Call) -> None:
        await call.prompted()
        assert sorted(os.listdir(folder / "tmp")) == [call.prompt.name]
        call.respond("new")

    view = table.view(seat)
    assert call(FilesAgent(folder), view, view.turns[0], program)[0] == "new"


@pytest.mark.spec("T-145")
def test_a_campaign_s_own_folder_is_refused_untouched(tmp_path: Path) -> None:
    for name in ("story-state.md", "party-knowledge.md"):
        (tmp_path / name).write_text("ours")
    with pytest.raises(FolderUnusable, match=r"contains 'party-knowledge\.md', which does not belong to a seat"):
        FilesAgent(tmp_path)
    assert sorted(os.listdir(tmp_path)) == ["party-knowledge.md", "story-state.md"]


def test_a_link_cannot_stand_for_the_folder(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with pytest.raises(FolderUnusable, match="can't be used for a seat"):
        FilesAgent(tmp_path / "link")


@pytest.mark.spec("F-056")
@pytest.mark.parametrize(
    ("seat", "name"), [("Jean Luc", "jean-luc"), ("O'Brien", "obrien"), ("Ада", "seat"), ("gm", "gm")]
)
def test_file_names_come_from_the_seat_s_name(seat: str, name: str) -> None:
    assert stem(seat) == name


def test_turns_that_are_open_at_once_are_asked_one_after_the_other(folder: Path, asked: tuple[View[Any], Turn]) -> None:
    view, turn = asked
    agent = FilesAgent(folder)
    other = Turn(turn.seat, turn.number + 1, "speech", (), 3)

    async def program(call: Call) -> None:
        second = asyncio.create_task(agent.act(view, other, None, call.record))  # type: ignore[arg-type]
        await call.prompted(f"turn: {turn.number}\n")
        await asyncio.sleep(0.2)
        call.respond("one")
        assert call.task is not None
        assert await call.task == "one"
        await call.prompted(f"turn: {other.number}\n")
        call.respond("two")
        assert await second == "two"

    assert call(agent, view, turn, program)[0] == "one"
