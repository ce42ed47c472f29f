"""Logs of other programs become games in which each seat sees what the source says that it saw."""

from __future__ import annotations

import csv
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from commands import Cli

AIWOLF = """\
0,status,1,WEREWOLF,ALIVE,Hidden Person,Ada
0,status,2,SEER,ALIVE,Hidden Person,Bram
0,status,3,WEREWOLF,ALIVE,Hidden Person,Cleo
0,status,4,MEDIUM,ALIVE,Hidden Person,Dirk
0,status,5,BODYGUARD,ALIVE,Hidden Person,Emil
0,status,6,VILLAGER,ALIVE,Hidden Person,Fay
0,status,7,VILLAGER,ALIVE,Hidden Person,Gus
0,whisper,0,0,1,I claim the seer.
0,whisper,1,0,3,Over
0,talk,0,0,6,Hello, everyone.\nA second line.,1724000000
0,divine,2,1,WEREWOLF
1,status,1,WEREWOLF,ALIVE,Hidden Person,Ada
1,vote,2,3
1,vote,3,2
1,execute,3,WEREWOLF
1,guard,5,2,SEER
1,attackVote,1,7
1,attack,7,true
2,status,3,WEREWOLF,DEAD,Hidden Person,Cleo
2,status,4,MEDIUM,ALIVE,Hidden Person,Dirk
2,status,7,VILLAGER,DEAD,Hidden Person,Gus
2,attack,-1,true
2,result,4,1,VILLAGER
""".replace("\n", "\r\n")

EVERYONE = "everyone"
Told = tuple[str, dict[str, Any], object]
"""What an event is called, some of its data, and its audience."""
OF_AIWOLF: list[Told] = [
    ("log-read", {}, []),
    ("role-dealt", {"player": "Ada", "role": "WEREWOLF"}, ["Ada"]),
    ("role-dealt", {"player": "Bram", "side": "VILLAGER"}, ["Bram"]),
    ("role-dealt", {"player": "Cleo"}, ["Cleo"]),
    ("role-dealt", {"player": "Dirk"}, ["Dirk"]),
    ("role-dealt", {"player": "Emil"}, ["Emil"]),
    ("role-dealt", {"player": "Fay"}, ["Fay"]),
    ("role-dealt", {"player": "Gus"}, ["Gus"]),
    ("allies-named", {"players": ["Ada", "Cleo"]}, ["Ada", "Cleo"]),
    ("phase-began", {"phase": "Day 0"}, EVERYONE),
    ("player-spoke", {"player": "Ada", "text": "I claim the seer."}, ["Ada", "Cleo"]),
    ("player-spoke", {"player": "Fay", "text": "Hello, everyone.\nA second line.", "time": "1724000000"}, EVERYONE),
    ("player-divined", {"target": "Ada", "result": "WEREWOLF"}, ["Bram"]),
    ("phase-began", {"phase": "Day 1"}, EVERYONE),
    ("vote-cast", {"player": "Bram", "against": "Cleo", "decides": "execution"}, EVERYONE),
    ("vote-cast", {"player": "Cleo", "against": "Bram"}, EVERYONE),
    ("player-died", {"player": "Cleo", "how": "executed", "role": None}, EVERYONE),
    ("player-guarded", {"target": "Bram"}, ["Emil"]),
    ("vote-cast", {"player": "Ada", "against": "Gus", "decides": "attack"}, ["Ada", "Cleo"]),
    ("attack-chosen", {"target": "Gus"}, ["Ada", "Cleo"]),
    ("phase-began", {"phase": "Day 2"}, EVERYONE),
    ("executed-examined", {"target": "Cleo", "result": "WEREWOLF"}, ["Dirk"]),
    ("player-died", {"player": "Gus", "how": "killed in the night"}, EVERYONE),
    ("game-ended", {"winner": "VILLAGER"}, EVERYONE),
]

