"""What a player chooses, by role: whom to protect, investigate, kill, nominate, second, vote for and execute.

Each function returns the choice and the reason for it as `(topic, slots)`; only the narrator hears reasons.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from sottovoce import Turn, named
from sottovoce.rulesets.mafia.house.reading import LONGEST
from sottovoce.rulesets.mafia.house.seat import Seat, number
from sottovoce.rulesets.mafia.house.suspicion import CERTAIN
from sottovoce.rulesets.mafia.rules import turns

Chosen = tuple[str, str, dict[str, str]]
"""The choice, the topic of the reason, and the reason's slots."""


def protect(seat: Seat, turn: Turn) -> Chosen:
    """Whoever the Mafia have most to fear from; the same player twice only now and then."""
    held = seat.belief
    last = seat.secrets.protected[-1][1] if seat.secrets.protected else None
    detectives = seat.claimants("Detective")
    weights = []
    for name in turn.choices:
        guilty = held.mafia.get(name, 0.0)
        weight = 4.0 * held.detective.get(name, 0.0) ** 1.5 + 0.4 * max(0.0, 1 - 2 * guilty) + 0.02
        weights.append(weight * (0.5 if name == last else 1.0))
    choice = seat.random.choices(turn.choices, weights)[0]
    kind = "claim" if choice in detectives else "turn" if last and choice != last and seat.chance(0.4) else "feel"
    return choice, f"why.guard.{kind}", {"t": choice}


def investigate(seat: Seat, turn: Turn) -> Chosen:
    """The most suspected of those not yet looked at."""
    known = {player for _, player, _ in seat.secrets.results}
    fresh = [name for name in turn.choices if name not in known] or list(turn.choices)
    choice = max(fresh, key=lambda name: seat.mind.get(name, 0.0) + seat.random.gauss(0, 0.3))
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
    """Whom a Mafia would kill, and why: a Detective or a Doctor first, then whoever is against them and not suspected.

    Whom the town suspects lives: it can hang them itself.
    """
    held, town = seat.belief, seat.seeming
    mafia = {seat.name, *seat.secrets.partners}
    survived = {ballot.target for ballot in seat.secrets.kills if ballot.night == seat.memory.day - 1}
    weights: dict[str, tuple[float, str]] = {}
    for name in prey:
        claimed = seat.memory.claims.get(name, ("", 0))[0]
        accused = {about for _, by, about in seat.memory.accusations if by == name} & mafia
        weight = 3.0 * held.detective[name] + 0.8 * held.doctor[name] - 0.6 * held.jester[name]
        weight += TRUSTED * (0.4 - town.mafia[name]) + THREAT * len(accused) + 0.4 * seat.random.random()
        why = "claim" if claimed in ("Detective", "Doctor") else "accuser" if accused else "trusted"
        weights[name] = (weight - (1.2 if name in survived else 0.0), why)
    ranked = sorted(weights, key=lambda name: -weights[name][0])
    choice = ranked[1] if len(ranked) > 1 and seat.chance(0.12) else ranked[0]
    return choice, weights[choice][1]


TRUSTED = 1.5
THREAT = 0.1
"""How much it counts for a kill that the town trusts somebody, and that somebody has accused one of the Mafia."""


def scapegoat(seat: Seat, among: Sequence[str]) -> str | None:
    """Whom a Mafia that lies would see hanged: the one outside it that the town suspects most."""
    others = [name for name in among if name not in seat.secrets.partners and name != seat.name]
    return max(others, key=seat.shown.__getitem__, default=None)


def worst(seat: Seat, among: Sequence[str]) -> str:
    """Return the one to be rid of, of these."""
    return max(among, key=seat.shown.__getitem__)


def nominate(seat: Seat, turn: Turn) -> Chosen:
    """The chief suspect, if suspicion is strong enough for this temper."""
    names = [name for name in turn.choices if name in seat.mind]
    if not names:
        return "pass", "why.pass", {}
    choice = worst(seat, names)
    keen = 0.35 + 0.45 * seat.persona.boldness + 0.25 * seat.shown[choice]
    keen += 0.3 if seat.at_the_edge else 0.0
    keen -= 0.15 * sum(n.day == seat.memory.day and n.nominee is not None for n in seat.memory.nominations)
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
    bar = SECOND_BAR - 0.5 * seat.persona.boldness + 0.3 * seat.persona.mercy - (0.5 if seat.at_the_edge else 0.0)
    bar -= 0.4 * seat.accused_today(nominee)
    return _verdict(seat, nominee, bar, "yes", "no")


SECOND_BAR = -0.1
EXECUTION_BAR = 0.4
"""How much likelier than by the numbers alone a nominee, and a condemned player, must be Mafia for a vote against
them, as a change of the logarithm of the odds; before temper and haste."""


def _verdict(seat: Seat, whom: str, bar: float, against: str, for_them: str) -> Chosen:
    slots = {"t": whom}
    if seat.shown.get(whom, 0.0) > bar:
        if whom in seat.secrets.partners:
            return against, "why.partner", slots
        return against, *because(seat, whom)
    return for_them, "why.friend" if whom in seat.secrets.partners else "why.safe", slots


def trial_vote(seat: Seat, turn: Turn) -> Chosen:
    """The seat's own nominee, or else whom it spoke against today, unless it has learnt better since."""
    others = [name for name in turn.choices if name in seat.mind]
    if not others:
        return turn.choices[0], "why.forced", {}
    choice = worst(seat, others)
    for said in (_own_nominee(seat), *(name for name in others if seat.accused_today(name))):
        if said in others and seat.shown[choice] - seat.shown[said] < 0.6 + 1.8 * seat.persona.stubbornness:
            choice = said
            break
        if said in others and said == _own_nominee(seat) and not _cleared(seat, said, turn.choices):
            choice = said
            break
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
    """Execute unless doubt, mercy or the look of a Jester wins."""
    condemned = seat.memory.trials[-1].condemned or ""
    bar = EXECUTION_BAR - 0.4 * seat.persona.boldness + 0.6 * seat.persona.mercy - (0.6 if seat.at_the_edge else 0.0)
    if seat.memory.trials[-1].votes.get(seat.name) == condemned:
        bar -= 0.25
    return _verdict(seat, condemned, bar, "execute", "spare")


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
    tried = {about for _, by, about in seat.memory.accusations if by == target}
    names = {"t": target, "x": reason.other, "when": seat.when(reason.day), "k": number(len(tried))}
    return f"why.{reason.kind}", names


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
