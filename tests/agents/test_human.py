"""A person at the terminal or behind a pipe: what they type, what they see, and how they leave."""

from __future__ import annotations

import asyncio
import io
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest
from golden import LOGS
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output import DummyOutput
from table import Table
from terminals import Pty

from sottovoce.agents.agent import CallRecord
from sottovoce.agents.human import HumanAgent, PlayerLeft, Terminal, chosen, fault
from sottovoce.agents.keyboard import Left, PipeKeyboard, Question
from sottovoce.agents.line_editor import LineEditor, WordsCompleter
from sottovoce.agents.random_agent import RandomAgent
from sottovoce.domain.events import GameOpened, ReplyAccepted
from sottovoce.domain.rulesets import RULESETS
from sottovoce.domain.turns import Turn
from sottovoce.eventlog.registry import default_registry
from sottovoce.projections.exports import parse_line
from sottovoce.projections.view import View
from sottovoce.projections.view import view as view_of

NAMES = ("Ada", "Bram", "Cleo", "Dirk", "Edda")


def asked(kind: str, seat: str | None = None, names: tuple[str, ...] = NAMES) -> tuple[Table, View[Any], Turn]:
    """A game just when a seat is asked for that kind of reply."""
    for seed in range(50):
        table = Table(names, seed, agents=RandomAgent())
        while not table.state.over:
            for turn in table.state.turns.values():
                if turn.kind == kind and seat in (None, turn.seat):
                    return table, table.view(turn.seat), turn
            table.play(1)
    raise AssertionError(f"no {kind} turn came up")


class Later(LineEditor):
    """A line editor that is typed into again a moment after each further question was shown."""

    def __init__(self, keys: PipeInput, later: tuple[str, ...], history: Path | None) -> None:
        super().__init__(keys, DummyOutput(), history=history)
        self._keys_for = keys
        self._later = iter((None, *later))

    async def read(self, question: Question) -> str:
        text = next(self._later, None)
        if text is not None:
            asyncio.get_running_loop().call_later(0.1, self._keys_for.send_text, text)
        return await super().read(question)


def at_terminal(
    feed: Callable[[PipeInput], None], view: View[Any], turn: Turn, then: str | None = None, **options: Any
) -> str:
    """What the agent replies to those keys; `then` is typed once it has asked again."""
    with create_pipe_input() as keys:
        feed(keys)
        editor = Later(keys, () if then is None else (then,), options.pop("history", None))
        agent = HumanAgent(turn.seat, Terminal(keyboard=editor, **options))
        return asyncio.run(agent.act(view, turn, Random(0), CallRecord()))


def typed(text: str, view: View[Any], turn: Turn, **options: Any) -> str:
    return at_terminal(lambda keys: keys.send_text(text), view, turn, **options)


@pytest.mark.parametrize("code", ["\x1b[31m", "\x1b[0m", "\x1b[1;2m", "\x1b[<0;1M"])
def test_a_colour_code_that_is_pasted_is_passed_over(code: str) -> None:
    """It reads like the report of a mouse."""
    _, view, turn = asked("nominate")
    assert typed(f"{code}I nominate {code}Bram.\r", view, turn) == "I nominate Bram."


class Script:
    """A keyboard with its lines given beforehand; keeps what was written and asked."""

    width = 80
    fancy = True
    patient = True

    def __init__(self, *lines: str | BaseException) -> None:
        self.lines: Iterator[str | BaseException] = iter(lines)
        self.written = ""
        self.questions: list[Question] = []
        self.pages: list[str] = []
        self.typed = ""

    def write(self, fragments: list[tuple[str, str]]) -> None:
        self.written += "".join(text for _, text in fragments)

    async def read(self, question: Question) -> str:
        self.questions.append(question)
        line = next(self.lines, None)
        if line is None:
            await asyncio.Event().wait()
        if isinstance(line, BaseException):
            raise line
        assert isinstance(line, str)
        return line

    async def hand_over(self, name: str) -> None:
        self.pages.append(name)


def scripted(script: Script, view: View[Any], turn: Turn, **options: Any) -> str:
    agent = HumanAgent(turn.seat, Terminal(keyboard=script, **options))
    return asyncio.run(agent.act(view, turn, Random(0), CallRecord()))


