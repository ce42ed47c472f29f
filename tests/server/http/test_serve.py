"""`sottovoce serve` as its users start it: in a process, on a log, on a real socket."""

from __future__ import annotations

import hashlib
import json
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import postgres
import pytest
from commands import SOTTOVOCE, Cli
from durability.processes import REPO, environment, sottovoce
from patience import PATIENCE
from served import Wire, eventually
from server_process import free_port
from siege import NAMES, Serving, token_of

from sottovoce.cli.main import main


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """A server on a new log."""
    with Serving(tmp_path_factory.mktemp("usual"), "--agents", "house", "--agents", "outside") as server:
        yield server


def test_it_prints_one_line_with_the_hosts_link_which_opens_games(usual: Serving) -> None:
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/#svh_[A-Za-z0-9_-]{43}", usual.first)
    told = usual.call("GET", "/v1/link", usual.token)
    assert told.status == 200
    assert told.json["kind"] == "host"
    opened = usual.open()
    assert opened["links"]["keeper"].startswith(f"http://127.0.0.1:{usual.port}/games/{opened['game']}#svk_")
    assert usual.call("GET", f"/v1/games/{opened['game']}", token_of(opened["links"]["keeper"])).status == 200


def test_agents_that_were_not_allowed_may_not_be_chosen(usual: Serving, tmp_path: Path) -> None:
    for agent in ("random", f"files:{tmp_path}", "scripted:x.yaml", "openai:small", "human", "command:ls"):
        refused = usual.call(
            "POST", "/v1/games", usual.token, {"ruleset": "mafia", "names": list(NAMES), "agent": agent}
        )
        assert refused.status == 422, agent
        assert "house, outside" in refused.json["detail"]
    assert not list(tmp_path.iterdir())


def test_ready_says_that_the_log_answers_and_live_that_the_process_does(usual: Serving) -> None:
    assert usual.ask("GET", "/health/live").json == {"ok": True}
    assert usual.ask("GET", "/health/ready").json == {"ok": True}


def test_the_counts_are_the_hosts(usual: Serving) -> None:
    opened = usual.open()
    public = usual.ask("GET", "/metrics")
    assert public.headers["content-type"].startswith("text/plain; version=0.0.4")
    for token in ("", "svh_wrong", token_of(opened["links"]["keeper"]), token_of(opened["links"]["seats"]["Ada"])):
        assert usual.call("GET", "/metrics", token).body == public.body
    assert b"/v1/games" not in public.body
    hosts = usual.call("GET", "/metrics", usual.token).body.decode()
    assert 'sottovoce_requests_total{method="POST",route="/v1/games",status="201"}' in hosts
    assert opened["game"] not in hosts


def test_whoever_runs_the_server_reads_how_the_log_is_doing_at_another_door(tmp_path: Path) -> None:
    with Serving(tmp_path, "--metrics", "0", "--agents", "outside") as server:
        opened = server.open()
        notes = [line["note"] for line in server.said() if "note" in line]
        address = next(note.removeprefix("Metrics: ") for note in notes if note.startswith("Metrics: "))
        assert address.startswith("http://127.0.0.1:")
        with urllib.request.urlopen(address) as answer:
            text = answer.read().decode()
        counts = {
            line.rpartition(" ")[0]: float(line.rpartition(" ")[2]) for line in text.splitlines() if line[0] != "#"
        }
        assert counts['sottovoce_requests_total{method="POST",route="/v1/games",status="201"}'] == 1
        assert counts['sottovoce_appends_total{outcome="appended"}'] >= 1
        assert counts["sottovoce_events_appended_total"] > 1
        assert 0 < counts["sottovoce_commit_seconds_count"] <= counts["sottovoce_lock_wait_seconds_count"]
        assert counts["sottovoce_log_up"] == 1
        assert counts["sottovoce_turns_open"] >= 1
        assert counts["sottovoce_turns_overdue"] == counts["sottovoce_leases_lapsed"] == 0
        assert counts["sottovoce_follower_look_age_seconds"] < PATIENCE
        assert counts["sottovoce_follower_lag_events"] >= 0
        assert opened["game"] not in text
        for name in ("appends", "turns_open", "follower"):
            assert f"sottovoce_{name}" not in server.call("GET", "/metrics", server.token).body.decode()
        assert server.end() == 0


