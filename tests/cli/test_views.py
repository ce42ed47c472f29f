"""Looking at games: the lists, the shapes of `--json`, numbers, and who may see what."""

from __future__ import annotations

import json
from contextlib import closing
from itertools import pairwise

import pytest
from commands import Cli

from sottovoce.cli.source import RecordedGame
from sottovoce.domain.events import Recorded
from sottovoce.eventlog import open_log
from sottovoce.projections.perspective import FULL, PUBLIC, Perspective, of_seat
from sottovoce.projections.view import Entry
from sottovoce.server.live import LiveGame, load

SUMMARY = ["game", "ruleset", "status", "started", "ended", "winner", "fallbacks"]
ENTRY = ["seq", "name", "at", "actor", "data", "piece", "marks"]
EVENT = ["game", "position", "append", "name", "at", "actor", "audience", "cause", "data", "salt", "hash"]
HIDDEN = ("role-dealt", "mafia-introduced", "player-protected", "night-resolved", "seats-filled")


def test_games_lists_every_game_oldest_first(sv: Cli, over: str, waiting: str) -> None:
    rows = sv("games", "--json").rows
    assert [list(row) for row in rows] == [SUMMARY] * 3
    assert (rows[0]["game"], rows[-1]["game"]) == (over, waiting)
    assert [row["status"] for row in rows] == ["over", "open", "open"]
    assert rows[0]["winner"] in ("town", "mafia", "jester", "draw")
    assert rows[1]["ended"] is rows[1]["winner"] is None
    lines = sv("games").out.splitlines()
    assert lines[0].split() == SUMMARY[:6]
    assert len({line.index("mafia") for line in lines[1:]}) == 1, "columns are aligned"


def test_games_lists_what_is_asked_for_and_says_where_there_are_more(sv: Cli, over: str, waiting: str) -> None:
    def listed(*options: object) -> list[str]:
        return [row["game"] for row in sv("games", *options, "--json").rows]

    every = listed()
    winner = sv("show", over, "--json").json["winner"]
    assert over in listed("--over")
    assert waiting in listed("--open")
    assert sorted([*listed("--over"), *listed("--open")]) == sorted(every)
    assert over in listed("--winner", winner, "--ruleset", "mafia")
    assert listed("--winner", winner, "--open") == listed("--ruleset", "nothing") == listed("--seat", "nobody") == []
    assert over in listed("--seat", "Ada")
    assert set(listed("--mine")) <= set(every)
    said = sv("games", "--limit", 1)
    assert (said.code, said.out.count("\n")) == (0, 2)
    assert said.err == "These are the newest 1. To see more, use --limit N, or --all for every game.\n"
    assert listed("--limit", 1) == every[-1:]
    assert sv("games", "--all").err == ""
    assert sv("games", "--seat", "nobody").out == "No matching games.\n"


def test_games_are_found_by_prefix_and_latest(sv: Cli, over: str, waiting: str) -> None:
    assert sv("show", over[:9], "--json").json["game"] == over
    assert sv("show", "latest", "--json").json["game"] == waiting


def test_seats_are_found_whatever_their_case(sv: Cli, over: str) -> None:
    assert sv("inbox", over, "--as", "JEAN LUC", "--json").json["seat"] == "Jean Luc"
    assert sv("inbox", over, "--as", "zoË", "--json").json["seat"] == "Zoë"


def test_show_says_where_a_game_stands(sv: Cli, over: str, waiting: str) -> None:
    shown = sv("show", waiting, "--json").json
    own = [
        "seats",
        "phase",
        "waiting_for",
        "options",
        "chairs",
        "seed",
        "repeatable",
        "failures",
        "substitutes",
        "budget",
    ]
    assert list(shown) == [*SUMMARY, *own]
    assert shown["seats"] == ["Ada", "Bram", "Cleo", "Dirk", "narrator"]
    assert shown["waiting_for"] == ["narrator"]
    assert shown["options"]["max_attempts"] == 2
    text = sv("show", waiting, "--as", "narrator").out
    assert "open turn    narrator, turn 1: opening (attempts left: 2, open since " in text
    assert sv("show", over, "--json").json["waiting_for"] == []


def test_show_names_agents_to_an_auditor_alone(sv: Cli, over: str, waiting: str) -> None:
    assert "agents" not in sv("show", waiting).out
    assert "agents" not in sv("show", over, "--as", "Ada").out
    assert "agents       Ada=outside" in sv("show", waiting, "--auditor").out
    assert "agents       Ada=random" in sv("show", over).out


@pytest.mark.parametrize("command", [("show",), ("replay",), ("transcript",), ("replay", "--json"), ("show", "--json")])
def test_all_is_told_after_the_end_and_nothing_hidden_before(sv: Cli, over: str, command: tuple[str, ...]) -> None:
    running = sv("games", "--json").rows[1]["game"]
    name, *options = command
    public, full = sv(name, running, *options), sv(name, running, "--auditor", *options)
    assert public.code == full.code == 0
    assert public.out != full.out
    assert "Detective." not in public.out
    assert not any(word in public.out for word in HIDDEN)
    assert sv(name, over, *options).out == sv(name, over, "--auditor", *options).out


