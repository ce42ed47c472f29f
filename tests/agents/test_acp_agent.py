"""`acp:CMD`: sessions with a real program that speaks the protocol, and what real agents do beside it."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import shutil
import socket
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from commands import ROOT
from delegating import TASK
from durability.processes import gone
from patience import PATIENCE
from table import Table

from sottovoce.agents.acp import sandbox, session
from sottovoce.agents.acp.agent import AcpAgent
from sottovoce.agents.acp.homes import homes
from sottovoce.agents.acp.settings import AcpSettings, settings_for
from sottovoce.agents.agent import AgentFailed, AgentUnreachable, Assignment, CallRecord, KeepingAgent, PromptedAgent
from sottovoce.agents.house import HouseAgent
from sottovoce.agents.kinds import agent_for, is_named, known
from sottovoce.agents.models.settings import ModelUnusable
from sottovoce.agents.programs.hidden import hide
from sottovoce.agents.programs.settings import CommandNotAllowed, CommandUnusable, check_allowed
from sottovoce.domain.turns import Turn
from sottovoce.projections.view import View

Asked = tuple[View[Any], Turn]
STUB = f"{sys.executable} {ROOT / 'tests' / 'kit' / 'acp_agent.py'}"


@pytest.fixture(autouse=True)
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Homes of seats in a folder of their own, and no file of named agents."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("SOTTOVOCE_ACP_SANDBOX", "off")  # so that stubs can write what they heard where tests read it
    monkeypatch.chdir(tmp_path)
    yield
    sandbox.lacking.cache_clear()


@pytest.fixture(scope="module")
def words() -> Asked:
    """A turn for words."""
    view = Table(5, 1).view("narrator")
    return view, view.turns[0]


@pytest.fixture(scope="module")
def form() -> Asked:
    """A turn with fields to fill in, about a task."""
    view = Table(
        ("planner", "executor", "reviewer"), 1, ruleset="delegation", files={f"{TASK}.md": b"Build a house."}
    ).view("planner")
    return view, view.turns[0]


def settings(*manners: str, **changes: Any) -> AcpSettings:
    given = settings_for(" ".join([STUB, *map(shlex.quote, manners)]))
    return replace(given, **{"run": replace(given.run, seconds=PATIENCE, work_seconds=PATIENCE), **changes})


def record(game: str = "g", **assigned: Any) -> CallRecord:
    return CallRecord(assignment=Assignment(game, **assigned))


async def acted(agent: AcpAgent, asked: Asked, *records: CallRecord) -> list[str]:
    """The replies to the same turn, one after another; the agent is released at the end."""
    try:
        return [str(await agent.act(*asked, Random(1), one)) for one in records]
    finally:
        await agent.release()


def replies(agent: AcpAgent, asked: Asked, *records: CallRecord) -> list[str]:
    return asyncio.run(acted(agent, asked, *records))


def failure(agent: AcpAgent, asked: Asked, *records: CallRecord) -> AgentFailed:
    with pytest.raises(AgentFailed) as raised:
        replies(agent, asked, *(records or (record(),)))
    return raised.value


def heard(log: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.read_text().splitlines()]


def test_it_is_an_agent_like_the_others_that_get_a_prompt(words: Asked) -> None:
    assert "acp:CMD" in known()
    agent = agent_for(f"acp:{STUB}", HouseAgent)
    assert isinstance(agent, AcpAgent)
    assert isinstance(agent, PromptedAgent)
    assert isinstance(agent, KeepingAgent)
    assert agent.by == "prompt"
    assert agent.blocks(*words) == agent.blocks(*words)


def test_the_reply_is_what_it_said_last_and_the_rest_is_kept_for_auditors(words: Asked, tmp_path: Path) -> None:
    call, steps = record(), list[str]()
    call.doing = steps.append
    agent = AcpAgent(settings(f"log={tmp_path / 'log'}"))
    assert replies(agent, words, call) == ["Nothing to hide in prompt 1."]
    assert heard(tmp_path / "log")[0]["prompt"] == "\n\n".join(agent.blocks(*words))
    assert steps == ["starting", "answering", "ls", "thinking", "step 1 of 1: answer", "answering"]
    assert [step for _, step in call.notes["steps"]] == steps[1:]
    assert (call.notes["tools"], call.notes["stop"], call.notes["taken"]) == (1, "end_turn", "new")
    assert call.mind is not None
    assert call.mind.thoughts == "I weigh what I know."
    assert (call.prompt_tokens, call.cached_tokens, call.reply_tokens, call.cost) == (100, 70, 10, 0.01)


def test_a_session_goes_on_and_each_call_counts_its_own_cost(words: Asked) -> None:
    calls = [record() for _ in range(3)]
    assert replies(AcpAgent(settings()), words, *calls) == [f"Nothing to hide in prompt {n}." for n in (1, 2, 3)]
    assert [call.cost for call in calls] == [0.01, 0.01, 0.01]
    assert [call.notes["taken"] for call in calls] == ["new", "kept", "kept"]
    assert len({call.notes["session"] for call in calls}) == 1


@pytest.mark.parametrize("manner", ["plain", "resumes", "replays-late", "cost-anew"])
def test_a_session_is_taken_up_again_after_its_process_ended(words: Asked, manner: str) -> None:
    first, second = record(), record()
    assert replies(AcpAgent(settings(manner)), words, first) == ["Nothing to hide in prompt 1."]
    assert replies(AcpAgent(settings(manner)), words, second) == ["Nothing to hide in prompt 2."]
    assert second.notes["taken"] == "resumed"
    assert second.notes["session"] == first.notes["session"]
    assert second.cost == pytest.approx(0.01)


@pytest.mark.parametrize("manner", ["forgets", "no-load"])
def test_where_it_has_forgotten_a_new_session_begins_with_the_whole_prompt(
    words: Asked, manner: str, tmp_path: Path
) -> None:
    first, second = record(), record()
    manners = (manner, f"log={tmp_path / 'log'}")
    replies(AcpAgent(settings(*manners)), words, first)
    assert replies(AcpAgent(settings(*manners)), words, second) == ["Nothing to hide in prompt 1."]
    assert second.notes["session"] != first.notes["session"]
    one, two = heard(tmp_path / "log")
    assert one["prompt"] == two["prompt"]


def test_seats_tasks_games_and_forks_have_sessions_and_homes_of_their_own(words: Asked, tmp_path: Path) -> None:
    view, turn = words
    agent = AcpAgent(settings(f"log={tmp_path / 'log'}"))

    async def play() -> None:
        for game, seat, task in (("g", "narrator", "a"), ("g", "narrator", "b"), ("f", "narrator", "a")):
            assert seat == view.seat
            await agent.act(view, turn, Random(1), record(game, about=task))
        other = Table(5, 1).view(Table(5, 1).state.seats[1])
        await agent.act(other, turn, Random(1), record("g", about="a"))
        await agent.release()

    asyncio.run(play())
    prompts = heard(tmp_path / "log")
    assert len({one["session"] for one in prompts}) == 4
    assert [one["env"]["HOME"] == prompts[0]["env"]["HOME"] for one in prompts] == [True, True, False, False]
    assert all(one["asked"] == 1 for one in prompts), "nobody hears of another one's prompts"


def test_when_a_game_is_over_nothing_of_it_stays(words: Asked) -> None:
    async def play() -> list[Path]:
        agent = AcpAgent(settings())
        for game in ("g", "h"):
            await agent.act(*words, Random(1), record(game))
        await agent.release("g", over=True)
        left = list(homes().iterdir())
        await agent.release()
        return left

    assert len(asyncio.run(play())) == 1
    (left,) = homes().iterdir()
    assert left.stat().st_mode & 0o77 == 0


def test_what_another_seat_keeps_lies_in_another_home_and_logins_are_linked(
    words: Asked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "user"
    (home / ".codex" / "sessions").mkdir(parents=True)
    (home / ".codex" / "auth.json").write_text("{}")
    (home / ".gitconfig").write_text("[user]\n")
    for name in ("opencode", "other"):
        (home / ".config" / name).mkdir(parents=True)
        (home / ".config" / name / "settings").write_text(name)
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setenv("HOME", str(home))
    replies(AcpAgent(settings(f"log={tmp_path / 'log'}")), words, record())
    environment = heard(tmp_path / "log")[0]["env"]
    own = Path(environment["HOME"])
    assert own.is_relative_to(homes())
    assert (own / ".codex" / "auth.json").resolve() == home / ".codex" / "auth.json"
    assert (own / ".gitconfig").resolve() == home / ".gitconfig"
    for name, linked in (("opencode", False), ("other", True)):
        assert (own / ".config" / name / "settings").read_text() == name
        assert (own / ".config" / name).is_symlink() is linked, "opencode writes into its folder"
    assert not (own / ".codex" / "sessions").exists(), "the user's own sessions are none of a seat's business"
    assert environment["CODEX_HOME"] == str(own / ".codex")
    assert environment["CLAUDE_CONFIG_DIR"] == str(own / ".claude")
    assert environment["XDG_DATA_HOME"] == str(own / ".local" / "share")
    assert {name: value for name, value in environment.items() if name.startswith(("SOTTOVOCE", "OPENAI"))} == {
        "SOTTOVOCE_GAME": "g",
        "SOTTOVOCE_SEAT": "narrator",
        "SOTTOVOCE_TASK": "",
        "SOTTOVOCE_ROUND": "",
        "SOTTOVOCE_WORKSPACE": str(own.parent / "work"),
    }


@pytest.mark.parametrize(
    ("manner", "told"),
    [
        ("junk", "Nothing to hide in prompt 1."),
        ("warns", "Nothing to hide in prompt 1."),
        ("bare", "Nothing to hide in prompt 1."),
        ("asks-for-files", "Nothing to hide in prompt 1."),
    ],
)
def test_what_real_agents_do_beside_the_protocol_does_no_harm(words: Asked, manner: str, told: str) -> None:
    call = record()
    assert replies(AcpAgent(settings(manner)), words, call) == [told]
    if manner == "asks-for-files":
        assert "error -32601" in [step for _, step in call.notes["steps"]]


@pytest.mark.parametrize(
    ("manner", "told", "unreachable"),
    [
        ("dies", "ended before it answered: panic: out of memory", False),
        ("no-start", "ended before it answered: Error: no config found", False),
        ("error", "answered with an error: Internal error: model overloaded.", False),
        ("long-line", "ended before it answered.", False),
        ("floods", "stopped: it said more than 524288 characters.", False),
        ("empty", "gave no reply: the answer is empty.", False),
        ("stops=max_tokens", "stopped: max_tokens.", False),
        ("stops=refusal", "stopped: refusal.", False),
        ("login", "cannot answer: Authentication required. Log in with it once, then resume.", True),
        ("limit", "cannot answer: You've hit your usage limit. Try again at 5 pm.", True),
    ],
)
def test_each_failure_says_why(words: Asked, manner: str, told: str, unreachable: bool) -> None:
    call = record()
    error = failure(AcpAgent(settings(manner)), words, call)
    assert str(error) == f"{Path(sys.executable).name} {told}"
    assert isinstance(error, AgentUnreachable) is unreachable


def test_after_a_failure_the_next_attempt_goes_on(words: Asked, tmp_path: Path) -> None:
    for manner in ("dies", "error", "floods", "limit"):
        agent = AcpAgent(settings(f"{manner}=once:{tmp_path / manner}"))

        async def twice(agent: AcpAgent = agent) -> str:
            with pytest.raises(AgentFailed):
                await agent.act(*words, Random(1), record())
            (reply,) = await acted(agent, words, record())
            return reply

        assert asyncio.run(twice()).startswith("Nothing to hide"), manner


def test_one_that_is_slow_is_told_to_stop_and_its_session_goes_on(words: Asked, tmp_path: Path) -> None:
    calls = record(), record()
    given = settings(f"slow=once:{tmp_path / 'once'}")
    agent = AcpAgent(replace(given, run=replace(given.run, seconds=1.5)))

    async def twice() -> list[str]:
        with pytest.raises(AgentFailed, match=r"gave no answer within 1\.5 seconds") as raised:
            await agent.act(*words, Random(1), calls[0])
        assert raised.value.reason == "timeout"
        return await acted(agent, words, calls[1])

    assert asyncio.run(twice()) == ["Nothing to hide in prompt 2."]
    assert calls[1].notes["taken"] == "kept"


@pytest.mark.parametrize("cut", ["by its limit", "by a cancelled call"])
def test_one_that_was_stopped_counts_what_it_says_it_used(words: Asked, tmp_path: Path, cut: str) -> None:
    """What it had cost by then is no part of the next call's cost."""
    calls = record(), record()
    given = settings(f"slow=once:{tmp_path / 'once'}", "counts-when-stopped")
    agent = AcpAgent(replace(given, run=replace(given.run, seconds=1.5 if cut == "by its limit" else PATIENCE)))

    async def twice() -> None:
        acting = asyncio.create_task(agent.act(*words, Random(1), calls[0]))
        answering = asyncio.Event()
        calls[0].doing = lambda step: answering.set() if step == "answering" else None
        if cut == "by a cancelled call":
            await answering.wait()
            acting.cancel()
        await asyncio.wait([acting])
        assert acting.cancelled() or isinstance(acting.exception(), AgentFailed)
        await acted(agent, words, calls[1])

    asyncio.run(twice())
    assert [(call.prompt_tokens, call.reply_tokens, call.cost) for call in calls] == [(100, 10, 0.01)] * 2