def test_a_flood_of_replies_is_stopped_while_other_seats_go_on(usual: Serving) -> None:
    opened = usual.open()
    path = f"/v1/games/{opened['game']}/messages"
    ada, bram = (token_of(opened["links"]["seats"][name]) for name in ("Ada", "Bram"))

    def flood() -> list[int]:
        statuses = []
        with usual.wire() as wire:
            for _ in range(120):
                asked = {"content_type": "application/json", "authorization": f"Bearer {ada}"}
                answer = wire.ask("POST", path, b'{"text": "Hello?"}', **asked)
                statuses.append(answer.status)
                if answer.status == 429:
                    assert "More than 60 replies" in answer.problem(429, "too-many")
                    assert int(answer.headers["retry-after"]) >= 1
        return statuses

    with ThreadPoolExecutor() as pool:
        flooding = pool.submit(flood)
        while not flooding.done():
            assert usual.call("GET", f"/v1/games/{opened['game']}/view", bram).status == 200
        assert flooding.result().count(429) > 0
    assert 429 not in flooding.result()[:60]
    assert usual.call("POST", path, bram, {"text": "Hello?"}).status != 429


def test_a_failure_inside_is_a_problem_document(usual: Serving) -> None:
    for path in ("/nowhere", "/v1/nowhere"):
        usual.ask("GET", path).problem(404, "unknown")
    usual.ask("DELETE", "/health/live").problem(405, "method")
    usual.ask("GET", "/v1/link").problem(401, "unauthorized")


def test_its_lines_hold_no_token_game_or_text(tmp_path: Path) -> None:
    with Serving(tmp_path, "--verbose") as server:
        opened = server.open()
        ada = token_of(opened["links"]["seats"]["Ada"])
        server.call("POST", f"/v1/games/{opened['game']}/messages", ada, {"text": "hidden words"})
        server.call("GET", f"/v1/games/{opened['game']}/view?after=77777", ada)
        assert server.end() == 0
        assert {"POST /v1/games/{game}/messages", "GET /v1/games/{game}/view"} <= {
            f"{line['method']} {line['route']}" for line in server.said() if "route" in line
        }
        text = server.errors.read_text()
        secrets = [server.token, ada, "svs_", "svh_", opened["game"], "hidden words", "77777", "Ada"]
        assert [secret for secret in secrets if secret in text] == []
        notes = [line["note"] for line in server.said() if "note" in line]
        assert sum(note.startswith("With night_seconds=0 the length of a night") for note in notes) == 1


def test_a_stream_goes_on_after_a_kill_at_the_same_port_with_the_same_link(tmp_path: Path) -> None:
    with ExitStack() as stack:
        first = stack.enter_context(Serving(tmp_path))
        opened = first.open()
        ada = token_of(opened["links"]["seats"]["Ada"])
        stream = f"/v1/games/{opened['game']}/stream"
        wire = stack.enter_context(first.wire())
        wire.request("GET", stream, authorization=f"Bearer {ada}")
        assert wire.head()[0] == 200
        assert number_of(wire.frame()) == 1
        assert first.end(signal.SIGKILL) == -signal.SIGKILL
        second = stack.enter_context(Serving(tmp_path, "--port", first.port))
        assert second.port == first.port
        assert second.token != first.token
        second.ask("GET", "/v1/link", authorization=f"Bearer {first.token}").problem(401, "unauthorized")
        again = stack.enter_context(second.wire())
        again.request("GET", stream, authorization=f"Bearer {ada}", last_event_id="1")
        assert again.head()[0] == 200
        assert number_of(again.frame()) == 2
        assert second.end() == 0
        rest = read_to_end(again)
        assert rest.endswith(b"retry: 1500\n\n")