def test_view_entries_have_their_shape_and_their_own_numbers(sv: Cli, over: str) -> None:
    entries = sv("view", over, "--as", "Ada", "--json").rows
    assert [list(entry) for entry in entries] == [ENTRY] * len(entries)
    assert [entry["seq"] for entry in entries] == list(range(1, len(entries) + 1))
    assert all(entry["at"].endswith(":00+00:00") for entry in entries), "times are cut to the minute"
    assert sv("view", over, "--as", "Ada", "--at", 5, "--json").rows == entries[:5]
    assert sv("replay", over, "--as", "Ada", "--json").rows == entries
    assert sv("replay", over, "--as", "Ada", "--from", 3, "--to", 4, "--json").rows == entries[2:4]


def test_events_have_their_shape_and_positions(sv: Cli, over: str) -> None:
    events = sv("replay", over, "--json").rows
    assert [list(event) for event in events] == [EVENT] * len(events)
    assert [event["position"] for event in events] == list(range(1, len(events) + 1))
    assert sv("replay", over, "--from", 7, "--to", 8, "--json").rows == events[6:8]
    assert sv("export", over).out == sv("replay", over, "--json").out


def test_a_view_says_nothing_of_the_game_but_what_was_seen(sv: Cli, over: str) -> None:
    told = sv("view", over, "--as", "Ada", "--json").out + sv("inbox", over, "--as", "Ada", "--json").out
    for word in (over, "position", "append", "hash", "salt", "seed"):
        assert word not in told


def test_replay_from_the_middle_shows_what_the_whole_shows(sv: Cli, over: str) -> None:
    whole, part = sv("replay", over).out, sv("replay", over, "--from", 40).out
    assert part.strip()
    assert whole.endswith(part.lstrip("\n"))


def test_replay_steps_and_stops_where_asked(sv: Cli, over: str) -> None:
    said = sv("replay", over, "--as", "Ada", "--step", "--json", stdin="\n\nq\n")
    assert said.code == 0
    assert len(said.out.splitlines()) == 3
    assert said.err == "[1] [2] [3] "
    assert len(sv("replay", over, "--as", "Ada", "--step", "--json").out.splitlines()) == 1, "stdin is at its end"


def test_replay_at_speed_keeps_its_pauses(sv: Cli, over: str) -> None:
    assert len(sv("replay", over, "--as", "Ada", "--to", 6, "--speed", 1000, "--json").rows) == 6


def test_watch_of_a_finished_game_shows_it_and_ends(sv: Cli, over: str) -> None:
    assert sv("watch", over, "--json").out == sv("replay", over, "--json").out
    assert sv("watch", over, "--as", "Ada").out == sv("view", over, "--as", "Ada").out


@pytest.mark.parametrize("chair", [PUBLIC, FULL, of_seat("Ada")], ids=str)
def test_what_is_new_to_a_chair_piece_by_piece_is_all_it_has_in_the_end(sv: Cli, over: str, chair: Perspective) -> None:
    with closing(open_log(f"sqlite:///{sv.path}")) as log:
        whole = load(log, over)
    growing = LiveGame(over, whole.ruleset)
    shown: list[Entry | Recorded] = []
    for begin in range(0, whole.length, 7):
        growing.take(whole.recorded[begin : begin + 7])
        shown += RecordedGame(growing).items(chair, len(shown))
    assert shown == list(RecordedGame(whole).items(chair))
    assert len(shown) > 7


@pytest.mark.parametrize("options", [(), ("--as", "Ada"), ("--format", "html"), ("--as", "Zoë", "--format", "html")])
def test_transcripts_go_to_files_and_to_standard_output(sv: Cli, over: str, options: tuple[str, ...]) -> None:
    file = sv.path.parent / ("told.html" if "html" in options else "told.md")
    printed = sv("transcript", over, *options).out
    said = sv("transcript", over, *(word for word in options if word not in ("--format", "html")), "-o", file)
    assert (said.code, said.out, said.err) == (0, "", f"Written to {file}.\n")
    assert file.read_text(encoding="utf-8") == printed
    assert printed.startswith("<!doctype html>" if "html" in options else "# ")


def test_positions_of_an_auditor_cover_the_seqs_of_a_seat(sv: Cli, over: str) -> None:
    entries = sv("audit", "saw", over, "Ada", "--json").rows
    assert [entry["seq"] for entry in entries] == list(range(1, len(entries) + 1))
    assert all(before["position"] < after["position"] for before, after in pairwise(entries))
    assert json.loads(sv("view", over, "--as", "Ada", "--json").out.splitlines()[3])["name"] == entries[3]["name"]


def test_files_says_that_mafia_keeps_none(sv: Cli, over: str) -> None:
    said = sv("files", over, "--as", "Ada", "--into", sv.path.parent / "x")
    assert (said.code, said.out) == (1, "")
    assert "have no documents" in said.err
