"""What a seat must not lose sight of, however long the game: who it is, what it knows and did, and what came to pass.

All of it is folded from the seat's own view. `standing` stands in every prompt; `digest` takes the place of events for
which a prompt has no room.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from sottovoce.rulesets.mafia.rules.phrases import living, members, named_list, results
from sottovoce.rulesets.mafia.rules.roles import NARRATOR, ROLE_TEXT, article
from sottovoce.rulesets.mafia.rules.state import CountedBallot, MafiaState

MOST_CLAIMS = 40
"""How many of the newest claims a digest tells."""


def standing(state: MafiaState, seat: str) -> tuple[str, ...]:
    """The seat's role, side and partners, its own results and acts, and who lives, as far as known here."""
    lines = [*_who(state, seat), *_acts(state, seat), living(state)]
    if state.dead:
        dead = [f"{name} ({_death(state, name)})" for name in state.dead]
        lines.append(f"Dead players: {'; '.join(dead)}.")
    return tuple(lines)


def digest(state: MafiaState, seat: str) -> tuple[tuple[str, ...], ...]:
    """The game so far in short, day by day: first with every vote, then with counts alone, then with deaths alone."""
    return tuple(tuple(_days(state, detail)) for detail in (3, 2, 1))


def _who(state: MafiaState, seat: str) -> Iterator[str]:
    if seat == NARRATOR:
        roles = "; ".join(f"{player}: {state.roles.get(player, 'unknown')}" for player in state.players)
        yield f"Roles: {roles}."
        return
    role = state.roles.get(seat)
    if role is None:
        return
    yield f"Your role: {role}. {ROLE_TEXT[role]}"
    if role == "Mafia":
        yield members(state)
    if role == "Detective":
        yield results(state)


def _acts(state: MafiaState, seat: str) -> Iterator[str]:
    if seat == NARRATOR:
        return
    if state.roles.get(seat) == "Doctor":
        made = "; ".join(f"night {night}: {target}" for night, target in state.protections)
        yield f"Your protections so far: {made or 'none'}."
    chosen = [
        f"night {ballot.night}: {ballot.votes[seat]} (the Mafia chose {ballot.target})"
        for ballot in state.mafia_ballots
        if seat in ballot.votes and ballot.target is not None
    ]
    if chosen:
        yield f"Your votes to kill so far: {'; '.join(chosen)}."
    days = _by_day(count for count in state.history if seat in count.votes)
    if days:
        voted = "; ".join(f"day {day}: {', '.join(_own_votes(counts, seat))}" for day, counts in days.items())
        yield f"Your votes so far: {voted}."


def _own_votes(counts: list[CountedBallot], seat: str) -> Iterator[str]:
    for word, said in (("yes", "seconded"), ("no", "did not second")):
        about = [str(count.about) for count in counts if count.kind == "seconding" and count.votes[seat] == word]
        if about:
            yield f"{said} {' and '.join(about)}"
    tried = [count.votes[seat] for count in counts if count.kind == "trial"]
    if tried:
        yield f"voted for {' then '.join(tried)} at the trial"
    for count in counts:
        if count.kind == "execution":
            yield f"voted to {count.votes[seat]} {count.about}"


def _days(state: MafiaState, detail: int) -> Iterator[str]:
    """For each day who died, from detail 2 on also what was voted and claimed, and with detail 3 who voted how."""
    counts, claims = _by_day(state.history), state.claims[-MOST_CLAIMS:] if detail > 1 else ()
    for day in range(1, state.number + 1):
        told = [f"{name} was {_death(state, name)}" for name, died in state.died.items() if died == day]
        if detail > 1:
            told += [_counted(count, detail) for count in counts.get(day, ())]
        if told:
            yield f"Day {day}: {'. '.join(told)}."
        yield from (f"{player} said on day {day}: «{words}»" for said, player, words in claims if said == day)


def _by_day(history: Iterable[CountedBallot]) -> dict[int, list[CountedBallot]]:
    days: dict[int, list[CountedBallot]] = {}
    for count in history:
        days.setdefault(count.day, []).append(count)
    return days


def _death(state: MafiaState, name: str) -> str:
    role = state.revealed.get(name)
    return f"{state.dead[name]}{f', and was {article(role)}' if role else ''}"


def _counted(count: CountedBallot, detail: int) -> str:
    match count.kind:
        case "seconding":
            result = "was seconded" if count.outcome == "yes" else "was not seconded"
            return f"{count.about} was nominated and {result}{_cast(count.votes, count.tally, detail)}"
        case "trial":
            result = f"{count.outcome} was condemned" if count.outcome else "nobody was condemned"
            return f"at the trial {result}{_cast(count.votes, count.tally, detail)}"
    return f"on the life of {count.about}: {count.outcome}{_cast(count.votes, count.tally, detail)}"


def _cast(votes: Mapping[str, str], tally: Mapping[str, int], detail: int) -> str:
    told = []
    for choice, number in tally.items():
        voters = [voter for voter, cast in votes.items() if cast == choice]
        told.append(f"{choice} {number}{f': {named_list(voters)}' if detail > 2 and voters else ''}")
    return f" ({'; '.join(told)})"
