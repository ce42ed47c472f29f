"""The night: who acts, in which order, what it comes to, and who learns of it."""

from __future__ import annotations

from collections import Counter
from typing import Any, Literal

import pytest
from hypothesis import given as always
from hypothesis import settings
from hypothesis import strategies as st
from mafia_game import mafia_game
from mafia_tables import CAST, Game, cast, condemn, everyone_but, small

from sottovoce.domain import commands
from sottovoce.domain.events import ReplyAccepted, TurnOpened
from sottovoce.domain.testing import given
from sottovoce.rulesets.mafia.rules import MAFIA
from sottovoce.rulesets.mafia.rules.events import (
    DawnHeld,
    DeathsAnnounced,
    MafiaBallotClosed,
    NarrationGiven,
    NightResolved,
    PhaseBegan,
    PlayerInvestigated,
    PlayerProtected,
    RepliesHeard,
    RoleRevealed,
)
from sottovoce.rulesets.mafia.rules.roles import Role

TRIO: dict[str, Role] = {
    "Ada": "Mafia",
    "Dirk": "Mafia",
    "Edda": "Mafia",
    "Bram": "Doctor",
    "Cleo": "Detective",
    **dict.fromkeys(("Finn", "Gwen", "Hugo", "Ines"), "Villager"),
}


def second_night(game: Game, **answers: Any) -> Game:
    return game.until(lambda state: state.number == 2 and state.phase == "night", answers)


# the course of a night


