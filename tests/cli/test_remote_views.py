"""What a command prints by a link is, to the byte, what it prints beside the log from the same chair."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from commands import ROOT, Cli, Said
from links import link_to
from remote import RemoteServer

from sottovoce.server.links import LinkKind

TOWN = ("--names", "Ada,Bram,Cleo,Dirk,Zoë B", "--seed", "3")
HURRIED = {"SOTTOVOCE_PACE": "0"}


class Both:
    """Games in a log, and a server of that log: every command is asked of both."""

    def __init__(self, sv: Cli, server: RemoteServer, games: dict[str, str]) -> None:
        self.sv = sv
        self.server = server
        self.games = games
        self._links: dict[tuple[str, LinkKind, str | None], str] = {}

    def link(self, game: str, kind: LinkKind, seat: str | None = None) -> str:
        """A link to the game of that name."""
        key = (game, kind, seat)
        if key not in self._links:
            self._links[key] = link_to(self.server.base, self.sv.url, self.games[game], kind, seat)
        return self._links[key]

    def near(self, *words: object, stdin: str = "") -> Said:
        return self.sv(*words, env=HURRIED, stdin=stdin)

    def remote(self, link: str, *words: object, stdin: str = "") -> Said:
        """The same by a link, which stands behind the command, and no log to be had."""
        return self.sv(*words, "--server", link, env=HURRIED, db="sqlite:////nowhere/games.db", stdin=stdin)


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Both]:
    folder = tmp_path_factory.mktemp("both")
    sv = Cli(folder / "games.db")
    shutil.copytree(ROOT / "examples" / "delegation" / "village-paper", folder / "work")
    campaign = ROOT / "examples" / "campaigns" / "ten-past-four"
    games = {"mafia": sv("play", "mafia", *TOWN, "--json", "--agents", "random").json["game"]}
    played = sv("play", "tabletop", campaign, "--full-auto", "--agents", "random", "--seed", 4, "--json")
    games["tabletop"] = played.json["game"]
    games["delegation"] = sv("play", "delegation", folder / "work", "--task", "spring-fair", "--json").json["game"]
    games["waiting"] = sv("fork", games["mafia"], "--at", 30, "--json").json["game"]
    with RemoteServer(sv.url, plays=False) as server:
        yield Both(sv, server, games)


CHAIRS = [
    ("mafia", "Ada"),
    ("mafia", "Zoë B"),
    ("waiting", "Bram"),
    ("waiting", "narrator"),
    ("tabletop", "gm"),
    ("tabletop", "pim-tallow"),
    ("delegation", "user"),
]
SEATED = [
    ("view",),
    ("view", "--json"),
    ("view", "--at", "9"),
    ("view", "--at", "100000"),
    ("replay",),
    ("replay", "--json"),
    ("replay", "--from", "3", "--to", "8"),
    ("replay", "--from", "9", "--to", "8"),
    ("transcript",),
    ("transcript", "--format", "html"),
    ("show",),
    ("show", "--json"),
    ("inbox",),
    ("inbox", "--json"),
    ("inbox", "--since", "9", "--json"),
    ("inbox", "--since", "100000"),
]


@pytest.mark.parametrize(("game", "seat"), CHAIRS)
@pytest.mark.parametrize("words", SEATED, ids=" ".join)
def test_a_seat_s_link_shows_what_the_seat_s_chair_does(
    both: Both, game: str, seat: str, words: tuple[str, ...]
) -> None:
    name, *options = words
    link = both.link(game, LinkKind.SEAT, seat)  # everyone at the game is told of it
    near = both.near(name, both.games[game], "--as", seat, *options)
    remote = both.remote(link, name, *options)
    hint = f" {both.games[game]} --as"
    remote = Said(remote.code, remote.out.replace(f"--server LINK send{hint}", f"send{hint}"), remote.err)
    assert remote == near
    assert both.remote(link, name, both.games[game], "--as", seat, *options).code == near.code
    assert "--server LINK" not in remote.out


def test_a_seat_s_link_follows_a_game_to_its_end(both: Both) -> None:
    for form in ((), ("--json",)):
        near = both.near("watch", both.games["mafia"], "--as", "Ada", *form)
        assert both.remote(both.link("mafia", LinkKind.SEAT, "Ada"), "watch", *form) == near


@pytest.mark.parametrize("kind", [LinkKind.SPECTATOR, LinkKind.KEEPER])
@pytest.mark.parametrize("words", [("replay",), ("replay", "--json"), ("transcript",), ("show",), ("show", "--json")])
def test_other_links_show_what_everybody_sees(both: Both, kind: LinkKind, words: tuple[str, ...]) -> None:
    name, *options = words
    near = both.near(name, both.games["waiting"], *options)
    assert both.remote(both.link("waiting", kind), name, *options) == near


def test_a_spectator_s_link_opens_no_more_when_the_game_is_over(both: Both) -> None:
    link = both.link("mafia", LinkKind.SPECTATOR)
    assert "The full record" in both.near("transcript", both.games["mafia"]).out
    assert "What everybody saw" in both.remote(link, "transcript").out
    public = [entry["name"] for entry in both.remote(link, "replay", "--json").rows]
    assert "core.turn-opened.v1" not in public
    assert both.remote(link, "watch", "--json").rows == both.remote(link, "replay", "--json").rows


SINCE = re.compile(r", open since [-0-9]+ [0-9:]+ UTC")
AUDITED = [
    ("view", "--as", "Bram"),
    ("watch", "--auditor"),
    ("watch", "--auditor", "--json"),
    ("replay",),
    ("replay", "--auditor", "--json"),
    ("replay", "--as", "Bram", "--json"),
    ("transcript", "--auditor"),
    ("transcript", "--as", "Bram", "--format", "html"),
    ("show", "--auditor"),
    ("show", "--auditor", "--json"),
    ("audit", "who-knows"),
    ("audit", "who-knows", "--seat", "Bram", "--json"),
    ("audit", "who-knows", "--seat", "nobody"),
    ("audit", "who-saw", 12),
    ("audit", "who-saw", 12, "--json"),
    ("audit", "who-saw", 100000),
    ("audit", "saw", "Bram"),
    ("audit", "saw", "bram", "--json", "--at", 25),
    ("audit", "saw", "nobody"),
    ("audit", "how", "Bram", 9),
    ("audit", "how", "Bram", 9, "--json"),
    ("audit", "prompt", "Bram", 1),
    ("audit", "prompt", "Bram", 1, "--json"),
    ("audit", "prompt", "Bram", 999),
    ("audit", "leaks"),
    ("audit", "leaks", "--json"),
    ("audit", "verify"),
    ("audit", "verify", "--json"),
    ("audit", "verify", "--head", "12:00"),
]


@pytest.mark.parametrize("game", ["mafia", "waiting"])
@pytest.mark.parametrize("words", AUDITED, ids=lambda words: " ".join(map(str, words)))
def test_an_auditor_s_link_shows_what_the_auditor_has(both: Both, game: str, words: tuple[object, ...]) -> None:
    if words[0] == "watch" and game == "waiting":
        pytest.skip("nobody goes on with it")
    name = words[: 2 if words[0] == "audit" else 1]
    link = both.link(game, LinkKind.AUDITOR)
    near = both.near(*name, both.games[game], *words[len(name) :])
    remote = both.remote(link, *words)
    remote = Said(remote.code, remote.out.replace(" --server LINK", ""), remote.err)
    if words[0] == "show":  # the copy's turns were opened as it was made, which may be a minute later
        remote, near = (Said(one.code, SINCE.sub("", one.out), one.err) for one in (remote, near))
    assert remote == near


def test_files_are_those_that_the_seat_reads(both: Both, tmp_path: Path) -> None:
    for seat in ("gm", "pim-tallow"):
        link = both.link("tabletop", LinkKind.SEAT, seat)
        for at in ((), ("--at", "20")):
            written = []
            for who, game in ((both.near, (both.games["tabletop"], "--as", seat)), (both.remote, ())):
                folder = tmp_path / f"{seat}{len(at)}{who.__name__}"
                said = who(*((link,) if who == both.remote else ()), "files", *game, "--into", folder, "--json", *at)
                assert said.code == 0, said.err
                written.append({path: path.read_bytes() for path in folder.rglob("*") if path.is_file()})
            texts = [sorted((path.name, text) for path, text in one.items()) for one in written]
            assert texts[0] == texts[1]
            assert len(texts[0]) > 1
    near = both.near("files", both.games["mafia"], "--as", "Ada", "--into", tmp_path / "none")
    assert both.remote(both.link("mafia", LinkKind.SEAT, "Ada"), "files", "--into", tmp_path / "none") == near


def test_the_link_may_stand_before_the_command_in_a_file_or_in_the_variable(both: Both, tmp_path: Path) -> None:
    link = both.link("mafia", LinkKind.SEAT, "Ada")
    near = both.near("view", both.games["mafia"], "--as", "Ada")
    (tmp_path / "link").write_text(link + "\n")
    assert both.sv("--server", link, "view") == near
    assert both.sv("--server", tmp_path / "link", "view", both.games["mafia"][:3]) == near
    assert both.sv("view", "latest", "--server", "SOTTOVOCE_LINK", env={"SOTTOVOCE_LINK": link}) == near


WRONG: list[tuple[tuple[object, ...], int, str]] = [
    (("view", "other"), 2, "not 'other'"),
    (("view", "--as", "Bram"), 2, "for seat 'Ada', not 'Bram'"),
    (("watch", "--auditor"), 2, "can't show everything. Use an auditor link"),
    (("audit", "leaks"), 2, "can't audit. Use an auditor link"),
    (("audit", "verify"), 2, "can't audit. Use an auditor link"),
    (("inbox", "--claim", 5), 2, "--claim works only with --db"),
    (("send", "--turn", 999), 1, "Refused: "),
]


@pytest.mark.parametrize(("words", "code", "told"), WRONG, ids=lambda value: str(value))
def test_what_a_link_does_not_open_is_said_in_one_line(
    both: Both, words: tuple[object, ...], code: int, told: str
) -> None:
    link = both.link("waiting", LinkKind.SEAT, "Ada")
    said = both.remote(link, *words, stdin="Bram")
    assert (said.code, said.out) == (code, "")
    assert told in said.err
    assert said.err.count("\n") == 1
    assert link.partition("#")[2] not in said.err


def test_a_log_is_not_looked_at_by_a_link(both: Both) -> None:
    link = both.link("waiting", LinkKind.SEAT, "Ada")
    for words in (("fork", "latest", "--at", "9"), ("export", "latest"), ("play", "mafia")):
        said = both.sv("--server", link, *words)
        assert (said.code, "needs a database" in said.err) == (2, True), said
    both_given = both.sv("--db", both.sv.path, "view", "--server", link)
    assert (both_given.code, "not both" in both_given.err) == (2, True)


def test_a_link_that_was_ended_and_a_server_that_is_away_are_one_line(both: Both) -> None:
    old = link_to(both.server.base, both.sv.url, both.games["waiting"], LinkKind.SEAT, "Cleo")
    link_to(both.server.base, both.sv.url, both.games["waiting"], LinkKind.SEAT, "Cleo")
    wrong = old[:-5] + "AAAAA"
    told = {both.remote(link, "view").err for link in (old, wrong)}
    assert both.remote(old, "view").code == 1
    (line,) = told
    assert "a valid link" in line
    away = both.remote(f"http://127.0.0.1:9/games/x#{old.partition('#')[2]}", "view")
    assert away.code == 1
    assert "Nothing answers at http://127.0.0.1:9 " in away.err


def test_send_and_inbox_fare_alike(both: Both) -> None:
    """The same replies to two forks of a game, one at hand and one far away."""
    verdicts = []
    for way in ("near", "far"):
        game = both.sv("fork", both.games["mafia"], "--at", 30, "--json").json["game"]
        both.games[way] = game
        link = link_to(both.server.base, both.sv.url, game, LinkKind.SEAT, "narrator")

        def ask(*words: object, stdin: str = "", way: str = way, game: str = game, link: str = link) -> Said:
            if way == "far":
                return both.remote(link, *words, stdin=stdin)
            return both.near(words[0], game, "--as", "narrator", *words[1:], stdin=stdin)

        (turn,) = ask("inbox", "--json").json["turns"] or [{"turn": 1}]
        number = turn["turn"]
        said = [
            ask("send", "--turn", 999, stdin="Well."),
            ask("send", stdin="I say something."),
            ask("send", "--turn", number, stdin=" "),
            ask("send", "--turn", number, "--json", stdin="Night has fallen."),
            ask("send", "--turn", number, "--json", stdin="Night has fallen."),
            ask("send", "--turn", number, stdin="Night has fallen."),
            ask("send", "--turn", number, stdin="x" * 30_000),
        ]
        verdicts.append([(one.code, one.out.replace(game, "GAME"), one.err) for one in said])
    assert verdicts[0] == verdicts[1]