def test_a_session_is_kept_before_its_first_answer(words: Asked, tmp_path: Path) -> None:
    """This process may be killed in the middle of it."""
    given = settings("slow")
    agent = AcpAgent(given)

    async def begin() -> str:
        acting = asyncio.create_task(agent.act(*words, Random(1), call := record()))
        answering = asyncio.Event()
        call.doing = lambda step: answering.set() if step == "answering" else None
        await answering.wait()
        kept = json.loads(next(homes().glob("*/sessions.json")).read_text())
        acting.cancel()
        await asyncio.wait([acting])
        await agent.release()
        return str(kept[""]["id"])

    session = asyncio.run(begin())
    again = record()
    replies(AcpAgent(settings()), words, again)  # another command, so another home
    assert again.notes["session"] != session
    later = AcpAgent(replace(given, command=given.command))
    taken = record()
    run = replace(given.run, seconds=1.5)
    assert failure(AcpAgent(replace(later.settings, run=run)), words, taken).reason == "timeout"
    assert (taken.notes["session"], taken.notes["taken"]) == (session, "resumed")


def test_one_that_does_not_hear_is_ended(words: Asked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "GRACE", 0.2)
    given = settings("deaf", f"log={tmp_path / 'log'}")
    assert "within 1 seconds" in str(failure(AcpAgent(replace(given, run=replace(given.run, seconds=1.0))), words))


