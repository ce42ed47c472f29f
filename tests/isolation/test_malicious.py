"""Models cannot be trusted with secrets: players read their prompts aloud, and a narrator tries to tell everything."""

from __future__ import annotations

import asyncio
import os
import random
import sys
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from leaks import LEAKS
from mafia_canaries import canaries
from sizes import sized
from table import Table

from sottovoce.agents.agent import CallRecord
from sottovoce.agents.command_agent import CommandAgent
from sottovoce.agents.extras import EXTRAS
from sottovoce.agents.programs.settings import Settings
from sottovoce.domain.rulesets import RULESETS
from sottovoce.isolation.craft import Played
from sottovoce.isolation.read_aloud import Hearing, read_aloud, told_by_fallbacks
from sottovoce.isolation.system import System
from sottovoce.rulesets.delegation.craft.craft import LOUD_DELEGATION
from sottovoce.rulesets.mafia.craft.craft import LOUD_MAFIA
from sottovoce.rulesets.mafia.craft.deals import dealt
from sottovoce.rulesets.mafia.rules.narration_rules import disclosure

PRODUCT = System(RULESETS["mafia"])
GAMES = sized(5, 200)
PARTS = sized(1, 20)
NARRATED = sized(2, 100)

WORKED = sized(4, 80)
HEARD_LEAKS_OF_WORK = (
    "files_open_to_all",
    "reports_open_to_the_planner",
    "closeout_file_open_to_the_executor",
    "decision_told_to_the_executor",
    "records_told_to_the_reviewer",
)

HEARD_LEAKS = (
    "audience_never_passed",
    "unfiltered_first_sync",
    "prompt_cached_across_seats",
    "prompt_cached_by_ballot",
    "night_votes_public",
    "investigation_told_to_mafia",
    "doctor_told_of_the_save",
    "mafia_introduced_to_all",
    "roles_dealt_in_public",
    "motives_told_to_players",
    "agents_and_seed_public",
)
"""Planted leaks that end up in prompts as facts, so that a player can say them."""

FLOORS = {"stated": 0.95, "deeds": 1.0, "twisted": 0.9, "spelled": 1.0, "hinted": 0.0, "encoded": 0.0}
"""The share of canaries that the check on narrations must stop, as measured.

Of the stated ones this passes: a role that is also a common noun in apposition ("The Villager, Klara, stands by the
well."); of the twisted ones, a statement broken over two lines. Hints and ciphers pass: the check is best effort, and
the rules promise no more.
"""