def number_of(item: bytes) -> int:
    """The id of a frame."""
    return int(item.partition(b"\n")[0].removeprefix(b"id: "))


def read_to_end(wire: Wire) -> bytes:
    """What is left of a stream."""
    found = b""
    while item := wire.chunk():
        found += item
    return found


def test_two_that_share_a_host_token_print_none_and_both_take_it(tmp_path: Path) -> None:
    token = "svh_" + "s" * 43
    file = tmp_path / "server.toml"
    file.write_text(f'host_digest = "{hashlib.sha256(token.encode()).hexdigest()}"\n')
    with Serving(tmp_path, "--config", file) as one, Serving(tmp_path, "--config", file) as two:
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/", one.first)
        assert {server.call("GET", "/v1/link", token).json["kind"] for server in (one, two)} == {"host"}
        one.token = token
        opened = one.open()
        assert two.call("GET", f"/v1/games/{opened['game']}", token_of(opened["links"]["keeper"])).status == 200


def test_two_on_postgresql_share_a_game_and_one_goes_on_when_the_other_is_killed(
    tmp_path: Path, databases: postgres.Databases
) -> None:
    with ExitStack() as stack:
        url = stack.enter_context(databases.log())
        one, two = (stack.enter_context(Serving(tmp_path, url=url)) for _ in range(2))
        opened = one.open(agent="random", agents={"Ada": "outside"})
        ada = token_of(opened["links"]["seats"]["Ada"])
        path = f"/v1/games/{opened['game']}"
        wires = [stack.enter_context(server.wire()) for server in (one, two)]
        for wire in wires:
            wire.request("GET", f"{path}/stream", authorization=f"Bearer {ada}")
            assert wire.head()[0] == 200
        seen = [frames(wires[0], 2), frames(wires[1], 2)]
        assert seen[0] == seen[1]
        assert one.end(signal.SIGKILL) == -signal.SIGKILL
        while not two.call("GET", f"{path}/turns", ada).json["over"]:
            inbox = two.call("GET", f"{path}/turns?wait=20", ada).json
            for turn in inbox["turns"]:
                text = turn["choices"][0] if turn["choices"] else "I have nothing to say."
                assert two.call("POST", f"{path}/turns/{turn['turn']}", ada, {"text": text}).status == 200
        told = two.call("GET", f"{path}/view?limit=1000", ada).json["entries"]
        streamed = seen[1] + frames(wires[1], len(told) - 2)
        assert streamed == told


def test_one_whose_database_is_gone_lives_and_is_not_ready_until_it_is_back(tmp_path: Path) -> None:
    try:
        database_server = postgres.Server()
    except postgres.NoPostgres as missing:
        pytest.skip(str(missing))
    try:
        with Serving(tmp_path, url=database_server.url) as server:
            server.served()
            opened = server.open()
            ada = token_of(opened["links"]["seats"]["Ada"])
            database_server.kill()
            answer = server.ask("GET", "/health/ready")
            assert "can't use its database" in answer.problem(503, "unavailable")
            assert server.ask("GET", "/health/live").status == 200
            database_server.start()
            eventually(lambda: server.ask("GET", "/health/ready").status == 200)
            eventually(lambda: server.call("GET", f"/v1/games/{opened['game']}/view", ada).status == 200)
            assert server.end() == 0
    finally:
        database_server.stop()


def frames(wire: Wire, count: int) -> list[Any]:
    """So many entries of a stream, with their numbers in order; heartbeats are passed over."""
    found: list[Any] = []
    while len(found) < count:
        item = wire.frame()
        if item.startswith(b"id: "):
            number, _, data = item.split(b"\n")
            found.append(json.loads(data.removeprefix(b"data: ")))
            assert int(number.removeprefix(b"id: ")) == found[-1]["seq"]
    return found