def test_what_is_typed_is_the_reply() -> None:
    _, view, turn = asked("nominate")
    assert typed("I nominate Bram, for his silence.\r", view, turn) == "I nominate Bram, for his silence."


def test_a_number_stands_for_the_choice_it_numbers() -> None:
    _, view, turn = asked("nominate")
    assert typed("2\r", view, turn) == turn.choices[1]


def test_a_number_is_a_name_where_a_seat_has_it() -> None:
    choices, seats = ("Ada", "2", "Cleo"), ("Ada", "2", "3", "Cleo")
    assert chosen("2", choices, seats) == "2"
    assert chosen("3", choices, seats) == "3"
    assert chosen("1.", choices, seats) == "Ada"
    assert chosen("9", choices, seats) is None
    assert chosen("9", (), seats) == "9"


def test_choices_that_are_numbers_have_no_others_beside_them() -> None:
    _, view, turn = asked("nominate")
    agent = HumanAgent(turn.seat, Terminal(keyboard=Script()))

    def shown(*choices: str) -> str:
        asking = turn.but(choices=choices)
        message = agent._message(asking, view.ruleset.request(view.state, asking))
        return "".join(text for _, text in message).splitlines()[-2].strip()

    assert shown("0", "1", "2") == "0  1  2"
    assert shown("Ada", "Bram") == "1 Ada  2 Bram"


def test_a_number_that_numbers_nothing_costs_no_attempt() -> None:
    _, view, turn = asked("second")
    script = Script("7", "yes")
    assert scripted(script, view, turn) == "yes"
    assert "There is no choice 7" in script.written
    assert script.questions[1].draft == ""


@pytest.mark.parametrize("wrong", ["maybe", "yesno", "Zeno", " ,.; "])
def test_a_mistyped_choice_is_asked_for_again_and_costs_nothing(wrong: str) -> None:
    _, view, turn = asked("second")
    script = Script(wrong, "no")
    assert scripted(script, view, turn) == "no"
    told = " ".join(script.written.split())
    assert "ame exactly one of: yes, no." in told
    assert "Nothing was sent" in told
    assert script.questions[1].draft == "", "what is typed next must not be glued to it"
    assert script.questions[1].message == script.questions[0].message


def test_what_the_rules_refuse_leaves_an_empty_line_and_can_be_had_again() -> None:
    _, view, turn = asked("second")
    assert typed("maybe\r", view, turn, then="no\r") == "no"
    assert typed("yesno\r", view, turn, then="\x1b[A\x7f\x7f\r") == "yes"


def test_the_question_shows_context_request_and_numbered_choices() -> None:
    _, view, turn = asked("second")
    script = Script("yes")
    scripted(script, view, turn)
    message = "".join(text for _, text in script.questions[0].message)
    assert "has nominated" in script.written
    assert "Do you second this nomination?" in message
    assert "1 yes" in message
    assert "2 no" in message


def test_an_empty_line_sends_nothing() -> None:
    _, view, turn = asked("second")
    assert typed("\r   \r\x15no\r", view, turn) == "no"


def test_a_speech_may_have_several_lines() -> None:
    _, view, turn = asked("speech")
    assert typed("one\\\rtwo\x1b\rthree\r", view, turn) == "one\ntwo\nthree"


@pytest.mark.parametrize(
    ("before", "eager", "completed"),
    [
        ("I nominate b", True, ["Bram"]),
        ("I nominate ", True, ["Ann Lee", "Bram"]),
        ("I say that ann l", False, ["Ann Lee"]),
        ("I say that ", False, []),
        ("", False, []),
        ("", True, ["Ann Lee", "Bram"]),
        (":v", False, [":view"]),
        ("so :v", False, []),
        ("crab", True, []),
    ],
)
def test_tab_completes_choices_names_and_commands(before: str, eager: bool, completed: list[str]) -> None:
    completer = WordsCompleter(("Ann Lee", "Bram", ":view"), eager)
    found = completer.get_completions(Document(before), CompleteEvent(completion_requested=True))
    assert [completion.text for completion in found] == completed


