"""The town hall: nominations, seconding, defence, trial and gallows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cache
from typing import Any

import pytest
from hypothesis import given as always
from hypothesis import settings
from hypothesis import strategies as st
from mafia_tables import CAST, Game, cast, condemn, reach_trial, small

from sottovoce.domain.events import ReplyAccepted, TurnOpened
from sottovoce.rulesets.mafia.rules.events import (
    ExecutionVoteClosed,
    NarrationGiven,
    NominationMade,
    PhaseBegan,
    PlayerExecuted,
    RepliesHeard,
    RoleRevealed,
    SecondingClosed,
    SpeechGiven,
    TrialClosed,
)

LIVING = ("Ada", "Bram", "Cleo", "Dirk", "Edda", "Finn", "Gwen")
"""Who is alive on the first day when Hugo was killed."""


def town_hall(**options: Any) -> Game:
    return cast(**options).until("nominate", {"kill": "Hugo"})


@cache
def town_hall_of_six() -> Game:
    """The second day's town hall, Gwen being dead too."""
    return town_hall().until(lambda state: state.number == 2 and state.phase == "nominations", {"kill": "Gwen"})


def day_is_over(game: Game) -> bool:
    return game.state.phase == "night" and game.state.number == 2


# nominations


@pytest.mark.spec("M-062", "M-009")
def test_each_living_player_gets_one_nomination_turn_in_seating_order() -> None:
    game, asked = town_hall(), []
    while game.asked("nominate"):
        asked.append(game.asked("nominate"))
        game = game.answer()
    assert asked == [(player,) for player in LIVING]


@pytest.mark.spec("M-062")
def test_the_nominator_is_told_the_nominees_the_nominations_remaining_and_the_living() -> None:
    game = town_hall()
    context = game.context("Ada")
    assert "Nominees: none. Nominations remaining: 3." in context
    assert "Living players: Ada, Bram, Cleo, Dirk, Edda, Finn, Gwen." in context
    game = game.reply("Ada", "I nominate Dirk").answer({"second": "yes"})
    assert "Nominees: Dirk. Nominations remaining: 2." in game.context("Bram")
    game = game.reply("Bram", "I nominate Edda").answer({"second": "no"})
    assert "Nominees: Dirk. Nominations remaining: 2." in game.context("Cleo")
    assert "pass" in game.request("Cleo").ask


@pytest.mark.spec("M-063")
def test_a_nomination_names_a_living_player_other_than_the_nominator() -> None:
    game = town_hall()
    assert game.turn("Ada").choices == ("Bram", "Cleo", "Dirk", "Edda", "Finn", "Gwen", "pass")
    for text in ("I nominate Ada", "I nominate Hugo", "I nominate the narrator", "Bram or Cleo"):
        game.reply("Ada", text).refused()


@pytest.mark.spec("M-064")
@pytest.mark.parametrize("seconded", ["yes", "no"])
def test_who_was_nominated_once_cannot_be_nominated_again_that_day(seconded: str) -> None:
    game = town_hall().reply("Ada", "I nominate Dirk").answer({"second": seconded})
    assert "Dirk" not in game.turn("Bram").choices
    game.reply("Bram", "I nominate Dirk").refused()
    tomorrow = game.until(lambda state: state.number == 2 and state.phase == "nominations", {"kill": "Gwen"})
    assert "Dirk" in tomorrow.turn("Ada").choices


@pytest.mark.spec("M-065")
@pytest.mark.parametrize("text", ["I pass", "I nominate Dirk"])
def test_a_pass_or_an_unseconded_nomination_uses_up_the_turn(text: str) -> None:
    game = town_hall().reply("Ada", text)
    game = game.answer({"second": "no"}) if game.asked("second") else game
    rest = game.until(day_is_over_state)
    nominators = [event.player for event in rest.all(NominationMade)]
    assert nominators == list(LIVING)


def day_is_over_state(state: Any) -> bool:
    return bool(state.phase == "night" and state.number == 2)


@pytest.mark.spec("M-066")
def test_with_three_nominees_the_remaining_players_are_not_asked() -> None:
    game = reach_trial(cast(), "Dirk", "Edda", "Finn", kill="Hugo")
    assert [event.player for event in game.all(NominationMade)] == ["Ada", "Bram", "Cleo"]
    assert game.state.nominees == ("Dirk", "Edda", "Finn")


