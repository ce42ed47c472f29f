"""Games opened on a server from the command line, and their links."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from commands import Cli, Said
from remote import RemoteServer


class Host:
    """A server, and who has its host's link."""

    def __init__(self, sv: Cli, server: RemoteServer) -> None:
        self.sv = sv
        self.server = server
        self.link = f"{server.base}/#{server.host}"

    def __call__(self, *words: object, link: str | None = None) -> Said:
        return self.sv(*words, "--server", link or self.link, db="sqlite:////nowhere/games.db")


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    sv = Cli(tmp_path_factory.mktemp("host") / "games.db")
    with RemoteServer(sv.url) as server:
        yield Host(sv, server)


def test_a_game_is_opened_with_a_link_for_each_person(host: Host) -> None:
    said = host("open", "mafia", "--names", "Ada,Bram,Cleo,Dirk,Edda", "--person", "Ada", "--seat", "Bram=outside")
    assert said.code == 0, said.err
    head, *lines = said.out.splitlines()
    game = head.split()[1]
    links = {line[:12].strip(): line.split()[-1] for line in lines[:4]}
    assert list(links) == ["Ada", "Bram", "spectator", "keeper"]
    assert all(link.startswith(f"{host.server.base}/games/{game}#sv") for link in links.values())
    assert host("show", link=links["Ada"]).out.splitlines()[0].split()[-1] == game
    assert host("inbox", "--json", link=links["Ada"]).json["seat"] == "Ada"
    assert "join LINK" in lines[-1]
    assert game in host("games").out
    assert said.err.startswith("With night_seconds=0 the length of a night can show")
    assert said.err.count("\n") == 1


@pytest.mark.parametrize(
    "words",
    [("--person", "Ada", "--rule", "night_seconds=60"), ("--seat", "narrator=outside"), ("--seat", "Ada=random")],
)
def test_nothing_is_said_of_nights_that_tell_nobody_anything(host: Host, words: tuple[str, ...]) -> None:
    """They last long enough, or no player comes from outside."""
    assert host("open", "mafia", "--names", "Ada,Bram,Cleo,Dirk,Edda", *words).err == ""


def test_games_are_listed_by_a_host_s_link_and_one_by_a_game_s(host: Host) -> None:
    opened = [host("open", "mafia", "--agents", "outside", "--json").json for _ in range(3)]
    listed = host("games", "--json").rows
    assert [row["game"] for row in listed[-3:]] == [one["game"] for one in opened]
    short = host("games", "--limit", "2", "--json")
    assert [row["game"] for row in short.rows] == [one["game"] for one in opened[1:]]
    assert "the newest 2" in short.err
    assert host("games", "--ruleset", "tabletop").out == "No matching games.\n"
    keeper = opened[0]["links"]["keeper"]
    assert [row["game"] for row in host("games", "--json", link=keeper).rows] == [opened[0]["game"]]
    assert host("games", "--mine").code == 2


def test_a_keeper_issues_links_anew_and_ends_them(host: Host) -> None:
    links = host("open", "mafia", "--players", 5, "--agents", "outside", "--json").json["links"]
    seat, old = next(iter(links["seats"].items()))
    keeper = links["keeper"]
    new = host("link", "--seat", seat, link=keeper).out.strip()
    assert new != old
    assert host("inbox", link=new).code == 0
    gone = host("inbox", link=old)
    assert (gone.code, gone.out) == (1, "")
    assert "valid link" in gone.err
    rows = host("link", "--json", link=keeper).rows
    assert [row["ended"] is None for row in rows if row["seat"] == seat] == [False, True]
    number = rows[-1]["number"]
    assert host("link", "--end", number, link=keeper).out == f"Link {number} is revoked.\n"
    assert host("inbox", link=new).code == 1
    assert host("link", "--auditor", "--json", link=keeper).json["link"].partition("#sva_")[1]
    assert "auditor" in host("link", link=keeper).out
    assert "sva_" not in host("link", link=keeper).out


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("open", "chess"), 2, "There is no ruleset 'chess'. Choose one of:"),
        (
            ("open", "mafia", "--seat", "Ada=scripted:x"),
            2,
            "is not allowed on this server. Choose one of: house, random, outside.",
        ),
        (("open", "mafia", "--seat", "Ada"), 2, "NAME=AGENT"),
        (("open", "mafia", "--rule", "speed=3"), 2, "mafia has no option 'speed'"),
        (("open", "mafia", "--campaign", "x"), 2, "Leave it out"),
        (("open", "tabletop"), 2, "that this server offers"),
        (("link",), 2, "A host link can't"),
        (("link", "--seat", "Ada", "--auditor"), 2, "only one of"),
    ],
)
def test_what_cannot_be_done_is_one_line(host: Host, words: tuple[str, ...], code: int, told: str) -> None:
    said = host(*words)
    assert (said.code, said.out) == (code, "")
    assert told in said.err
    assert said.err.count("\n") == 1


def test_only_a_host_opens_and_only_a_keeper_has_the_links(host: Host, tmp_path: Path) -> None:
    links = host("open", "mafia", "--players", 5, "--agents", "outside", "--json").json["links"]
    seat = next(iter(links["seats"].values()))
    assert "can't create games. Use the host link" in host("open", "mafia", link=seat).err
    assert "can't manage links. Use the game's keeper link" in host("link", link=seat).err
    assert host.sv("open", "mafia").err.startswith("sottovoce: No link given.")
    file = tmp_path / "link"
    file.write_text(links["keeper"])
    assert host("link", "--end", 99, link=str(file)).code == 2
