"""Who saw this, what had that seat seen, what was in its prompt, what fell back, what did the rules disclose."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from table import Table

from sottovoce.domain.events import AttemptFailed, FallbackApplied, TurnOpened, TurnWithdrawn
from sottovoce.domain.piece import Chair
from sottovoce.projections import audit
from sottovoce.projections.exports import KEYS
from sottovoce.projections.perspective import UnknownPosition, UnknownSeat, UnknownTurn
from sottovoce.projections.receipts import read_deliveries
from sottovoce.rulesets.mafia.rules import MAFIA
from sottovoce.rulesets.mafia.rules import events as e


def test_who_saw_names_every_seat_with_the_hand_overs_that_cover_the_event(log: Any, receipts: Any) -> None:
    position = log.add(e.PlayerInvestigated(night=1, detective="Ada", target="Cleo", role="Mafia"))
    # Ada's view is: opening, own role, night, investigation.
    receipts.handed("Ada", 3, turn=1, by="prompt", agent="openai:m", blocks=("d1",))
    receipts.handed("Ada", 4, turn=2, by="prompt", agent="openai:m", blocks=("d2",))
    receipts.handed("Bram", 99)

    found = audit.who_saw(MAFIA, log.recorded, receipts.made, position)
    answer = json.loads(json.dumps(found.to_json()))

    assert list(answer) == ["event", "seats"]
    assert tuple(answer["event"]) == KEYS
    assert answer["event"]["position"] == position
    assert answer["seats"] == [
        {
            "seat": "Ada",
            "allowed": True,
            "handed": [
                {
                    "number": 2,
                    "at": "2026-01-01T13:00:00.250000+00:00",
                    "by": "prompt",
                    "turn": 2,
                    "agent": "openai:m",
                    "times": 1,
                    "since": None,
                }
            ],
        },
        *({"seat": seat, "allowed": False, "handed": []} for seat in ("Bram", "Cleo", "Dirk", "Edda")),
        {"seat": "narrator", "allowed": True, "handed": []},
    ]


def test_who_saw_of_a_position_beyond_the_end_says_which_there_are(log: Any) -> None:
    with pytest.raises(UnknownPosition, match="1 to 9") as caught:
        audit.who_saw(MAFIA, log.recorded, [], 10)
    assert caught.value.exit_code == 2


def test_saw_lists_a_seats_entries_up_to_a_position_with_the_first_hand_over(log: Any, receipts: Any) -> None:
    log.says("Bram", "Good evening.")
    later = log.says("Cleo", "Is it?")
    receipts.handed("Bram", 2)
    receipts.handed("Bram", 4, first=2)

    entries = audit.saw(MAFIA, log.recorded, receipts.made, "Bram", later - 1)
    opening = MAFIA.tell(log.recorded[0].event, Chair("Bram"))
    assert opening is not None

    assert [(entry.position, entry.seq, entry.told, entry.words, entry.times) for entry in entries] == [
        (1, 1, opening.text, None, 1),
        (4, 2, "You are a Villager.", None, 2),
        (9, 3, "Night 1 falls.", None, 1),
        (10, 4, "Bram says:", "Good evening.", 1),
    ]
    assert [entry.handed and entry.handed.number for entry in entries] == [1, 1, 2, 2]
    assert list(entries[0].to_json()) == ["position", "seq", "name", "at", "told", "words", "handed", "times"]


def test_saw_of_an_unknown_seat_names_those_there_are(log: Any) -> None:
    with pytest.raises(UnknownSeat, match="Ada, Bram"):
        audit.saw(MAFIA, log.recorded, [], "Zed")


def test_prompt_lists_each_hand_over_of_the_turn_with_how_it_ended(log: Any, receipts: Any) -> None:
    opened = log.add(TurnOpened(seat="Dirk", turn=1, kind="protect", choices=("Ada", "Bram"), attempts=3))
    first = receipts.handed("Dirk", 4, turn=1, by="prompt", agent="openai:m", blocks=("d1", "d2"))
    receipts.ended("Dirk", first, "refused", prompt_tokens=10, reply_tokens=2, cost=0.5)
    receipts.handed("Dirk", 5, turn=1, by="prompt", agent="openai:m", blocks=("d1", "d3"))
    receipts.handed("Dirk", 5, turn=2)

    answer: Any = audit.prompt(log.recorded, receipts.made, "Dirk", 1).to_json()

    assert (answer["seat"], answer["turn"], answer["kind"], answer["position"]) == ("Dirk", 1, "protect", opened)
    assert [item["blocks"] for item in answer["handed"]] == [["d1", "d2"], ["d1", "d3"]]
    assert [(item["from"], item["to"]) for item in answer["handed"]] == [(1, 4), (1, 5)]
    assert answer["handed"][0]["ended"]["how"] == "refused"
    assert answer["handed"][0]["ended"]["cost"] == 0.5
    assert answer["handed"][1]["ended"] is None


MINDS: list[tuple[object, object]] = [
    ({"thoughts": "Bram?", "suspicion": {"Bram": 2}}, {"thoughts": "Bram?", "suspicion": {"Bram": 2.0}}),
    ({"thoughts": 5, "suspicion": {"Bram": "much", "Cleo": -1.5}}, {"thoughts": "", "suspicion": {"Cleo": -1.5}}),
    ({"suspicion": ["Bram"]}, {"thoughts": "", "suspicion": {}}),
    ("I think so", None),
    (None, None),
]
"""What receipts say about an agent's thoughts, including imported ones, and what the audit shows."""


