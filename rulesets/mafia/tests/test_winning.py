"""How a game ends."""

from __future__ import annotations

from typing import Any

import pytest
from mafia_game import mafia_game
from mafia_tables import CAST, Game, cast, condemn, random_game, small

from sottovoce.domain import commands
from sottovoce.domain.events import ChairsOpened, ReplyAccepted
from sottovoce.rulesets.mafia.rules.events import (
    DeathsAnnounced,
    GameEnded,
    NarrationGiven,
    PhaseBegan,
    PlayerExecuted,
    RoleRevealed,
)

DUEL: Any = {"Ada": "Mafia", "Bram": "Villager", "Cleo": "Villager", "Dirk": "Villager"}


def execute(game: Game, player: str, **answers: Any) -> Game:
    """Execute the player, and narrate it."""
    votes = {"execution-vote": "execute", **answers}
    return condemn(game, player, **votes).until("execution", votes).answer()


@pytest.mark.spec("M-092")
def test_a_day_without_an_execution_ends_with_a_check_too() -> None:
    game = mafia_game(DUEL, check_after_night=False).to_the_end()
    assert game.last(GameEnded).winner == "mafia"
    assert not game.all(PlayerExecuted)
    phases = [(event.phase, event.number) for event in game.all(PhaseBegan)]
    assert phases[-1] == ("nominations", 2)


@pytest.mark.spec("M-092", "M-095")
def test_the_town_wins_when_no_mafia_is_alive() -> None:
    game = execute(small(), "Ada", kill="Dirk")
    assert game.last(GameEnded).winner == "town"
    assert game.state.winner == "town"
    one_left = execute(cast(), "Ada", kill="Hugo")
    assert not one_left.all(GameEnded), "Dirk is Mafia and alive"


@pytest.mark.spec("M-096")
def test_the_mafia_win_when_they_are_at_least_as_many_as_the_others() -> None:
    game = mafia_game(DUEL).until(lambda state: len(state.living) == 3)
    assert not game.state.over, "one against two"
    game = game.to_the_end()
    assert game.last(GameEnded).winner == "mafia"
    assert len(game.state.living) == 2, "one against one: the narrator does not count"


@pytest.mark.spec("M-096", "M-003")
def test_the_jester_counts_among_the_others() -> None:
    game = mafia_game(DUEL | {"Dirk": "Jester"}).until(lambda state: len(state.living) == 3 and state.phase == "night")
    assert game.state.living == ("Ada", "Cleo", "Dirk")
    assert not game.state.over


@pytest.mark.spec("M-093", "M-094")
@pytest.mark.parametrize("check", [True, False])
def test_a_game_decided_at_night_is_narrated_and_ends_without_a_day(check: bool) -> None:
    game = mafia_game(DUEL, check_after_night=check).until(lambda state: len(state.living) == 2)
    assert game.asked("dawn") == ("narrator",)
    assert not game.state.over
    after = game.reply("narrator", "A third bell tolls.")
    assert after.last(DeathsAnnounced).deaths == ("Cleo",)
    assert after.last(NarrationGiven).scene == "dawn"
    if check:
        assert after.state.over
        assert after.last(GameEnded).winner == "mafia"
        assert after.last(PhaseBegan).phase == "dawn"
    else:
        assert not after.state.over
        assert after.state.phase == "discussion"


@pytest.mark.spec("M-093")
def test_the_check_at_dawn_is_on_by_default_and_ends_nothing_undecided() -> None:
    game = small().until("dawn").answer()
    assert game.state.options.check_after_night
    assert game.state.phase == "discussion"


@pytest.mark.spec("M-097", "M-098")
def test_the_jester_wins_when_executed_at_once_after_reveal_and_narration() -> None:
    game = condemn(cast(), "Finn", kill="Hugo").answer({"execution-vote": "execute"})
    assert not game.state.over
    assert game.last(RoleRevealed) == RoleRevealed(player="Finn", role="Jester")
    game.reply("narrator", "Finn laughs to the last.").then(
        ReplyAccepted(seat="narrator", turn=game.turn("narrator").number, text=""),
        NarrationGiven(scene="execution", subject="Finn", text="Finn laughs to the last."),
        ChairsOpened(chairs=(*CAST, "narrator")),
        GameEnded(winner="jester", reason="Finn, the Jester, was executed.", roles=CAST),
    )


@pytest.mark.spec("M-097")
def test_a_jester_killed_at_night_or_spared_does_not_win() -> None:
    game = cast().until(lambda state: state.number == 2, {"kill": "Finn"})
    assert "Finn" in game.state.dead
    assert not game.all(GameEnded)
    spared = condemn(cast(), "Finn", kill="Hugo").answer({"execution-vote": "spare"})
    assert not spared.state.over
    assert spared.to_the_end().last(GameEnded).winner != "jester"


@pytest.mark.spec("M-098")
def test_the_jesters_execution_wins_over_the_mafia_having_enough() -> None:
    roles: Any = {"Ada": "Mafia", "Bram": "Villager", "Cleo": "Villager", "Finn": "Jester"}
    game = execute(mafia_game(roles), "Finn", kill="I vote to kill Bram")
    assert len(game.state.living) == 2
    assert game.last(GameEnded).winner == "jester", "one Mafia against one other would have won as well"