@pytest.mark.spec("M-066")
def test_unseconded_nominations_do_not_fill_the_list() -> None:
    game = town_hall()
    for nominator, nominee in (("Ada", "Bram"), ("Bram", "Cleo"), ("Cleo", "Dirk"), ("Dirk", "Edda")):
        game = game.reply(nominator, nominee).answer({"second": "no"})
    assert game.asked("nominate") == ("Edda",)


@pytest.mark.spec("M-067")
def test_without_nominees_the_day_ends() -> None:
    game = town_hall().until(day_is_over_state)
    phases = [event.phase for event in game.all(PhaseBegan)]
    assert phases == ["night", "dawn", "discussion", "nominations", "night"]


@pytest.mark.spec("M-068")
def test_nominations_and_passes_are_seen_by_all_seats_as_they_are_made() -> None:
    game = town_hall().reply("Ada", "I pass")
    assert NominationMade(day=1, player="Ada", nominee=None) in game.seen("Hugo")
    game = game.reply("Bram", "I nominate Dirk")
    game.then_among(NominationMade(day=1, player="Bram", nominee="Dirk"))
    assert game.audiences(NominationMade) == ["everyone", "everyone"]
    assert game.asked("second"), "before anyone has voted on it"


# seconding


@pytest.mark.spec("M-069")
def test_every_living_player_votes_on_seconding_the_nominator_and_the_nominee_too() -> None:
    game = town_hall().reply("Ada", "I nominate Dirk")
    assert game.asked("second") == LIVING


@pytest.mark.spec("M-069", "M-071")
def test_two_of_three_living_players_bring_the_third_to_trial() -> None:
    game = small(check_after_night=False).until("nominate", {"kill": "Edda"})
    game = game.until(lambda state: len(state.living) == 3 and state.phase == "nominations", {"kill": "Dirk"})
    assert game.state.living == ("Ada", "Bram", "Cleo")
    game = game.until("second", {"nominate": {"Bram": "I nominate Ada"}})
    game = game.answer({"second": {"Ada": "no", "Bram": "yes", "Cleo": "yes"}})
    assert game.state.nominees == ("Ada",)


@pytest.mark.spec("M-113")
def test_the_words_of_a_nomination_are_heard_by_all_with_it_and_those_of_a_pass_are_not() -> None:
    game = town_hall().reply("Ada", "I nominate **Dirk**. He washed his hands at midnight.")
    words = "He washed his hands at midnight."
    assert game.last(NominationMade) == NominationMade(day=1, player="Ada", nominee="Dirk", words=words)
    for seat in (*CAST, "narrator"):
        assert "midnight" in repr(game.seen(seat, NominationMade))
    assert "Ada said: «He washed his hands at midnight.»" in game.context("Edda")
    game = game.answer({"second": "no"}).reply("Bram", "I pass, though I suspect Edda.")
    assert game.last(NominationMade) == NominationMade(day=1, player="Bram", nominee=None)
    assert [seat for seat in CAST if "suspect Edda" in repr(game.seen(seat))] == ["Bram"]
    assert "suspect Edda" in repr(game.seen("narrator"))


@pytest.mark.spec("M-113")
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("I nominate Dirk", None),
        ("Dirk.", None),
        ("I nominate Dirk!!", None),
        ("i nominate DIRK: he lied", "he lied"),
        ("I nominate Dirk because he lied.", "because he lied."),
        ("Dirk lied to us.", "Dirk lied to us."),
    ],
)
def test_a_charge_is_what_is_said_besides_the_name(text: str, words: str | None) -> None:
    game = town_hall().reply("Ada", text)
    assert game.last(NominationMade).words == words
    assert not [heard for heard in game.all(RepliesHeard) if heard.about == "nominate"]


@pytest.mark.spec("M-070")
def test_the_seconding_turn_names_both_and_takes_yes_or_no() -> None:
    game = town_hall().reply("Ada", "I nominate Dirk")
    assert "Ada has nominated Dirk." in game.context("Edda")
    assert "Living players: Ada, Bram, Cleo, Dirk, Edda, Finn, Gwen." in game.context("Edda")
    assert game.turn("Edda").choices == ("yes", "no")
    for text in ("maybe", "aye", "Dirk", "perhaps yes, perhaps no", "abstain"):
        game.reply("Edda", text).refused()