@pytest.mark.parametrize(("kept", "told"), MINDS)
def test_prompt_tells_what_the_agent_had_in_mind(log: Any, receipts: Any, kept: object, told: object) -> None:
    log.add(TurnOpened(seat="Dirk", turn=1, kind="protect", choices=("Ada", "Bram"), attempts=3))
    receipts.ended("Dirk", receipts.handed("Dirk", 4, turn=1), mind=kept)
    answer: Any = audit.prompt(log.recorded, receipts.made, "Dirk", 1).to_json()
    assert answer["handed"][0]["ended"]["mind"] == told


def test_prompt_of_a_turn_that_was_never_asked_is_an_unknown_name(log: Any) -> None:
    with pytest.raises(UnknownTurn, match="no turn 7"):
        audit.prompt(log.recorded, [], "Dirk", 7)


def test_fallbacks_tell_which_turns_fell_back_and_why(log: Any) -> None:
    log.add(TurnOpened(seat="Dirk", turn=1, kind="protect", choices=("Ada",), attempts=2))
    failed = log.add(
        AttemptFailed(seat="Dirk", turn=1, attempt=1, reason="invalid", text="Zed", message="Name one of: Ada.")
    )
    log.add(AttemptFailed(seat="Dirk", turn=1, attempt=2, reason="timeout", text="", message="The time ran out."))
    fell = log.add(FallbackApplied(seat="Dirk", turn=1, reason="timeout", choice="Ada"))
    log.add(TurnOpened(seat="Bram", turn=1, kind="speech", attempts=1))
    withdrawn = log.add(TurnWithdrawn(seat="Bram", turn=1))

    found = audit.fallbacks(log.recorded)

    assert [(item.position, item.seat, item.kind, item.how, item.reason, item.choice) for item in found] == [
        (fell, "Dirk", "protect", "fallback", "timeout", "Ada"),
        (withdrawn, "Bram", "speech", "withdrawn", None, None),
    ]
    assert found[0].to_json()["failures"] == [
        {"position": failed, "reason": "invalid", "message": "Name one of: Ada."},
        {"position": failed + 1, "reason": "timeout", "message": "The time ran out."},
    ]


def test_disclosures_are_events_of_the_rules_that_carry_a_hidden_fact_further(log: Any) -> None:
    dealt = 4
    revealed = log.add(e.RoleRevealed(player="Bram", role="Villager"))

    found = audit.disclosures(MAFIA, log.recorded)

    assert [(item.position, item.fact, item.known_since) for item in found][-1] == (
        revealed,
        ("role", "Bram", "Villager"),
        dealt,
    )
    assert found[-1].seats == ("Ada", "Cleo", "Dirk", "Edda")
    assert list(found[-1].to_json()) == ["position", "name", "fact", "seats", "known_since"]


def test_every_event_of_a_game_was_allowed_to_exactly_its_audience(played: Callable[[int], Table]) -> None:
    table = played(3)
    for item in table.recorded[::25]:
        seats = {seat.seat for seat in audit.who_saw(MAFIA, table.recorded, [], item.position).seats if seat.allowed}
        assert seats == {seat for seat in table.seats if item.audience.includes(seat)}


def test_saw_counts_the_hand_overs_of_each_entry_and_names_the_first(log: Any, receipts: Any) -> None:
    random = Random(3)
    for number in range(40):
        log.says("Bram", f"This is speech {number}.")
    for _ in range(200):
        first = random.randrange(1, 60)
        receipts.handed("Bram", first + random.randrange(-2, 20), first=first)
    handed = read_deliveries(receipts.made)["Bram"]
    entries = audit.saw(MAFIA, log.recorded, receipts.made, "Bram")
    assert len(entries) > 40
    for entry in entries:
        covering = [one for one in handed if one.covers(entry.seq)]
        assert (entry.handed, entry.times) == (covering[0] if covering else None, len(covering)), entry.seq