CHAT = {
    "player_names": "Ada\nBram\nCleo\nDirk",
    "mafia_names": "Ada\nCleo",
    "public_daytime_chat": """\
[23:59:58] Bram: It is Ada: she smiled.
[00:00:05] Game-Manager: Daytime has ended, now it's time to vote! Waiting for all players to vote...
[00:00:07] Game-Manager: Ada voted for Bram
[00:00:09] Game-Manager: Bram voted for Ada
""",
    "public_nighttime_chat": """\
[00:00:09] Ada: Whom do we take?
[00:00:20] Game-Manager: Cleo voted for Dirk
""",
    "public_manager_chat": """\
[23:59:50] Game-Manager: Now it's Daytime for 2 minutes, everyone can communicate and see messages and votes.
[00:00:09] Game-Manager: Bram was voted out. Their role was bystander
[00:00:09] Game-Manager: Now it's Nighttime for 1 minutes, only mafia can communicate and see messages and votes.
[00:00:20] Game-Manager: Dirk was voted out. Their role was bystander
""",
    "who_wins": "Mafia wins!",
    "real_names": "A Real Person: Ada",
}
OF_CHAT: list[Told] = [
    ("log-read", {}, []),
    ("role-dealt", {"player": "Ada", "role": "mafia"}, ["Ada"]),
    ("role-dealt", {"player": "Bram", "role": "bystander"}, ["Bram"]),
    ("role-dealt", {"player": "Cleo", "role": "mafia"}, ["Cleo"]),
    ("role-dealt", {"player": "Dirk"}, ["Dirk"]),
    ("allies-named", {"players": ["Ada", "Cleo"]}, ["Ada", "Cleo"]),
    ("phase-began", {"phase": "Day 1"}, EVERYONE),
    ("player-spoke", {"player": "Bram", "text": "It is Ada: she smiled.", "time": "23:59:58"}, EVERYONE),
    ("announced", {}, EVERYONE),
    ("vote-cast", {"player": "Ada", "against": "Bram", "decides": "execution"}, EVERYONE),
    ("vote-cast", {"player": "Bram", "against": "Ada"}, EVERYONE),
    ("player-died", {"player": "Bram", "how": "voted out", "role": "bystander"}, EVERYONE),
    ("phase-began", {"phase": "Night 1"}, EVERYONE),
    ("player-spoke", {"player": "Ada", "text": "Whom do we take?"}, ["Ada", "Cleo"]),
    ("vote-cast", {"player": "Cleo", "against": "Dirk", "decides": "attack"}, ["Ada", "Cleo"]),
    ("player-died", {"player": "Dirk", "how": "killed in the night"}, EVERYONE),
    ("game-ended", {"winner": "mafia"}, EVERYONE),
]


def aiwolf(folder: Path, text: str = AIWOLF) -> Path:
    """A log of AIWolf in a file."""
    (file := folder / "000.log").write_text(text, newline="")
    return file


def chat(folder: Path, **changed: str) -> Path:
    """A folder with the files of a chat, some of them changed; without those that are empty."""
    for name, text in {**CHAT, **changed}.items():
        if text:
            (folder / f"{name}.txt").write_text(text)
    return folder


def events(sv: Cli, game: str) -> list[dict[str, Any]]:
    """All events of a game as exported, but the opening."""
    return sv("export", game).rows[1:]


def check(sv: Cli, game: str, expected: list[Told]) -> None:
    """The game has these events with these data and audiences, and no others."""
    found = events(sv, game)
    told = [(one["name"].split(".")[1], {key: one["data"].get(key) for key in data}, one["audience"])
            for one, (_, data, _) in zip(found, expected, strict=True)]  # fmt: skip
    assert told == [(name, data, seen) for name, data, seen in expected]


def imported(sv: Cli, form: str, file: Path) -> str:
    """The game that the log became."""
    return str(sv("import", "--format", form, file, "--json").json["games"][0]["game"])