@pytest.mark.spec("M-071", "M-072")
@settings(max_examples=40)
@always(votes=st.lists(st.sampled_from(["yes", "no"]), min_size=6, max_size=7))
def test_more_than_half_of_the_votes_must_be_yes(votes: list[str]) -> None:
    voters = LIVING[: len(votes)]
    start = town_hall() if len(votes) == 7 else town_hall_of_six()
    game = start.reply("Ada", "I nominate Dirk").answer({"second": dict(zip(voters, votes, strict=True))})
    closed = game.last(SecondingClosed)
    assert closed == SecondingClosed(
        day=start.state.number,
        nominator="Ada",
        nominee="Dirk",
        votes=dict(zip(voters, votes, strict=True)),  # type: ignore[arg-type]
        tally={"yes": votes.count("yes"), "no": votes.count("no")},
        seconded=votes.count("yes") >= 4,
    )
    assert game.state.nominees == (("Dirk",) if closed.seconded else ())


@pytest.mark.spec("M-072", "M-083")
def test_seconding_votes_are_seen_by_all_once_the_ballot_has_closed_in_seating_order() -> None:
    game = town_hall().reply("Ada", "I nominate Dirk")
    for voter in ("Gwen", "Cleo", "Ada", "Bram", "Finn", "Edda"):
        game = game.reply(voter, "yes")
        assert [draft.audience.to_json() for draft in game.new] == [[voter]]
    game = game.reply("Dirk", "no")
    assert game.audiences(SecondingClosed) == ["everyone"]
    assert list(game.last(SecondingClosed).votes) == list(LIVING)


# defence


@pytest.mark.spec("M-073", "M-076")
def test_a_single_nominee_is_tried_without_a_defence() -> None:
    game = reach_trial(cast(), "Dirk", kill="Hugo")
    assert "defence" not in [event.phase for event in game.all(PhaseBegan)]
    assert game.asked("trial-vote") == LIVING
    assert game.turn("Ada").choices == ("Dirk",)


@pytest.mark.spec("M-073")
@pytest.mark.parametrize("nominees", [("Dirk", "Edda"), ("Dirk", "Edda", "Finn")])
def test_two_or_three_nominees_defend_themselves_in_order_of_nomination(nominees: tuple[str, ...]) -> None:
    game = reach_trial(cast(), *nominees, kill="Hugo")
    assert "defence" in [event.phase for event in game.all(PhaseBegan)]
    assert [event.player for event in game.all(SpeechGiven)] == list(nominees)


@pytest.mark.spec("M-074")
def test_the_narrator_introduces_each_nominee_first() -> None:
    game = cast().until(
        "introduction",
        {"nominate": {"Ada": "Finn", "Bram": "Dirk"}, "second": "yes", "kill": "Hugo"},
    )
    for nominee in ("Finn", "Dirk"):
        assert game.asked() == ("narrator",)
        context = game.context("narrator")
        assert f"Now on the stand: {nominee}." in context
        assert "Nominees: Finn, Dirk." in context
        game = game.reply("narrator", f"{nominee} steps up.")
        assert game.last(NarrationGiven) == NarrationGiven(
            scene="introduction", subject=nominee, text=f"{nominee} steps up."
        )
        assert game.audiences(NarrationGiven)[-1] == "everyone"
        assert game.asked() == (nominee,)
        game = game.reply(nominee, "Not me.")


@pytest.mark.spec("M-075")
def test_the_nominee_hears_the_introduction_and_speaks_to_all() -> None:
    game = cast().until("introduction", {"nominate": {"Ada": "Finn", "Bram": "Dirk"}, "second": "yes", "kill": "Hugo"})
    game = game.reply("narrator", "Finn steps up, pale.")
    context = game.context("Finn")
    assert "Nominees: Finn, Dirk." in context
    assert "Finn steps up, pale." in context
    assert "spare you" in game.request("Finn").ask
    game = game.reply("Finn", "I was asleep.")
    assert game.last(SpeechGiven) == SpeechGiven(player="Finn", occasion="defence", text="I was asleep.")
    assert game.audiences(SpeechGiven) == ["everyone"]


# trial


