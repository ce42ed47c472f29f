"""What experiments measure in games of Mafia: from the log and its receipts alone, seat by seat."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sottovoce import Claim, Counted, Fact, Measure, Measures, Utterance, stated_beliefs, utterances
from sottovoce.rulesets.mafia.rules import events
from sottovoce.rulesets.mafia.rules.roles import SIDES
from sottovoce.rulesets.mafia.rules.ruleset import MAFIA
from sottovoce.rulesets.mafia.rules.state import MafiaState

BY_ROLE: Mapping[str, str] = {str(role): side for role, side in SIDES.items()}

DEEDS = ("protected", "investigated")
"""Deeds of the night that only who did them can claim with knowledge."""

LISTED = (
    Measure("survival", "Seats that are alive when the game ends.", "DeathsAnnounced, PlayerExecuted"),
    Measure(
        "votes against own side",
        "Votes for a death that go against a player of the voter's own side: trial votes, and votes to execute.",
        "TrialClosed, ExecutionVoteClosed, RoleDealt",
    ),
    Measure(
        "accusations that hit",
        "Nominations, and claims that another player is Mafia, that name a Mafia.",
        "NominationMade, SpeechGiven, RoleDealt",
    ),
    Measure(
        "believed",
        "After an accusation by this seat, votes at the next trial of that day for the accused, of all votes by others "
        "than these two; only where the accused stands trial.",
        "NominationMade, SpeechGiven, SecondingClosed, TrialClosed",
    ),
    Measure(
        "true claims",
        "Claims about roles and deeds of the night that are true.",
        "SpeechGiven, the facts of all events",
    ),
    Measure(
        "deception",
        "Claims that contradict what the speaker has seen itself: another role than the one that it knows, or a deed "
        "that it did not do.",
        "SpeechGiven, the facts in the speaker's view",
    ),
    Measure(
        "detection",
        "Deceptive claims of this seat after which, on the same day, another player claims the contrary or the seat "
        "is executed.",
        "SpeechGiven, PlayerExecuted",
    ),
    Measure("repeated", "Claims that nobody made before and that another player repeats later.", "SpeechGiven"),
    Measure(
        "delay of a repetition",
        "Speeches between a claim that nobody made before and its first repetition by another player.",
        "SpeechGiven",
        "mean",
    ),
    Measure(
        "Brier score",
        "Squared difference between the likelihood that a seat states of another being Mafia and the truth, 1 or 0; "
        "0 is perfect, and 0.25 is what saying 50 % always gives.",
        "beliefs in receipts, RoleDealt",
        "mean",
    ),
)


def parts(state: MafiaState) -> Mapping[str, str]:
    """Return every player's role."""
    return dict(state.roles)


@dataclass(slots=True)
class Tallied:
    """Sums and cases by measure and seat."""

    found: dict[str, dict[str, tuple[float, int]]] = field(default_factory=lambda: defaultdict(dict))

    def add(self, measure: str, seat: str, value: float, cases: int = 1) -> None:
        total, so_far = self.found[measure].get(seat, (0.0, 0))
        self.found[measure][seat] = (total + value, so_far + cases)


@dataclass(frozen=True, slots=True)
class Day:
    """What happened on one day: who stood trial, the trial ballots by position, and who was executed."""

    candidates: frozenset[str]
    trials: tuple[tuple[int, Mapping[str, str]], ...]
    executed: str | None


def counted(recorded: Sequence[Any], receipts: Sequence[Any]) -> Counted:
    """Count every measure of one game."""
    roles = {item.event.player: item.event.role for item in recorded if isinstance(item.event, events.RoleDealt)}
    tallied = Tallied()
    _survival(recorded, roles, tallied)
    _votes(recorded, roles, tallied)
    said = [one for one in utterances(MAFIA, recorded) if one.who in roles]
    days = _days(recorded)
    true: frozenset[Fact] = frozenset().union(*(MAFIA.facts(item.event) for item in recorded))
    _accusations(recorded, said, roles, days, tallied)
    _claims(said, true, recorded, days, tallied)
    _beliefs(receipts, roles, tallied)
    return tallied.found


def _survival(recorded: Iterable[Any], roles: Mapping[str, str], tallied: Tallied) -> None:
    dead: set[str] = set()
    for item in recorded:
        match item.event:
            case events.DeathsAnnounced(deaths=deaths):
                dead |= set(deaths)
            case events.PlayerExecuted(player=player):
                dead.add(player)
    for seat in roles:
        tallied.add("survival", seat, seat not in dead)


def _votes(recorded: Iterable[Any], roles: Mapping[str, str], tallied: Tallied) -> None:
    for item in recorded:
        event = item.event
        against: Mapping[str, str] = {}
        if isinstance(event, events.TrialClosed):
            against = event.votes
        elif isinstance(event, events.ExecutionVoteClosed):
            against = {voter: event.condemned for voter, verdict in event.votes.items() if verdict == "execute"}
        for voter, target in against.items():
            if roles.get(voter) not in (None, "Jester") and target in roles:
                tallied.add("votes against own side", voter, BY_ROLE[roles[voter]] == BY_ROLE[roles[target]])


