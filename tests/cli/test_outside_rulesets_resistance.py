"""The Resistance, a ruleset of an installed package, is played by everybody and looked at in every way."""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from commands import SOTTOVOCE
from endpoint import Asked, StandIn
from guests import installed
from patience import PATIENCE
from terminals import Pty

FIVE = ("Ada", "Bram", "Cleo", "Dirk", "Els")
PLAY = ("play", "resistance", "--names", ",".join(FIVE), "--seed", "4")
WANTED = re.compile(r"A team of (\d) is wanted")


class Table:
    """The command line of somebody who has installed The Resistance."""

    def __init__(self, folder: Path) -> None:
        self.environment = installed(folder, "resistance")

    def __call__(self, *words: str, **more: str) -> str:
        environment = {**self.environment, **more}
        done = subprocess.run([SOTTOVOCE, *words], env=environment, capture_output=True, text=True, timeout=PATIENCE)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def said(self, seat: str) -> list[tuple[str, str]]:
        """What the seat answered in the newest game, and the choice that was read in it; all of it was taken."""
        seen = [json.loads(line) for line in self("view", "latest", "--as", seat, "--json").splitlines()]
        assert not [entry for entry in seen if entry["name"] in ("core.attempt-failed.v1", "core.fallback-applied.v1")]
        return [
            (entry["data"]["text"], entry["data"]["choice"])
            for entry in seen
            if entry["name"] == "core.reply-accepted.v1"
        ]


@pytest.fixture
def sv(tmp_path: Path) -> Table:
    return Table(tmp_path)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Table:
    """A log with one game that the house has played."""
    sv = Table(tmp_path_factory.mktemp("house"))
    assert "The spies were " in sv(*PLAY)
    return sv


def spies(sv: Table) -> set[str]:
    (met,) = [
        event for line in sv("export", "latest").splitlines() if "spies-met" in (event := json.loads(line))["name"]
    ]
    return {*met["data"]["spies"]}


def test_a_spy_sees_the_spies_and_the_resistance_does_not(house: Table) -> None:
    known = spies(house)
    assert len(known) == 2
    for seat in FIVE:
        views = house("view", "latest", "--as", seat, "--at", "3")
        assert ("The spies are " in views) == (seat in known)


def test_the_audit_finds_it_intact_and_without_a_leak(house: Table) -> None:
    assert "match the head" in house("audit", "verify", "latest")
    assert house("audit", "leaks", "latest").startswith("No leak found")
    met = next(
        event["position"]
        for line in house("export", "latest").splitlines()
        if "spies-met" in (event := json.loads(line))["name"]
    )
    spy, loyal = min(spies(house)), min({*FIVE} - spies(house))
    assert "directly" in house("audit", "how", "latest", spy, str(met))
    by_rule = house("audit", "how", "latest", loyal, str(met))
    assert "directly" not in by_rule
    assert all(f"side {name} spy" in by_rule for name in spies(house)), "both are told apart, and told at the end"


def test_it_has_a_board_a_standing_a_transcript_and_a_line_in_the_help(house: Table) -> None:
    shown = house("show", "latest").splitlines()
    assert shown[0].split() == ["mission", "team", "fails", "outcome"]
    assert len([line for line in shown if line.endswith(("succeeded", "failed"))]) >= 3
    told = house("transcript", "latest")
    assert "## Mission 1, attempt 1" in told
    assert "| approve | " in told
    assert "Five missions, and spies among you." in house("play", "--help")


def test_random_players_play_without_a_stand_in_and_are_counted_by_mission(sv: Table, tmp_path: Path) -> None:
    rows = tmp_path / "rows.csv"
    words = ("run", "resistance", "--games", "6", "--players", "7", "--seed", "2", "--agents", "random")
    many = json.loads(sv(*words, "--jobs", "2", "--csv", str(rows), "--json"))
    assert (many["games"], many["fallbacks"], many["refusals"]) == (6, 0, 0)
    assert {*many["winners"]} == {"spies", "resistance"}
    with rows.open(encoding="utf-8", newline="") as file:
        read = list(csv.DictReader(file))
    assert len(read) == 6 * 7
    assert sum(row["part"] == "spy" for row in read) == 6 * 3
    for row in read:
        assert 0 <= int(row["missions_failed"] or 0) <= int(row["missions"] or 0) <= 5
    assert all(
        (row["won"] == "True") == (row["winner"] == ("spies" if row["part"] == "spy" else "resistance")) for row in read
    )


def answer(asked: str) -> str:
    """A team of as many as are wanted, or the first of the choices."""
    wanted = WANTED.search(asked)
    return ", ".join(FIVE[: int(wanted[1])]) if wanted else "1"