@pytest.mark.spec("M-030")
def test_night_one_comes_first_and_days_alternate_with_nights_of_the_same_number() -> None:
    game = cast().to_the_end()
    phases = [(event.phase, event.number) for event in game.all(PhaseBegan)]
    turns_of_day = [
        ("night" if phase == "night" else "day", number) for phase, number in phases if phase in ("night", "dawn")
    ]
    assert turns_of_day[:4] == [("night", 1), ("day", 1), ("night", 2), ("day", 2)]
    assert turns_of_day == [(half, n) for n in range(1, len(turns_of_day) // 2 + 1) for half in ("night", "day")]


@pytest.mark.spec("M-031")
def test_doctor_then_detective_then_mafia_and_only_then_is_the_night_resolved() -> None:
    game = cast(night_talk=0).until("protect")
    assert game.asked() == ("Bram",)
    game = game.reply("Bram", "Ada")
    assert game.asked() == ("Cleo",)
    game = game.reply("Cleo", "Ada")
    assert game.asked() == ("Ada", "Dirk")
    game = game.reply("Ada", "Hugo")
    assert not game.all(NightResolved)
    game = game.reply("Dirk", "Hugo")
    assert len(game.all(NightResolved)) == 1
    assert game.state.phase == "dawn"


@pytest.mark.spec("M-032")
def test_a_role_nobody_was_dealt_has_no_turn() -> None:
    game = mafia_game({"Ada": "Mafia", "Bram": "Villager", "Cleo": "Villager", "Dirk": "Villager"})
    kinds = {event.kind for event in game.to_the_end().all(TurnOpened)}
    assert "kill" in kinds
    assert not {"protect", "investigate"} & kinds


@pytest.mark.spec("M-032", "M-014")
def test_a_dead_holder_has_no_turn() -> None:
    game = second_night(cast(), kill="I vote to kill Bram")
    assert game.asked() == ("Cleo",)
    game = second_night(cast(night_talk=0), kill="I vote to kill Cleo").reply("Bram", "Ada")
    assert game.asked() == ("Ada", "Dirk")


@pytest.mark.spec("M-033")
def test_night_choices_are_never_shown_to_others_neither_at_night_nor_at_dawn() -> None:
    game = second_night(cast(), protect="Gwen", investigate="Edda", kill="Hugo")
    for player in everyone_but("Bram"):
        assert not game.seen(player, PlayerProtected)
    for player in everyone_but("Cleo"):
        assert not game.seen(player, PlayerInvestigated)
    for player in everyone_but("Ada", "Dirk"):
        assert not game.seen(player, MafiaBallotClosed)
    for player in CAST:
        assert not game.seen(player, NightResolved)
    dawn = cast().until("moderate", {"protect": "Gwen", "investigate": "Edda", "kill": "Hugo"})
    public = [draft.event for draft in dawn.drafts[1:] if draft.audience.seats is None]
    assert "Hugo" in repr(public)
    assert "Gwen" not in repr(public)
    assert "Edda" not in repr(public)


# the Doctor


@pytest.mark.spec("M-034", "M-012")
def test_the_doctor_is_told_the_night_the_living_and_last_nights_protection() -> None:
    game = cast().until("protect")
    context = game.context("Bram")
    assert "Night 1" in context
    assert "Living players: Ada, Bram, Cleo, Dirk, Edda, Finn, Gwen, Hugo." in context
    assert "Last night" not in context
    assert "protect" in game.request("Bram").ask
    game = second_night(game, protect="Edda", kill="Hugo")
    context = game.context("Bram")
    assert "Night 2" in context
    assert "Living players: Ada, Bram, Cleo, Dirk, Edda, Finn, Gwen." in context
    assert "Last night you protected Edda." in context


@pytest.mark.spec("M-035")
def test_the_doctor_must_choose_one_living_player_but_not_themselves() -> None:
    game = second_night(cast(), kill="Hugo")
    assert game.turn("Bram").choices == ("Ada", "Cleo", "Dirk", "Edda", "Finn", "Gwen")
    for text in ("I protect Bram", "I protect Hugo", "Bram", "Ada and Cleo", "nobody"):
        game.reply("Bram", text).refused()


@pytest.mark.spec("M-036")
def test_the_doctor_may_protect_the_same_player_twice_running() -> None:
    game = second_night(cast(), protect="Edda", kill="Hugo").reply("Bram", "I protect Edda")
    assert game.last(PlayerProtected) == PlayerProtected(night=2, doctor="Bram", target="Edda")


@pytest.mark.spec("M-036")
def test_without_doctor_repeat_last_nights_choice_is_barred_for_one_night() -> None:
    game = second_night(cast(doctor_repeat=False), protect="Edda", kill="Hugo")
    assert "Edda" not in game.turn("Bram").choices
    game = game.reply("Bram", "Edda").refused().reply("Bram", "Ada")
    third = game.until(lambda state: state.number == 3 and state.phase == "night", {"kill": "Gwen"})
    assert "Edda" in third.turn("Bram").choices
    assert "Ada" not in third.turn("Bram").choices


@pytest.mark.spec("M-037")
def test_the_doctors_choice_is_seen_by_the_doctor_and_the_narrator_only() -> None:
    game = cast().until("protect").reply("Bram", "Edda")
    assert game.audiences(PlayerProtected) == [["Bram", "narrator"]]


@pytest.mark.spec("M-038")
def test_nobody_is_told_that_a_protection_stopped_a_kill() -> None:
    saved = cast().until("moderate", {"protect": "Hugo", "kill": "Hugo"})
    assert saved.last(DeathsAnnounced).deaths == ()
    assert saved.last(NightResolved).cause == "saved by protection"
    assert saved.audiences(NightResolved) == [["narrator"]]
    bram = [event for event in saved.seen("Bram") if not isinstance(event, PlayerProtected)]
    other = [
        event
        for event in cast().until("moderate", {"protect": "Gwen", "kill": "Gwen"}).seen("Bram")
        if not isinstance(event, PlayerProtected)
    ]
    without_reply = [e for e in bram if "reply-accepted" not in e.stored_name]
    assert without_reply == [e for e in other if "reply-accepted" not in e.stored_name]


# the Detective


@pytest.mark.spec("M-039", "M-012")
def test_the_detective_is_told_the_night_the_living_and_all_past_results() -> None:
    game = cast().until("investigate")
    context = game.context("Cleo")
    assert "Night 1" in context
    assert "Living players: Ada, Bram, Cleo, Dirk, Edda, Finn, Gwen, Hugo." in context
    assert "so far: none" in context
    assert "investigate" in game.request("Cleo").ask
    game = second_night(game, investigate="Ada", kill="Hugo").until("investigate")
    assert "Ada is Mafia" in game.context("Cleo")
    assert "Hugo" not in game.context("Cleo")
    third = game.until(
        lambda state: state.number == 3 and "investigate" in [t.kind for t in state.turns.values()],
        {"investigate": "Finn", "kill": "Gwen"},
    )
    assert "Ada is Mafia" in third.context("Cleo")
    assert "Finn is Jester" in third.context("Cleo")


@pytest.mark.spec("M-040")
def test_the_detective_must_choose_one_living_player_but_not_themselves_and_may_repeat() -> None:
    game = second_night(cast(), investigate="Ada", kill="Hugo").until("investigate")
    assert game.turn("Cleo").choices == ("Ada", "Bram", "Dirk", "Edda", "Finn", "Gwen")
    for text in ("I investigate Cleo", "I investigate Hugo", "Ada, Bram"):
        game.reply("Cleo", text).refused()
    assert game.reply("Cleo", "I investigate Ada").last(PlayerInvestigated).night == 2


@pytest.mark.spec("M-041")
@pytest.mark.parametrize("target", everyone_but("Cleo"))
def test_the_exact_role_is_revealed_at_once(target: str) -> None:
    game = cast().until("investigate").reply("Cleo", target)
    result = PlayerInvestigated(night=1, detective="Cleo", target=target, role=CAST[target])
    game.then_among(result)
    assert not game.all(NightResolved)
    killed = game.until("dawn", {"kill": "Cleo"})
    assert result in killed.seen("Cleo"), "a Detective killed that night still has the result"
    assert "Cleo" in killed.state.dead
    assert killed.known("Cleo").roles[target] == CAST[target]


@pytest.mark.spec("M-042")
def test_target_and_result_are_seen_by_the_detective_and_the_narrator_only() -> None:
    game = cast().until("investigate").reply("Cleo", "Ada")
    assert game.audiences(PlayerInvestigated) == [["Cleo", "narrator"]]


# the Mafia


@pytest.mark.spec("M-043", "M-012")
def test_each_living_mafia_is_told_the_night_the_living_the_members_and_earlier_ballots_of_the_night() -> None:
    game = cast().until("kill")
    for member in ("Ada", "Dirk"):
        context = game.context(member)
        assert "Night 1" in context
        assert "Living players: Ada, Bram, Cleo, Dirk, Edda, Finn, Gwen, Hugo." in context
        assert "Mafia members: Ada, Dirk." in context
        assert "voted" not in context
        assert "kill" in game.request(member).ask
    revote = game.answer({"kill": {"Ada": "Hugo", "Dirk": "Gwen"}})
    assert revote.asked("kill") == ("Ada", "Dirk")
    assert "Ada voted for Hugo; Dirk voted for Gwen" in revote.context("Dirk")
    night = second_night(revote, kill="Hugo").until("kill")
    assert "voted" not in night.context("Ada"), "the ballots of another night are history, not context"


@pytest.mark.spec("M-044")
def test_a_mafia_vote_names_one_living_player_who_is_not_mafia() -> None:
    game = second_night(cast(), kill="Hugo").until("kill")
    assert game.turn("Ada").choices == ("Bram", "Cleo", "Edda", "Finn", "Gwen")
    for text in ("I vote to kill Dirk", "I vote to kill Ada", "I vote to kill Hugo", "Bram or Cleo", "Dirk, not Ada"):
        game.reply("Ada", text).refused()
    game.reply("Ada", "I vote to kill Dirk, and blame Bram").refused("Dirk is not a legal choice")


def ballot(votes: dict[str, str], seed: int = 1, **options: Any) -> Game:
    return mafia_game(TRIO, seed, **options).until("kill").answer({"kill": votes})


@pytest.mark.spec("M-045")
def test_the_player_with_the_most_mafia_votes_is_the_target() -> None:
    game = ballot({"Ada": "Hugo", "Dirk": "Gwen", "Edda": "Gwen"})
    assert game.last(MafiaBallotClosed) == MafiaBallotClosed(
        night=1,
        round=0,
        votes={"Ada": "Hugo", "Dirk": "Gwen", "Edda": "Gwen"},
        tally={"Gwen": 2, "Hugo": 1},
        target="Gwen",
        drawn=False,
    )
    assert game.last(DeathsAnnounced).deaths == ("Gwen",)


TARGETS = ("Bram", "Cleo", "Finn", "Gwen", "Hugo", "Ines")


@pytest.mark.spec("M-045", "M-046", "M-047")
@settings(max_examples=60)
@always(
    rounds=st.integers(0, 3),
    votes=st.lists(st.tuples(*[st.sampled_from(TARGETS)] * 3), min_size=4, max_size=4),
    seed=st.integers(0, 1000),
)
def test_any_run_of_mafia_ballots_ends_as_the_rules_say(
    rounds: int, votes: list[tuple[str, str, str]], seed: int
) -> None:
    game = mafia_game(TRIO, seed, mafia_revote_rounds=rounds).until("kill")
    for number, cast_votes in enumerate(votes[: rounds + 1]):
        counts = Counter(cast_votes)
        top = [target for target in TARGETS if counts[target] == max(counts.values())]
        legal = game.turn("Ada").choices
        assert legal == TARGETS, "a revote is not restricted to the tied"
        game = game.answer({"kill": dict(zip(("Ada", "Dirk", "Edda"), cast_votes, strict=True))})
        closed = game.last(MafiaBallotClosed)
        assert closed.round == number
        assert closed.tally == {target: counts[target] for target in TARGETS if counts[target]}
        if len(top) == 1:
            assert (closed.target, closed.drawn) == (top[0], False)
            break
        if number < rounds:
            assert (closed.target, closed.drawn) == (None, False)
            assert game.asked("kill") == ("Ada", "Dirk", "Edda")
        else:
            assert closed.target in top
            assert closed.drawn
    assert not game.asked("kill")


@pytest.mark.spec("M-046")
@pytest.mark.parametrize(
    ("options", "ballots"), [({}, 4), ({"mafia_revote_rounds": 0}, 1), ({"mafia_revote_rounds": 5}, 6)]
)
def test_a_shared_top_count_is_voted_on_again_up_to_the_limit(options: dict[str, int], ballots: int) -> None:
    game = cast(**options).until("dawn", {"kill": {"Ada": "Hugo", "Dirk": "Gwen"}})
    assert [event.round for event in game.all(MafiaBallotClosed)] == list(range(ballots))


@pytest.mark.spec("M-047")
def test_the_last_tie_is_drawn_from_the_tied_by_the_seed_and_recorded() -> None:
    drawn = set()
    for seed in range(30):
        played = [cast(seed).until("dawn", {"kill": {"Ada": "Hugo", "Dirk": "Gwen"}}) for _ in range(2)]
        targets = {game.last(MafiaBallotClosed).target for game in played}
        assert len(targets) == 1
        assert played[0].last(MafiaBallotClosed).drawn
        assert given(MAFIA, *played[0].events).state == played[0].state
        drawn |= targets
    assert drawn == {"Hugo", "Gwen"}


@pytest.mark.spec("M-048")
def test_mafia_votes_are_sealed_while_the_ballot_is_open() -> None:
    game = cast().until("kill").reply("Ada", "I vote to kill Hugo")
    for seat in [*everyone_but("Ada"), "narrator"]:
        assert not any(draft.audience.includes(seat) for draft in game.new)
        assert game.known(seat) == cast().until("kill").known(seat)


@pytest.mark.spec("M-048")
def test_each_vote_the_tally_and_the_target_go_to_the_mafia_living_when_the_ballot_closes() -> None:
    game = mafia_game(TRIO)
    game = condemn(game, "Dirk", kill="I vote to kill Hugo").until(
        lambda state: state.number == 2, {"execution-vote": "execute"}
    )
    assert "Dirk" in game.state.dead
    game = game.until("dawn", {"kill": {"Ada": "Gwen", "Edda": "Ines"}})
    audiences = [(event.night, audience) for event, audience in zip(
        game.all(MafiaBallotClosed), game.audiences(MafiaBallotClosed), strict=True
    )]  # fmt: skip
    assert audiences[0] == (1, ["Ada", "Dirk", "Edda", "narrator"])
    assert audiences[1:] == [(2, ["Ada", "Edda", "narrator"])] * 4, "ties included; dead Mafia see no later votes"
    assert [event.night for event in game.seen("Dirk", MafiaBallotClosed)] == [1]


# what the night comes to


@pytest.mark.spec("M-049")
@pytest.mark.parametrize("target", everyone_but("Ada", "Dirk"))
@pytest.mark.parametrize("protected", everyone_but("Bram"))
def test_the_target_dies_unless_the_doctor_chose_that_player_this_night(target: str, protected: str) -> None:
    game = cast().until("dawn", {"protect": protected, "kill": target})
    deaths = () if target == protected else (target,)
    assert game.last(DeathsAnnounced).deaths == deaths
    assert tuple(game.state.dead) == deaths


@pytest.mark.spec("M-049")
def test_a_protection_lasts_one_night() -> None:
    game = second_night(cast(), protect="Hugo", kill="Hugo").until("dawn", {"protect": "Edda", "kill": "Hugo"})
    assert game.last(DeathsAnnounced).deaths == ("Hugo",)
    dead_doctor = second_night(cast(), protect="Hugo", kill="Bram").until("dawn", {"kill": "Hugo"})
    assert dead_doctor.last(DeathsAnnounced).deaths == ("Hugo",), "a dead Doctor protects nobody"


@pytest.mark.spec("M-050")
def test_a_doctor_or_detective_who_is_killed_has_still_acted() -> None:
    doctor = cast().until("dawn", {"protect": "Edda", "kill": "Bram"})
    assert doctor.last(PlayerProtected).target == "Edda"
    assert doctor.last(NightResolved).protected == "Edda"
    detective = cast().until("dawn", {"investigate": "Ada", "kill": "Cleo"})
    assert detective.seen("Cleo", PlayerInvestigated)


@pytest.mark.spec("M-051")
def test_a_night_death_takes_effect_before_the_days_first_turn() -> None:
    game = (
        cast()
        .until("kill", {"protect": "Edda"})
        .reply("Ada", "Hugo")
        .reply("Dirk", "Hugo")
        .then(
            ReplyAccepted(seat="Dirk", turn=3, choice="Hugo", text="Hugo"),
            MafiaBallotClosed(
                night=1, round=0, votes={"Ada": "Hugo", "Dirk": "Hugo"}, tally={"Hugo": 2}, target="Hugo"
            ),
            NightResolved(night=1, target="Hugo", protected="Edda", died="Hugo", cause="killed by the Mafia"),
            PhaseBegan(phase="dawn", number=1),
            DeathsAnnounced(day=1, deaths=("Hugo",)),
            TurnOpened(seat="narrator", turn=2, kind="dawn", attempts=3),
        )
    )
    day = game.until(lambda state: state.number == 2, {"nominate": {"Ada": "I nominate Dirk"}, "second": "yes"})
    asked = [d.event for d in day.drafts[len(game.drafts) :] if isinstance(d.event, TurnOpened)]
    assert asked
    assert "Hugo" not in {turn.seat for turn in asked}
    assert not any("Hugo" in turn.choices for turn in asked)


@pytest.mark.spec("M-052")
@pytest.mark.parametrize(("protected", "cause"), [("Hugo", "saved by protection"), ("Edda", "killed by the Mafia")])
def test_the_event_that_resolves_the_night_is_the_narrators_alone(
    protected: str, cause: Literal["saved by protection", "killed by the Mafia"]
) -> None:
    game = cast().until("dawn", {"protect": protected, "kill": "Hugo"})
    died = None if protected == "Hugo" else "Hugo"
    assert game.last(NightResolved) == NightResolved(
        night=1, target="Hugo", protected=protected, died=died, cause=cause
    )
    assert game.audiences(NightResolved) == [["narrator"]]


@pytest.mark.spec("M-053")
@pytest.mark.parametrize(("protected", "deaths"), [("Hugo", ()), ("Edda", ("Hugo",))])
def test_the_dead_are_announced_to_all_as_a_fact_before_any_narration(protected: str, deaths: tuple[str, ...]) -> None:
    game = cast().until("dawn", {"protect": protected, "kill": "Hugo"})
    assert game.last(DeathsAnnounced) == DeathsAnnounced(day=1, deaths=deaths)
    assert game.audiences(DeathsAnnounced) == ["everyone"]
    lied = game.reply("narrator", "Gwen lies dead in the square.")
    assert lied.last(NarrationGiven).text == "Gwen lies dead in the square."
    assert tuple(lied.state.dead) == deaths


@pytest.mark.spec("M-054")
def test_a_night_victims_role_stays_hidden_by_default() -> None:
    game = cast().until("moderate", {"kill": "Cleo"})
    assert not game.all(RoleRevealed)
    assert game.known("Edda").roles == {"Edda": "Villager"}


@pytest.mark.spec("M-054", "M-106")
def test_a_night_victims_role_is_announced_with_the_death_where_the_option_says_so() -> None:
    game = cast(reveal_role_on_night_death=True).until("dawn", {"kill": "Cleo"})
    assert game.last(RoleRevealed) == RoleRevealed(player="Cleo", role="Detective")
    assert game.audiences(RoleRevealed) == ["everyone"]
    death = game.happened.index(DeathsAnnounced(day=1, deaths=("Cleo",)))
    assert game.happened[death + 1] == RoleRevealed(player="Cleo", role="Detective")
    assert game.reply("narrator", "Cleo, the Detective, is gone.").last(NarrationGiven).scene == "dawn"
    cast().until("dawn", {"kill": "Cleo"}).reply("narrator", "Cleo, the Detective, is gone.").refused("M-104")
    saved = cast(reveal_role_on_night_death=True).until("dawn", {"kill": "Cleo", "protect": "Cleo"})
    assert not saved.all(RoleRevealed)


# how long a night lasts


@pytest.mark.spec("M-111")
def test_dawn_waits_until_the_night_has_lasted_long_enough() -> None:
    game = small(night_seconds=60).until("protect")
    assert game.audiences(DawnHeld) == [[]]
    dusk = game.at
    game = game.later(20)
    while game.state.turns:
        game = game.answer({"kill": "Edda"})
    assert not game.all(NightResolved)
    woken = MAFIA.wakes_at(game.state)
    assert woken is not None
    assert (woken - dusk).total_seconds() == 60
    game = game.later(39).wake().then_nothing()
    game = game.later(1).wake()
    assert game.all(NightResolved)
    assert game.asked() == ("narrator",)
    assert MAFIA.wakes_at(game.state) is None


@pytest.mark.spec("M-111")
def test_a_night_that_lasted_long_enough_by_itself_waits_no_longer() -> None:
    game = small(night_seconds=60).until("kill")
    assert MAFIA.wakes_at(game.state) is None, "the Mafia are still awaited"
    assert game.later(61).answer({"kill": "Edda"}).all(NightResolved)


@pytest.mark.spec("M-111")
def test_by_default_dawn_comes_at_once_and_each_night_is_held_anew() -> None:
    assert not small().until("dawn").all(DawnHeld)
    game = small(night_seconds=10)
    for night in (1, 2):
        game = game.until(lambda state: MAFIA.wakes_at(state) is not None, {"protect": "Edda", "kill": "Edda"})
        assert len(game.all(DawnHeld)) == night
        game = game.wake().then_nothing().later(10).wake()
        assert game.state.phase == "dawn"


@pytest.mark.spec("M-111")
def test_nobody_sees_who_acted_from_what_a_held_night_tells() -> None:
    for roles in (CAST, {**CAST, "Bram": "Villager", "Edda": "Doctor"}):
        game = mafia_game(roles, night_seconds=30).until(lambda state: MAFIA.wakes_at(state) is not None)
        seen = [event for event in game.seen("Gwen") if not isinstance(event, RepliesHeard)]
        assert [type(event) for event in seen][-1] is PhaseBegan
        assert "30" not in repr([event for event in seen if type(event) is PhaseBegan])


def test_a_reply_to_a_closed_turn_wakes_a_night_whose_time_has_come() -> None:
    game = small(night_seconds=30).until(lambda state: MAFIA.wakes_at(state) is not None).later(31)
    after = game.when(commands.Reply(game.at, "Ada", 1, "late"))
    assert after.all(NightResolved)


@pytest.mark.spec("M-045")
def test_the_most_votes_need_not_be_more_than_half() -> None:
    four: dict[str, Role] = {
        **dict.fromkeys(("Ada", "Bram", "Cleo", "Dirk"), "Mafia"),
        **dict.fromkeys(("Edda", "Finn", "Gwen", "Hugo", "Ines"), "Villager"),
    }
    votes = {"Ada": "Gwen", "Bram": "Hugo", "Cleo": "Hugo", "Dirk": "Ines"}
    game = mafia_game(four, 1, night_talk=0).until("kill").answer({"kill": votes})
    closed = game.last(MafiaBallotClosed)
    assert (closed.target, closed.drawn) == ("Hugo", False), "most votes, though not more than half"


@pytest.mark.spec("M-054")
def test_roles_are_revealed_at_every_dawn() -> None:
    game = cast(reveal_role_on_night_death=True).until(lambda state: state.number == 2 and state.phase == "dawn", {})
    dead = [name for event in game.all(DeathsAnnounced) for name in event.deaths]
    assert len(game.all(DeathsAnnounced)) == 2
    assert dead
    assert [event.player for event in game.all(RoleRevealed) if event.player in dead] == dead