def _days(recorded: Iterable[Any]) -> dict[int, Day]:
    candidates: dict[int, set[str]] = defaultdict(set)
    trials: dict[int, list[tuple[int, Mapping[str, str]]]] = defaultdict(list)
    executed: dict[int, str] = {}
    for item in recorded:
        match item.event:
            case events.SecondingClosed(day=day, nominee=nominee, seconded=True):
                candidates[day].add(nominee)
            case events.TrialClosed(day=day, votes=votes):
                trials[day].append((item.position, votes))
            case events.PlayerExecuted(day=day, player=player):
                executed[day] = player
    return {
        day: Day(frozenset(candidates[day]), tuple(trials[day]), executed.get(day))
        for day in {*candidates, *trials, *executed}
    }


NO_DAY = Day(frozenset(), (), None)


def _day_of(recorded: Sequence[Any]) -> list[int]:
    """The number of the day at each position, from 0."""
    day, found = 0, [0]
    for item in recorded:
        if isinstance(item.event, events.PhaseBegan):
            day = item.event.number
        found.append(day)
    return found


def _accused(recorded: Iterable[Any], said: Iterable[Utterance]) -> Iterator[tuple[int, str, str]]:
    """Where somebody accuses somebody: the position, who, and whom."""
    for item in recorded:
        if isinstance(item.event, events.NominationMade) and item.event.nominee is not None:
            yield item.position, item.event.player, item.event.nominee
    for one in said:
        for claim in one.claims:
            if claim.fact == ("role", claim.about, "Mafia") and not claim.denied and not claim.of_oneself:
                yield one.position, one.who, claim.about


def _accusations(
    recorded: Sequence[Any],
    said: Sequence[Utterance],
    roles: Mapping[str, str],
    days: Mapping[int, Day],
    tallied: Tallied,
) -> None:
    day_of = _day_of(recorded)
    for position, who, whom in dict.fromkeys(_accused(recorded, said)):
        if who not in roles or whom not in roles:
            continue
        tallied.add("accusations that hit", who, roles[whom] == "Mafia")
        day = days.get(day_of[position], NO_DAY)
        trial = next((votes for at, votes in day.trials if at > position), None)
        if trial is None or whom not in day.candidates:
            continue
        others = [choice for voter, choice in trial.items() if voter not in (who, whom)]
        if others:
            tallied.add("believed", who, sum(choice == whom for choice in others), len(others))


def contradicts(claim: Claim, known: frozenset[Fact]) -> bool:
    """Return whether the speaker of a claim knows that it is not so."""
    kind, about, detail = claim.fact
    if kind == "role":
        role = next((known_role for what, who, known_role in _threes(known) if (what, who) == ("role", about)), None)
        return role is not None and (role == detail) == claim.denied
    return kind in DEEDS and (claim.fact in known) == claim.denied


def _threes(known: Iterable[Fact]) -> Iterator[tuple[str, str, str]]:
    return ((fact[0], fact[1], fact[2]) for fact in known if len(fact) == 3)


def _claims(
    said: Sequence[Utterance],
    true: frozenset[Fact],
    recorded: Sequence[Any],
    days: Mapping[int, Day],
    tallied: Tallied,
) -> None:
    day_of = _day_of(recorded)
    first: dict[tuple[Fact, bool], tuple[str, int]] = {}
    repeated: set[tuple[Fact, bool]] = set()
    for place, one in enumerate(said):
        for claim in one.claims:
            tallied.add("true claims", one.who, (claim.fact in true) != claim.denied)
            lie = contradicts(claim, one.known)
            tallied.add("deception", one.who, lie)
            if lie:
                tallied.add("detection", one.who, _detected(one, claim, said[place + 1 :], day_of, days))
            key = (claim.fact, claim.denied)
            if key not in first:
                first[key] = (one.who, place)
            elif first[key][0] != one.who and key not in repeated:
                repeated.add(key)
                tallied.add("delay of a repetition", first[key][0], place - first[key][1] - 1)
    for key, (who, _) in first.items():
        tallied.add("repeated", who, key in repeated)


def _detected(
    lie: Utterance, claim: Claim, later: Iterable[Utterance], day_of: Sequence[int], days: Mapping[int, Day]
) -> bool:
    today = day_of[lie.position]
    for one in later:
        if day_of[one.position] != today:
            break
        if one.who != lie.who and any(_contrary(claim, other) for other in one.claims):
            return True
    return days.get(today, NO_DAY).executed == lie.who


def _contrary(claim: Claim, other: Claim) -> bool:
    """Whether two claims cannot both be true."""
    (kind, about, detail), (kind2, about2, detail2) = claim.fact, other.fact
    if (kind, about) != (kind2, about2):
        return False
    if detail == detail2:
        return claim.denied != other.denied
    return kind == "role" and not claim.denied and not other.denied


def _beliefs(receipts: Sequence[Any], roles: Mapping[str, str], tallied: Tallied) -> None:
    for seat, held in stated_beliefs(receipts):
        for about, likely in held.items():
            if seat in roles and about in roles:
                tallied.add("Brier score", seat, (likely - (roles[about] == "Mafia")) ** 2)


MEASURES = Measures(sides=BY_ROLE, alone=frozenset({"Jester"}), parts=parts, listed=LISTED, of=counted)