def test_a_person_at_a_terminal_leads_votes_and_goes_on_missions(sv: Table) -> None:
    end = time.monotonic() + PATIENCE
    program = Pty([SOTTOVOCE, *PLAY, "--seat", "Ada=human"], env={**sv.environment, "SOTTOVOCE_PACE": "0"}, rows=40)
    try:
        program.fresh("Ada ❯")
        program.type("Ada, Bram and Cleo\r")
        program.fresh("names 3 players; name 2", "Ada ❯")
        program.type("Ada, Bram\r")
        answered = 1
        while "The spies were " not in program.text:
            *before, asked = program.text.split("Your turn, Ada")
            if len(before) > answered and "Ada ❯" in asked:
                answered = len(before)
                program.type(f"{answer(asked)}\r")
            program.read()
            assert time.monotonic() < end, f"it does not come to its end: {program.text[-2000:]}"
        assert program.ended() == 0
    finally:
        program.close()
    choices = [choice for _, choice in sv.said("Ada")]
    assert choices[:2] == ["Ada, Bram", "approve"]
    assert {"success", "fail"} & {*choices}


def filled_in(asked: Asked) -> str:
    """What a model would fill in: the fields of a proposal, or a choice."""
    fields = asked.schema
    if fields is None:
        return "Here I am."
    if "team" in fields:
        wanted = WANTED.search(asked.user)
        assert wanted is not None
        return json.dumps({"team": FIVE[: int(wanted[1])], "words": "They are the ones I know."})
    return json.dumps({"choice": fields["choice"]["enum"][0], "words": "It is a feeling."})


def test_a_model_fills_in_its_proposals_and_its_votes(sv: Table) -> None:
    with StandIn(answer=filled_in) as endpoint:
        at = {"OPENAI_BASE_URL": endpoint.url, "OPENAI_API_KEY": ""}
        sv(*PLAY, "--seat", "Ada=openai:small", "--quiet", **at)
    said = sv.said("Ada")
    assert said[0][1] == "Ada, Bram"
    assert any(choice == "approve" for _, choice in said)
    told = sv("view", "latest", "--as", "Els")
    assert "They are the ones I know." in told, "what is said for a team is said to all"
    prompts = [asked.system + asked.user for asked in endpoint.requests]
    assert sum(("You are a spy." if "Ada" in spies(sv) else "You are no spy.") in prompt for prompt in prompts) == len(
        said
    )


PROGRAM = """
import json, os, re, sys, time
from pathlib import Path
folder = Path(sys.argv[1]) / "tmp"
prompt, response = folder / "ada-prompt.md", folder / "ada-response.md"
names = ["Ada", "Bram", "Cleo", "Dirk", "Els"]
while True:
    time.sleep(0.02)
    if response.exists() or not prompt.exists():
        continue
    try:
        text = prompt.read_text(encoding="utf-8")
    except FileNotFoundError:
        continue
    head, _, asked = text.removeprefix("---\\n").partition("\\n---\\n")
    fields = dict(line.split(": ", 1) for line in head.splitlines())
    choices = json.loads(fields.get("choices", "[]"))
    wanted = re.search(r"A team of (\\d) is wanted", asked)
    said = choices[0] if choices else ", ".join(names[: int(wanted[1])]) + "\\nBy file."
    draft = response.with_suffix(".draft")
    draft.write_text(f"---\\nprompt: {fields['prompt']}\\n---\\n{said}", encoding="utf-8")
    os.replace(draft, response)
"""


def test_a_seat_is_held_by_files(sv: Table, tmp_path: Path) -> None:
    folder = tmp_path / "held"
    folder.mkdir()
    with subprocess.Popen([sys.executable, "-c", PROGRAM, str(folder)]) as program:
        try:
            sv(*PLAY, "--seat", f"Ada=files:{folder}", "--quiet")
        finally:
            program.kill()
    assert sv.said("Ada")[0] == ("", "Ada, Bram")
    assert "By file." in sv("view", "latest", "--as", "Bram")


def test_what_the_rules_refuse_is_refused_in_one_line(sv: Table) -> None:
    for names, why in (("Ada,Bram", "for 5 to 10 players, not 2"), (",".join("ABCDEFGHIJK"), "not 11")):
        words = [SOTTOVOCE, "play", "resistance", "--names", names]
        refused = subprocess.run(words, env=sv.environment, capture_output=True, text=True, timeout=PATIENCE)
        assert refused.returncode == 2, refused.stderr
        assert why in refused.stderr
        assert refused.stderr.count("\n") == 1
