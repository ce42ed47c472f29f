"""What `--seed` does, what `show` says of it, and that nothing public leads to it."""

from __future__ import annotations

import asyncio
import hashlib
import json
import random
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import pytest
from commands import Cli
from delegating import SEATS, TASK
from evenings import PARTY, folder
from table import answer

from sottovoce.agents.house import HouseAgent
from sottovoce.domain.commands import Open
from sottovoce.domain.draws import Seed, generator
from sottovoce.domain.events import Recorded
from sottovoce.domain.game import decide
from sottovoce.domain.rulesets import RULESETS
from sottovoce.eventlog import open_log
from sottovoce.projections.view import view
from sottovoce.server.games import Games, now
from sottovoce.server.live import LiveGame
from sottovoce.server.seating import NAMES, player_names

OLD = Path(__file__).parent / "old" / "numeric-seed.jsonl"
GUESSES = 20_000
"""Seeds that a search tries where names alone tell a right one."""
PLAYED = 150
"""Seeds that a search tries where it must play each game's beginning."""


@pytest.fixture
def sv(tmp_path: Path) -> Cli:
    return Cli(tmp_path / "games.db")


def heard(sv: Cli, game: str, seat: str | None = None) -> list[tuple[str, object]]:
    """Names and data of what a seat saw, or of every event."""
    rows = sv("view", game, "--as", seat, "--json").rows if seat else sv("export", game).rows
    return [(row["name"], row["data"]) for row in rows]


def once_derived(count: int, seed: int) -> list[str]:
    """The names that a numeric seed gave when names and roles were drawn from one number."""
    digest = hashlib.sha256("\x1f".join([str(seed), "names"]).encode()).digest()
    draw = random.Random(int.from_bytes(digest, "big"))
    names = draw.sample(NAMES, count)
    draw.shuffle(names)
    return names


def by_names(names: list[str], guesses: Iterable[int]) -> list[str]:
    """The seeds that give these names, as names were once drawn and as they are drawn now."""
    found = []
    for guess in guesses:
        if once_derived(len(names), guess) == names:
            found.append(f"once {guess}")
        if player_names(len(names), Seed.of(guess)) == names:
            found.append(str(guess))
    return found


def by_words(names: list[str], opening: str, guesses: Iterable[int]) -> list[int]:
    """The seeds with which the house's narrator opens a game of these names with these words."""
    mafia, found = RULESETS["mafia"], []
    seats = mafia.seats_for(names)
    for guess in guesses:
        drafts = decide(mafia, mafia.initial, Open(now(), seats, dict.fromkeys(seats, "house"), Seed.of(guess)))
        live = LiveGame("guess", mafia)
        live.take(
            Recorded("guess", at, "a", one.event.stored_name, now(), None, one.audience, None, b"", b"", b"", one.event)
            for at, one in enumerate(drafts, 1)
        )
        seen = view(mafia, live.recorded, "narrator")
        if answer(HouseAgent(), seen, seen.turns[0], guess) == opening:
            found.append(guess)
    return found


def public(sv: Cli, game: str) -> tuple[list[str], str]:
    """What everybody sees of a game at first: the players' names, and the words it was opened with."""
    rows = sv("export", game).rows
    told = [row["data"] for row in rows if row["audience"] == "everyone"]
    opening = next(row["data"]["text"] for row in rows if row["name"].startswith("mafia.narration-given"))
    return list(told[0]["seats"][:-1]), opening


@pytest.mark.spec("M-108")
def test_what_a_default_game_shows_its_players_names_no_seed(sv: Cli) -> None:
    game = sv("play", "mafia", "--players", "5", "--json").json["game"]
    names, opening = public(sv, game)
    assert by_names(names, range(GUESSES)) == []
    assert by_words(names, opening, range(PLAYED)) == []


