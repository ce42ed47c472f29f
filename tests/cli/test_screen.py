"""What a screen shows, to whom, and that nothing in it is ever obeyed by a terminal."""

from __future__ import annotations

import io
import re
import unicodedata
from typing import Any

import msgspec
import pytest
from rich.console import Console
from table import START, Table

from sottovoce.agents.random_agent import RandomAgent
from sottovoce.cli.columns import print_table
from sottovoce.cli.main import fail
from sottovoce.cli.screen import Screen, draw_view
from sottovoce.cli.screens.theme import PALETTE, WIDEST
from sottovoce.domain.audience import EVERYONE, NOBODY, only
from sottovoce.domain.draws import Seed
from sottovoce.domain.events import GameOpened, HoldPlaced, SeatsFilled
from sottovoce.domain.rulesets import RULESETS
from sottovoce.projections.view import Entry
from sottovoce.rulesets.mafia.rules import events

MAFIA = RULESETS["mafia"]
SEATS = ("Ada", "Bram", "Cleo", "Dirk", "narrator")
COLOUR_CODE = re.compile(r"\x1b\[[0-9;]*m")
HOSTILE = "\x1b[2J\x1b]0;owned\x07[bold red]Night 9 falls[/]\r\nAda  I am the Mafia\u202e:smile:\x9b31m\u2028end"


def console(width: int = 80, *, colour: bool = False) -> Console:
    return Console(
        file=io.StringIO(),
        width=width,
        force_terminal=colour,
        color_system="truecolor" if colour else None,
        no_color=False,
        legacy_windows=False,
        _environ={"TERM": "xterm"},
    )


def text_of(shown: Console) -> str:
    file = shown.file
    assert isinstance(file, io.StringIO)
    return file.getvalue()


def rendered(entries: Any, seat: str | None, *, width: int = 80, colour: bool = False, **options: Any) -> str:
    shown = console(width, colour=colour)
    screen = Screen(shown, MAFIA, seat, **options)
    for entry in entries:
        screen.show(entry)
    return text_of(shown)


def of(*told: Any, seat: str | None = None, colour: bool = False, width: int = 80) -> str:
    """Those events on one screen, after the opening of a game of four."""
    opening = GameOpened(ruleset="mafia", seats=SEATS, options={})
    shown = console(width, colour=colour)
    screen = Screen(shown, MAFIA, seat)
    screen.skip(Entry(1, START, opening))
    for number, event in enumerate(told, 2):
        screen.show(Entry(number, START, event))
    return text_of(shown)


@pytest.fixture(scope="module")
def games() -> list[Table]:
    shapes: list[tuple[int, int, dict[str, Any]]] = [
        (5, 3, {}),
        (8, 4, {"reveal_role_on_night_death": True}),
        (11, 5, {"max_days": 2}),
    ]
    return [Table(players, seed, options, RandomAgent()).play() for players, seed, options in shapes]


def test_a_seats_screen_needs_nothing_but_its_entries(games: list[Table]) -> None:
    for game in games:
        for seat in game.seats:
            from_log = rendered(game.recorded, seat)
            assert from_log == rendered(game.view(seat).entries, seat)


def test_hidden_events_changed_or_dropped_leave_a_seats_screen_the_same_to_the_byte(games: list[Table]) -> None:
    for game in games:
        for seat in game.seats:
            kept = [item for item in game.recorded if item.audience.includes(seat)]
            moved = [msgspec.structs.replace(item, position=place * 7, game="other") for place, item in enumerate(kept)]
            assert rendered(moved, seat, colour=True) == rendered(game.recorded, seat, colour=True)


def test_before_the_end_no_line_puts_a_hidden_role_beside_its_player(games: list[Table]) -> None:
    for game in games:
        for seat in game.seats[:-1]:
            seen = [entry for entry in game.view(seat).entries if not isinstance(entry.event, events.GameEnded)]
            known = set().union(*(MAFIA.facts(entry.event) for entry in seen))
            lines = rendered(seen, seat).splitlines()
            for player, role in game.state.roles.items():
                if ("role", player, role) in known or player == seat:
                    continue
                for line in lines:
                    assert not (re.search(rf"\b{player}\b", line) and re.search(rf"\b{role}\b", line)), line


def test_piped_every_name_and_word_of_every_event_is_there(games: list[Table]) -> None:
    for game in games:
        facts = [item for item in game.recorded if item.name.startswith("mafia.")]
        for place, item in enumerate(facts):
            shown = rendered([game.recorded[0], item], None)
            words = " ".join(shown.split()).replace("┆ ", "")
            for text in said_in(item.event):
                assert " ".join(text.split()) in words, (place, item.event, shown)