def test_a_call_that_is_cancelled_leaves_no_process(words: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "GRACE", 0.2)
    agent = AcpAgent(settings("deaf"))

    async def leave() -> int:
        call = record()
        started = asyncio.Event()
        call.doing = lambda step: started.set() if step == "starting" else None
        acting = asyncio.create_task(agent.act(*words, Random(1), call))
        await started.wait()
        while not (running := [one for one in agent._sessions.values() if one.id]):
            await asyncio.sleep(0.01)
        process = running[0]._connection._process
        assert process is not None
        acting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await acting
        await agent.release()
        return process.pid

    assert gone(asyncio.run(leave()))


def test_idle_processes_end_when_others_need_their_place_or_after_a_while(words: Asked) -> None:
    async def play() -> tuple[int, int, list[str]]:
        agent = AcpAgent(settings(processes=2, idle=0.3))
        for game in ("a", "b", "c"):
            await agent.act(*words, Random(1), record(game))
        at_most = len(agent._sessions)
        while agent._sessions:
            await asyncio.sleep(0.05)
        again = await acted(agent, words, record("a"))
        return at_most, len(agent._sessions), again

    assert asyncio.run(play()) == (2, 0, ["Nothing to hide in prompt 2."])


def test_permissions_reach_as_far_as_the_folder_and_as_the_policy_says(form: Asked, tmp_path: Path) -> None:
    work, outside = tmp_path / "work", tmp_path / "outside.txt"
    work.mkdir()
    (work / "link").symlink_to(tmp_path)
    for permissions, inside, beyond in (("", True, False), ("none", False, False), ("all", True, True)):
        call = record(about=TASK, place=work)
        shutil.rmtree(homes(), ignore_errors=True)
        manners = ("writes", f"strays={work / 'link' / 'outside.txt'}")
        replies(AcpAgent(settings(*manners, permissions=permissions)), form, call)
        assert (work / "work.txt").exists() is inside
        assert outside.exists() is beyond
        assert call.notes["denied"] == [what for what, may in (("write", inside), ("stray", beyond)) if not may]
        for file in (work / "work.txt", outside):
            file.unlink(missing_ok=True)