def test_what_is_set_by_file_and_flags_is_what_holds(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    file = tmp_path / "server.toml"
    file.write_text('agents = ["house"]\nhosts = ["games.example"]\n[bounds]\nreplies_per_minute = 1\n')
    given = ("--config", file, "--agents", "random", "--folder", f"work={tmp_path / 'work'}")
    with Serving(tmp_path, *given, "--no-samples") as server:
        told = server.call("GET", "/v1/rulesets", server.token, host="games.example").json
        assert (told["agents"], told["places"]) == (["random"], {"folder": ["work"], "campaign": []})


def test_samples_and_the_folders_of_a_library_are_offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    (tmp_path / "library" / "paper" / "tasks").mkdir(parents=True)
    (tmp_path / "library" / "paper" / "tasks" / "one.md").write_text("# One\n\nWrite it.\n")
    (tmp_path / "library" / "nothing").mkdir()
    with Serving(tmp_path, "--library", tmp_path / "library") as server:
        told = server.call("GET", "/v1/rulesets", server.token).json
        assert told["places"] == {"campaign": ["ten-past-four"], "folder": ["village-paper", "paper"]}
        assert "GET" not in server.errors.read_text(), "requests are told with --verbose only"
    copy = tmp_path / "data" / "sottovoce" / "samples" / "village-paper"
    assert (copy / "tasks" / "spring-fair.md").is_file(), "agents write into a copy"


def test_agents_play_in_its_process_unless_they_are_left_to_workers(tmp_path: Path) -> None:
    played, left = tmp_path / "played", tmp_path / "left"
    for folder in (played, left):
        folder.mkdir()
    with Serving(played) as one, Serving(left, "--no-play") as other:
        games = [server.open(agent="random") for server in (one, other)]
        keeper = token_of(games[0]["links"]["keeper"])
        path = f"/v1/games/{games[0]['game']}"
        eventually(lambda: one.call("GET", path, keeper).json["status"] == "over")
        shown = other.call("GET", f"/v1/games/{games[1]['game']}", token_of(games[1]["links"]["keeper"])).json
        assert shown["status"] == "open"


def test_nothing_is_loaded_that_the_first_answer_does_not_need(tmp_path: Path) -> None:
    """On a new log too: the migrations take a second. What is loaded and what is printed go to one file, in order."""
    out = tmp_path / "out"
    with out.open("wb") as file:
        process = subprocess.Popen(
            [
                sys.executable,
                "-X",
                "importtime",
                "-m",
                "sottovoce",
                "--db",
                str(tmp_path / "new.db"),
                "serve",
                "--port",
                "0",
            ],
            env=environment(),
            cwd=REPO,
            stdout=file,
            stderr=subprocess.STDOUT,
        )
    try:
        eventually(lambda: "\nhttp://127.0.0.1:" in out.read_text() or process.poll() is not None)
        before, line, _ = out.read_text().partition("\nhttp://127.0.0.1:")
        assert line, before[-2000:]
        loaded = set(re.findall(r"\| +([\w.]+)$", before, re.M))
        assert "fastapi" in loaded
        assert not loaded & {"alembic", "sqlalchemy", "openai", "mcp", "prompt_toolkit", "rich", "psycopg"}
        process.terminate()
        assert process.wait(PATIENCE) == 0
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize(
    ("options", "code", "told"),
    [
        (["--port", "70000"], 2, "port: input should be less than or equal to 65535"),
        (["--port", "x"], 2, "'x' is not a valid integer"),
        (["--agents", "files:/tmp"], 2, "'files:/tmp' can't be offered on a server"),
        (["--agents", "openai:small"], 2, "openai:small needs a budget of tokens"),
        (["--agents", "openai:small=5"], 2, "A model needs OPENAI_API_KEY"),
        (["--campaign", "alarm"], 2, "--campaign takes NAME=DIR"),
        (["--folder", "work=nowhere"], 2, "folders.work: nowhere is not a folder"),
        (["--config", "nowhere.toml"], 2, "Cannot read nowhere.toml: No such file"),
        (["--host", "no.such.host.invalid"], 1, "There is no address for 'no.such.host.invalid'"),
        (["--address", "games.example"], 2, "address: 'games.example' is not an origin"),
    ],
)
def test_what_cannot_be_is_one_line(tmp_path: Path, options: list[str], code: int, told: str) -> None:
    said = Cli(tmp_path / "games.db")(
        "serve", "--port", "0", *options, env={"OPENAI_API_KEY": "", "OPENAI_BASE_URL": ""}
    )
    assert (said.code, said.out) == (code, "")
    assert told in said.err
    assert len(said.err.splitlines()) == 1


def test_stopped_before_it_answers_it_ends_as_at_any_other_time(tmp_path: Path) -> None:
    port = free_port()
    command = [SOTTOVOCE, "--db", str(tmp_path / "games.db"), "serve", "--port", str(port)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        # It listens long before it answers.
        eventually(lambda: _accepts(port))
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=PATIENCE)
    assert "Traceback" not in err
    assert process.returncode == 0, (out, err)


def _accepts(port: int) -> bool:
    with suppress(OSError), socket.create_connection(("127.0.0.1", port)):
        return True
    return False


def test_a_port_in_use_is_one_line(tmp_path: Path) -> None:
    with Serving(tmp_path) as server:
        code, out, err = sottovoce("--db", str(tmp_path / "other.db"), "serve", "--port", str(server.port))
        assert (code, out) == (1, "")
        assert (
            err == f"sottovoce: 127.0.0.1 port {server.port} is in use. Choose another --port, or 0 for a free one.\n"
        )
        server.served()


def test_a_log_that_cannot_be_opened_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "games.db").write_text("not a log at all, but long enough to be looked at" * 20)
    said = Cli(tmp_path / "games.db")("serve", "--port", "0")
    assert said.code == 1
    assert "is not a database" in said.err
    assert len(said.err.splitlines()) == 1