@pytest.mark.spec("M-099")
def test_without_a_winner_the_next_night_begins() -> None:
    game = execute(cast(), "Edda", kill="Hugo")
    assert game.last(PhaseBegan) == PhaseBegan(phase="night", number=2)
    assert game.asked() == ("Bram",)


@pytest.mark.spec("M-099")
def test_after_the_end_no_turn_is_given_and_no_action_accepted() -> None:
    game = small().to_the_end()
    assert not game.state.turns
    for seat in game.state.seats:
        for number in (1, game.state.opened[seat], game.state.opened[seat] + 1):
            game.when(commands.Reply(game.at, seat, number, "Ada")).then_nothing()
        game.say(seat, "One more word!").then_nothing()
    game.wake().then_nothing()
    last = [type(draft.event) for draft in game.drafts][-1]
    assert last is GameEnded


@pytest.mark.spec("M-100")
@pytest.mark.parametrize("seed", range(8))
def test_the_result_with_all_roles_is_announced_to_all(seed: int) -> None:
    drafts, state = random_game(seed, 4 + seed)
    ended = drafts[-1]
    assert isinstance(ended.event, GameEnded)
    assert ended.audience.to_json() == "everyone"
    assert ended.event.winner == state.winner
    assert ended.event.roles == state.roles
    assert tuple(ended.event.roles) == state.players
    assert ended.event.reason


@pytest.mark.spec("M-101")
@pytest.mark.parametrize("days", [1, 2])
def test_max_days_ends_the_game_as_a_draw(days: int) -> None:
    game = cast(max_days=days).to_the_end({"protect": "Edda", "kill": "Edda"})
    assert game.last(GameEnded).winner == "draw"
    assert game.last(PhaseBegan) == PhaseBegan(phase="nominations", number=days)
    assert set(game.last(GameEnded).roles) == set(CAST)


@pytest.mark.spec("M-101")
def test_a_winner_on_the_last_day_is_no_draw() -> None:
    assert execute(small(max_days=1), "Ada", kill="Dirk").last(GameEnded).winner == "town"


@pytest.mark.spec("M-101", "M-098")
def test_the_jester_executed_on_the_last_day_wins() -> None:
    assert execute(cast(max_days=1), "Finn", kill="Hugo").last(GameEnded).winner == "jester"


@pytest.mark.spec("M-101", "M-096")
def test_the_mafia_win_on_the_last_day_by_an_execution() -> None:
    game = execute(mafia_game(DUEL, max_days=1), "Cleo", kill="I vote to kill Bram")
    assert game.state.living == ("Ada", "Dirk")
    assert game.last(GameEnded).winner == "mafia"


@pytest.mark.spec("M-101")
def test_without_max_days_a_game_goes_on() -> None:
    peaceful = {"protect": "Edda", "kill": "Edda"}
    assert cast().until(lambda state: state.number == 12, peaceful).state.number == 12


# ballots of one


@pytest.mark.spec("M-110")
def test_a_lone_voter_decides_a_ballot() -> None:
    game = mafia_game(DUEL, check_after_night=False).until(
        lambda state: len(state.living) == 2 and state.phase == "nominations"
    )
    assert game.state.living == ("Ada", "Dirk")
    seconding = game.reply("Ada", "I nominate Dirk")
    assert seconding.asked("second") == ("Ada", "Dirk")
    assert seconding.answer({"second": {"Ada": "yes", "Dirk": "no"}}).state.nominees == ()
    trial = seconding.answer({"second": "yes"}).until("trial-vote")
    assert trial.asked("trial-vote") == ("Ada", "Dirk")
    vote = trial.answer({"trial-vote": "Dirk"}).until("execution-vote")
    assert vote.asked("execution-vote") == ("Ada",)
    assert not vote.reply("Ada", "spare").all(PlayerExecuted)
    assert vote.reply("Ada", "execute").all(PlayerExecuted)
    killed = small().until("kill").reply("Ada", "Edda")
    assert killed.last(DeathsAnnounced).deaths == ("Edda",)


# M-109


@pytest.mark.spec("M-109")
@pytest.mark.parametrize("check", [True, False])
def test_nights_begin_with_three_and_days_with_two(check: bool) -> None:
    nights, days = set(), set()
    for seed in range(60):
        game, living = random_game(seed, 4 + seed % 4, check_after_night=check)[0], 0
        dead: set[str] = set()
        mafia = next(set(d.event.members) for d in game if hasattr(d.event, "members"))
        players = 4 + seed % 4
        for draft in game:
            match draft.event:
                case DeathsAnnounced():
                    dead |= set(draft.event.deaths)
                case PlayerExecuted():
                    dead.add(draft.event.player)
                case PhaseBegan(phase="night"):
                    living = players - len(dead)
                    assert 0 < len(mafia - dead) < living - len(mafia - dead)
                    nights.add(living)
                case PhaseBegan(phase="discussion"):
                    days.add(players - len(dead))
    assert min(nights) == 3
    assert min(days) == (3 if check else 2)