def test_a_refused_text_is_told_of_and_does_not_stand_in_the_line() -> None:
    table, _, turn = asked("second")
    table.reply(turn.seat, "may")
    view = table.view(turn.seat)
    again = view.turns[0]
    script = Script("yes")
    scripted(script, view, again)
    assert script.questions[0].draft == ""
    assert again.failures[0] in " ".join(script.written.split())


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.stem)
def test_what_was_accepted_of_a_seat_is_never_held_back_from_its_own_view(path: Path) -> None:
    """What a person's prompt does not send is what the rules would refuse, and nothing else."""
    registry = default_registry()
    items = [parse_line(line) for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]
    recorded = [item.recorded(registry.decode(item.name, item.body)) for item in items]
    opening = recorded[0].event
    assert isinstance(opening, GameOpened)
    ruleset = RULESETS[opening.ruleset]
    for item in recorded:
        event = item.event
        if isinstance(event, ReplyAccepted):
            before = view_of(ruleset, recorded[: item.position - 1], event.seat)
            turn = before.state.turns.get((event.seat, event.turn))
            reply = event.text or event.choice
            assert turn is None or not reply or fault(before, turn, reply) is None


def test_where_the_screen_tells_of_refusals_the_agent_does_not_repeat_them() -> None:
    table, _, turn = asked("second")
    table.reply(turn.seat, "may")
    view = table.view(turn.seat)
    script = Script("yes")
    scripted(script, view, view.turns[0], redraw=lambda view, count: None)
    assert "Refused" not in script.written
    assert "Attempts left: 2." in script.written


def test_commands_answer_and_ask_again() -> None:
    _, view, turn = asked("second")
    drawn: list[int | None] = []
    script = Script(":view", ":view all", ":view 3", ":who", ":again", ":help", ":rules", ":nonsense", ":VIEW", "yes")
    scripted(script, view, turn, redraw=lambda view, count: drawn.append(count))
    assert drawn == [20, None, 3, 20]
    written = " ".join(script.written.split())
    assert f"Living: {', '.join(view.state.living)}." in written
    assert f"Waiting for, as far as you know: {turn.seat}." in written
    assert "Attempts left: 3." in written
    assert "The game alternates between night and day." in written
    assert "Unknown command :nonsense" in written


def test_a_smile_is_no_command() -> None:
    _, view, turn = asked("speech")
    assert typed(":) :view\r", view, turn) == ":) :view"


def test_without_a_redraw_the_view_is_told_in_plain_words() -> None:
    _, view, turn = asked("second")
    script = Script(":view all", "yes")
    scripted(script, view, turn)
    assert "A game of Mafia begins." in script.written


@pytest.mark.parametrize(
    ("keys", "code", "interrupted"),
    [(":quit\r", 0, False), ("\x04", 0, False), ("\x03", 130, True), ("half a wo\x03\x03", 130, True)],
)
def test_leaving_keeps_the_game_resumable(keys: str, code: int, interrupted: bool) -> None:
    _, view, turn = asked("speech")
    with pytest.raises(PlayerLeft) as left:
        typed(keys, view, turn)
    assert (left.value.exit_code, left.value.interrupted, left.value.seat) == (code, interrupted, turn.seat)


def test_control_d_within_a_line_does_not_leave() -> None:
    _, view, turn = asked("speech")
    assert typed("word\x04s\r", view, turn) == "words"


def test_history_is_kept_per_seat_and_in_files_only_where_asked(tmp_path: Path) -> None:
    _, view, turn = asked("speech")
    assert typed("remember me\r", view, turn, history=tmp_path / "typed") == "remember me"
    assert [file.name for file in (tmp_path / "typed").iterdir()] == [turn.seat]
    assert typed("\x1b[A\r", view, turn, history=tmp_path / "typed") == "remember me"


def test_a_cancelled_turn_says_so_and_keeps_what_was_typed() -> None:
    _, view, turn = asked("second")
    timed = Turn(turn.seat, turn.number, turn.kind, turn.choices, turn.attempts, 1.0, turn.ballot)
    script = Script()
    script.typed = "ye"

    async def cut_off() -> None:
        agent = HumanAgent(turn.seat, Terminal(keyboard=script))
        task = asyncio.create_task(agent.act(view, timed, Random(0), CallRecord()))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert "Time ran out." in script.written
        script.lines = iter(["yes"])
        assert await agent.act(view, timed, Random(0), CallRecord()) == "yes"
        assert script.questions[-1].draft == "ye"

    asyncio.run(cut_off())