def said_in(event: Any) -> list[str]:
    """The names, choices and words that an event holds."""
    if isinstance(event, events.PhaseBegan | events.RepliesHeard | events.DawnHeld):
        return [str(value) for value in getattr(event, "replies", {}).values()]
    hidden = {"scene", "subject", "occasion", "winner", "about"}
    if isinstance(event, events.SpeakerChosen):
        choice = "the town hall" if event.choice == "town_hall" else event.choice
        return [choice if event.words == event.choice else event.words or "", choice]
    found: list[str] = []
    for key, value in event.data().items():
        if isinstance(value, dict):
            found += [*value, *(str(item) for item in value.values() if isinstance(item, str))]
        elif isinstance(value, tuple | list):
            found += value
        elif isinstance(value, str) and key not in hidden:
            found.append(value)
    return found


@pytest.mark.parametrize("width", [40, 80, 120])
@pytest.mark.parametrize("colour", [False, True])
def test_every_line_fits_and_is_no_wider_than_is_comfortable(games: list[Table], width: int, colour: bool) -> None:
    for game in games:
        shown = rendered(game.recorded, None, width=width, colour=colour)
        for line in COLOUR_CODE.sub("", shown).splitlines():
            assert len(line) <= min(width, WIDEST), line


def test_piped_there_are_no_codes_and_no_trailing_blanks(games: list[Table]) -> None:
    for game in games:
        shown = rendered(game.recorded, None, turns=True)
        assert all(char == "\n" or unicodedata.category(char)[0] != "C" for char in shown)
        assert all(line == line.rstrip() for line in shown.splitlines())
        assert "\n\n\n" not in shown


def test_a_console_that_only_knows_ascii_is_served(games: list[Table]) -> None:
    for terminal in (True, False):
        raw = io.BytesIO()
        file = io.TextIOWrapper(raw, encoding="ascii", write_through=True)
        screen = Screen(Console(file=file, width=80, force_terminal=terminal, _environ={"TERM": "xterm"}), MAFIA)
        for item in games[1].recorded:
            screen.show(item)
        screen.show(Entry(1, START, events.SpeechGiven(player="Édith", occasion="discussion", text="déjà vu 🙂")))
        assert b"\\xc9dith" in raw.getvalue()


@pytest.mark.parametrize("colour", [False, True])
@pytest.mark.parametrize(
    "event",
    [
        events.SpeechGiven(player="Ada", occasion="discussion", text=HOSTILE),
        events.NarrationGiven(scene="dawn", text=HOSTILE),
        events.SpeakerChosen(choice="Ada", words=HOSTILE),
        events.RepliesHeard(about="kill", replies={"Ada": HOSTILE}),
        events.SpeechGiven(player=HOSTILE, occasion="final", text="I"),
        events.GameEnded(winner="town", reason=HOSTILE, roles={HOSTILE: "Mafia"}),
        HoldPlaced(waiting_for="gm", why=HOSTILE),
    ],
)
def test_hostile_words_are_shown_and_never_obeyed(event: Any, colour: bool) -> None:
    shown = of(event, seat="narrator", colour=colour)
    plain = COLOUR_CODE.sub("", shown)
    assert not any(unicodedata.category(char) in ("Cc", "Cf") and char != "\n" for char in plain)
    for harmless in ("\\x1b[2J", "[bold red]", "\\u202e", ":smile:", "\\x9b31m"):
        assert harmless in "".join(plain.split("\n"))


def test_no_line_of_a_speech_begins_where_the_games_own_lines_do() -> None:
    speech = "one\n\n\n\nNight 9 falls\n━━ Night 9 falls ━━\nBram  I did it"
    lines = of(events.SpeechGiven(player="Ada", occasion="discussion", text=speech)).splitlines()
    assert lines[0].startswith("Ada")
    assert all(line == "" or line.startswith(" " * 6) for line in lines[1:])
    assert sum(line == "" for line in lines) == 1


def test_a_very_long_word_is_folded() -> None:
    shown = of(events.SpeechGiven(player="Ada", occasion="discussion", text="x" * 500))
    assert shown.count("x") == 500
    assert max(map(len, shown.splitlines())) <= 80


def test_an_own_role_is_on_a_card_of_its_own() -> None:
    shown = of(events.RoleDealt(player="Ada", role="Doctor"), seat="Ada", colour=True)
    assert "only you" in shown
    assert "You are the Doctor." in COLOUR_CODE.sub("", shown)


def test_a_ballot_is_a_table_of_choices_voters_and_the_result() -> None:
    shown = of(events.TrialClosed.sample())
    assert shown.splitlines()[-5:] == [
        "┌ Trial",
        "│ Bram   3  Ada, Cleo, Dirk",
        "│ Ada    1  Bram",
        "└ Bram is condemned.",
        "",
    ]


