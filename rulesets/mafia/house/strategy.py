"""What a player chooses, by role: whom to protect, investigate, kill, nominate, second, vote for and execute.

Each function returns the choice and the reason for it as `(topic, slots)`; only the narrator hears reasons.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from sottovoce import Turn, named
from sottovoce.rulesets.mafia.house.reading import LONGEST
from sottovoce.rulesets.mafia.house.seat import Seat
from sottovoce.rulesets.mafia.house.suspicion import CERTAIN, weigh
from sottovoce.rulesets.mafia.rules import turns

Chosen = tuple[str, str, dict[str, str]]
"""The choice, the topic of the reason, and the reason's slots."""


def protect(seat: Seat, turn: Turn) -> Chosen:
    """Whoever the Mafia have most to fear from; the same door twice only now and then."""
    last = seat.secrets.protected[-1][1] if seat.secrets.protected else None
    detectives = seat.claimants("Detective")
    weights = []
    for name in turn.choices:
        weight = max(0.15, 1.0 - 0.5 * seat.weighed.score[name])
        if seat.mind.get(name, 0.0) < -CERTAIN / 2:
            weight += 1.5
        if name in detectives:
            weight += 9.0 * seat.weighed.credit.get(name, 0.5)
        weights.append(weight * (0.45 if name == last else 1.0))
    choice = seat.random.choices(turn.choices, weights)[0]
    kind = "claim" if choice in detectives else "turn" if last and choice != last and seat.chance(0.4) else "feel"
    return choice, f"why.guard.{kind}", {"t": choice}


def investigate(seat: Seat, turn: Turn) -> Chosen:
    """The most suspected of those not yet looked at."""
    known = {player for _, player, _ in seat.secrets.results}
    fresh = [name for name in turn.choices if name not in known] or list(turn.choices)
    choice = max(fresh, key=lambda name: seat.mind.get(name, 0.0) + seat.random.gauss(0, 0.4))
    return choice, "why.look.suspect" if seat.reasons(choice) else "why.look.feel", {"t": choice}


def proposed(seat: Seat, prey: Sequence[str]) -> list[str]:
    """Whom the Mafia have spoken of killing tonight, once for each time it was said."""
    night = seat.memory.day
    said = [whisper.text for whisper in seat.secrets.whispers if whisper.night == night and whisper.text]
    return [names[0] for names in (named(text[:LONGEST], prey) for text in said) if names]


def kill(seat: Seat, turn: Turn) -> Chosen:
    """Whom the Mafia had best be rid of; a revote converges on the leading name of the last ballot.

    Each draws for itself: what they could all draw from is known to everybody, who could then try who they are.
    """
    night = seat.memory.day
    tied = [ballot for ballot in seat.secrets.kills if ballot.night == night]
    if tied and seat.chance(0.95):
        tally = tied[-1].tally
        best = max(tally.values())
        choice = next(name for name in turn.choices if tally.get(name) == best)
        return choice, "why.kill.agree", {"t": choice}
    heard = Counter(proposed(seat, turn.choices))
    if heard and seat.chance(0.9):
        choice = max(heard, key=heard.__getitem__)
        return choice, "why.kill.agree", {"t": choice}
    choice, why = preyed_on(seat, turn.choices)
    return choice, f"why.kill.{why}", {"t": choice}


def preyed_on(seat: Seat, prey: Sequence[str]) -> tuple[str, str]:
    """Whom a Mafia would kill, by what the Mafia share, and why."""
    night = seat.memory.day
    shared = weigh(seat.memory, "")
    mafia = {seat.name, *seat.secrets.partners}
    survived = {ballot.target for ballot in seat.secrets.kills if ballot.night == night - 1}
    weights: dict[str, tuple[float, str]] = {}
    for name in prey:
        claimed = seat.memory.claims.get(name, ("", 0))[0]
        accused = {about for _, by, about in seat.memory.accusations if by == name}
        weight, why = 1.0 - 0.6 * shared.score[name] + 0.25 * seat.random.gauss(0, 1), "trusted"
        if accused & mafia:
            weight, why = weight + 0.7, "accuser"
        if claimed in ("Detective", "Doctor"):
            weight, why = weight + (3.0 if claimed == "Detective" else 1.2), "claim"
        if name in survived:
            weight -= 1.5
        weights[name] = (weight + seat.random.random() * 0.8, why)
    ranked = sorted(weights, key=lambda name: -weights[name][0])
    choice = ranked[1] if len(ranked) > 1 and seat.chance(0.12) else ranked[0]
    return choice, weights[choice][1]


def scapegoat(seat: Seat, among: Sequence[str]) -> str | None:
    """Whom a bluffing Mafia would see hanged: somebody the town can be brought to suspect."""
    others = [name for name in among if name not in seat.secrets.partners and name != seat.name]
    if not others:
        return None
    accused_us = {
        by for _, by, about in seat.memory.accusations if about == seat.name or about in seat.secrets.partners
    }
    return max(
        others,
        key=lambda name: (
            seat.mind[name]
            + (0.5 if name in accused_us else 0.0)
            + (0.6 if name in seat.claimants("Detective") else 0.0)
        ),
    )


OPEN = 0.85
"""How often a Mafia goes by what a villager in its chair would think, its partners included."""


def openly(seat: Seat) -> bool:
    """Whether the seat goes by what it shows. A Mafia close to winning spares its partners."""
    return seat.role != "Mafia" or (not seat.at_the_edge and seat.chance(OPEN ** max(1, len(seat.secrets.partners))))