def test_without_work_to_do_nothing_is_permitted_and_always_is_never_chosen(words: Asked) -> None:
    call = record()
    replies(AcpAgent(settings("writes", "only-always")), words, call)
    assert call.notes["denied"] == ["write"]


def test_tokens_are_read_wherever_an_agent_puts_them(words: Asked) -> None:
    for manner, prompt, reply in (("quota", 100, 10), ("usage-in-chunks", 100, 10), ("no-usage", None, None)):
        call = record()
        replies(AcpAgent(settings(manner)), words, call)
        assert (call.prompt_tokens, call.reply_tokens) == (prompt, reply), manner


def test_a_mode_is_set_each_time_and_one_that_is_not_there_is_told(words: Asked) -> None:
    assert replies(AcpAgent(settings("modes", mode="build")), words, record()) == ["Nothing to hide in prompt 1."]
    error = failure(AcpAgent(settings("modes", mode="yolo")), words)
    assert "has no mode 'yolo'. It has: plan, build." in str(error)
    assert isinstance(error, AgentUnreachable)


def test_modes_by_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOTTOVOCE_ACP_MODE", f"{Path(sys.executable).name}=build, other=x")
    assert settings_for(STUB).mode == "build"
    monkeypatch.setenv("SOTTOVOCE_ACP_MODE", "other=x")
    assert settings_for(STUB).mode == ""
    monkeypatch.setenv("SOTTOVOCE_ACP_MODE", "plan")
    assert settings_for(STUB).mode == "plan"


