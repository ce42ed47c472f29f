"""How could a seat have learnt that: directly, by the rules, through whose words, by a guess, or not at all."""

from __future__ import annotations

from typing import Any

import pytest

from sottovoce.domain.audience import only
from sottovoce.domain.events import ReplyAccepted, TurnOpened
from sottovoce.projections.audit import how
from sottovoce.projections.knowledge import ChainLink
from sottovoce.rulesets.mafia.rules import MAFIA
from sottovoce.rulesets.mafia.rules import events as e

CLEO_IS_MAFIA = ("role", "Cleo", "Mafia")


@pytest.fixture
def investigated(log: Any) -> Any:
    """Ada, the Detective, learned in the night that Cleo is Mafia; it is day."""
    position = log.add(e.PlayerInvestigated(night=1, detective="Ada", target="Cleo", role="Mafia"))
    log.add(e.PhaseBegan(phase="dawn", number=1))
    log.add(e.PhaseBegan(phase="discussion", number=1))
    return log, position


def paths(found: Any, fact: Any) -> Any:
    return next(item for item in found.facts if item.fact == fact)


def test_the_detective_had_it_directly(investigated: Any) -> None:
    log, position = investigated
    found = how(MAFIA, log.recorded, "Ada", position)
    assert (found.verdict, found.whole) == ("direct", True)


def test_nobody_else_could_have_it_before_anybody_spoke(investigated: Any) -> None:
    log, position = investigated
    found = how(MAFIA, log.recorded, "Bram", position)
    assert (found.verdict, found.whole) == ("impossible", False)
    assert [item.verdict for item in found.facts] == ["impossible", "impossible"]


def test_cleo_knew_her_role_before(investigated: Any) -> None:
    log, position = investigated
    assert paths(how(MAFIA, log.recorded, "Cleo", position), CLEO_IS_MAFIA).verdict == "before"


def test_bram_learnt_through_the_detectives_words(investigated: Any) -> None:
    log, position = investigated
    said = log.says("Ada", "I looked into it: Cleo is Mafia.")
    found = paths(how(MAFIA, log.recorded, "Bram", position), CLEO_IS_MAFIA)
    assert found.verdict == "words"
    assert [(telling.position, telling.author) for telling in found.words] == [(said, "Ada")]
    assert found.words[0].chain == (ChainLink("Ada", said, position, "event"),)


def test_words_pass_on_from_mouth_to_mouth_back_to_who_had_it_from_an_event(investigated: Any) -> None:
    log, position = investigated
    whispered = log.says("Ada", "Cleo is Mafia, tell nobody.", only("Ada", "Bram"))
    passed_on = log.says("Bram", "Listen: Cleo is Mafia!", only("Bram", "Edda"))
    found = paths(how(MAFIA, log.recorded, "Edda", position), CLEO_IS_MAFIA)
    assert found.verdict == "words"
    assert found.words[0].chain == (
        ChainLink("Bram", passed_on, whispered, "words"),
        ChainLink("Ada", whispered, position, "event"),
    )
    assert paths(how(MAFIA, log.recorded, "Dirk", position), CLEO_IS_MAFIA).verdict == "impossible"


def test_a_bluff_that_hits_the_truth_is_unfounded(investigated: Any) -> None:
    log, _ = investigated
    dealt_to_dirk = 6
    bluff = log.says("Cleo", "I am sure that Dirk is the Doctor.")
    found = paths(how(MAFIA, log.recorded, "Bram", dealt_to_dirk), ("role", "Dirk", "Doctor"))
    assert (found.verdict, found.words) == ("unfounded", ())
    assert [(telling.position, telling.author, telling.chain) for telling in found.unfounded] == [(bluff, "Cleo", ())]


def test_what_somebody_says_of_itself_tells_all_who_hear_it(log: Any) -> None:
    dealt_to_dirk = 6
    said = log.says("Dirk", "You hang your own help: I am the Doctor.")
    for seat in ("Ada", "Bram", "Cleo", "Edda"):
        found = paths(how(MAFIA, log.recorded, seat, dealt_to_dirk), ("role", "Dirk", "Doctor"))
        assert found.verdict == "words"
        assert found.words[0].chain == (ChainLink("Dirk", said, dealt_to_dirk, "event"),)


def test_a_denial_is_told_as_one_and_never_taken_for_a_guess(investigated: Any) -> None:
    log, position = investigated
    denied = log.says("Cleo", "I am no Mafia, and Edda knows it.")
    guessed = log.says("Edda", "Cleo is not Mafia.")
    found = paths(how(MAFIA, log.recorded, "Bram", position), CLEO_IS_MAFIA)
    assert (found.verdict, found.words, found.unfounded) == ("impossible", (), ())
    assert [(telling.position, telling.author) for telling in found.denied] == [(denied, "Cleo"), (guessed, "Edda")]