def test_what_ended_it_is_its_exit_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that who started it starts it again."""
    for code in (0, 1):
        monkeypatch.setattr("sottovoce.cli.serve._serve", lambda place, settings, quiet, ended=code: ended)
        with pytest.raises(SystemExit) as left:
            main(["serve", "--port", "0"])
        assert left.value.code == code


def test_one_spectator_cannot_lock_out_the_audience(tmp_path: Path) -> None:
    """Whose address counts is what a trusted proxy says, and nobody else's word is taken for it."""
    config = tmp_path / "server.toml"
    config.write_text('proxies = ["127.0.0.9"]\n[bounds]\nspectator_streams_per_address = 3\n')
    with Serving(tmp_path, "--config", config) as server, ExitStack() as stack:
        opened = server.open()
        path, token = f"/v1/games/{opened['game']}/stream", token_of(opened["links"]["spectator"])

        def watching(address: str, **said: str) -> int:
            wire = stack.enter_context(server.wire(address=address))
            wire.request("GET", path, b"", authorization=f"Bearer {token}", **said)
            return wire.head()[0]

        assert [watching("127.0.0.3") for _ in range(4)] == [200, 200, 200, 429]
        assert watching("127.0.0.3", x_forwarded_for="198.51.100.1") == 429
        assert [watching(f"127.0.1.{number}") for number in range(1, 6)] == [200] * 5
        behind = [watching("127.0.0.9", x_forwarded_for="198.51.100.7") for _ in range(4)]
        assert behind == [200, 200, 200, 429]
        assert watching("127.0.0.9", x_forwarded_for="198.51.100.8") == 200
        assert [watching("127.0.0.9") for _ in range(5)] == [200] * 5