def test_an_aiwolf_log_has_the_audiences_of_its_protocol(fresh: Cli, tmp_path: Path) -> None:
    game = imported(fresh, "aiwolf", aiwolf(tmp_path))
    check(fresh, game, OF_AIWOLF)
    assert "Hidden Person" not in fresh("export", game).out


def test_a_chat_has_a_night_for_the_mafia_and_real_names_are_not_read(fresh: Cli, tmp_path: Path) -> None:
    game = imported(fresh, "chat", chat(tmp_path))
    check(fresh, game, OF_CHAT)
    assert "Real Person" not in fresh("export", game).out


def test_one_file_of_messages_is_read_by_the_managers_lines(fresh: Cli, tmp_path: Path) -> None:
    lines = [line for key in CHAT if key.startswith("public") for line in CHAT[key].splitlines()]
    order = [6, 0, 1, 2, 3, 7, 8, 4, 5, 9]
    none = dict.fromkeys((key for key in CHAT if key.startswith("public")), "")
    folder = chat(tmp_path, all_messages="\n".join(lines[number] for number in order), **none)
    check(fresh, imported(fresh, "chat", folder / "all_messages.txt"), OF_CHAT)


def test_who_did_not_hear_a_whisper_does_not_see_it_anywhere(fresh: Cli, tmp_path: Path) -> None:
    game = imported(fresh, "aiwolf", aiwolf(tmp_path))
    whisper = "I claim the seer"
    assert whisper in fresh("view", game, "--as", "Cleo").out
    assert whisper not in fresh("view", game, "--as", "Fay").out
    assert whisper not in fresh("transcript", game, "--as", "Fay").out
    assert "WEREWOLF" not in fresh("view", game, "--as", "Fay").out
    assert whisper in fresh("replay", game).out
    assert fresh("audit", "verify", game).code == 0
    assert fresh("audit", "leaks", game).code == 0
    seen = fresh("audit", "who-saw", game, 12, "--json").json
    assert whisper in str(seen)
    known = {tuple(one["fact"]): set(one["seats"]) for one in fresh("audit", "who-knows", game, "--json").rows}
    assert known["role", "Cleo", "WEREWOLF"] == {"Ada", "Cleo"}
    assert known["being", "Cleo", "WEREWOLF"] == {"Dirk"}
    assert known["attacked", "Gus"] == {"Ada", "Cleo"}


def test_tables_have_parts_sides_and_speeches(fresh: Cli, tmp_path: Path) -> None:
    game = imported(fresh, "aiwolf", aiwolf(tmp_path))
    assert fresh("data", game, "--to", tmp_path / "out").code == 0
    seats = list(csv.DictReader((tmp_path / "out" / "seats.csv").read_text().splitlines()))
    assert [(row["seat"], row["part"], row["side"], row["won"]) for row in seats][:3] == [
        ("Ada", "WEREWOLF", "WEREWOLF", "false"),
        ("Bram", "SEER", "VILLAGER", "true"),
        ("Cleo", "WEREWOLF", "WEREWOLF", "false"),
    ]
    speeches = list(csv.DictReader((tmp_path / "out" / "speeches.csv").read_text().splitlines()))
    assert next((row["seat"], row["listeners"]) for row in speeches) == ("Ada", '["Cleo"]')


def test_an_inspect_log_has_what_each_seat_saw(fresh: Cli, tmp_path: Path) -> None:
    """Nobody played it here, so there is no prompt, no answer and no turn."""
    game = imported(fresh, "aiwolf", aiwolf(tmp_path))
    assert fresh("data", game, "--to", tmp_path / "out", "--format", "eval", "--format", "training").code == 0
    assert (tmp_path / "out" / "training.jsonl").read_text() == ""
    with zipfile.ZipFile(tmp_path / "out" / f"{game}.eval") as log:
        header = json.loads(log.read("header.json"))
        samples = {name: json.loads(log.read(name)) for name in log.namelist() if name.startswith("samples/")}
    assert len(samples) == 7
    whispered = {one["id"] for one in samples.values() if "I claim the seer." in one["input"]}
    assert whispered == {"Ada", "Cleo"}
    assert {one["id"] for one in samples.values() if one["scores"]["won"]["value"]} == {
        *"Bram Dirk Emil Fay Gus".split()
    }
    for one in samples.values():
        assert [message["role"] for message in one["messages"]] == ["user"]
        assert (one["events"], one["output"]["choices"], one["metadata"]["decisions"]) == ([], [], 0)
    (score,) = header["results"]["scores"]
    assert score["metrics"]["mean"]["value"] == pytest.approx(5 / 7)