def test_a_denial_passes_nothing_on(investigated: Any) -> None:
    """A seat that only heard a denial cannot tell others that the fact is true."""
    log, position = investigated
    log.says("Ada", "Cleo is not Mafia.", only("Ada", "Bram"))
    log.says("Bram", "Cleo is Mafia!", only("Bram", "Edda"))
    found = paths(how(MAFIA, log.recorded, "Edda", position), CLEO_IS_MAFIA)
    assert (found.verdict, found.unfounded[0].author) == ("unfounded", "Bram")


def test_a_claim_about_one_player_is_no_guess_about_another(investigated: Any) -> None:
    log, position = investigated
    log.says("Ada", "Bram is Mafia. Cleo was with me.")
    log.says("Dirk", "Edda is Mafia, not Cleo.")
    found = paths(how(MAFIA, log.recorded, "Edda", position), CLEO_IS_MAFIA)
    assert (found.verdict, found.words, found.unfounded) == ("impossible", (), ())
    assert [telling.author for telling in found.denied] == ["Dirk"]


def test_who_denies_and_then_claims_has_told(investigated: Any) -> None:
    log, position = investigated
    log.says("Ada", "I said that Cleo is not Mafia. I lied. Cleo is Mafia.")
    assert paths(how(MAFIA, log.recorded, "Bram", position), CLEO_IS_MAFIA).verdict == "words"


def test_hearing_a_bluff_entitles_nobody_to_pass_it_on(investigated: Any) -> None:
    log, _ = investigated
    log.says("Cleo", "Dirk is the Doctor.")
    log.says("Edda", "So Dirk is the Doctor.")
    found = paths(how(MAFIA, log.recorded, "Bram", 6), ("role", "Dirk", "Doctor"))
    assert [telling.author for telling in found.unfounded] == ["Cleo", "Edda"]
    assert found.verdict == "unfounded"


def test_a_sealed_vote_became_known_by_rule_when_the_ballot_closed(log: Any) -> None:
    votes = {}
    for voter, vote in (("Bram", "no"), ("Cleo", "yes")):
        log.add(
            TurnOpened(seat=voter, turn=1, kind="second", choices=("yes", "no"), attempts=3, ballot="second.1.Bram")
        )
        votes[voter] = log.add(ReplyAccepted(seat=voter, turn=1, choice=vote, text=vote))
    closed = log.add(
        e.SecondingClosed(
            day=1,
            nominator="Ada",
            nominee="Bram",
            votes={"Bram": "no", "Cleo": "yes"},
            tally={"yes": 1, "no": 1},
            seconded=False,
        )
    )
    found = how(MAFIA, log.recorded, "Edda", votes["Cleo"])
    vote = paths(found, ("voted", "Cleo", "yes"))
    assert (vote.verdict, vote.events) == ("rule", (closed,))
    before = how(MAFIA, log.recorded, "Edda", votes["Cleo"], upto=closed - 1)
    assert before.verdict == "impossible"


def test_an_act_cannot_have_been_known_from_an_earlier_act_like_it(log: Any) -> None:
    def vote(day: int) -> Any:
        log.add(TurnOpened(seat="Cleo", turn=day, kind="second", choices=("yes", "no"), attempts=3, ballot=f"s{day}"))
        return log.add(ReplyAccepted(seat="Cleo", turn=day, choice="yes", text="yes"))

    vote(1)
    log.add(
        e.SecondingClosed(
            day=1, nominator="Ada", nominee="Bram", votes={"Cleo": "yes"}, tally={"yes": 1, "no": 0}, seconded=True
        )
    )
    second = vote(2)
    assert how(MAFIA, log.recorded, "Edda", second).verdict == "impossible"


def test_a_reveal_is_by_rule_even_where_words_said_it_too(investigated: Any) -> None:
    log, position = investigated
    log.says("Ada", "Cleo is Mafia.")
    revealed = log.add(e.RoleRevealed(player="Cleo", role="Mafia"))
    found = paths(how(MAFIA, log.recorded, "Bram", position), CLEO_IS_MAFIA)
    assert (found.verdict, found.events) == ("rule", (revealed,))
    assert [telling.author for telling in found.words] == ["Ada"]


def test_what_the_narrator_overhears_counts_as_its_authors_words(investigated: Any) -> None:
    log, position = investigated
    overheard = log.add(e.RepliesHeard(about="role", replies={"Ada": "Cleo is Mafia, so I pick her."}))
    told = paths(how(MAFIA, log.recorded, "narrator", position), CLEO_IS_MAFIA)
    assert told.verdict == "direct"
    assert [(telling.position, telling.author) for telling in told.words] == [(overheard, "Ada")]


def test_the_json_says_everything(investigated: Any) -> None:
    log, position = investigated
    log.says("Ada", "Cleo is Mafia.")
    answer = how(MAFIA, log.recorded, "Bram", position).to_json()
    assert list(answer) == ["seat", "position", "name", "verdict", "whole", "facts"]
    assert list(answer["facts"][1]) == ["fact", "verdict", "events", "words", "unfounded", "denied"]
    assert answer["facts"][1]["words"][0]["chain"] == [
        {"seat": "Ada", "said": position + 3, "learnt": position, "by": "event"}
    ]
