"""What a player had in mind at a turn, for those who look at the game afterwards: nobody at the table hears of it."""

from __future__ import annotations

from collections.abc import Mapping

from sottovoce import Mind
from sottovoce.rulesets.mafia.house.seat import Seat, log_odds
from sottovoce.rulesets.mafia.house.suspicion import Reason

AGAINST: Mapping[str, str] = {
    "hanged": "voted to execute {x}, who was not Mafia",
    "spared_mafia": "would have spared {x}, who was Mafia",
    "named": "nominated {x}, who was not Mafia",
    "vouched": "vouched for {x}, who was Mafia",
    "shielded": "would not second {x}, who was Mafia",
    "kept_by": "was kept out of a trial by {x}, who was Mafia",
    "friend_of": "had a good word from {x}, who was Mafia",
    "sided": "voted as {x} did, who was Mafia",
    "scatter": "names one after the other",
    "swung": "spoke against {x} and voted for another",
    "passed": "spoke against somebody and nominated nobody",
    "was_spared": "was spared at a trial",
    "victim_named": "was accused by {x}, who died in the night",
    "victim_voted": "had the vote of {x}, who died in the night",
    "accused_me": "accused me",
    "nominated_me": "nominated me",
    "trial_me": "voted against me",
    "false_claim": "claims to be what {x} was",
    "rival": "claims to be what {x} claims to be",
    "copied": "claims to be what I claim to be",
    "found": "is Mafia by what I told of my own checks",
    "slipped": "claimed to be against the town",
    "refuted": "said of {x} what was not so",
    "lied_of_me": "said of me what is not so",
    "result_by": "is Mafia by what {x} found out",
    "silent": "has said nothing today",
    "echo": "was accused by {x} today",
}
"""What each kind of reason comes to in words."""


def mind_of(seat: Seat) -> Mind:
    """How likely the player holds each of the others to be Mafia, and what speaks against the one it argues against."""
    likely = {name: log_odds(seat.belief.mafia[name]) for name in seat.mind}
    return Mind(_thoughts(seat), {name: round(much, 1) + 0.0 for name, much in likely.items()})


def _thoughts(seat: Seat) -> str:
    held = seat.seeming if seat.role == "Mafia" else seat.belief
    suspects = sorted(seat.mind, key=lambda name: -held.mafia[name])
    if not suspects:
        return ""
    worst = suspects[0]
    if any(player == worst and role == "Mafia" for _, player, role in seat.secrets.results):
        return f"I know {worst} to be Mafia."
    likely = f"{round(100 * held.mafia[worst])} %"
    lead = f"I suspect {worst} most, {likely}"
    if seat.role == "Mafia":
        lead = f"In my chair a Villager suspects {worst} most, {likely}"
    against = [_said(reason) for reason in seat.reasons(worst)[:2]]
    return f"{lead}: {' and '.join(against)}." if against else f"{lead}, by nothing that can be named."


def _said(reason: Reason) -> str:
    return AGAINST[reason.kind].format(x=reason.other)