def test_a_void_game_has_no_score_that_nobody_gave(fresh: Cli, tmp_path: Path) -> None:
    game = imported(fresh, "aiwolf", aiwolf(tmp_path, AIWOLF.partition("2,result")[0]))
    assert fresh("data", game, "--to", tmp_path / "out", "--format", "eval").code == 0
    with zipfile.ZipFile(tmp_path / "out" / f"{game}.eval") as log:
        assert json.loads(log.read("header.json"))["results"]["scores"] == []


def test_a_player_whose_program_was_lost_has_no_standing_and_does_not_die_of_it(fresh: Cli, tmp_path: Path) -> None:
    text = AIWOLF.replace("0,status,6,VILLAGER,ALIVE,", "0,status,6,VILLAGER,,")
    text = text.replace(
        "2,status,7,VILLAGER,DEAD,", "2,status,6,VILLAGER,,Hidden Person,Fay\r\n2,status,7,VILLAGER,DEAD,"
    )
    check(fresh, imported(fresh, "aiwolf", aiwolf(tmp_path, text)), OF_AIWOLF)


def test_the_same_log_is_imported_once_and_its_export_comes_back(fresh: Cli, tmp_path: Path) -> None:
    file = aiwolf(tmp_path)
    game = imported(fresh, "aiwolf", file)
    stored = fresh.stored()
    assert fresh("import", "--format", "aiwolf", file, file).out == f"Game {game} is already imported: 25 events.\n" * 2
    assert fresh.stored() == stored
    other = Cli(tmp_path / "other.db")
    assert other("import", "-", stdin=fresh("export", game).out).code == 0
    assert other("export", game).out == fresh("export", game).out


def test_a_log_that_breaks_off_is_void_and_nobody_plays_such_a_game(fresh: Cli, tmp_path: Path) -> None:
    game = imported(fresh, "aiwolf", aiwolf(tmp_path, AIWOLF.partition("1,vote")[0]))
    assert events(fresh, game)[-1]["name"] == "core.game-voided.v1"
    for command in ("play", "run"):
        said = fresh(command, "elsewhere")
        assert (said.code, said.err.count("\n")) == (2, 1)
        assert "only imported" in said.err
    assert "elsewhere" not in fresh("play", "--help").out
    fork = fresh("fork", game, "--at", 9, "--json").json["game"]
    assert "A game of another program cannot" in fresh("resume", fork).out + fresh("replay", fork).out


