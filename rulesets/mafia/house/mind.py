"""What a player had in mind at a turn, for those who look at the game afterwards: nobody at the table hears of it."""

from __future__ import annotations

from collections.abc import Mapping

from sottovoce import Mind
from sottovoce.rulesets.mafia.house.seat import Seat
from sottovoce.rulesets.mafia.house.suspicion import POWERS, Reason

AGAINST: Mapping[str, str] = {
    "hanged": "voted to execute {x}, who was not Mafia",
    "spared_mafia": "would have spared {x}, who was Mafia",
    "named": "nominated {x}, who was not Mafia",
    "vouched": "vouched for {x}, who was Mafia",
    "shielded": "would not second {x}, who was Mafia",
    "was_spared": "was spared at a trial",
    "victim_named": "was accused by {x}, who died in the night",
    "victim_voted": "had the vote of {x}, who died in the night",
    "accused_me": "accused me",
    "nominated_me": "nominated me",
    "trial_me": "voted against me",
    "false_claim": "claims to be what {x} was",
    "rival": "claims to be what {x} claims to be",
    "slipped": "claimed to be against the town",
    "refuted": "said of {x} what was not so",
    "lied_of_me": "said of me what is not so",
    "result_by": "is Mafia by what {x} found out",
    "silent": "has said nothing today",
    "echo": "was accused by {x} today",
}
"""What each kind of reason comes to in words."""


def mind_of(seat: Seat) -> Mind:
    """How the player suspects each of the others, and what speaks against the one it suspects most."""
    return Mind(_thoughts(seat), {name: round(value, 1) + 0.0 for name, value in seat.mind.items()})


def _thoughts(seat: Seat) -> str:
    suspects = seat.suspects()
    if not suspects:
        return ""
    worst = suspects[0]
    if any(player == worst and role == "Mafia" for _, player, role in seat.secrets.results):
        return f"I know {worst} to be Mafia."
    if seat.role in POWERS and worst in seat.claimants(seat.role):
        return f"I suspect {worst} most: claims to be what I am."
    against = [_said(reason) for reason in seat.reasons(worst)[:2]]
    if not against:
        return f"Nothing speaks against {worst}, whom I trust least."
    return f"I suspect {worst} most: {' and '.join(against)}."


def _said(reason: Reason) -> str:
    return AGAINST[reason.kind].format(x=reason.other)