def test_two_people_hand_the_keyboard_over_and_neither_sees_the_others_matters() -> None:
    table, _, _ = asked("role")
    script = Script("a", "b", "c")
    drawn: list[tuple[str, int | None]] = []
    terminal = Terminal(lambda view, count: drawn.append((view.seat, count)), keyboard=script)
    ada, bram = HumanAgent("Ada", terminal), HumanAgent("Bram", terminal)
    shown: list[str] = []

    async def both() -> None:
        async def act(agent: HumanAgent) -> str:
            view = table.view(agent.seat)
            return await agent.act(view, view.turns[0], Random(0), CallRecord())

        assert not terminal.print("Ada", lambda: shown.append("before"))
        assert list(await asyncio.gather(act(ada), act(bram))) == ["a", "b"]
        assert script.pages == ["Ada", "Bram"]
        assert not terminal.print("Ada", lambda: shown.append("for Ada"))
        assert terminal.print("Bram", lambda: shown.append("for Bram"))
        assert await act(bram) == "c"

    asyncio.run(both())
    assert script.pages == ["Ada", "Bram"]
    assert drawn == [("Ada", 20), ("Bram", 20)]
    assert shown == ["for Bram"]


def test_one_person_alone_never_hands_over() -> None:
    _, view, turn = asked("second")
    script = Script("yes")
    terminal = Terminal(keyboard=script)
    agent = HumanAgent(turn.seat, terminal)
    assert asyncio.run(agent.act(view, turn, Random(0), CallRecord())) == "yes"
    assert script.pages == []
    assert terminal.print(turn.seat, lambda: None)


def test_leaving_at_the_hand_over_page_is_leaving() -> None:
    _, view, turn = asked("second")

    class Gone(Script):
        async def hand_over(self, name: str) -> None:
            raise Left(interrupted=True)

    terminal = Terminal(keyboard=Gone())
    agent = HumanAgent(turn.seat, terminal)
    terminal.join("somebody else")
    with pytest.raises(PlayerLeft) as left:
        asyncio.run(agent.act(view, turn, Random(0), CallRecord()))
    assert left.value.exit_code == 130
    assert terminal.holder is None


def test_hostile_words_in_a_question_are_harmless() -> None:
    table, _, turn = asked("defence")
    table.reply(turn.seat, "\x1b[2J\x07I am innocent")
    while not table.state.over:
        for open_turn in table.state.turns.values():
            if open_turn.kind == "trial-vote":
                script = Script(":again", open_turn.choices[0])
                scripted(script, table.view(open_turn.seat), open_turn)
                assert "innocent" in script.written
                assert "\x1b" not in script.written
                assert "\x07" not in script.written
                return
        table.play(1)


@pytest.fixture
def pipe() -> Iterator[tuple[io.TextIOWrapper, int]]:
    read, write = os.pipe()
    with os.fdopen(read, "r") as source:
        yield source, write
        with suppress(OSError):
            os.close(write)


def test_behind_a_pipe_a_line_is_a_reply_and_the_end_is_leaving(pipe: tuple[io.TextIOWrapper, int]) -> None:
    source, write = pipe
    _, view, turn = asked("second")
    target = io.StringIO()
    os.write(write, b"\n:who\n1\nzw\xc3\xb6lf\r\nlast")
    os.close(write)

    async def replies() -> list[str]:
        agent = HumanAgent(turn.seat, Terminal(keyboard=PipeKeyboard(source, target)))
        return [await agent.act(view, turn, Random(0), CallRecord()) for _ in range(3)]

    assert asyncio.run(replies()) == ["yes", "zwölf", "last"]
    assert "Living:" in target.getvalue()
    assert f"{turn.seat} ❯ zwölf\n" in target.getvalue()
    agent = HumanAgent(turn.seat, Terminal(keyboard=PipeKeyboard(source, target)))
    with pytest.raises(PlayerLeft) as left:
        asyncio.run(agent.act(view, turn, Random(0), CallRecord()))
    assert left.value.exit_code == 0


def test_a_line_that_comes_after_its_turn_was_cancelled_answers_the_next(pipe: tuple[io.TextIOWrapper, int]) -> None:
    source, write = pipe
    _, view, turn = asked("second")

    async def late() -> str:
        agent = HumanAgent(turn.seat, Terminal(keyboard=PipeKeyboard(source, io.StringIO())))
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(agent.act(view, turn, Random(0), CallRecord()), 0.05)
        os.write(write, b"no\n")
        return await agent.act(view, turn, Random(0), CallRecord())

    assert asyncio.run(late()) == "no"