@pytest.mark.parametrize(
    ("change", "line", "why"),
    [
        (("1,vote,2,3", "1,vote,2"), 14, "so many fields"),
        (("1,vote,2,3", "1,vote,2,9"), 14, "no player '9'"),
        (("1,vote,2,3", "1,voted,2,3"), 14, "not one of AIWolf's records"),
        (("1,vote,2,3", "one,vote,2,3"), 14, "number of a day"),
        (("1,vote,2,3", "0,vote,2,3"), 14, "has passed"),
        (("0,divine,2,1", "0,divine,6,1"), 12, "does not do that"),
        (("0,divine,2,1,WEREWOLF", "0,divine,2,1,WOLF"), 12, "HUMAN or WEREWOLF"),
        (("0,whisper,0,0,1", "0,whisper,0,0,6"), 8, "does not do that"),
        (("1,attack,7,true", "1,attack,7,perhaps"), 19, "true or false"),
        (("6,VILLAGER", "6,MAYOR"), 6, "not one of AIWolf's roles"),
        (("0,status,2,", "0,status,1,"), 2, "has a status already"),
        (("Person,Bram", "Person,ada"), 2, "two seats"),
        (("2,status,3,WEREWOLF,DEAD", "2,status,3,WEREWOLF,ALIVE"), 20, "dead before"),
        (("2,status,3,WEREWOLF", "2,status,3,SEER"), 20, "WEREWOLF before"),
        (("4,1,VILLAGER\r\n", "4,1,TOWN\r\n"), 24, "not one of AIWolf's sides"),
        (("4,1,VILLAGER\r\n", "4,1,VILLAGER\r\n2,vote,1,2"), 25, "after the result"),
    ],
)
def test_a_line_of_aiwolf_that_cannot_be_read_is_named(
    fresh: Cli, tmp_path: Path, change: tuple[str, str], line: int, why: str
) -> None:
    assert change[0] in AIWOLF
    file = aiwolf(tmp_path, AIWOLF.replace(*change, 1))
    refused(fresh, "aiwolf", file, f"{file}, line {line}: ", why)


@pytest.mark.parametrize(
    ("file", "old", "new", "line", "why"),
    [
        ("public_daytime_chat", "[23:59:58] Bram: It", "Bram: It", 1, "not [HH:MM:SS] NAME: text"),
        ("public_daytime_chat", "[23:59:58]", "[25:59:58]", 1, "not a time of the day"),
        ("public_daytime_chat", "Bram: It", "Zoe: It", 1, "not one of the players"),
        ("public_daytime_chat", "Ada voted for Bram", "Ada voted for Zoe", 3, "not one of the players"),
        ("public_nighttime_chat", "Ada: Whom", "Dirk: Whom", 1, "cannot speak at night"),
        ("public_manager_chat", "Dirk was voted out. Their role was bystander",
         "Dirk was voted out. Their role was mafia", 4, "says otherwise of Dirk"),
        ("mafia_names", "Cleo", "Zoe", 2, "not one of the players"),
        ("mafia_names", "Ada\nCleo", "", 1, "does not say who is Mafia"),
        ("who_wins", "Mafia wins!", "Nobody", 1, "neither of"),
    ],
)  # fmt: skip
def test_a_line_of_a_chat_that_cannot_be_read_is_named(
    fresh: Cli, tmp_path: Path, file: str, old: str, new: str, line: int, why: str
) -> None:
    assert old in CHAT[file]
    folder = chat(tmp_path, **{file: CHAT[file].replace(old, new, 1)})
    named = "public_nighttime_chat" if file == "mafia_names" and not new else file
    refused(fresh, "chat", folder, f"{folder / named}.txt, line {line}: ", why)


def test_other_files_are_refused_in_one_line(fresh: Cli, tmp_path: Path) -> None:
    (empty := tmp_path / "empty.log").write_text("")
    (odd := tmp_path / "odd.log").write_bytes(b"0,status,1,SEER,ALIVE,x\n\xff")
    refused(fresh, "aiwolf", empty, str(empty), "no records")
    refused(fresh, "aiwolf", odd, f"{odd}, line 2: ", "not UTF-8")
    refused(fresh, "aiwolf", tmp_path / "none.log", "", "Check the path", code=2)
    refused(fresh, "chat", tmp_path, "", "Check the path", code=2)
    good = aiwolf(tmp_path)
    assert fresh("import", "--format", "aiwolf", good, odd).code == 1
    assert not fresh.path.exists()
    assert fresh("import", good, good).code == 2


def refused(sv: Cli, form: str, file: Path, where: str, why: str, code: int = 1) -> None:
    """The import ends with one line that names the place, and nothing is stored."""
    said = sv("import", "--format", form, file)
    assert (said.code, said.out, said.err.count("\n")) == (code, "", 1), said.err
    assert where in said.err
    assert why.lower() in said.err.lower()
    assert not sv.path.exists()
