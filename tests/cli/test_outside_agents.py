"""Agents of an installed package fill seats like those that ship, and a ruleset has several house players."""

from __future__ import annotations

import asyncio
import json
import subprocess
from pathlib import Path

import pytest
from commands import SOTTOVOCE
from guests import entry_points, installed
from patience import PATIENCE

from sottovoce import AgentFailed, AgentKind
from sottovoce.agents.agent import CallRecord
from sottovoce.agents.kinds import PACKAGES, UnknownAgent, check_detail, kind_of
from sottovoce.domain.errors import UnknownName
from sottovoce.server.budget import AllowedAgents, BudgetSpent, Metered
from sottovoce.server.http.settings import SettingsUnusable, settings_from
from sottovoce.server.seating import filled_seats

BOLD = '''
from guessing_extras import AGENTS as HOUSE
from sottovoce import AgentExtras, AgentKind, HouseAgent, SottovoceError

class Bold:
    """Takes the first choice, and says so."""
    by = "view"
    immediate = True

    async def act(self, view, turn, random, record):
        record.notes["mood"] = "bold"
        return turn.choices[0] if turn.choices else await HouseAgent().act(view, turn, random, record)

class Loud:
    """Sends its view elsewhere, as far as anyone here can tell."""
    by = "prompt"

    def __init__(self, level):
        if not level.isdigit():
            raise SottovoceError(f"loud:{level} has no level; use a number, such as loud:3.")
        self.level = int(level)

    def blocks(self, view, turn):
        return (f"LISTEN, {view.seat}!", f"Level {self.level}.")

    async def act(self, view, turn, random, record):
        record.prompt_tokens, record.reply_tokens, record.cost = 7, 3, 0.5
        return await HouseAgent().act(view, turn, random, record)

BOLD = AgentKind(name="bold", make=lambda detail: Bold(), afar=True)
LOUD = AgentKind(name="loud", make=Loud, detail="LEVEL", most_tokens=lambda detail: 40)
RANDOM = AgentKind(name="random", make=lambda detail: 1 / 0)
OTHER = AgentKind(name="another", make=lambda detail: Bold())
PLAYERS = AgentExtras(house=HOUSE.house, others={"old": lambda view, turn, random: HOUSE.house(view, turn, random)})
'''
"""A package with two kinds of agent, one with a name that ships, and a second house player for `guessing`."""

KINDS = {"bold": "BOLD", "loud": "LOUD", "random": "RANDOM", "odd": "OTHER", "gone": "NOWHERE"}


