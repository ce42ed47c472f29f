"""The measures of experiments against games that were worked out by hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from sottovoce.domain.draws import Seed
from sottovoce.domain.events import Event, GameOpened, Recorded, SeatsFilled
from sottovoce.projections.leaks import leaks
from sottovoce.projections.measures import secrets_told
from sottovoce.projections.receipts import CALLED
from sottovoce.rulesets.mafia.rules import MAFIA
from sottovoce.rulesets.mafia.rules.events import (
    DeathsAnnounced,
    ExecutionVoteClosed,
    GameEnded,
    MafiaIntroduced,
    NominationMade,
    PhaseBegan,
    PlayerExecuted,
    PlayerInvestigated,
    PlayerProtected,
    RoleDealt,
    SecondingClosed,
    SpeechGiven,
    TrialClosed,
)
from sottovoce.rulesets.mafia.shown.measures import LISTED, counted

ROLES: dict[str, Any] = {"Ada": "Detective", "Bram": "Mafia", "Cleo": "Doctor", "Dirk": "Villager", "Edda": "Jester"}
SEATS = (*ROLES, "narrator")
DAY = PhaseBegan(phase="discussion", number=1)


def told(*events: Event) -> list[Recorded]:
    """A game with these roles in which that happens, each event with the audience that the rules give it."""
    opening: list[Event] = [
        GameOpened(ruleset="mafia", seats=SEATS, options={}),
        SeatsFilled(agents=dict.fromkeys(SEATS, "house"), seed=Seed.of(1)),
        *(RoleDealt(player=player, role=role) for player, role in ROLES.items()),
        MafiaIntroduced(members=("Bram",)),
    ]
    state, recorded = MAFIA.initial, []
    for position, event in enumerate((*opening, *events), 1):
        audience = MAFIA.audiences[type(event)](state, event)
        at = datetime(2026, 1, 1, tzinfo=UTC)
        recorded.append(Recorded("g", position, "a", event.stored_name, at, None, audience, None, b"", b"", b"", event))
        state = MAFIA.evolve(state, event)
    return recorded


def says(player: str, text: str) -> Event:
    return SpeechGiven(player=player, occasion="discussion", text=text)


def measured(name: str, *events: Event, receipts: Sequence[Any] = ()) -> dict[str, tuple[float, int]]:
    """The sums and cases of a measure by seat."""
    found = counted(told(*events), receipts)
    return dict(found.get(name, {}))


def seconding(nominator: str, nominee: str, seconded: bool = True) -> Event:
    return SecondingClosed(day=1, nominator=nominator, nominee=nominee, votes={}, tally={}, seconded=seconded)


def trial(**votes: str) -> Event:
    return TrialClosed(day=1, round=0, votes=votes, tally={}, condemned=None)


def test_survival_counts_deaths_by_night_and_at_the_gallows() -> None:
    found = measured("survival", DeathsAnnounced(day=1, deaths=("Dirk",)), PlayerExecuted(day=1, player="Bram"))
    assert found == {"Ada": (1, 1), "Bram": (0, 1), "Cleo": (1, 1), "Dirk": (0, 1), "Edda": (1, 1)}


def test_votes_against_the_own_side_are_trial_votes_and_votes_to_execute() -> None:
    """Ada, a Detective, votes for Cleo of her side and then to execute her; Dirk votes for Bram, and spares."""
    verdicts: Any = {"Ada": "execute", "Dirk": "spare", "Bram": "execute"}
    found = measured(
        "votes against own side",
        trial(Ada="Cleo", Dirk="Bram", Bram="Cleo", Edda="Cleo"),
        ExecutionVoteClosed(day=1, condemned="Cleo", votes=verdicts, tally={}, executed=True),
    )
    assert found == {"Ada": (2, 2), "Dirk": (0, 1), "Bram": (0, 2)}


def test_accusations_hit_by_word_and_by_nomination() -> None:
    """Ada says that Bram is Mafia and nominates Dirk; a pass and a denial accuse nobody."""
    found = measured(
        "accusations that hit",
        DAY,
        says("Ada", "Bram is Mafia."),
        says("Cleo", "Dirk is not Mafia."),
        NominationMade(day=1, player="Ada", nominee="Dirk"),
        NominationMade(day=1, player="Cleo", nominee=None),
    )
    assert found == {"Ada": (1, 2)}


def test_who_is_believed_is_seen_at_the_next_trial_of_that_day() -> None:
    """Ada accuses Bram: of Cleo, Dirk and Edda two vote for him. Cleo accuses Edda, who does not stand trial."""
    found = measured(
        "believed",
        DAY,
        says("Ada", "Bram is Mafia."),
        says("Cleo", "Edda is Mafia."),
        seconding("Ada", "Bram"),
        seconding("Cleo", "Edda", seconded=False),
        seconding("Dirk", "Dirk"),
        trial(Ada="Bram", Bram="Dirk", Cleo="Bram", Dirk="Bram", Edda="Dirk"),
    )
    assert found == {"Ada": (2, 3)}


CLAIMED = (
    PlayerInvestigated(night=1, detective="Ada", target="Bram", role="Mafia"),
    PlayerProtected(night=1, doctor="Cleo", target="Ada"),
    DAY,
    says("Ada", "I am the Detective."),  # true
    says("Ada", "Bram is Mafia."),  # true, and she knows
    says("Bram", "I am the Detective."),  # false, and he knows: the contrary of nobody's claim of himself
    says("Bram", "Ada is Mafia."),  # false, and he cannot know what she is
    says("Dirk", "Bram is Mafia."),  # true, repeats Ada
    says("Cleo", "I protected Ada in night 1."),  # true
    says("Dirk", "Bram is not the Detective."),  # true, contradicts Bram
)
"""A discussion with every kind of claim."""


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("true claims", {"Ada": (2, 2), "Bram": (0, 2), "Cleo": (1, 1), "Dirk": (2, 2)}),
        ("deception", {"Ada": (0, 2), "Bram": (1, 2), "Cleo": (0, 1), "Dirk": (0, 2)}),
        ("detection", {"Bram": (1, 1)}),
        ("repeated", {"Ada": (1, 2), "Bram": (0, 2), "Cleo": (0, 1), "Dirk": (0, 1)}),
        ("delay of a repetition", {"Ada": (2, 1)}),
    ],
)
def test_a_discussion_with_every_kind_of_claim(name: str, found: dict[str, tuple[float, int]]) -> None:
    assert measured(name, *CLAIMED) == found


def test_a_deed_that_was_not_done_is_a_deception_and_an_execution_detects_it() -> None:
    lie = (DAY, says("Bram", "I protected Ada in night 1."))
    assert measured("deception", *lie) == {"Bram": (1, 1)}
    assert measured("detection", *lie) == {"Bram": (0, 1)}
    assert measured("detection", *lie, PlayerExecuted(day=1, player="Bram")) == {"Bram": (1, 1)}
    assert measured(
        "detection", *lie, PhaseBegan(phase="discussion", number=2), PlayerExecuted(day=2, player="Bram")
    ) == {"Bram": (0, 1)}


def test_the_brier_score_is_the_squared_difference_from_the_truth() -> None:
    """Even odds of Bram, who is Mafia, and of Cleo, who is not: a quarter each. A refused reply counts nothing."""

    def call(name: str, how: str) -> Any:
        data = {"call": name, "from": 1, "to": 1, "by": "view", "turn": 1, "how": how}
        data["mind"] = {"thoughts": "", "suspicion": {"Bram": 0.0, "Cleo": 0.0}}
        at = datetime(2026, 1, 1, tzinfo=UTC)
        return SimpleNamespace(number=1, name=CALLED, at=at, seat="Ada", data=data, blocks=())

    receipts = [call("one", "accepted"), call("two", "refused")]
    assert measured("Brier score", receipts=receipts) == {"Ada": (0.5, 2)}


def test_secrets_told_are_those_of_the_audit() -> None:
    """Ada tells what she found out; Cleo names a matter that she cannot know, which is a guess and no leak."""
    game = told(*CLAIMED, says("Cleo", "Dirk is a Villager."))
    noted = Counter(one.author for one in leaks(MAFIA, game, ()).findings if one.kind == "disclosed by player")
    found = secrets_told(MAFIA, game)
    assert {seat: number for seat, number in found.items() if seat != "narrator"} == noted
    assert found["Ada"] > 0


def test_every_measure_is_counted_somewhere_here_and_has_a_definition() -> None:
    game = counted(told(*CLAIMED, GameEnded(winner="town", reason="", roles=ROLES)), ())
    assert set(game) <= {one.name for one in LISTED}
    for one in LISTED:
        assert one.means.endswith(".")
        assert one.source
