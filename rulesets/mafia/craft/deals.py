"""Deals Mafia again behind one player's back: other roles and night choices that come to what the player saw."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from sottovoce import GameOpened, Recorded, Turn, pick
from sottovoce.isolation import Plan, Played, System, dealt_as
from sottovoce.isolation.craft import Resolution
from sottovoce.isolation.draws import generator
from sottovoce.isolation.observe import Watcher
from sottovoce.rulesets.mafia.rules import events as mafia
from sottovoce.rulesets.mafia.rules.roles import NARRATOR

PATTERNS = {
    "protect": "I protect {}",
    "investigate": "I investigate {}",
    "kill": "I vote to kill {}",
    "moderate": "I call on {}",
    "nominate": "I nominate {}",
    "bid": "I bid {}",
    "trial-vote": "I vote for {}",
    "execution-vote": "I vote to {}",
}


MUTTERED = ("pass", "I pass.", "Nobody suspects us.", "Hush; somebody is awake.", "Tonight, then.\nAgreed?")
"""What the Mafia may have said to each other at night, or not."""


def choosing(rng: random.Random, turn: Turn, choice: str) -> str:
    """A text that makes the choice, bare or in a sentence; the town hall is called oftener than chance would."""
    pattern = "I {}" if choice == "pass" else PATTERNS.get(turn.kind, "{}")
    if turn.kind == "moderate" and choice != "town_hall" and rng.random() < 0.4:
        choice = "town_hall"
    if rng.random() < 0.4:
        return choice
    return pattern.format(choice) + rng.choice((".", "!", "; it must be so.", "\nI have my reasons."))


BENTS = ("ties", "ties", "tied seconds", "saves", "detective", "doctor", "")
"""What a game is bent on: tied votes, nominations with as many for as against, victims who are saved, a Detective or a
Doctor who is hunted, or nothing.
"""


def bent(rng: random.Random, state: Any, turn: Turn) -> str | None:
    """What the seat chooses for the sake of its game's bent; None where it may choose as it likes."""
    aim = random.Random(" ".join(state.players)).choice(BENTS)
    if not turn.choices or rng.random() < 0.3:
        return None
    if aim == "ties" and turn.kind == "second":
        return "yes"
    if aim == "ties" and turn.kind == "nominate":
        return next(choice for choice in turn.choices)
    if turn.ballot is not None and aim == ("tied seconds" if turn.kind == "second" else "ties"):
        voters = [seat for seat in state.players if any(key[0] == seat for key in state.turns)]
        voters += list(state.ballots.get(turn.ballot, {}))
        place = sorted(set(voters), key=state.players.index).index(turn.seat)
        return turn.choices[place % min(2, len(turn.choices))]
    wanted = None
    if turn.kind == "kill":
        hunted = {"saves": state.night.protected, "detective": state.holder("Detective")}
        wanted = hunted.get(aim, state.holder("Doctor") if aim == "doctor" else None)
    return wanted if wanted in turn.choices else None


@dataclass(frozen=True, slots=True)
class NightPast:
    """One night of the first game as far as it was resolved: who was living, whom the Mafia chose, who died."""

    number: int
    living: tuple[str, ...]
    target: str
    died: str | None


def nights(log: Sequence[Recorded], players: Sequence[str]) -> list[NightPast]:
    """The resolved nights of a log, in order."""
    past: list[NightPast] = []
    dead: set[str] = set()
    for item in log:
        match item.event:
            case mafia.NightResolved() as event:
                living = tuple(player for player in players if player not in dead)
                past.append(NightPast(event.night, living, event.target, event.died))
            case mafia.DeathsAnnounced() as event:
                dead.update(event.deaths)
            case mafia.PlayerExecuted() as event:
                dead.add(event.player)
    return past


