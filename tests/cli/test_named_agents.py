"""Several endpoints at one table by name, and the commands that list and try them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import Cli
from endpoint import StandIn, status
from makes import MAKES, THOUGHTS

KEY = "sk-very-secret-0123456789"
SHORT = ("--names", "Ada,Bram,Cleo,Dirk,Edda", "--rule", "max_days=1", "--rule", "max_speeches=2", "--seed", "3")


def write(path: Path, **urls: str) -> dict[str, str]:
    text = "".join(
        f'[endpoints.{name}]\nbase_url = "{url}"\nkey_variable = "A_KEY"\n'
        f'[agents.{name}]\nendpoint = "{name}"\nmodel = "m"\n'
        for name, url in urls.items()
    )
    (path / "mine.toml").write_text(text, "utf-8")
    return {"SOTTOVOCE_AGENTS": str(path / "mine.toml"), "A_KEY": KEY, "SOTTOVOCE_MODEL_TRIES": "2"}


def test_two_endpoints_sit_at_one_table_and_no_key_is_kept(fresh: Cli, tmp_path: Path) -> None:
    with MAKES["mistral"].stand_in(key=KEY) as gpt, MAKES["vllm"].stand_in(key=KEY) as local:
        env = write(tmp_path, gpt=gpt.url, local=local.url)
        seats = ("--seat", "Ada=model:gpt", "--seat", "Bram=model:local", "--seat", "narrator=model:local")
        done = fresh("play", "mafia", *SHORT, *seats, "--json", env=env).json
        assert (done["status"], done["fallbacks"]) == ("over", 0)
        assert len(gpt.requests) > 3
        assert len(local.requests) > 3
        counted = json.loads(fresh("run", "mafia", *SHORT, *seats, "--games", "1", "--json", env=env).out)
        assert {row["seat"]: row["agent"] for row in counted["seats"]}["Ada"] == "model:gpt"
    exported = fresh("export", "latest").out
    assert "model:gpt" in exported
    assert THOUGHTS not in exported
    for file in tmp_path.rglob("*"):
        assert not file.is_file() or KEY.encode() not in file.read_bytes(), file
    assert fresh("audit", "leaks", "latest").code == 0


def test_agents_are_listed_and_tried_with_one_turn(fresh: Cli, tmp_path: Path) -> None:
    with MAKES["deepseek"].stand_in(key=KEY) as well, StandIn(key=KEY) as ill:
        ill.faults = [status(402) for _ in range(9)]
        env = write(tmp_path, well=well.url, ill=ill.url)
        listed = fresh("agents", "list", env=env)
        assert listed.code == 0
        assert "model:well" in listed.out
        assert "A_KEY is set" in listed.out
        assert KEY not in listed.out + fresh("agents", "list", "--json", env=env).out
        assert "A_KEY is missing" in fresh("agents", "list", env=env | {"A_KEY": ""}).out
        tried = fresh("agents", "check", "well", env=env)
        assert (tried.code, "answers («I have little to say" in tried.out) == (0, True)
        assert "thinks, format=json_object" in tried.out
        both = fresh("agents", "check", "--json", env=env)
        assert both.code == 1
        rows = {row["agent"]: row for row in map(json.loads, both.out.splitlines())}
        assert rows["model:well"]["ok"]
        assert "needs payment" in rows["model:ill"]["error"]
        assert "1 agent gave no answer" in both.err


@pytest.mark.parametrize("words", [("agents", "list"), ("agents", "check"), ("play", "mafia", "--agents", "model:x")])
def test_a_missing_file_or_agent_is_one_line(fresh: Cli, tmp_path: Path, words: tuple[str, ...]) -> None:
    said = fresh(*words, env={"SOTTOVOCE_AGENTS": str(tmp_path / "none.toml")})
    assert (said.code, said.err.count("\n")) == (2, 1)
    assert "SOTTOVOCE_AGENTS" in said.err
    env = write(tmp_path, gpt="http://127.0.0.1:1/v1")
    said = fresh("play", "mafia", "--agents", "model:x", env=env)
    assert (said.code, "There is no agent 'x'" in said.err) == (2, True)