def test_the_search_finds_a_short_seed_given_by_hand_and_such_a_game_is_called_repeatable(sv: Cli) -> None:
    game = sv("play", "mafia", "--players", "5", "--seed", "131", "--json").json["game"]
    names, opening = public(sv, game)
    assert by_names(names, range(GUESSES)) == ["131"]
    assert by_words(names, opening, range(PLAYED)) == [131]
    deck = [row["data"]["role"] for row in sv("export", game).rows if row["name"] == "mafia.role-dealt.v1"]
    guessed = sorted(deck, key=["Villager", "Mafia", "Doctor", "Detective", "Jester"].index)
    assert sorted(deck) == sorted(guessed)
    shown = sv("show", game)
    assert "seed         131\n" in shown.out
    assert "repeatable   " in shown.out
    assert "guess" in sv("play", "mafia", "--help").out
    assert "guess" in sv("run", "mafia", "--help").out


def test_the_search_finds_how_names_were_drawn_once() -> None:
    assert "once 77" in by_names(once_derived(8, 77), range(100))


@pytest.mark.parametrize(
    "words", [("mafia", "--agents", "random"), ("mafia", "--players", "5", "--seat", "Tom=random")]
)
def test_a_game_without_a_seed_can_be_repeated_from_what_show_gives_at_the_end(sv: Cli, words: tuple[str, ...]) -> None:
    game = sv("play", *words, "--json").json["game"]
    said = sv("show", game, "--json").json
    assert said["repeatable"] is False
    again = sv("play", *words, "--seed", said["seed"], "--json").json["game"]
    told = sv("show", again, "--json").json
    assert (told["seed"], told["repeatable"]) == (said["seed"], True)
    assert heard(sv, again)[0] == heard(sv, game)[0]
    assert heard(sv, again)[2:] == heard(sv, game)[2:], "all but by whose hand the seed is"


def test_no_two_games_without_a_seed_are_the_same(sv: Cli) -> None:
    sv("run", "mafia", "--games", "4", "--players", "5", "--agents", "random", "--quiet")
    games = [row["game"] for row in sv("games", "--all", "--json").rows]
    seeds = [sv("show", game, "--json").json for game in games]
    assert len({said["seed"] for said in seeds}) == 4
    assert {said["repeatable"] for said in seeds} == {False}
    assert len({tuple(said["seats"]) for said in seeds}) == 4


def test_a_game_of_a_run_can_be_played_again_by_itself(sv: Cli) -> None:
    setup = ("mafia", "--players", "5", "--agents", "random")
    sv("run", *setup, "--games", "2", "--seed", "two of them", "--quiet")
    for row in sv("games", "--all", "--json").rows:
        said = sv("show", row["game"], "--json").json
        assert said["repeatable"] is True
        again = sv("play", *setup, "--seed", said["seed"], "--json").json["game"]
        assert heard(sv, again) == heard(sv, row["game"])


@pytest.mark.spec("M-108")
def test_nobody_but_an_auditor_is_told_the_seed_before_the_end(sv: Cli) -> None:
    log = open_log(sv.url, create=True)
    games = Games(log)
    seats = ("Ada", "Bram", "Cleo", "Dirk", "narrator")
    asyncio.run(games.open("mafia", seats, dict.fromkeys(seats, "outside"), Seed.of("heron-4711"), {}))
    games.close()
    log.close()
    for chair in ((), ("--as", "Ada"), ("--as", "narrator")):
        for command in ("show", "view", "transcript", "replay"):
            for form in ((), ("--json",)):
                if (command == "view" and not chair) or (command == "transcript" and form):
                    continue
                said = sv(command, "latest", *chair, *form)
                assert said.code == 0, said
                assert "heron" not in said.out + said.err
                assert Seed.of("heron-4711").secret not in said.out
        assert sv("show", "latest", *chair, "--json").json["repeatable"] is None, "nor by whose hand it is"
    assert "heron-4711" in sv("show", "latest", "--auditor").out