def nights_held(log: Sequence[Recorded], seat: str) -> dict[int, float]:
    """How long each night lasted that has a length, by the length of the seat's view when day broke."""
    found: dict[int, float] = {}
    length, begun, timed = 0, None, False
    for item in log:
        length += item.audience.includes(seat)
        match item.event:
            case GameOpened() as event:
                timed = event.options["night_seconds"] > 0
            case mafia.PhaseBegan(phase="night"):
                begun = item.at
            case mafia.PhaseBegan(phase="dawn") if timed and begun is not None:
                found[length] = (item.at - begun).total_seconds()
    return found


def dealt(log: Sequence[Recorded]) -> dict[str, str]:
    """The role of every player."""
    return {item.event.player: item.event.role for item in log if isinstance(item.event, mafia.RoleDealt)}


def plan(system: System, base: Played, seat: str, rng: random.Random) -> Plan | None:
    """Other roles for those whose role the seat does not know, with nights that come to the same; None if there are
    none. The later the seat's view is cut, the more it knows: the latest cut that leaves a choice is taken.
    """
    roles = dealt(base.log)
    for cut in _cuts(base.log):
        log = base.log[:cut]
        until = _length(system, log, seat)
        if seat == NARRATOR:
            return Plan(NARRATOR, until, "replies out of order and failures of others", _as_before)
        past = nights(log, base.seats[:-1])
        own = _own_choices(log, seat)
        known = _known(log, seat, roles)
        for _ in range(60):
            other = _shuffled(roles, known, rng)
            if other == roles:
                continue
            chosen = _Nights(base, seat, other, past, own, rng).choose()
            if chosen is not None:
                return _steered(base, seat, until, roles, other, chosen)
    return None


def _as_before(state: Any, turn: Turn, rng: random.Random) -> str | None:
    return None


def _cuts(log: Sequence[Recorded]) -> list[int]:
    """The whole log, or as much as comes before a public disclosure of roles, longest first."""
    told = [at for at, item in enumerate(log) if isinstance(item.event, mafia.RoleRevealed | mafia.GameEnded)]
    ended = bool(log) and any(isinstance(item.event, mafia.GameEnded) for item in log)
    return [*([] if ended else [len(log)]), *reversed(told)]


def _length(system: System, log: Sequence[Recorded], seat: str) -> int:
    watcher = Watcher(system, seat)
    for item in log:
        watcher.take(item)
    return watcher.seq


def _known(log: Sequence[Recorded], seat: str, roles: Mapping[str, str]) -> set[str]:
    known = {seat}
    if roles[seat] == "Mafia":
        known |= {player for player, role in roles.items() if role == "Mafia"}
    for item in log:
        match item.event:
            case mafia.RoleRevealed() as event:
                known.add(event.player)
            case mafia.PlayerInvestigated() as event if event.detective == seat:
                known.add(event.target)
    return known


def _own_choices(log: Sequence[Recorded], seat: str) -> dict[int, str]:
    """Whom the seat protected, by night."""
    made = (item.event for item in log)
    return {event.night: event.target for event in made if isinstance(event, mafia.PlayerProtected)
            and event.doctor == seat}  # fmt: skip


def _shuffled(roles: Mapping[str, str], known: set[str], rng: random.Random) -> dict[str, str]:
    free = [player for player in roles if player not in known]
    deck = [roles[player] for player in free]
    rng.shuffle(deck)
    return {**roles, **dict(zip(free, deck, strict=True))}