@pytest.mark.spec("M-077")
def test_every_living_player_votes_oneself_allowed_with_nominees_and_defences_at_hand() -> None:
    game = reach_trial(cast(), "Dirk", "Edda", kill="Hugo", defence={"Dirk": "I slept.", "Edda": "I prayed."})
    assert game.asked("trial-vote") == LIVING
    for voter in LIVING:
        context = game.context(voter)
        assert "Nominees: Dirk, Edda." in context
        assert "Dirk said: «I slept.»" in context
        assert "Edda said: «I prayed.»" in context
        assert "Living players: Ada, Bram, Cleo, Dirk, Edda, Finn, Gwen." in context
        assert game.turn(voter).choices == ("Dirk", "Edda")
    assert game.reply("Dirk", "I vote for Dirk").new


@pytest.mark.spec("M-077")
def test_a_trial_without_a_defence_shows_no_defence_of_another_day() -> None:
    game = reach_trial(cast(), "Dirk", "Edda", kill="Hugo", defence={"Dirk": "I slept.", "Edda": "I prayed."})
    game = game.until(lambda state: state.number == 2 and state.phase == "nominations", {"kill": "Gwen"})
    game = game.until("trial-vote", {"nominate": {"Ada": "I nominate Dirk"}, "second": "yes"})
    assert "I slept." not in game.context("Edda")
    assert "Nominees: Dirk." in game.context("Edda")


@pytest.mark.spec("M-078")
@pytest.mark.parametrize("text", ["I vote for Finn", "I vote for Finn; Dirk is my friend", "abstain", "nobody", "pass"])
def test_a_vote_for_anyone_else_and_an_abstention_are_invalid(text: str) -> None:
    reach_trial(cast(), "Dirk", "Edda", kill="Hugo").reply("Ada", text).refused()


BALLOT = st.tuples(*[st.sampled_from(("Dirk", "Edda", "Finn"))] * len(LIVING))


@pytest.mark.spec("M-079", "M-080", "M-081", "M-082")
@settings(max_examples=60)
@always(ballots=st.lists(BALLOT, min_size=4, max_size=4), rounds=st.integers(0, 3))
def test_any_run_of_trial_ballots_ends_as_the_rules_say(ballots: list[tuple[str, ...]], rounds: int) -> None:
    game = reach_trial(cast(trial_revote_rounds=rounds), "Dirk", "Edda", "Finn", kill="Hugo")
    standing: tuple[str, ...] = ("Dirk", "Edda", "Finn")
    for number, wanted in enumerate(ballots[: rounds + 1]):
        assert game.asked("trial-vote") == LIVING
        assert game.turn("Ada").choices == standing
        votes = {voter: vote if vote in standing else standing[0] for voter, vote in zip(LIVING, wanted, strict=True)}
        counts = Counter(votes.values())
        top = tuple(name for name in standing if counts[name] == max(counts.values()))
        game = game.answer({"trial-vote": votes})
        again = len(top) > 1 and number < rounds
        assert game.last(TrialClosed) == TrialClosed(
            day=1,
            round=number,
            votes=votes,
            tally={name: counts[name] for name in standing if counts[name]},
            condemned=top[0] if len(top) == 1 else None,
            tied=top if len(top) > 1 else (),
            again=again,
        )
        standing = top
        if not again:
            break
    if len(standing) == 1:
        assert game.state.phase == "gallows"
        assert game.state.condemned == standing[0]
    else:
        assert day_is_over(game), "nobody is condemned"
        assert tuple(game.state.dead) == ("Hugo",)


@pytest.mark.spec("M-080")
@pytest.mark.parametrize(
    ("options", "ballots"), [({}, 4), ({"trial_revote_rounds": 0}, 1), ({"trial_revote_rounds": 1}, 2)]
)
def test_the_number_of_trial_ballots_is_bounded(options: dict[str, int], ballots: int) -> None:
    game = reach_trial(cast(**options), "Dirk", "Edda", kill="Hugo", protect="Hugo")
    tie = {voter: ("Dirk", "Edda")[i % 2] for i, voter in enumerate(CAST)}
    game = game.until(day_is_over_state, {"trial-vote": tie})
    assert [event.again for event in game.all(TrialClosed)] == [True] * (ballots - 1) + [False]
    assert not game.state.dead