def test_work_has_half_an_hour_and_other_turns_five_minutes(monkeypatch: pytest.MonkeyPatch) -> None:
    run = settings_for(STUB).run
    assert (run.seconds, run.work_seconds) == (300, 1800)
    monkeypatch.setenv("SOTTOVOCE_COMMAND_SECONDS", "60")
    run = settings_for(STUB).run
    assert (run.seconds, run.work_seconds) == (60, 60)


def test_named_agents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: Asked) -> None:
    monkeypatch.setenv("A_KEY", "sk-0123456789")
    text = f'[acp.coder]\ncommand = "{STUB} log={tmp_path}/log"\nmode = "build"\nseconds = 7\nenvironment = ["A_KEY"]\n'
    (tmp_path / "agents.toml").write_text(text)
    found = settings_for("coder")
    assert (found.mode, found.run.seconds, found.run.work_seconds, found.run.prompt_tokens) == ("build", 7, 7, 16000)
    assert replies(AcpAgent(found), words, record()) == ["Nothing to hide in prompt 1."]
    assert heard(tmp_path / "log")[0]["env"]["A_KEY"] == "sk-0123456789"
    check_allowed(["acp:coder"], {}, named=is_named)
    with pytest.raises(CommandNotAllowed, match="acp:other"):
        check_allowed(["acp:other"], {}, named=is_named)
    (tmp_path / "agents.toml").write_text("[acp.coder]\n")
    with pytest.raises(ModelUnusable, match=r"acp\.coder\.command: field required"):
        settings_for("coder")


def test_a_program_that_only_a_log_names_does_not_run(tmp_path: Path) -> None:
    with pytest.raises(CommandNotAllowed, match="'acp:codex-acp --x'"):
        check_allowed(["acp:codex-acp --x"], {"SOTTOVOCE_COMMANDS": "codex-acp --x"})
    check_allowed(["acp:codex-acp --x"], {"SOTTOVOCE_COMMANDS": "claude -p; acp:codex-acp '--x'"})
    with pytest.raises(CommandNotAllowed):
        check_allowed(["command:codex-acp --x"], {"SOTTOVOCE_COMMANDS": "acp:codex-acp --x"})