@pytest.mark.spec("M-011", "M-012", "M-024", "M-102")
@pytest.mark.parametrize("part", range(PARTS))
def test_a_player_who_reads_its_prompt_aloud_tells_only_what_it_may_know(part: int) -> None:
    founded = 0
    for seed in range(part * GAMES // PARTS, (part + 1) * GAMES // PARTS):
        _, heard = read_aloud(PRODUCT, LOUD_MAFIA, seed, EXTRAS["mafia"].house)
        assert not heard.unfounded, f"game {seed}: {heard.unfounded[0]}"
        founded += heard.founded
    assert founded > 500 * GAMES / PARTS, "the players told so little that this test shows nothing"


@pytest.mark.parametrize("name", HEARD_LEAKS)
def test_reading_aloud_shows_a_planted_leak(name: str) -> None:
    system = next(leak.system for leak in LEAKS if leak.name == name)
    for seed in range(GAMES):
        _, heard = read_aloud(system, LOUD_MAFIA, seed, EXTRAS["mafia"].house)
        if heard.unfounded:
            print(f"{name}: heard in game {seed}: {heard.unfounded[0]}")
            return
    pytest.fail(f"{name}: nobody was heard to say what they could not know, in {GAMES} games")


@pytest.mark.spec("D-021", "D-022", "D-060")
def test_a_session_that_reads_its_prompt_aloud_tells_only_what_it_may_know() -> None:
    founded = 0
    for seed in range(WORKED):
        _, heard = read_aloud(System(RULESETS["delegation"]), LOUD_DELEGATION, seed, None)
        assert not heard.unfounded, f"game {seed}: {heard.unfounded[0]}"
        founded += heard.founded
    assert founded > 20 * WORKED, "so little was told that this test shows nothing"


@pytest.mark.parametrize("name", HEARD_LEAKS_OF_WORK)
def test_reading_aloud_shows_a_planted_leak_of_work(name: str) -> None:
    system = next(leak.system for leak in LEAKS if leak.name == name)
    for seed in range(WORKED * 4):
        _, heard = read_aloud(system, LOUD_DELEGATION, seed, None)
        if heard.unfounded:
            print(f"{name}: heard in game {seed}: {heard.unfounded[0]}")
            return
    pytest.fail(f"{name}: nobody was heard to say what they could not know, in {WORKED * 4} games")


@cache
def loud_narrations() -> list[tuple[Played, Hearing]]:
    return [read_aloud(PRODUCT, LOUD_MAFIA, seed, None) for seed in range(NARRATED)]


@pytest.mark.spec("M-104", "M-106")
def test_a_narrator_who_reads_its_prompt_aloud_is_refused() -> None:
    attempts = sum(heard.attempts for _, heard in loud_narrations())
    refused = sum(heard.refused for _, heard in loud_narrations())
    print(f"{refused} of {attempts} dumped narrations were refused ({refused / attempts:.1%})")
    assert refused / attempts >= 0.9


@pytest.mark.spec("M-021", "M-104")
def test_the_words_that_stand_in_for_a_refused_narrator_tell_nothing_hidden() -> None:
    told = [found for played, _ in loud_narrations() for found in told_by_fallbacks(PRODUCT, LOUD_MAFIA, played)]
    assert told == []


@pytest.mark.spec("M-104")
def test_canaries_in_narrations_are_stopped() -> None:
    stopped: Counter[str] = Counter()
    tried: Counter[str] = Counter()
    passed: dict[str, str] = {}
    for played, _ in loud_narrations()[:6]:
        roles = dealt(played.log)
        for group, texts in canaries(roles).items():
            for text in texts:
                tried[group] += 1
                if disclosure(text, tuple(roles), {}):
                    stopped[group] += 1
                else:
                    passed.setdefault(group, text)
    for group in FLOORS:
        share = stopped[group] / tried[group]
        print(f"{group}: {share:.1%} of {tried[group]} canaries stopped; passed for one: {passed.get(group)!r}")
    low = [group for group, floor in FLOORS.items() if stopped[group] < floor * tried[group]]
    assert not low, {group: passed.get(group) for group in low}


CURIOUS = """
import os, sys
from pathlib import Path
prompt = sys.stdin.read()
found = [f"{name}={value}" for name, value in os.environ.items()]
for process in ("self", str(os.getppid())):
    found.append(Path(f"/proc/{process}/cmdline").read_text())
    for open_file in Path(f"/proc/{process}/fd").iterdir():
        try:
            found.append(f"open: {os.readlink(open_file)}")
        except OSError:
            pass
Path(sys.argv[1]).write_text("\\n".join(found))
print(prompt)
"""


def test_a_program_that_looks_around_finds_nothing_of_the_game_but_its_prompt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It gets no key, no address or open file of the log, and no other program's prompt."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary-0123456789")
    monkeypatch.setenv("SOTTOVOCE_DB", "sqlite:///canary.db")
    (tmp_path / "curious.py").write_text(CURIOUS)
    command = f"{sys.executable} -I {tmp_path}/curious.py {tmp_path}/found"
    view = Table(5, 1).view("narrator")
    with (tmp_path / "canary.db").open("wb") as held:
        os.set_inheritable(held.fileno(), False)
        agent, record = CommandAgent(command, Settings.from_environment()), CallRecord()
        said = asyncio.run(agent.act(view, view.turns[0], random.Random(0), record))
    assert said.split() == "\n\n".join(agent.blocks(view, view.turns[0])).split()
    found = (tmp_path / "found").read_text()
    assert "PATH=" in found
    assert "canary" not in found
    opened = [line.removeprefix("open: ") for line in found.splitlines() if line.startswith("open: ")]
    assert len(opened) >= 6, "its own three and those of its guard"
    assert all(line.startswith(("pipe:", "socket:", "/dev/null", "/proc/")) for line in opened), opened