@pytest.mark.spec("M-082", "M-083")
def test_trial_votes_are_sealed_and_then_seen_by_all_in_seating_order() -> None:
    game = reach_trial(cast(), "Dirk", "Edda", kill="Hugo")
    before = {seat: game.known(seat) for seat in game.state.seats}
    for voter in reversed(LIVING[1:]):
        game = game.reply(voter, "Dirk")
        for seat in game.state.seats:
            if seat != voter:
                assert not any(draft.audience.includes(seat) for draft in game.new)
    assert game.known("Ada") == before["Ada"], "the last voter knows no more than the first"
    assert game.known("narrator") == before["narrator"]
    game = game.reply("Ada", "Edda")
    assert game.audiences(TrialClosed) == ["everyone"]
    assert list(game.last(TrialClosed).votes) == list(LIVING)
    assert game.last(TrialClosed) in game.seen("Hugo")


@pytest.mark.spec("M-083")
@pytest.mark.parametrize("kind", ["second", "trial-vote", "execution-vote"])
@settings(max_examples=15)
@always(data=st.data())
def test_all_voters_are_asked_at_once_and_the_order_of_votes_is_never_visible(kind: str, data: st.DataObject) -> None:
    answers: dict[str, str | Mapping[str, str]] = {
        "nominate": {"Ada": "I nominate Dirk"},
        "kill": "Hugo",
        "trial-vote": "Dirk",
    }
    if kind != "second":
        answers["second"] = "yes"
    game = cast().until(kind, answers)
    voters = game.asked(kind)
    assert len(voters) == {"second": 7, "trial-vote": 7, "execution-vote": 6}[kind]
    choices = {voter: data.draw(st.sampled_from(game.turn(voter).choices)) for voter in voters}
    one, two = (
        game.answer({kind: choices}, order=data.draw(st.permutations(voters)))
        for _ in range(2)
    )  # fmt: skip
    for seat in game.state.seats:
        assert one.seen(seat) == two.seen(seat)


# gallows


@pytest.mark.spec("M-084")
def test_the_narrator_leads_the_condemned_to_the_gallows() -> None:
    game = reach_trial(cast(), "Dirk", "Edda", kill="Hugo")
    votes = dict.fromkeys(LIVING, "Dirk") | {"Dirk": "Edda"}
    game = game.answer({"trial-vote": votes})
    assert game.asked() == ("narrator",)
    context = game.context("narrator")
    assert "Dirk has been chosen for the gallows." in context
    assert "Ada: Dirk; Bram: Dirk; Cleo: Dirk; Dirk: Edda" in context
    assert "Tally: Dirk 6, Edda 1." in context
    game = game.reply("narrator", "The cart rolls.")
    assert game.last(NarrationGiven) == NarrationGiven(scene="gallows", subject="Dirk", text="The cart rolls.")
    assert game.audiences(NarrationGiven)[-1] == "everyone"


@pytest.mark.spec("M-085")
def test_the_condemned_gives_a_final_speech_to_all() -> None:
    game = reach_trial(cast(), "Dirk", kill="Hugo").answer().reply("narrator", "The cart rolls.")
    assert game.asked() == ("Dirk",)
    context = game.context("Dirk")
    assert "Living players: Ada, Bram, Cleo, Dirk, Edda, Finn, Gwen." in context
    assert "The cart rolls." in context
    assert "final speech" in game.request("Dirk").ask
    game = game.reply("Dirk", "execute me then")
    assert game.last(SpeechGiven) == SpeechGiven(player="Dirk", occasion="final", text="execute me then")
    assert game.audiences(SpeechGiven) == ["everyone"]


@pytest.mark.spec("M-086")
def test_everyone_but_the_condemned_votes_to_execute_or_to_spare() -> None:
    game = condemn(cast(), "Dirk", kill="Hugo", **{"final-speech": "Remember me."})
    assert game.asked("execution-vote") == tuple(player for player in LIVING if player != "Dirk")
    context = game.context("Edda")
    assert "Dirk said: «Remember me.»" in context
    assert "Living players: Ada, Bram, Cleo, Dirk, Edda, Finn, Gwen." in context
    assert game.turn("Edda").choices == ("execute", "spare")
    for text in ("yes", "no", "Dirk", "abstain", "maybe execute, maybe spare"):
        game.reply("Edda", text).refused()


