"""`command:CMD`: what a program is given, what is made of its answer, and that nothing of it stays behind."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
import uvloop
from delegating import TASK
from durability.processes import gone
from patience import PATIENCE
from sizes import sized
from table import Table

from sottovoce.agents.agent import AgentFailed, AgentUnreachable, Assignment, CallRecord, PromptedAgent
from sottovoce.agents.command_agent import KEPT, CommandAgent
from sottovoce.agents.house import HouseAgent
from sottovoce.agents.kinds import agent_for, check_agent, known
from sottovoce.agents.models.answers import reply_in
from sottovoce.agents.programs.process import KEPT_OF_ERRORS, LONGEST_OUTPUT, Ended, readable_output, run_program
from sottovoce.agents.programs.settings import (
    CommandNotAllowed,
    CommandUnusable,
    Settings,
    check_allowed,
    with_whole_paths,
    words_of,
)
from sottovoce.domain.turns import Turn
from sottovoce.projections.view import View

Asked = tuple[View[Any], Turn]
Loop = Callable[[], asyncio.AbstractEventLoop]


@pytest.fixture(scope="module")
def words() -> Asked:
    """A turn for words."""
    view = Table(5, 1).view("narrator")
    assert not view.turns[0].choices
    return view, view.turns[0]


@pytest.fixture(scope="module")
def choice() -> Asked:
    """A turn for one of several choices."""
    table = Table(5, 1, agents=HouseAgent())
    while not any(turn.choices for turn in table.state.turns.values()):
        table.play(1)
    turn = next(turn for turn in table.state.turns.values() if turn.choices)
    return table.view(turn.seat), turn


@pytest.fixture(scope="module")
def form() -> Asked:
    """A turn with fields to fill in."""
    view = Table(
        ("planner", "executor", "reviewer"), 1, ruleset="delegation", files={f"{TASK}.md": b"Build a house."}
    ).view("planner")
    return view, view.turns[0]


def settings(**changes: Any) -> Settings:
    return replace(Settings.from_environment(), **{"seconds": PATIENCE, **changes})


def shell(script: str) -> str:
    return f"sh -c {shlex.quote(script)}"


def act(command: str, asked: Asked, record: CallRecord | None = None, **changes: Any) -> str:
    agent = CommandAgent(command, settings(**changes))
    return asyncio.run(agent.act(*asked, Random(1), record or CallRecord()))


def failure(command: str, asked: Asked, record: CallRecord | None = None, **changes: Any) -> str:
    with pytest.raises(AgentFailed) as raised:
        act(command, asked, record, **changes)
    return str(raised.value)


def until(true: Callable[[], Any]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < deadline, "in vain"
        time.sleep(0.01)


def test_it_is_an_agent_like_the_others_that_get_a_prompt(words: Asked, tmp_path: Path) -> None:
    assert "command:CMD" in known()
    agent = agent_for(f"command:cat > {tmp_path}/x", HouseAgent)
    assert isinstance(agent, CommandAgent)
    assert isinstance(agent, PromptedAgent)
    assert agent.by == "prompt"
    blocks = agent.blocks(*words)
    assert blocks == agent.blocks(*words)
    assert blocks[0].startswith("THE RULES")
    assert "HOW TO ANSWER" in blocks[0]
    assert blocks[-1].startswith("NOW.")


def test_a_program_reads_the_very_blocks_and_nothing_else(words: Asked, tmp_path: Path) -> None:
    command = shell(f"cat > {tmp_path}/read; echo 'Night falls.'")
    record = CallRecord()
    assert act(command, words, record) == "Night falls."
    blocks = CommandAgent(command, settings()).blocks(*words)
    assert (tmp_path / "read").read_text(encoding="utf-8") == "\n\n".join(blocks) + "\n"
    assert record.notes["command"] == command
    assert record.notes["exit"] == 0
    assert record.notes["stderr"] == ""
    assert (record.prompt_tokens, record.reply_tokens, record.cost) == (None, None, None)


def test_no_shell_reads_the_command(words: Asked, tmp_path: Path) -> None:
    said = act(f"echo '$HOME' \"`id`\" ';' a\\ b > {tmp_path}/x", words)
    assert said == f"$HOME `id` ; a b > {tmp_path}/x"
    assert list(tmp_path.iterdir()) == []


def test_a_program_gets_the_variables_of_the_list_and_those_that_are_named(
    words: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "SOTTOVOCE_DB", "A_KEY", "ANOTHER"):
        monkeypatch.setenv(name, f"value of {name}")
    monkeypatch.setenv("LC_MESSAGES", "C")
    code = "import os; print(*sorted(os.environ))"
    names = act(f"{sys.executable} -I -c {shlex.quote(code)}", words).split()
    assert {"PATH", "HOME", "LC_MESSAGES"} <= set(names)
    assert not {"OPENAI_API_KEY", "SOTTOVOCE_DB", "A_KEY", "ANOTHER"} & set(names)
    monkeypatch.setenv("SOTTOVOCE_COMMAND_ENVIRONMENT", "A_KEY, ANOTHER, MISSING")
    named = act(f"{sys.executable} -I -c {shlex.quote(code)}", words).split()
    assert set(named) == {*names, "A_KEY", "ANOTHER"}


def test_what_was_named_for_a_program_does_not_come_back_from_it(words: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_KEY", "sk-0123456789")
    monkeypatch.setenv("SOTTOVOCE_COMMAND_ENVIRONMENT", "A_KEY")
    record = CallRecord()
    assert act(shell("echo my key is $A_KEY; echo lost $A_KEY >&2"), words, record) == "my key is [A_KEY]"
    assert record.notes["stderr"] == "lost [A_KEY]"
    assert "sk-0123456789" not in repr(settings())


def test_it_runs_in_a_fresh_folder_of_its_own_that_is_gone_afterwards(words: Asked) -> None:
    command = shell("pwd; ls -A; touch left; mkdir -p deep/er; chmod 0 deep")
    first, second = act(command, words), act(command, words)
    assert first != second, "nothing is left from one call to the next"
    for folder in (first, second):
        assert "\n" not in folder, "it was empty"
        assert not (Path(folder) / "left").exists()


def test_it_runs_in_the_folder_that_is_named(words: Asked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOTTOVOCE_COMMAND_FOLDER", str(tmp_path))
    assert act(shell("pwd; touch kept"), words) == str(tmp_path)
    assert (tmp_path / "kept").exists()


@pytest.mark.parametrize(
    ("said", "reply"),
    [
        ("Night falls.", "Night falls."),
        ('{"text": "Night falls."}', "Night falls."),
        ('```json\n{"text": "Night falls."}\n```', "Night falls."),
        ('Sure, {as you wish}!\n\n{"type": "log"}\n{"text": "Night falls."}\nBye.', "Night falls."),
        ('\x1b[1;32m{"text": "Night\x1b[0m falls."}\x1b[K', "Night falls."),
        ("Thinking\rThinking.\rNight falls.\r\n", "Night falls."),
        ("\x1b]8;;http://x\x1b\\Night\x1b]8;;\x1b\\ falls.\x1b(B", "Night falls."),
        ("<think>Who is it?</think>\nNight falls.", "Night falls."),
        ("```\nNight falls.\n```", "Night falls."),
        ("```text\nNight falls.\n```\nAnything else?", "Night falls."),
    ],
)
def test_answers_are_read_as_command_lines_give_them(words: Asked, tmp_path: Path, said: str, reply: str) -> None:
    (tmp_path / "said").write_bytes(said.encode())
    assert act(f"cat {tmp_path}/said", words) == reply


def test_a_choice_and_a_form_are_read_out_of_talk_around_them(choice: Asked, form: Asked, tmp_path: Path) -> None:
    legal = choice[1].choices[0]
    (tmp_path / "said").write_text(f'Let me see {{…}}\n```json\n{{"choice": "{legal}", "words": "So."}}\n```\nDone.')
    assert act(f"cat {tmp_path}/said", choice) == reply_in(f'{{"choice": "{legal}", "words": "So."}}', *choice)
    answer = '{"action": "execute_delegate_task", "file": "# Build\\n\\nReviewer: reviewer\\n", "note": "", "to": ""}'
    (tmp_path / "said").write_text(f"Here it is:\n\n\x1b[2m{answer}\x1b[0m\n\nTokens used: 1,200")
    assert act(f"cat {tmp_path}/said", form) == reply_in(answer, *form)


def test_crash_silence_and_nonsense_fail_the_attempt_and_the_receipt_says_why(words: Asked, form: Asked) -> None:
    record = CallRecord()
    said = failure(
        shell("echo 'Night falls.'; printf 'one\\n\\033[31mno\\033[0m credit\\007\\n' >&2; exit 3"), words, record
    )
    assert said == "sh ended with exit code 3: no credit\\x07"
    assert record.notes["exit"] == 3
    assert record.notes["stderr"] == "one\nno credit\\x07"
    assert failure(shell("kill -9 $$"), words).startswith("sh ended with exit code 137")
    assert failure("true", words) == "true gave no reply: the answer is empty."
    record = CallRecord()
    assert "gave no reply" in failure(shell("echo '{\"action\": 3'"), form, record)
    assert record.notes["answer"] == '{"action": 3'


@pytest.mark.parametrize(
    "notice",
    [
        "Claude AI usage limit reached|1760000000",
        "You've hit your usage limit. Upgrade to Pro, or try again in 3 days.",
        "Invalid API key · Please run /login",
        "Error: not logged in. Run `codex login` first.",
        "Credit balance is too low",
        'API Error: 401 {"type":"error"}',
        "Please log in to continue.",
        '{"type":"result","subtype":"success","is_error":true,"result":"Claude AI usage limit reached|1760000000"}',
        '{"type":"turn.failed","error":{"message":"You\'ve hit your usage limit."}}',
    ],
)
def test_a_notice_of_an_account_is_no_speech_and_no_bad_player(words: Asked, tmp_path: Path, notice: str) -> None:
    (tmp_path / "said").write_text(notice)
    with pytest.raises(AgentUnreachable) as raised:
        act(f"cat {tmp_path}/said", words)
    assert "cannot answer: " in str(raised.value)
    with pytest.raises(AgentUnreachable):
        act(shell(f"cat {tmp_path}/said >&2; exit 1"), words) if not notice.startswith("{") else act(
            f"cat {tmp_path}/said", words
        )


@pytest.mark.parametrize(
    "said", ["You have reached the limit of my patience.", "Please sit down.", "I have no credit with Bram."]
)
def test_words_that_are_no_notice_are_said(words: Asked, tmp_path: Path, said: str) -> None:
    (tmp_path / "said").write_text(said)
    assert act(f"cat {tmp_path}/said", words) == said


def test_a_programs_failure_has_a_reason_of_its_own(words: Asked) -> None:
    for script, reason in (
        ("echo no; exit 3", "failed"),
        ("echo oh >&2", "empty"),
        ('echo \'{"type":"result","is_error":true,"result":"boom"}\'', "failed"),
        ("echo '[]'", "unreadable"),
    ):
        with pytest.raises(AgentFailed) as raised:
            act(shell(script), words)
        assert raised.value.reason == reason, script
    assert "standard error: oh" in failure(shell("echo oh >&2"), words)


LOOPS = pytest.mark.parametrize("loop", [asyncio.new_event_loop, uvloop.new_event_loop], ids=["asyncio", "uvloop"])


@LOOPS
@pytest.mark.parametrize("script", ["echo yes", "exec <&-; echo yes", "head -c 1 >&2; echo yes"])
def test_a_program_that_does_not_read_its_prompt_is_no_trouble(script: str, loop: Loop, tmp_path: Path) -> None:
    long = "Night falls. " * 100_000
    running = run_program(["/bin/sh", "-c", script], long, folder=tmp_path, environment={}, seconds=PATIENCE)
    with asyncio.Runner(loop_factory=loop) as runner:
        ended = runner.run(running)
    assert (ended.code, ended.out) == (0, "yes")


@LOOPS
def test_a_prompt_that_nobody_reads_leaves_no_pipe_open(loop: Loop, tmp_path: Path) -> None:
    script = (
        "exec 3<&0; setsid sleep 1000 <&3 >/dev/null 2>&1 & "
        f"echo $! > {tmp_path}/left; until [ $(cut -d' ' -f6 /proc/$!/stat) = $! ]; do :; done; echo yes"
    )

    async def story() -> Ended:
        # Opens what a loop opens with its first program.
        await run_program(["/bin/true"], "", folder=tmp_path, environment={}, seconds=PATIENCE)
        before = sorted(os.listdir("/proc/self/fd"))
        long = "Night falls. " * 100_000
        ended = await run_program(["/bin/sh", "-c", script], long, folder=tmp_path, environment={}, seconds=PATIENCE)
        try:
            assert sorted(os.listdir("/proc/self/fd")) == before
        finally:
            os.kill(int((tmp_path / "left").read_text()), 9)
        return ended

    with asyncio.Runner(loop_factory=loop) as runner:
        ended = runner.run(story())
    assert (ended.code, ended.out) == (0, "yes")


@LOOPS
def test_a_program_that_reads_its_prompt_gets_all_of_it_in_any_loop(loop: Loop, tmp_path: Path) -> None:
    long = "Night falls. " * 30_000

    async def story() -> Ended:
        await run_program(["/bin/true"], long, folder=tmp_path, environment={}, seconds=PATIENCE)
        return await run_program(["/bin/cat"], long, folder=tmp_path, environment={}, seconds=PATIENCE)

    with asyncio.Runner(loop_factory=loop) as runner:
        ended = runner.run(story())
    assert (ended.code, ended.out) == (0, long.strip())


def test_an_answer_and_errors_are_bounded(words: Asked) -> None:
    record = CallRecord()
    assert str(LONGEST_OUTPUT) in failure(shell("yes"), words, record)
    assert record.notes["exit"] is None
    record = CallRecord()
    noisy = f"head -c {KEPT_OF_ERRORS * 4} /dev/zero | tr '\\0' e >&2; echo last >&2; echo yes"
    assert act(shell(noisy), words, record) == "yes"
    assert len(record.notes["stderr"]) == KEPT
    assert record.notes["stderr"].endswith("elast")


@LOOPS
def test_a_group_ends_with_its_time_in_any_loop(loop: Loop, tmp_path: Path) -> None:
    script = f"sleep 1000 & echo $! > {tmp_path}/inner; sleep 1000"
    running = run_program(["/bin/sh", "-c", script], "", folder=tmp_path, environment={}, seconds=1.0)
    with asyncio.Runner(loop_factory=loop) as runner:
        assert runner.run(running).cut == "no answer within 1 seconds"
    until(lambda: gone(int((tmp_path / "inner").read_text())))


def test_time_ends_the_whole_group(words: Asked, tmp_path: Path) -> None:
    script = shell(f"(sleep 1000 & echo $! > {tmp_path}/inner; wait) & echo $$ > {tmp_path}/outer; sleep 1000")
    assert failure(script, words, seconds=1.0) == "sh was ended: no answer within 1 seconds."
    hurried = (words[0], msgspec.structs.replace(words[1], seconds=1.0))
    told = json.dumps({"type": "turn.completed", "usage": {"input_tokens": 70, "output_tokens": 5}})
    for given, more in ((words, {"seconds": 1.0}), (hurried, {})):
        call = CallRecord()
        failure(shell(f"echo {shlex.quote(told)}; sleep 1000"), given, call, **more)
        assert (call.prompt_tokens, call.reply_tokens) == (70, 5), "what it had used by then"
    assert failure(script, hurried) == "sh gave no answer within the turn's 1 seconds."
    until(lambda: all(gone(int((tmp_path / name).read_text())) for name in ("inner", "outer")))


def test_what_a_program_leaves_running_ends_with_it(words: Asked, tmp_path: Path) -> None:
    assert act(shell(f"sleep 1000 & echo $! > {tmp_path}/left; echo yes"), words) == "yes"
    until(lambda: gone(int((tmp_path / "left").read_text())))


def test_what_leaves_the_group_does_not_keep_an_answer_back(words: Asked, tmp_path: Path) -> None:
    script = shell(f"setsid sleep 1000 & echo $! > {tmp_path}/left; echo yes")
    started = time.monotonic()
    try:
        assert act(script, words) == "yes"
        assert time.monotonic() - started < 900
    finally:
        os.kill(int((tmp_path / "left").read_text()), 9)


def test_a_call_that_is_cancelled_ends_its_program(words: Asked, tmp_path: Path) -> None:
    script = shell(
        f"sleep 1000 & echo $! > {tmp_path}/x; mv {tmp_path}/x {tmp_path}/inner; pwd > {tmp_path}/where; wait"
    )

    async def story() -> None:
        acting = asyncio.create_task(CommandAgent(script, settings()).act(*words, Random(1), CallRecord()))
        while not (tmp_path / "where").exists():
            await asyncio.sleep(0.01)
        acting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await acting

    asyncio.run(story())
    until(lambda: gone(int((tmp_path / "inner").read_text())))
    assert not Path((tmp_path / "where").read_text().strip()).exists()


def cut(script: str, folder: Path, seconds: float) -> Ended:
    return asyncio.run(run_program(["/bin/sh", "-c", script], "", folder=folder, environment={}, seconds=seconds))


def test_what_a_program_was_running_comes_to_its_end_before_the_call_does(tmp_path: Path) -> None:
    """Such as a git command: killed in the middle, it leaves its locks behind."""
    cut("(sleep 0.8; touch done) >/dev/null 2>&1 & touch begun; sleep 1000; touch went-on", tmp_path, 0.5)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["begun", "done"]


def test_a_program_can_end_by_itself_when_it_is_cut_off_and_must(tmp_path: Path) -> None:
    cut("trap 'touch ended; exit' TERM; while :; do sleep 0.05; done", tmp_path, 0.5)
    assert (tmp_path / "ended").exists()
    cut("trap '' TERM; echo $$ > stubborn; while :; do sleep 0.05; done", tmp_path, 0.5)
    assert gone(int((tmp_path / "stubborn").read_text()))


def test_a_program_that_waits_for_its_children_does_not_wait_for_the_watcher(words: Asked, tmp_path: Path) -> None:
    waits = "import os\ntry: os.wait()\nexcept ChildProcessError: print('yes')"
    assert act(f"{sys.executable} -c {shlex.quote(waits)}", words, seconds=20.0) == "yes"


@LOOPS
def test_a_call_may_be_cancelled_at_any_step(
    loop: Loop, words: Asked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sottovoce.agents.programs.process.AFTERLIFE", 0.01)
    agent = CommandAgent(shell(f"echo $$ >> {tmp_path}/started; exec sleep 1000"), settings())

    async def story() -> None:
        for steps in range(sized(20, 60)):
            acting = asyncio.create_task(agent.act(*words, Random(1), CallRecord()))
            for _ in range(steps):
                await asyncio.sleep(0)
            acting.cancel()
            ended, _ = await asyncio.wait([acting], timeout=PATIENCE)
            assert ended, f"cancelled after {steps} steps it goes on"
            assert acting.cancelled()

    with asyncio.Runner(loop_factory=loop) as runner:
        runner.run(story())
    started = tmp_path / "started"
    until(lambda: all(gone(int(pid)) for pid in (started.read_text().split() if started.exists() else ())))


def test_no_more_run_at_once_than_may(words: Asked, tmp_path: Path) -> None:
    script = shell(f"mkdir {tmp_path}/one && sleep 0.05 && rmdir {tmp_path}/one && echo alone")

    async def story() -> list[str]:
        agent = CommandAgent(script, settings(concurrency=1))
        return await asyncio.gather(*(agent.act(*words, Random(1), CallRecord()) for _ in range(4)))

    assert asyncio.run(story()) == ["alone"] * 4


def test_a_program_that_is_not_there_is_told_before_the_game_and_unreachable_in_it(
    words: Asked, tmp_path: Path
) -> None:
    for command, reason in (
        ("no-such-program -x", "There is no program 'no-such-program'"),
        (f"{tmp_path}", "There is no program"),
        ("echo 'half", "Fix the quotes"),
        ("''", "There is no program"),
        (" ", "names no program"),
    ):
        with pytest.raises(CommandUnusable, match=reason) as raised:
            check_agent(f"command:{command}")
        assert raised.value.exit_code == 2
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\necho yes\n")
    program.chmod(0o755)
    agent = CommandAgent(str(program), settings())
    program.unlink()
    with pytest.raises(AgentUnreachable, match="no longer exists"):
        asyncio.run(agent.act(*words, Random(1), CallRecord()))


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("SOTTOVOCE_COMMAND_FOLDER", "/nowhere/at/all"),
        ("SOTTOVOCE_COMMAND_SECONDS", "soon"),
        ("SOTTOVOCE_COMMAND_SECONDS", "nan"),
        ("SOTTOVOCE_COMMAND_CONCURRENCY", "0"),
        ("SOTTOVOCE_PROMPT_TOKENS", "12"),
    ],
)
def test_settings_that_cannot_be_are_named(variable: str, value: str) -> None:
    with pytest.raises(CommandUnusable, match=variable) as raised:
        Settings.from_environment({variable: value})
    assert value in str(raised.value)


def test_relative_paths_of_a_command_are_made_whole(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    assert with_whole_paths("python ./bot.py -x a/b") == f"python {tmp_path}/bot.py -x a/b"
    assert with_whole_paths("bots/one --fast") == f"{tmp_path}/bots/one --fast"
    for same in ("claude -p --model 'a b'", "echo 'half", "", "/bin/echo  two   spaces"):
        assert with_whole_paths(same) == same
    assert words_of(with_whole_paths("'./a b' c")) == [f"{tmp_path}/a b", "c"]


def test_a_program_that_only_a_log_names_runs_where_it_is_allowed() -> None:
    given = ["house", "command:claude -p", "openai:m", "command:codex exec -"]
    check_allowed(["house", "openai:m", "outside"], {})
    for listed in ("claude  '-p'; codex exec -", "codex exec -\nclaude -p\n", "*", "x; *"):
        check_allowed(given, {"SOTTOVOCE_COMMANDS": listed})
    for listed in ("", "claude -p", "claude; codex", "claude -p -x; codex exec -", "'*'x", "claude -p # codex exec -"):
        with pytest.raises(CommandNotAllowed, match="SOTTOVOCE_COMMANDS"):
            check_allowed(given, {"SOTTOVOCE_COMMANDS": listed})
    with pytest.raises(CommandUnusable, match="SOTTOVOCE_COMMANDS"):
        check_allowed(given, {"SOTTOVOCE_COMMANDS": "claude 'p"})


def test_what_a_terminal_would_have_left_is_what_counts() -> None:
    said = b"\x1b[31mred\x1b[0m \xff\r\n1%\r50%\r100%\r\nend\x1b[2J\n\n"
    assert readable_output(said) == "red \ufffd\n100%\nend"


def test_a_program_is_told_what_its_call_is_for(form: Asked, tmp_path: Path) -> None:
    work = tmp_path / "a work folder"
    work.mkdir()
    script = f"(pwd; env | grep ^SOTTOVOCE_ | sort; echo $0 $1) > {tmp_path}/said; exit 3"
    call = CallRecord(assignment=Assignment("g1", TASK, 2, work))
    failure(f"sh -c {shlex.quote(script)} {{task}}/{{round}} '{{game}} {{seat}} {{workspace}} {{other}}'", form, call)
    assert (tmp_path / "said").read_text().splitlines() == [
        str(work),
        "SOTTOVOCE_GAME=g1",
        "SOTTOVOCE_ROUND=2",
        "SOTTOVOCE_SEAT=planner",
        f"SOTTOVOCE_TASK={TASK}",
        f"SOTTOVOCE_WORKSPACE={work}",
        f"{TASK}/2 g1 planner {work} {{other}}",
    ]


def test_a_report_s_tokens_and_cost_are_the_receipt_s_and_its_answer_is_read(words: Asked, tmp_path: Path) -> None:
    report = {"type": "result", "result": "Night falls.", "session_id": "s1", "total_cost_usd": 0.25}
    report |= {"usage": {"input_tokens": 100, "cache_read_input_tokens": 900, "output_tokens": 7}}
    (tmp_path / "report").write_text(json.dumps(report))
    call = CallRecord()
    assert act(f"cat {tmp_path}/report", words, call) == "Night falls."
    assert (call.prompt_tokens, call.cached_tokens, call.reply_tokens, call.cost) == (1000, 900, 7, 0.25)
    assert call.notes["session"] == "s1"
    (tmp_path / "report").write_text(json.dumps({**report, "is_error": True, "result": "Credit is too low"}))
    call = CallRecord()
    assert "the program reports an error: Credit is too low" in failure(f"cat {tmp_path}/report", words, call)
    assert call.cost == 0.25, "a failure has its price too"


def test_costs_by_your_own_prices_are_marked(words: Asked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tokens = {"prompt": 1000, "candidates": 100, "cached": 0, "thoughts": 100}
    report = {"response": "Night falls.", "stats": {"models": {"gemini-pro": {"tokens": tokens}}}}
    (tmp_path / "report").write_text(json.dumps(report))
    call = CallRecord()
    act(f"cat {tmp_path}/report", words, call)
    assert (call.prompt_tokens, call.reply_tokens, call.cost) == (1000, 200, None)
    (tmp_path / "prices.toml").write_text('["*"]\ngemini-pro = { prompt = 1.0, reply = 10.0 }\n')
    monkeypatch.setenv("SOTTOVOCE_PRICES", str(tmp_path / "prices.toml"))
    call = CallRecord()
    act(f"cat {tmp_path}/report", words, call)
    assert call.cost == pytest.approx(0.003)
    assert call.notes["cost_computed"] is True


def test_what_it_does_is_told_while_it_runs_by_its_stream_or_by_standard_error(words: Asked) -> None:
    started = json.dumps({"type": "item.started", "item": {"type": "command_execution", "command": "make test"}})
    said = json.dumps({"type": "item.completed", "item": {"type": "agent_message", "text": "Night falls."}})
    for script, steps in (
        (f"echo '{started}'; echo noise >&2; sleep 0.3; echo '{said}'", ["starting", "make test", "answering"]),
        ("echo Reading a.py >&2; sleep 0.3; echo Night falls.", ["starting", "Reading a.py"]),
    ):
        call, told = CallRecord(), list[tuple[float, str]]()
        call.doing = lambda step, told=told: told.append((time.monotonic(), step))  # type: ignore[misc]
        assert act(shell(script), words, call) == "Night falls."
        assert [step for _, step in told] == steps
        assert told[1][0] < time.monotonic() - 0.2, "not only at its end"


def test_work_on_a_task_has_its_own_time(form: Asked) -> None:
    call = CallRecord(assignment=Assignment("g", TASK))
    assert "no answer within 0.3 seconds" in failure("sleep 5", form, call, work_seconds=0.3)
    assert "no answer within 0.2 seconds" in failure("sleep 5", form, seconds=0.2)
    assert (Settings.from_environment({}).seconds, Settings.from_environment({}).work_seconds) == (300, 1800)
    given = Settings.from_environment({"SOTTOVOCE_COMMAND_SECONDS": "60"})
    assert (given.seconds, given.work_seconds) == (60, 60)