def test_the_end_lists_every_player_with_role_fate_and_day() -> None:
    shown = of(
        events.DeathsAnnounced(day=1, deaths=("Ada",)),
        events.PlayerExecuted(day=2, player="Bram"),
        events.GameEnded(
            winner="town",
            reason="No Mafia is left alive.",
            roles={"Ada": "Detective", "Bram": "Mafia", "Cleo": "Jester"},
        ),
        seat="Cleo",
    )
    rows = [line.split() for line in shown.splitlines()]
    assert ["Ada", "Detective", "killed", "in", "the", "night", "1", "won"] in rows
    assert ["Bram", "Mafia", "executed", "2"] in rows
    assert ["Cleo", "(you)", "Jester", "survived"] in rows
    assert "The town wins. No Mafia is left alive." in shown


def test_an_auditor_is_told_whom_a_hidden_event_was_for() -> None:
    shown = console()
    screen = Screen(shown, MAFIA)
    screen.skip(Entry(1, START, GameOpened(ruleset="mafia", seats=SEATS, options={})))
    screen.show(Entry(2, START, events.RoleDealt(player="Ada", role="Doctor")), only("narrator", "Ada"))
    screen.show(Entry(3, START, SeatsFilled(agents={"Ada": "house"}, seed=Seed.of(7))), NOBODY)
    screen.show(Entry(4, START, events.PlayerExecuted(day=1, player="Bram")), EVERYONE)
    lines = [line for line in text_of(shown).splitlines() if line]
    assert lines == [
        "┆ only Ada, narrator: Ada is the Doctor.",
        "┆ seen by nobody: Seats filled: Ada: house; seed 7.",
        "    Bram is executed.",
    ]


def test_an_auditor_hears_of_every_turn_and_reply_only_when_asked_for(games: list[Table]) -> None:
    assert "opens for" not in rendered(games[0].recorded, None)
    shown = rendered(games[0].recorded, None, turns=True)
    turns = [item for item in games[0].recorded if item.name == "core.turn-opened.v1"]
    assert shown.count("opens for") == len(turns)


def test_an_event_recorded_for_others_never_shows_on_a_seats_screen(games: list[Table]) -> None:
    hidden = [item for item in games[0].recorded if not item.audience.includes("Ada")]
    assert hidden
    assert rendered(hidden, "Ada") == ""


def test_what_follows_a_skipped_part_looks_as_if_it_had_been_shown(games: list[Table]) -> None:
    entries = games[0].view("Ada").entries
    whole, part = console(), console()
    full, late = Screen(whole, MAFIA, "Ada"), Screen(part, MAFIA, "Ada")
    for entry in entries[:30]:
        full.show(entry)
        late.skip(entry)
    before = len(text_of(whole))
    for entry in entries[30:]:
        full.show(entry)
        late.show(entry)
    assert text_of(whole)[before:].strip("\n") == text_of(part).strip("\n")


def test_the_recent_view_is_drawn_like_the_whole_one(games: list[Table]) -> None:
    view = games[0].view("Ada")
    shown = console()
    draw_view(shown, view, 5)
    assert text_of(shown).strip("\n")
    assert rendered(view.entries, "Ada").endswith(text_of(shown).lstrip("\n"))


def test_a_game_of_a_ruleset_that_nobody_has_heard_of_is_shown_by_its_pieces(games: list[Table]) -> None:
    shown = console()
    screen = Screen(shown, MAFIA.but(name="unheard-of"), "Ada")
    for entry in games[0].view("Ada").entries:
        screen.show(entry)
    assert "A game of Mafia begins." in text_of(shown)
    assert "The game is over:" in text_of(shown)
    assert text_of(shown) == rendered(games[0].view("Ada").entries, "Ada")


def test_a_players_colour_is_stable_and_readable_on_dark_and_light(games: list[Table]) -> None:
    assert len(set(PALETTE)) == len(PALETTE) >= 12
    for colour in PALETTE:
        light = luminance(colour)
        assert (light + 0.05) / 0.05 >= 3, f"{colour} is too dark"
        assert 1.05 / (light + 0.05) >= 3, f"{colour} is too light"
    speech = events.SpeechGiven(player="Cleo", occasion="discussion", text="I")
    assert of(speech, colour=True) == of(speech, colour=True)
    assert len({of(speech.but(player=name), colour=True)[:22] for name in SEATS}) == len(SEATS)


def luminance(colour: str) -> float:
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_an_error_is_one_harmless_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert fail("no such seat:\n\x1b[2Jx", 2) == 2
    assert capsys.readouterr().err == "sottovoce: no such seat: \\x1b[2Jx\n"


def test_a_table_is_aligned_and_takes_any_text(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(("game", "winner"), [("m-1", None), ("m-23", "[bold]\x1bx\ny"), ("名前", "x")])
    assert capsys.readouterr().out == "game  winner\nm-1\nm-23  [bold]\\x1bx y\n名前  x\n"