def worst(seat: Seat, among: Sequence[str]) -> str:
    """Return the one to be rid of, of these."""
    scape = None if openly(seat) else scapegoat(seat, among)
    return scape or max(among, key=seat.shown.__getitem__)


def nominate(seat: Seat, turn: Turn) -> Chosen:
    """The chief suspect, if suspicion is strong enough for this temper."""
    names = [name for name in turn.choices if name in seat.mind]
    if not names:
        return "pass", "why.pass", {}
    if seat.role == "Jester" and seat.chance(0.15):
        choice = min(names, key=seat.mind.__getitem__)
        return choice, "why.mischief", {"t": choice}
    choice = worst(seat, names)
    keen = 0.22 + 0.45 * seat.persona.boldness + 0.3 * seat.shown[choice]
    keen += 0.35 if seat.at_the_edge else 0.0
    keen -= 0.12 * sum(n.day == seat.memory.day and n.nominee is not None for n in seat.memory.nominations)
    if seat.shown[choice] < CERTAIN / 2 and not seat.chance(keen):
        return "pass", "why.pass", {}
    return choice, *because(seat, choice)


def second(seat: Seat, turn: Turn) -> Chosen:
    """Yes where the suspicion is shared."""
    nomination = seat.memory.nominations[-1]
    nominee = nomination.nominee or ""
    if nomination.player == seat.name:
        return "yes", *because(seat, nominee)
    if nominee == seat.name:
        return "no", "why.self", {}
    slots = {"t": nominee}
    if seat.role == "Jester" and seat.chance(0.12):
        return "no" if seat.mind.get(nominee, 0.0) > 0 else "yes", "why.mischief", slots
    bar = 0.25 - 0.5 * seat.persona.boldness + 0.3 * seat.persona.mercy - (0.5 if seat.at_the_edge else 0.0)
    if nominee in seat.secrets.partners:
        agreed = openly(seat) and seat.shown[nominee] > bar
        return ("yes", "why.partner", slots) if agreed else ("no", "why.friend", slots)
    if seat.shown.get(nominee, 0.0) > bar:
        return "yes", *because(seat, nominee)
    return "no", "why.safe", slots


def trial_vote(seat: Seat, turn: Turn) -> Chosen:
    """The seat's own nominee, unless it has learnt better since; else the most suspected of the nominees."""
    own = _own_nominee(seat)
    if own in turn.choices and own in seat.mind and not _cleared(seat, own, turn.choices):
        return own, *because(seat, own)
    others = [name for name in turn.choices if name in seat.mind]
    if not others:
        return turn.choices[0], "why.forced", {}
    if seat.role == "Jester" and seat.chance(0.1):
        choice = min(others, key=seat.mind.__getitem__)
        return choice, "why.mischief", {"t": choice}
    choice = worst(seat, others)
    if choice in seat.secrets.partners:
        return choice, "why.partner", {"t": choice}
    return choice, *because(seat, choice)


def _own_nominee(seat: Seat) -> str:
    """Return whom the seat nominated today; empty where it passed."""
    today = [n.nominee for n in seat.memory.nominations if n.player == seat.name and n.day == seat.memory.day]
    return next((nominee for nominee in today if nominee), "")


def _cleared(seat: Seat, own: str, among: Sequence[str]) -> bool:
    """Whether somebody else on trial has turned out to be so much worse that the nominee can go."""
    return any(seat.mind.get(name, 0.0) > CERTAIN / 2 > seat.mind[own] for name in among)


def execution_vote(seat: Seat, turn: Turn) -> Chosen:
    """Execute unless doubt or mercy wins."""
    condemned = seat.memory.trials[-1].condemned or ""
    slots = {"t": condemned}
    if seat.role == "Jester" and seat.chance(0.15):
        return "spare", "why.mischief", slots
    bar = -0.1 - 0.4 * seat.persona.boldness + 0.7 * seat.persona.mercy - (0.5 if seat.at_the_edge else 0.0)
    if condemned in seat.secrets.partners:
        agreed = openly(seat) and seat.shown[condemned] > bar
        return ("execute", "why.partner", slots) if agreed else ("spare", "why.friend", slots)
    if seat.role == "Mafia":
        bar -= 0.2
    if seat.shown.get(condemned, 0.0) > bar:
        return "execute", *because(seat, condemned)
    return "spare", "why.safe", slots


def because(seat: Seat, target: str) -> tuple[str, dict[str, str]]:
    """Why the target: the weightiest public fact, or what the seat knows by itself."""
    if seat.mind.get(target, 0.0) >= CERTAIN / 2 and seat.role == "Detective":
        return "why.known", {"t": target}
    if seat.role == "Mafia" and seat.chance(0.4):
        return "why.scapegoat", {"t": target}
    reasons = seat.reasons(target)
    if not reasons:
        return "why.none", {"t": target}
    reason = seat.random.choice(reasons[:2])
    return f"why.{reason.kind}", {"t": target, "x": reason.other}


CHOOSE: Mapping[type[Turn], Callable[[Seat, Turn], Chosen]] = {
    turns.Protect: protect,
    turns.Investigate: investigate,
    turns.Kill: kill,
    turns.Nominate: nominate,
    turns.Second: second,
    turns.TrialVote: trial_vote,
    turns.ExecutionVote: execution_vote,
}
"""How each kind of turn is chosen."""