def said(environment: dict[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([SOTTOVOCE, *words], env=environment, capture_output=True, text=True, timeout=PATIENCE)


@pytest.fixture
def here(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "bold.py").write_text(BOLD)
    groups = {
        **entry_points("guessing"),
        "sottovoce.agent_kinds": {name: f"bold:{value}" for name, value in KINDS.items()},
        "sottovoce.agents": {"guessing": "bold:PLAYERS"},
    }
    return installed(tmp_path, "guessing", **groups)


def test_a_package_brings_agents_and_results_name_them(here: dict[str, str], tmp_path: Path) -> None:
    rows = tmp_path / "rows.csv"
    words = ("--players", "5", "--agents", "bold", "--seat", "Ada=loud:3", "--seed", "2", "--csv", str(rows), "--json")
    many = said(here, "run", "mafia", "--games", "2", *words)
    assert many.returncode == 0, many.stderr
    told = json.loads(many.stdout)
    assert {seat["agent"] for seat in told["seats"]} == {"bold", "loud:3"}
    assert told["tokens"] % 10 == 0 < told["tokens"], "only what the loud ones say is counted"
    assert ",bold," in rows.read_text()
    game = json.loads(said(here, "play", "mafia", *words[:6], "--seed", "2", "--json").stdout)["game"]
    shown = said(here, "show", game).stdout
    assert "bold" in shown
    assert "loud:3" in shown
    log = tmp_path / "log.jsonl"
    receipts = tmp_path / "receipts.jsonl"
    assert said(here, "export", game, "-o", str(log), "--receipts", str(receipts)).returncode == 0
    filled = next(json.loads(line) for line in log.read_text().splitlines() if "core.seats-filled" in line)
    assert set(filled["data"]["agents"].values()) == {"bold", "loud:3"}
    assert '"mood":"bold"' in receipts.read_text().replace(" ", "")
    prompt = said(here, "audit", "prompt", game, "Ada", "1").stdout
    assert "LISTEN, Ada!" in prompt
    assert "Level 3." in prompt
    assert said(here, "audit", "verify", game).returncode == 0


def test_an_agent_that_is_not_there_is_named_with_all_that_are(here: dict[str, str]) -> None:
    for spec, why in (
        ("bald", ("There is no agent 'bald'. Choose one of: house, random,", "bold", "loud:LEVEL", "openai:MODEL")),
        ("loud", ("There is no agent 'loud'.",)),
        ("bold:3", ("There is no agent 'bold:3'.",)),
        ("loud:much", ("loud:much has no level; use a number",)),
        ("gone", ("The agent 'gone' cannot be used: bold:NOWHERE cannot be loaded",)),
        ("odd", ("The agent 'odd' cannot be used: bold:OTHER has another name, 'another'",)),
        ("house:new", ("There is no agent 'house:new'. Choose one of: house, house:old.",)),
    ):
        refused = said(here, "play", "guessing", "--names", "Ada,Bram", "--seat", f"Ada={spec}", "--json")
        assert refused.returncode in (1, 2), spec
        assert refused.stderr.count("\n") == 1, refused.stderr
        assert all(part in refused.stderr for part in why), refused.stderr
    assert said(here, "games", "--json").stdout == "", "nothing was played"


def test_a_ruleset_has_more_than_one_house_player(here: dict[str, str]) -> None:
    many = said(here, "run", "guessing", "--games", "2", "--seat", "keeper=house:old", "--seed", "1", "--json")
    assert many.returncode == 0, many.stderr
    assert {seat["agent"] for seat in json.loads(many.stdout)["seats"]} == {"house", "house:old"}
    assert "house:old" in said(here, "show", "latest").stdout
    refused = said(here, "run", "mafia", "--games", "2", "--agents", "house:old")
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert "There is no agent 'house:old'. Choose one of: house." in refused.stderr


def test_a_name_that_ships_is_not_given_away(here: dict[str, str]) -> None:
    assert said(here, "play", "guessing", "--agents", "random", "--json").returncode == 0


class Loud:
    by = "prompt"

    def blocks(self, view: object, turn: object) -> tuple[str, ...]:
        return ("LISTEN!",)

    async def act(self, view: object, turn: object, random: object, record: CallRecord) -> str:
        record.prompt_tokens, record.reply_tokens = 20, 15
        return "yes"


class Mute:
    by = "view"

    async def act(self, view: object, turn: object, random: object, record: CallRecord) -> str:
        return "yes"


LOUD = AgentKind(name="loud", make=lambda detail: Loud(), detail="LEVEL", most_tokens=lambda detail: 40)
MUTE = AgentKind(name="mute", make=lambda detail: Mute(), most_tokens=lambda detail: 40)
FILED = AgentKind(name="filed", make=lambda detail: Mute(), detail="DIR", single=True)
FREE = AgentKind(name="bold", make=lambda detail: Mute(), afar=True)


@pytest.fixture
def packages(monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in (LOUD, MUTE, FILED, FREE):
        monkeypatch.setitem(PACKAGES, kind.name, kind)


def test_a_budget_holds_for_an_agent_of_a_package(packages: None) -> None:
    allowed = AllowedAgents({"loud:3": 70, "mute": 100, "bold": None})
    agent = allowed("loud:3")
    assert isinstance(agent, Metered)
    assert asyncio.run(agent.act(None, None, None, CallRecord())) == "yes"  # type: ignore[arg-type]
    with pytest.raises(BudgetSpent):
        asyncio.run(agent.act(None, None, None, CallRecord()))  # type: ignore[arg-type]
    assert isinstance(allowed("bold"), Mute)
    assert allowed("loud:4") is None
    with pytest.raises(AgentFailed, match="mute can't have a budget"):
        allowed("mute")


def test_a_server_offers_agents_of_packages_that_may_be_chosen_from_afar(packages: None) -> None:
    settings = settings_from(None, {"agents": ("house", "bold", "loud:3=900")})
    assert settings.agents == {"house": None, "bold": None, "loud:3": 900}
    for agent, why in (
        ("loud:3", "loud:3 needs a budget of tokens, such as loud:3=1000000"),
        (
            "filed:x",
            "Use one of: house, random, outside, openai:MODEL=TOKENS, model:NAME=TOKENS, loud",
        ),
        ("bold=9", "'bold=9' can't be offered"),
        ("nosuch", "'nosuch' can't be offered"),
    ):
        with pytest.raises(SettingsUnusable, match=why):
            settings_from(None, {"agents": (agent,)})


def test_two_seats_share_no_agent_that_is_for_one(packages: None) -> None:
    with pytest.raises(UnknownName, match="filed:x is used for 2 seats"):
        filled_seats(["Ada", "Bram"], "filed:x", {})
    assert filled_seats(["Ada", "Bram"], "loud:3", {}) == {"Ada": "loud:3", "Bram": "loud:3"}


def test_a_house_player_is_looked_for_in_its_ruleset() -> None:
    assert kind_of("house:x").name == "house"
    with pytest.raises(UnknownAgent, match=r"There is no agent 'house:x'\. Choose one of: house\."):
        check_detail("house:x", "mafia")
    check_detail("house", "mafia")
    check_detail("openai:x", "mafia")
    check_detail("no such agent", "mafia")