@pytest.mark.parametrize(
    ("variables", "told"),
    [
        ({"SOTTOVOCE_ACP_PERMISSIONS": "some"}, "is 'some'. Set it to one of: inside, none, all."),
        ({"SOTTOVOCE_ACP_SANDBOX": "yes"}, "is 'yes'. Set it to one of: auto, on, off."),
        ({"SOTTOVOCE_ACP_PROCESSES": "0"}, "is '0'. Set it to a whole number from 1 to 1024."),
        ({"SOTTOVOCE_ACP_SANDBOX": "on", "PATH": "/nowhere"}, "There is no program"),
    ],
)
def test_a_wrong_setting_is_told_in_one_line(
    variables: dict[str, str], told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(CommandUnusable) as raised:
        settings_for("python3 x")
    assert told in str(raised.value)
    assert "\n" not in str(raised.value)


def test_where_there_is_no_sandbox_it_is_said_and_one_that_is_required_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "bin").mkdir()
    monkeypatch.delenv("SOTTOVOCE_ACP_SANDBOX")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert settings_for(STUB).unboxed == "bwrap (bubblewrap) is not installed"
    monkeypatch.setenv("SOTTOVOCE_ACP_SANDBOX", "on")
    with pytest.raises(CommandUnusable, match="must run in a sandbox, and bwrap"):
        settings_for(STUB)
    broken = tmp_path / "bin" / "bwrap"
    broken.write_text("#!/bin/sh\necho bwrap: setting up uid map: Permission denied >&2\nexit 1\n")
    broken.chmod(0o755)
    sandbox.lacking.cache_clear()
    with pytest.raises(CommandUnusable, match=r"bwrap does not work here .*Permission denied"):
        settings_for(STUB)


@pytest.mark.skipif(bool(sandbox.lacking(os.environ["PATH"])), reason="this machine has no sandbox")
def test_in_the_sandbox_it_writes_its_folder_alone_and_sees_no_other_home(
    form: Asked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOTTOVOCE_ACP_SANDBOX", "on")
    work, other = tmp_path / "work", tmp_path / "other.txt"
    work.mkdir()
    other.write_text("untouched")
    replies(AcpAgent(settings()), form, record("other game"))
    (secret,) = homes().rglob("sessions.json")
    shell = f"echo in > in.txt; echo out > {other}; echo out > {ROOT}/out.txt; true"
    call = record(about=TASK, place=work)
    replies(AcpAgent(settings(f"shell={shell}", f"reads={secret}")), form, call)
    assert call.notes["sandbox"] == "bwrap"
    assert (work / "in.txt").read_text() == "in\n"
    assert other.read_text() == "untouched"
    assert not (ROOT / "out.txt").exists()
    assert "read: FileNotFoundError" in [step for _, step in call.notes["steps"]]
    hidden = work / "games.db"
    hidden.write_text("all the secrets")
    hide(hidden)
    call = record(about=TASK, place=work, reads_only=True)
    replies(AcpAgent(settings(f"shell={shell.replace('in.txt', 'late.txt')}", f"reads={hidden}")), form, call)
    assert not (work / "late.txt").exists()
    assert "all the secrets" not in json.dumps(call.notes)


CONNECT = (
    """python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect("{path}"); open("{trace}", "w")' 2>/dev/null"""
)


@pytest.mark.skipif(bool(sandbox.lacking(os.environ["PATH"])), reason="this machine has no sandbox")
def test_in_the_sandbox_it_reaches_no_socket_and_no_process_of_its_user(
    form: Asked, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Not the session's sockets, not a container engine's, not the SSH agent's, not the server's environment."""
    monkeypatch.setattr(sandbox, "SCRATCH", ())  # where these tests lie
    folder = tmp_path_factory.mktemp("s")
    monkeypatch.setattr(sandbox, "SESSIONS", str(folder / "user"))
    (folder / "user" / "1000").mkdir(parents=True)
    paths = {name: folder / name for name in ("user/1000/bus", "docker.sock", "ssh.sock", "other.sock")}
    listening = [socket.socket(socket.AF_UNIX) for _ in paths]
    for one, path in zip(listening, paths.values(), strict=True):
        one.bind(str(path))
        one.listen()
    monkeypatch.setattr(sandbox, "SOCKETS", (str(paths["docker.sock"]),))
    monkeypatch.setenv("SSH_AUTH_SOCK", str(paths["ssh.sock"]))
    monkeypatch.setenv("SOTTOVOCE_ACP_SANDBOX", "on")
    reached = {}
    for name, path in paths.items():
        work = folder / "work" / path.name
        work.mkdir(parents=True)
        shell = CONNECT.format(path=path, trace=work / "trace")
        call = record(name, about=TASK, place=work)
        replies(AcpAgent(settings(f"shell={shell}", f"reads=/proc/{os.getpid()}/environ")), form, call)
        reached[name] = (work / "trace").exists()
        assert "read: FileNotFoundError" in [step for _, step in call.notes["steps"]]
    assert reached == {name: name == "other.sock" for name in paths}, "one that nobody named shows that it could"
    for one in listening:
        one.close()