AT_A_TERMINAL = """
import asyncio, sys, termios
from random import Random
sys.path[:0] = ["tests/kit", "tests/agents"]
from test_human import asked, NAMES
from sottovoce.agents.agent import CallRecord
from sottovoce.agents.human import HumanAgent, PlayerLeft, Terminal
from sottovoce.domain.turns import Turn

async def alone(view, turn, terminal):
    agent = HumanAgent(turn.seat, terminal)
    async def news():
        await asyncio.sleep(0.4)
        terminal.print(turn.seat, lambda: print("NEWS", "of the day"))
    task = asyncio.create_task(news())
    print("REPLY", repr(await agent.act(view, turn, Random(0), CallRecord())))
    await task

async def limited(view, turn, terminal):
    turn = Turn(turn.seat, turn.number, turn.kind, turn.choices, turn.attempts, 0.5)
    try:
        await asyncio.wait_for(HumanAgent(turn.seat, terminal).act(view, turn, Random(0), CallRecord()), 0.5)
    except TimeoutError:
        print("CANCELLED")

async def two(view, turn, terminal):
    agents = [HumanAgent(seat, terminal) for seat in NAMES[:2]]
    for agent in agents:
        own = table.view(agent.seat)
        await agent.act(own, own.turns[0], Random(0), CallRecord())
    print("BOTH")

mode, kind = sys.argv[1:3]
table, view, turn = asked(kind)
before = termios.tcgetattr(0)
print("READY", flush=True)
try:
    asyncio.run({"alone": alone, "limited": limited, "two": two}[mode](view, turn, Terminal()))
except PlayerLeft as left:
    print("LEFT", left.exit_code)
print("SANE" if termios.tcgetattr(0) == before else "GARBLED")
"""


@pytest.fixture
def run() -> Iterator[Callable[..., Pty]]:
    programs: list[Pty] = []

    def start(*arguments: str) -> Pty:
        programs.append(Pty([sys.executable, "-c", AT_A_TERMINAL, *arguments]))
        return programs[-1]

    yield start
    for program in programs:
        program.close()


def test_news_comes_above_the_prompt_and_leaves_the_line_whole(run: Callable[..., Pty]) -> None:
    program = run("alone", "speech")
    program.until("❯")
    program.type("half a th")
    news = program.until("NEWS of the day").index("NEWS of the day")
    seen = program.until("half a th", after=news)
    assert "\x1b[J" in seen[seen.index("half a th") : news], "the line is taken off the screen first"
    program.type("ought\r")
    assert "REPLY 'half a thought'" in program.until("SANE")


def test_a_time_limit_leaves_the_terminal_sane(run: Callable[..., Pty]) -> None:
    program = run("limited", "speech")
    program.until("❯")
    program.type("too sl")
    seen = program.until("SANE")
    assert "Time ran out." in seen
    assert "CANCELLED" in seen


@pytest.mark.parametrize("how", ["key", "signal"])
def test_an_interrupt_leaves_with_130_and_a_sane_terminal(run: Callable[..., Pty], how: str) -> None:
    program = run("alone", "speech")
    news = program.until("NEWS of the day").index("NEWS of the day")
    program.until("❯", after=news)
    if how == "key":
        program.type("\x03")
    else:
        program.process.send_signal(signal.SIGINT)
    assert "LEFT 130" in program.until("SANE")


def test_a_handed_over_screen_is_cleared_with_all_that_could_be_scrolled_back_to(run: Callable[..., Pty]) -> None:
    program = run("two", "role")
    program.until(", press Enter")
    program.type("\r")
    program.until("Ada ❯")
    program.type("my secret\r")
    clear = "\x1b[H\x1b[2J\x1b[3J"
    wiped = program.until(clear, times=3).rindex(clear)
    seen = program.until("Bram", after=wiped)
    assert "secret" in seen[:wiped]
    assert "secret" not in seen[wiped:]
    assert "Pass the keyboard to" in seen[wiped:]
    program.type("\r")
    program.until("Bram ❯")
    program.type("yes\r")
    assert "BOTH" in program.until("SANE")
