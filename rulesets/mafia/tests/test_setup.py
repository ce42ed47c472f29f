"""Seats, roles and the start of a game."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given as always
from hypothesis import strategies as st
from mafia_game import mafia_game
from mafia_tables import CAST, cast, random_game, small

from sottovoce.domain import commands
from sottovoce.domain.draws import Seed
from sottovoce.domain.errors import SetupRefused
from sottovoce.domain.events import GameOpened, SeatsFilled, TurnOpened
from sottovoce.domain.testing import NOON, Playtest, given
from sottovoce.rulesets.mafia.rules import MAFIA
from sottovoce.rulesets.mafia.rules.events import (
    GameEnded,
    MafiaIntroduced,
    NarrationGiven,
    PhaseBegan,
    RepliesHeard,
    RoleDealt,
)
from sottovoce.rulesets.mafia.rules.options import MafiaOptions, role_counts
from sottovoce.rulesets.mafia.rules.roles import ROLE_TEXT

NAMES = ("Ada", "Bram", "Cleo", "Dirk", "Edda", "Finn", "Gwen", "Hugo", "Ines", "Jory", "Kai", "Lene", "Max", "Nora")


def opened(players: int | tuple[str, ...] = 5, seed: int = 3, **options: Any) -> Playtest[Any]:
    names = NAMES[:players] if isinstance(players, int) else players
    return given(MAFIA).when(commands.Open(NOON, (*names, "narrator"), {"Ada": "house"}, Seed.of(seed), options))


def dealt(game: Playtest[Any]) -> dict[str, str]:
    return {event.player: event.role for event in game.all(RoleDealt)}


# seats


@pytest.mark.spec("M-001")
def test_the_seats_are_the_players_and_one_narrator() -> None:
    game = opened(6)
    assert game.state.seats == (*NAMES[:6], "narrator")
    assert game.state.players == NAMES[:6]
    assert "narrator" not in dealt(game)
    assert len(dealt(game)) == 6


@pytest.mark.spec("M-001")
@pytest.mark.parametrize("seed", range(12))
def test_the_narrator_never_votes_and_is_never_a_choice(seed: int) -> None:
    drafts, _ = random_game(seed, 4 + seed % 7)
    for draft in drafts:
        if isinstance(draft.event, TurnOpened):
            assert "narrator" not in draft.event.choices
            if draft.event.ballot:
                assert draft.event.seat != "narrator"


@pytest.mark.spec("M-001")
def test_a_game_without_a_narrator_does_not_open() -> None:
    with pytest.raises(SetupRefused, match="narrator"):
        given(MAFIA).when(commands.Open(NOON, NAMES[:5], {}, Seed.of(1)))
    with pytest.raises(SetupRefused, match="narrator"):
        given(MAFIA).when(commands.Open(NOON, (), {}, Seed.of(1)))


def test_a_game_opens_once() -> None:
    opened().when(commands.Open(NOON, (*NAMES[:5], "narrator"), {}, Seed.of(1))).then_nothing()
    night = small(night_seconds=30).until(lambda state: MAFIA.wakes_at(state) is not None).later(31)
    night.when(commands.Open(night.at, night.state.seats, {}, Seed.of(1))).then_nothing()


@pytest.mark.spec("M-007")
@pytest.mark.parametrize(
    "names",
    [
        ("Ada", "ADA", "Cleo", "Dirk"),
        ("Ada", "Bram", "Cleo", " "),
        ("Ada", "Bram", "Cleo", ""),
        ("Ada Lee", "Ada  Lee", "Cleo", "Dirk"),
        ("Straße", "STRASSE", "Cleo", "Dirk"),
        ("Ａda", "Ada", "Cleo", "Dirk"),
        *(
            ("Ada", "Bram", "Cleo", word)
            for word in (
                "Mafia",
                "doctor",
                "DETECTIVE",
                "Villager",
                "jester",
                "town_hall",
                "Town Hall",
                "narrator",
            )
        ),
        *(("Ada", "Bram", "Cleo", word) for word in ("Narrator", "pass", "YES", "no", "Execute", "spare")),
    ],
)
def test_a_name_taken_empty_or_used_by_the_rules_is_refused(names: tuple[str, ...]) -> None:
    with pytest.raises(SetupRefused):
        MAFIA.seats_for(names)


@pytest.mark.parametrize("other", ["Pim Tallow", "pim tallow", "Pim-Tallow", "PIM  TALLOW"])
def test_names_that_would_be_shown_alike_are_refused(other: str) -> None:
    with pytest.raises(SetupRefused, match=r"look alike|ignoring case"):
        MAFIA.seats_for(("pim-tallow", other, "Cleo", "Dirk"))
    assert MAFIA.seats_for(("pim-tallow", "Pim", "Tallow", "Pimtallow"))


@pytest.mark.parametrize(
    "name", ["a,b", "a=b", "a\nb", "a\u2028b", "a\u200bb", "a\u3164", "a\ufe0f", "\ud800", "x" * 41, "!?"]
)
def test_a_name_that_could_forge_lines_or_options_is_refused(name: str) -> None:
    with pytest.raises(SetupRefused):
        MAFIA.seats_for(("Ada", "Bram", "Cleo", name))


@pytest.mark.spec("M-007")
def test_names_that_only_hold_a_reserved_word_are_fine() -> None:
    names = ("Doctor Who", "Noah", "Passepartout", "Mafia Joe", "Ann", "Ann Lee")
    assert MAFIA.seats_for(names) == (*names, "narrator")


# roles


@pytest.mark.spec("M-002")
@pytest.mark.parametrize("seed", range(10))
def test_every_player_holds_one_role_for_the_whole_game(seed: int) -> None:
    drafts, state = random_game(seed, 8)
    first = {d.event.player: d.event.role for d in drafts if isinstance(d.event, RoleDealt)}
    assert len([d for d in drafts if isinstance(d.event, RoleDealt)]) == 8
    assert state.roles == first
    assert set(first.values()) == {"Detective", "Doctor", "Villager", "Mafia", "Jester"}


@pytest.mark.spec("M-002")
def test_no_other_role_can_be_dealt() -> None:
    with pytest.raises(SetupRefused, match="role_counts"):
        opened(5, role_counts={"Mafia": 1, "Witch": 4})


@pytest.mark.spec("M-004")
@always(seed=st.integers(0, 2**53), players=st.integers(4, 14))
def test_the_same_seed_deals_the_same_roles(seed: int, players: int) -> None:
    assert dealt(opened(players, seed)) == dealt(opened(players, seed))


@pytest.mark.spec("M-004")
def test_the_roles_are_dealt_before_the_first_turn_and_differ_by_seed() -> None:
    game = opened(8)
    kinds = [type(draft.event) for draft in game.drafts]
    assert max(i for i, kind in enumerate(kinds) if kind is RoleDealt) < kinds.index(TurnOpened)
    deals = {tuple(dealt(opened(8, seed)).items()) for seed in range(40)}
    assert len(deals) > 20
    holders = Counter(player for deal in deals for player, role in deal if role == "Doctor")
    assert len(holders) == 8


@pytest.mark.spec("M-004", "M-008")
def test_a_replay_takes_the_dealt_roles_from_the_events_whatever_the_seed() -> None:
    game = opened(8)
    events = [
        draft.event if not isinstance(draft.event, SeatsFilled) else SeatsFilled(agents={}, seed=Seed.of(99999))
        for draft in game.drafts
    ]
    assert given(MAFIA, *events).state.roles == game.state.roles


@pytest.mark.spec("M-005")
@pytest.mark.parametrize(
    ("players", "counts"),
    [
        (4, {"Mafia": 1, "Doctor": 1, "Detective": 1, "Villager": 1, "Jester": 0}),
        (6, {"Mafia": 1, "Doctor": 1, "Detective": 1, "Villager": 3, "Jester": 0}),
        (7, {"Mafia": 2, "Doctor": 1, "Detective": 1, "Villager": 3, "Jester": 0}),
        (8, {"Mafia": 2, "Doctor": 1, "Detective": 1, "Villager": 3, "Jester": 1}),
        (10, {"Mafia": 3, "Doctor": 1, "Detective": 1, "Villager": 4, "Jester": 1}),
        (14, {"Mafia": 4, "Doctor": 1, "Detective": 1, "Villager": 7, "Jester": 1}),
    ],
)
def test_the_default_role_counts(players: int, counts: dict[str, int]) -> None:
    assert role_counts(MafiaOptions(), players) == counts
    assert Counter(dealt(opened(players)).values()) == Counter({k: v for k, v in counts.items() if v})


@pytest.mark.spec("M-005")
def test_a_role_left_out_of_role_counts_is_not_dealt() -> None:
    game = opened(5, role_counts={"Mafia": 2, "Villager": 3})
    assert Counter(dealt(game).values()) == {"Mafia": 2, "Villager": 3}


@pytest.mark.spec("M-005", "M-006")
@always(
    counts=st.dictionaries(st.sampled_from(["Mafia", "Doctor", "Detective", "Jester", "Villager"]), st.integers(0, 5)),
    players=st.integers(2, 10),
)
def test_counts_are_dealt_exactly_or_refused(counts: dict[str, int], players: int) -> None:
    mafia = counts.get("Mafia", 0)
    sound = (
        players >= 4
        and sum(counts.values()) == players
        and 0 < mafia < players - mafia
        and all(counts.get(role, 0) <= 1 for role in ("Doctor", "Detective", "Jester"))
    )
    if sound:
        assert Counter(dealt(opened(players, role_counts=counts)).values()) == Counter(counts) - Counter()
    else:
        with pytest.raises(SetupRefused):
            opened(players, role_counts=counts)


@pytest.mark.spec("M-006")
@pytest.mark.parametrize(
    ("players", "counts", "part"),
    [
        (5, {"Mafia": 1, "Villager": 3}, "4 roles to 5"),
        (5, {"Villager": 5}, "no Mafia"),
        (6, {"Mafia": 3, "Villager": 3}, "fewer than half"),
        (5, {"Mafia": 1, "Doctor": 2, "Villager": 2}, "at most one"),
        (5, {"Mafia": 1, "Detective": 2, "Villager": 2}, "at most one"),
        (5, {"Mafia": 1, "Jester": 2, "Villager": 2}, "at most one"),
        (3, None, "at least 4"),
        (3, {"Mafia": 1, "Villager": 2}, "at least 4"),
    ],
)
def test_a_setup_that_cannot_be_played_is_refused(players: int, counts: dict[str, int] | None, part: str) -> None:
    with pytest.raises(SetupRefused, match=part):
        opened(players, role_counts=counts)


@pytest.mark.spec("M-006")
@pytest.mark.parametrize("players", [4, 5])
def test_the_smallest_tables_open(players: int) -> None:
    assert len(dealt(opened(players))) == players


# what is public


@pytest.mark.spec("M-108")
def test_names_order_and_options_with_the_role_counts_are_public_and_nothing_else() -> None:
    game = opened(5, max_attempts=7)
    [opening] = game.all(GameOpened)
    assert game.audiences(GameOpened) == ["everyone"]
    assert opening.seats == (*NAMES[:5], "narrator")
    assert opening.options["max_attempts"] == 7
    assert opening.options["doctor_repeat"] is True
    assert opening.options["role_counts"] == dict(Counter(dealt(game).values())) | {"Jester": 0}
    assert set(opening.options) == set(MafiaOptions.model_fields) - {"language"}
    assert opened(5, language="Deutsch").all(GameOpened)[0].options["language"] == "Deutsch"


@pytest.mark.spec("M-108")
def test_the_seed_and_the_agents_are_seen_by_nobody() -> None:
    game = opened(5, seed=424242)
    assert game.audiences(SeatsFilled) == [[]]
    for seat in game.state.seats:
        shown = repr(game.seen(seat))
        assert "424242" not in shown
        assert "house" not in shown
        assert game.known(seat).seed is None


@pytest.mark.parametrize(
    ("options", "part"),
    [
        ({"max_attempt": 3}, "no option 'max_attempt'"),
        ({"max_attempts": 0}, "max_attempts"),
        ({"max_attempts": "many"}, "max_attempts"),
        ({"turn_seconds": -1}, "turn_seconds"),
        ({"turn_seconds": float("nan")}, "turn_seconds"),
        ({"night_seconds": float("inf")}, "night_seconds"),
        ({"max_days": 0}, "max_days"),
        ({"mafia_revote_rounds": -1}, "mafia_revote_rounds"),
    ],
)
def test_an_option_that_does_not_fit_is_refused_by_name(options: dict[str, Any], part: str) -> None:
    with pytest.raises(SetupRefused, match=part):
        opened(5, **options)


# seating order


@pytest.mark.spec("M-009")
def test_players_act_in_seating_order() -> None:
    game = cast().until("role")
    assert game.asked("role") == tuple(CAST)
    game = game.until("nominate")
    turns = []
    while game.asked("nominate"):
        turns.append(game.asked("nominate")[0])
        game = game.answer()
    assert turns == ["Ada", "Cleo", "Dirk", "Edda", "Finn", "Gwen", "Hugo"], "Bram died; the others as listed"
    assert cast().until("second", {"nominate": "I nominate Dirk"}).asked() == tuple(turns)


# the opening and the role turns


@pytest.mark.spec("M-025", "M-107")
def test_the_first_turn_asks_the_narrator_to_welcome_the_players() -> None:
    game = cast()
    assert game.asked() == ("narrator",)
    request = game.request("narrator")
    context = "\n".join(request.context)
    assert "You are the narrator" in context
    assert "Ada, Bram, Cleo, Dirk, Edda, Finn, Gwen, Hugo" in context
    for player, role in CAST.items():
        assert f"{player}: {role}" in context
    assert "Welcome the players" in request.ask
    assert "set the scene" in request.ask


@pytest.mark.spec("M-026")
def test_the_opening_narration_is_seen_by_all_seats() -> None:
    game = cast().reply("narrator", "Fog on the harbour.")
    assert game.audiences(NarrationGiven) == ["everyone"]
    assert game.last(NarrationGiven) == NarrationGiven(scene="opening", text="Fog on the harbour.")


@pytest.mark.spec("M-027")
def test_then_every_player_is_told_their_role_and_asked_to_acknowledge_it() -> None:
    game = cast().reply("narrator", "Fog on the harbour.")
    assert game.asked("role") == tuple(CAST)
    for player, role in CAST.items():
        request = game.request(player)
        context = "\n".join(request.context)
        assert f"You are {player}." in context
        assert "8 players: Ada, Bram, Cleo, Dirk, Edda, Finn, Gwen, Hugo" in context
        assert f"Your role: {role}. {ROLE_TEXT[role]}" in context
        assert "win" in ROLE_TEXT[role]
        assert "Fog on the harbour." in context
        assert "Living players: Ada, Bram, Cleo, Dirk, Edda, Finn, Gwen, Hugo." in context
        assert "Acknowledge" in request.ask


@pytest.mark.spec("M-028")
@pytest.mark.parametrize("text", ["ok", "?", "Ich verstehe.", "no", "Bram is Mafia"])
def test_any_text_acknowledges_a_role_and_stays_with_its_player_and_the_narrator(text: str) -> None:
    game = cast().until("role").reply("Bram", text)
    assert "Bram" not in game.asked("role")
    for seat in everyone_else("Bram"):
        assert not any(text in repr(event) for event in game.new if event.audience.includes(seat))
    game = game.answer()
    assert game.last(RepliesHeard).replies["Bram"] == text
    assert game.audiences(RepliesHeard) == [["narrator"]]


@pytest.mark.spec("M-028")
@pytest.mark.parametrize("text", ["", "  \n", "\u200b", "\u2060 \ufeff"])
def test_an_empty_acknowledgment_does_not_count(text: str) -> None:
    game = cast().until("role").reply("Bram", text).refused("empty")
    assert "Bram" in game.asked("role")


def everyone_else(*but: str) -> list[str]:
    return [seat for seat in (*CAST, "narrator") if seat not in (*but, "narrator")]


@pytest.mark.spec("M-029")
def test_a_role_is_seen_by_its_player_alone_and_the_mafia_know_each_other_from_the_start() -> None:
    game = opened(8, seed=5)
    roles = dealt(game)
    mafia = [player for player, role in roles.items() if role == "Mafia"]
    assert game.audiences(RoleDealt) == [sorted([player, "narrator"]) for player in roles]
    assert game.audiences(MafiaIntroduced) == [sorted([*mafia, "narrator"])]
    assert game.last(MafiaIntroduced).members == tuple(mafia)
    assert PhaseBegan not in [type(draft.event) for draft in game.drafts], "before any night"
    for player, role in roles.items():
        known = game.known(player).roles
        assert known == (dict.fromkeys(mafia, "Mafia") if role == "Mafia" else {player: role})


@pytest.mark.spec("M-003")
def test_the_jester_counts_as_non_mafia_and_does_not_win_with_the_town() -> None:
    over = small_jester().to_the_end(
        {
            "kill": "I vote to kill Dirk",
            "nominate": {"Bram": "I nominate Ada"},
            "second": "yes",
            "trial-vote": "I vote for Ada",
            "execution-vote": "execute",
        }
    )
    assert over.last(GameEnded).winner == "town"
    third_night = small_jester().until(lambda state: state.number == 3 and state.phase == "night")
    assert third_night.state.living == ("Ada", "Edda", "Finn"), "two against one: the Jester is one of the two"


def small_jester() -> Playtest[Any]:
    return mafia_game({"Ada": "Mafia", "Bram": "Villager", "Dirk": "Villager", "Edda": "Villager", "Finn": "Jester"})


def test_a_clock_that_ticks_after_the_end_changes_nothing() -> None:
    small().to_the_end().later(1000).wake().then_nothing()


@pytest.mark.spec("M-012", "M-029", "M-027")
def test_the_role_turn_lists_the_mafia_for_one_of_them_and_for_nobody_else() -> None:
    game = cast().until("role")
    for player in CAST:
        assert ("Mafia members: Ada, Dirk." in game.context(player)) == (player in ("Ada", "Dirk"))
        assert ("Mafia members" in game.context(player)) == (player in ("Ada", "Dirk"))