class _Nights:
    """Looks for night choices that bring about, with other roles, what the seat saw of the nights."""

    def __init__(
        self,
        base: Played,
        seat: str,
        roles: Mapping[str, str],
        past: Sequence[NightPast],
        own: Mapping[int, str],
        rng: random.Random,
    ) -> None:
        self.seat, self.roles, self.past, self.own, self.rng = seat, roles, past, own, rng
        self.doctor = next((player for player, role in roles.items() if role == "Doctor"), None)
        self.repeat = bool(base.options.get("doctor_repeat", True))

    def choose(self) -> dict[int, tuple[str, str | None]] | None:
        """Target and protected player by night, or None."""
        chosen: dict[int, tuple[str, str | None]] = {}
        before: tuple[int, str | None] = (0, None)
        for night in self.past:
            doctor = self.doctor if self.doctor in night.living else None
            barred = before[1] if not self.repeat and before[0] == night.number - 1 else None
            may = [name for name in night.living if name not in (doctor, barred)] if doctor else []
            if doctor == self.seat:
                may = [self.own[night.number]]
            pair = self._pair(night, may)
            if pair is None:
                return None
            chosen[night.number] = pair
            before = (night.number, pair[1])
        return chosen

    def _pair(self, night: NightPast, may: Sequence[str]) -> tuple[str, str | None] | None:
        prey = [name for name in night.living if self.roles[name] != "Mafia"]
        if self.roles[self.seat] == "Mafia":
            prey = [night.target]
        if night.died is not None:
            if night.died not in prey:
                return None
            others = [name for name in may if name != night.died]
            if may and not others:
                return None
            return night.died, self.rng.choice(others) if others else None
        both = [name for name in prey if name in may]
        if not both:
            return None
        saved = self.rng.choice(both)
        return saved, saved


def _steered(
    base: Played,
    seat: str,
    until: int,
    roles: Mapping[str, str],
    other: Mapping[str, str],
    chosen: Mapping[int, tuple[str, str | None]],
) -> Plan:
    pack = other[seat] == "Mafia"

    def answer(state: Any, turn: Turn, rng: random.Random) -> str | None:
        target, protected = chosen.get(state.number, (None, None))
        match turn.kind:
            case "role":
                return rng.choice(("I understand.", "So that is who I am.", "Very well; nobody shall know."))
            case "protect":
                return choosing(rng, turn, protected or rng.choice(turn.choices))
            case "investigate":
                return choosing(rng, turn, rng.choice(turn.choices))
            case "night-talk" if not pack:
                return rng.choice(MUTTERED)
            case "kill" if not pack:
                return choosing(rng, turn, _tied(base.seed, state, turn, target) or target or rng.choice(turn.choices))
        return None

    again = [player for player in roles if roles[player] != other[player]]
    changed = ", ".join(f"{player} {roles[player]}→{other[player]}" for player in again)
    return Plan(seat, until, changed, answer, lambda: dealing(other), reworded=reworded)


def reworded(turn: Turn, before: Resolution, rng: random.Random) -> str | None:
    """A pass, a bid or a vote made again in other words: the choice is what others may see of it (M-024, M-113)."""
    kinds = ("bid", "second", "trial-vote", "execution-vote")
    if before.choice is None or (turn.kind not in kinds and (turn.kind, before.choice) != ("nominate", "pass")):
        return None
    return choosing(rng, turn, before.choice)


def _tied(seed: int, state: Any, turn: Turn, target: str | None) -> str | None:
    """A vote that ties the ballot, if it is one of those to be tied: nobody but the Mafia notices a revote."""
    pack, choices = state.living_mafia, turn.choices
    round_ = state.night.round
    if not 1 < len(pack) <= len(choices):
        return None
    if round_ >= state.options.mafia_revote_rounds:
        leaders = _drawn(state, choices, len(pack), target)
        return str(leaders[pack.index(turn.seat)]) if leaders else None
    if generator(seed, "tied", state.number, round_).random() < 0.6:
        return None
    return str(choices[pack.index(turn.seat)])


def _drawn(state: Any, choices: Sequence[str], size: int, target: str | None) -> Sequence[str] | None:
    """A last tie out of which the target is drawn: with the Doctor or the Detective in it, where that can be."""
    roles = [name for name in choices if state.roles.get(name) in ("Doctor", "Detective")]
    others = [*roles, *(name for name in choices if name not in roles)]
    for some in combinations([name for name in others if name != target], size - 1):
        leaders = [name for name in choices if name in (target, *some)]
        if len(leaders) == size and pick(leaders, state.seed, "mafia-tie", state.number) == target:
            return leaders
    return None


def dealing(roles: Mapping[str, str]) -> AbstractContextManager[None]:
    """While this is entered, games are dealt these roles, all draws staying as they are."""
    return dealt_as("deal", {player: (role,) for player, role in roles.items()})