def test_with_the_public_half_kept_another_secret_changes_nothing_public_at_the_opening(sv: Cli) -> None:
    openings, decks = set(), set()
    for number in range(12):
        seed = f"{number:064x}-{'a' * 32}"
        game = sv("play", "mafia", "--players", "7", "--agents", "random", "--seed", seed, "--json").json["game"]
        rows = sv("export", game).rows
        said = next(at for at, row in enumerate(rows) if row["name"].startswith("core.reply-accepted"))
        shown = [(row["name"], row["actor"], row["data"]) for row in rows[:said] if row["audience"] == "everyone"]
        openings.add(json.dumps(shown))
        decks.add(json.dumps([row["data"] for row in rows if row["name"] == "mafia.role-dealt.v1"]))
    assert len(openings) == 1
    assert len(decks) > 6


SETUPS: Mapping[str, tuple[Sequence[str], Mapping[str, object], Mapping[str, bytes]]] = {
    "mafia": (("Ada", "Bram", "Cleo", "Dirk", "Edda"), {}, {}),
    "tabletop": (PARTY, {"campaign": "ten-past-four"}, folder()),
    "delegation": (SEATS[:-1], {}, {f"{TASK}.md": b"Tidy the notes."}),
}


@pytest.mark.parametrize("ruleset", SETUPS)
def test_the_opening_of_any_ruleset_shows_nothing_of_the_secret(ruleset: str) -> None:
    rules, (players, options, files) = RULESETS[ruleset], SETUPS[ruleset]
    seats, shown = rules.seats_for(players), set()
    for number in range(8):
        seed = Seed.of(f"{number:064x}-{'b' * 32}")
        drafts = decide(rules, rules.initial, Open(now(), seats, {}, seed, options, files))
        shown.add(repr([draft.event for draft in drafts if draft.audience.seats is None]))
    assert len(shown) == 1


@pytest.mark.parametrize("seed", ["", "  ", "a\nb", "\x1b[31m", "x" * 201])
def test_a_seed_that_cannot_be_shown_is_refused(sv: Cli, seed: str) -> None:
    said = sv("play", "mafia", "--seed", seed)
    assert said.code == 2
    assert said.err.count("\n") <= 3
    assert "a seed is a number or a text of 1 to 200 printable characters" in said.err
    assert not sv.path.exists()


@pytest.mark.parametrize("seed", ["0", "-1", "9" * 60, "1e9", "the quick brown fox", "Zoë", "7/3"])
def test_any_number_or_text_is_a_seed(sv: Cli, seed: str) -> None:
    setup = ("play", "mafia", "--players", "4", "--agents", "random", "--seed", seed, "--json")
    games = [sv(*setup).json["game"] for _ in range(2)]
    assert heard(sv, games[0]) == heard(sv, games[1])
    assert sv("show", games[0], "--json").json["seed"] == seed


def test_a_log_whose_seed_was_a_number_is_read_resumed_and_forked(sv: Cli) -> None:
    game = sv("import", OLD, "--json").json["game"]
    assert sv("audit", "verify", game).code == 0
    assert sv("replay", game, "--auditor").code == 0
    assert sv("export", game).out == OLD.read_text(encoding="utf-8")
    told = sv("show", game, "--auditor", "--json").json
    assert (told["seed"], told["repeatable"]) == (None, False), "it cannot be given again"
    fork = sv("fork", game, "--at", "30", "--json").json["game"]
    other = sv("fork", game, "--at", "30", "--seed", "5", "--json").json["game"]
    for one in (game, fork, other):
        assert sv("resume", one, "--quiet").code == 0
        assert sv("audit", "verify", one).code == 0
        assert sv("show", one, "--json").json["status"] == "over"
    assert sv("show", other, "--json").json["seed"] == "5"


def test_the_secret_of_an_old_log_is_made_of_its_number(sv: Cli) -> None:
    game = sv("import", OLD, "--json").json["game"]
    log = open_log(sv.url)
    state = Games(log).load(game).state
    log.close()
    assert state.seed.secret == Seed.of(22).secret
    assert generator(state.seed, "deal").random() == generator(Seed.of(22), "deal").random()