@pytest.mark.spec("M-087", "M-088", "M-089", "M-090")
@settings(max_examples=40)
@always(votes=st.lists(st.sampled_from(["execute", "spare"]), min_size=6, max_size=6))
def test_more_than_half_must_vote_to_execute(votes: list[str]) -> None:
    voters = [player for player in LIVING if player != "Dirk"]
    game = condemn(cast(), "Dirk", kill="Hugo").answer({"execution-vote": dict(zip(voters, votes, strict=True))})
    executed = votes.count("execute") > votes.count("spare")
    assert game.last(ExecutionVoteClosed) == ExecutionVoteClosed(
        day=1,
        condemned="Dirk",
        votes=dict(zip(voters, votes, strict=True)),  # type: ignore[arg-type]
        tally={"execute": votes.count("execute"), "spare": votes.count("spare")},
        executed=executed,
    )
    if executed:
        assert game.all(PlayerExecuted) == [PlayerExecuted(day=1, player="Dirk")]
        assert "Dirk" in game.state.dead
    else:
        assert not game.all(PlayerExecuted)
        assert "Dirk" not in game.state.dead
        assert day_is_over(game), "a spared player ends the day: no second gallows"


@pytest.mark.spec("M-088", "M-083")
def test_execution_votes_are_sealed_and_then_seen_by_all() -> None:
    game = condemn(cast(), "Dirk", kill="Hugo")
    for voter in ("Gwen", "Finn", "Edda", "Cleo", "Bram"):
        game = game.reply(voter, "spare")
        assert [draft.audience.to_json() for draft in game.new] == [[voter]]
    game = game.reply("Ada", "spare")
    assert game.audiences(ExecutionVoteClosed) == ["everyone"]
    assert list(game.last(ExecutionVoteClosed).votes) == ["Ada", "Bram", "Cleo", "Edda", "Finn", "Gwen"]


@pytest.mark.spec("M-089")
def test_a_spared_player_lives_on_and_one_player_a_day_comes_to_the_gallows() -> None:
    game = reach_trial(cast(), "Dirk", "Edda", kill="Hugo").until(day_is_over_state)
    assert [event.phase for event in game.all(PhaseBegan)].count("gallows") == 1
    assert "Dirk" in game.state.living
    assert game.asked() == ("Bram",)


@pytest.mark.spec("M-090")
def test_the_executed_dies_at_once_and_the_role_is_told_to_all_as_a_fact() -> None:
    voters = ("Ada", "Bram", "Cleo", "Edda", "Finn")
    game = condemn(cast(), "Dirk", kill="Hugo").answer({"execution-vote": "execute"}, voters)
    game = game.reply("Gwen", "execute").then(
        ReplyAccepted(seat="Gwen", turn=game.turn("Gwen").number, choice="execute", text="execute"),
        ExecutionVoteClosed(
            day=1,
            condemned="Dirk",
            votes=dict.fromkeys((*voters, "Gwen"), "execute"),
            tally={"execute": 6, "spare": 0},
            executed=True,
        ),
        PlayerExecuted(day=1, player="Dirk"),
        RoleRevealed(player="Dirk", role="Mafia"),
        PhaseBegan(phase="aftermath", number=1),
        TurnOpened(seat="narrator", turn=game.state.opened["narrator"] + 1, kind="execution", attempts=3),
    )
    assert game.audiences(RoleRevealed) == ["everyone"]
    assert game.audiences(PlayerExecuted) == ["everyone"]
    game.reply("narrator", "Dirk was a Villager.").refused("M-104")
    assert game.reply("narrator", "Silence.").known("Gwen").revealed == {"Dirk": "Mafia"}


@pytest.mark.spec("M-091")
def test_after_an_execution_the_narrator_narrates_death_and_role() -> None:
    votes = {"Ada": "spare", "Bram": "spare"}
    game = condemn(cast(), "Dirk", kill="Hugo").answer(
        {"execution-vote": {player: votes.get(player, "execute") for player in LIVING}}
    )
    assert game.asked() == ("narrator",)
    context = game.context("narrator")
    assert "Dirk was executed." in context
    assert "Their role: Mafia." in context
    assert "Tally: execute 4, spare 2." in context
    assert "Ada: spare" in context
    game = game.reply("narrator", "Dirk was Mafia, and swings.")
    assert game.last(NarrationGiven) == NarrationGiven(
        scene="execution", subject="Dirk", text="Dirk was Mafia, and swings."
    )
    assert game.audiences(NarrationGiven)[-1] == "everyone"


def test_a_silent_final_speech_is_told_as_such() -> None:
    game = reach_trial(cast(), "Dirk", kill="Hugo").answer().reply("narrator", "The cart rolls.").exhaust("Dirk")
    assert "Dirk stayed silent." in game.context("Edda")
