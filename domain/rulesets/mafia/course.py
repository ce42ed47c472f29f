"""The course of a Mafia game: how it opens, what each move does, and what comes next.

`advance` is a loop over the phases: each step looks at the state and emits the next events, until turns are open, the
night must be waited out, or the game is over. Draws take their randomness from the secret and their purpose alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import Any

from domain import commands
from domain.draws import generator
from domain.errors import SetupRefused
from domain.events import Failure, GameOpened, SeatsFilled
from domain.game import Game as Deciding
from domain.reading import named
from domain.rulesets.mafia import events
from domain.rulesets.mafia.commands import (
    ALIASES,
    BIDS,
    NARRATIONS,
    NO_BID,
    SPEECHES,
    Choose,
    Move,
    charge,
    passes,
)
from domain.rulesets.mafia.events import NARRATOR, TOWN_HALL, Phase, Role, Winner
from domain.rulesets.mafia.narration import neutral
from domain.rulesets.mafia.state import MafiaOptions, MafiaState, bids_ballot
from domain.seats import checked_names
from domain.turns import Turn

Game = Deciding[MafiaState]

ROLES: tuple[Role, ...] = ("Detective", "Doctor", "Villager", "Mafia", "Jester")
RESERVED = (*ROLES, TOWN_HALL, *ALIASES, NARRATOR, "pass", "yes", "no", "execute", "spare")
NOMINEES = 3
FEWEST = 4


def seats_for(players: Sequence[str]) -> tuple[str, ...]:
    """The game's seats: the players in seating order, and the narrator."""
    return (*checked_names(players, RESERVED), NARRATOR)


def role_counts(options: MafiaOptions, players: int) -> Mapping[Role, int]:
    """How many of each role are dealt to that many players (M-005), or SetupRefused (M-006)."""
    if players < FEWEST:
        raise SetupRefused(f"Mafia needs at least {FEWEST} players, not {players}.")
    if options.role_counts is None:
        mafia = max(1, players * 3 // 10)
        counts: dict[Role, int] = {"Mafia": mafia, "Doctor": 1, "Detective": 1, "Jester": int(players >= 8)}
        counts["Villager"] = players - sum(counts.values())
    else:
        counts = {role: options.role_counts.get(role, 0) for role in ROLES}
    if sum(counts.values()) != players:
        raise SetupRefused(f"role_counts deals {sum(counts.values())} roles to {players} players; make them equal.")
    if counts["Mafia"] < 1:
        raise SetupRefused("role_counts deals no Mafia; deal at least one.")
    if counts["Mafia"] * 2 >= players:
        raise SetupRefused(f"role_counts deals {counts['Mafia']} Mafia to {players} players; deal fewer than half.")
    for role in ("Doctor", "Detective", "Jester"):
        if counts[role] > 1:
            raise SetupRefused(f"role_counts deals {counts[role]} of the {role}; deal at most one.")
    return counts


def open_game(game: Game, command: commands.Open) -> None:
    """Check the setup, open the game, and deal the roles by a shuffle from the secret (M-004).

    The role counts are recorded as dealt, so that they are public even where the default made them (M-108).
    """
    if not command.seats or command.seats[-1] != NARRATOR:
        raise SetupRefused("The last seat of a Mafia game is the narrator.")
    seats = seats_for(command.seats[:-1])
    players = seats[:-1]
    options = game.ruleset.checked_options(command.options)
    counts = role_counts(options, len(players))
    public = {**options.model_dump(mode="json"), "role_counts": dict(counts)}
    game.emit(GameOpened(ruleset="mafia", seats=seats, options=public))
    game.emit(SeatsFilled(agents=dict(command.agents), seed=command.seed))
    deck = [role for role in ROLES for _ in range(counts[role])]
    generator(command.seed, "deal").shuffle(deck)
    for player, role in zip(players, deck, strict=True):
        game.emit(events.RoleDealt(player=player, role=role))
    game.emit(events.MafiaIntroduced(members=game.state.mafia))


def apply(game: Game, seat: str, turn: Turn | None, move: Move) -> None:
    """What one read move does: it closes the turn and becomes the fact it makes."""
    assert turn is not None, "a text without a turn is refused when it is read"
    if not isinstance(move, Choose):
        game.accept(turn, move.text if turn.ballot else "")
        if not turn.ballot:
            _said(game, turn, move.text)
        return
    if turn.kind == "moderate":
        game.accept(turn, "", move.choice)
        game.emit(events.SpeakerChosen(choice=move.choice, words=move.text))
        return
    if turn.kind == "nominate" and move.choice != "pass":
        game.accept(turn, "", move.choice)
        _chosen(game, turn, move.choice, charge(move.text, move.choice))
        return
    game.accept(turn, move.text, move.choice)
    if turn.ballot is None:
        _chosen(game, turn, move.choice)
        if _reasoned(move.text, move.choice):
            game.emit(events.RepliesHeard(about=turn.kind, replies={seat: move.text}))


def fallback(game: Game, turn: Turn, reason: Failure) -> None:
    """What stands in when the attempts run out (M-020, M-021): pass, silence, a neutral text, or a draw.

    Who makes no bid bids nothing: that is how the floor is passed (M-114).
    """
    if turn.kind == "moderate":
        game.fall_back(turn, reason, TOWN_HALL)
        game.emit(events.SpeakerChosen(choice=TOWN_HALL, words=None))
    elif turn.kind in NARRATIONS:
        game.fall_back(turn, reason)
        _said(game, turn, neutral(turn.kind, game.state))
    elif not turn.choices:
        game.fall_back(turn, reason)
        if not turn.ballot:
            _said(game, turn, None)
    else:
        passing = NO_BID if turn.kind == "bid" else "pass"
        drawn = passing not in turn.choices
        choice = game.draw(turn.choices, "fallback", turn.seat, turn.number) if drawn else passing
        game.fall_back(turn, reason, choice)
        if turn.ballot is None:
            _chosen(game, turn, choice)


def advance(game: Game) -> None:
    """Run on until the next turns are open, the night must be waited out, or the game is over."""
    while not game.state.turns and not game.state.over:
        if not STEPS[game.state.phase](game):
            return


def wakes_at(state: MafiaState) -> Any:
    """When a night that is decided may end (M-111)."""
    waiting = state.phase == "night" and state.night.target is not None and not state.turns
    return state.night.held_until if waiting else None


def _said(game: Game, turn: Turn, text: str | None) -> None:
    if turn.kind == "night-talk":
        _whispered(game, turn, None if text is None or passes(text) else text)
        return
    if turn.kind in SPEECHES:
        game.emit(events.SpeechGiven(player=turn.seat, occasion=SPEECHES[turn.kind], text=text))  # type: ignore[arg-type]
        return
    subject = {"introduction": _next_defendant, "gallows": _condemned, "execution": _condemned}.get(turn.kind)
    game.emit(
        events.NarrationGiven(scene=turn.kind, subject=subject(game.state) if subject else None, text=text or "")  # type: ignore[arg-type]
    )


def _whispered(game: Game, turn: Turn, text: str | None) -> None:
    state = game.state
    round_ = state.night.talked // len(state.living_mafia)
    game.emit(events.MafiaWhispered(night=state.number, round=round_, player=turn.seat, text=text))


def _chosen(game: Game, turn: Turn, choice: str, words: str | None = None) -> None:
    state = game.state
    match turn.kind:
        case "protect":
            game.emit(events.PlayerProtected(night=state.number, doctor=turn.seat, target=choice))
        case "investigate":
            role = state.roles[choice]
            game.emit(events.PlayerInvestigated(night=state.number, detective=turn.seat, target=choice, role=role))
        case "nominate":
            nominee = None if choice == "pass" else choice
            game.emit(events.NominationMade(day=state.number, player=turn.seat, nominee=nominee, words=words))


def _ask(
    game: Game, seats: Sequence[str], kind: str, choices: Sequence[str] | None = None, ballot: str | None = None
) -> bool:
    """Open a turn for each seat; without `choices` any text will do."""
    options = game.state.options
    for seat in seats:
        game.ask(seat, kind, choices or (), attempts=options.max_attempts, seconds=options.turn_seconds, ballot=ballot)
    return True


def _votes(game: Game, ballot: str) -> dict[str, str] | None:
    """The votes of a complete ballot in seating order; None if it has not been held yet.

    Whoever was asked has voted by now: a ballot that was opened under other rules is counted as it was held.
    """
    votes = game.state.ballots.get(ballot, {})
    return {player: votes[player] for player in game.state.players if player in votes} or None


def _tell_motives(game: Game, ballot: str, about: str) -> None:
    replies, votes = game.state.replies.get(ballot, {}), _votes(game, ballot) or {}
    said = {voter: replies[voter] for voter, choice in votes.items() if _reasoned(replies[voter], choice)}
    if said:
        game.emit(events.RepliesHeard(about=about, replies=said))


def _reasoned(text: str, choice: str) -> bool:
    """Whether a reply holds more than the bare choice."""
    return bool(text.strip()) and text.strip() != choice


def _leaders(tally: Mapping[str, int], order: Sequence[str]) -> tuple[str, ...]:
    top = max(tally.values())
    return tuple(name for name in order if tally.get(name) == top)


def _begin(game: Game, phase: Phase, number: int | None = None) -> bool:
    game.emit(events.PhaseBegan(phase=phase, number=game.state.number if number is None else number))
    return True


def _begin_night(game: Game, number: int) -> bool:
    _begin(game, "night", number)
    if game.state.options.night_seconds > 0:
        game.emit(events.DawnHeld(until=game.at + timedelta(seconds=game.state.options.night_seconds)))
    return True


def _setup(game: Game) -> bool:
    if game.state.opening is None:
        return _ask(game, [NARRATOR], "opening")
    if "roles" not in game.state.ballots:
        return _ask(game, game.state.players, "role", ballot="roles")
    _tell_motives(game, "roles", "role")
    return _begin_night(game, 1)


def _night(game: Game) -> bool:
    state = game.state
    night = state.night
    doctor, detective = state.holder("Doctor"), state.holder("Detective")
    if doctor and night.protected is None:
        return _ask(game, [doctor], "protect", _protectable(state, doctor))
    if detective and not night.investigated:
        return _ask(game, [detective], "investigate", [name for name in state.living if name != detective])
    if night.target is None:
        return _mafia_talk(game) or _mafia_vote(game)
    if night.held_until is not None and game.at < night.held_until:
        return False
    return _resolve_night(game)


def _protectable(state: MafiaState, doctor: str) -> list[str]:
    last = state.protections[-1] if state.protections else (0, "")
    barred = last[1] if not state.options.doctor_repeat and last[0] == state.number - 1 else None
    return [name for name in state.living if name not in (doctor, barred)]


def _mafia_talk(game: Game) -> bool:
    """Ask the next of the Mafia for a word, if there is one to be asked (M-112)."""
    pack, talked = game.state.living_mafia, game.state.night.talked
    if len(pack) < 2 or game.state.night.round or talked >= game.state.options.night_talk * len(pack):
        return False
    return _ask(game, [pack[talked % len(pack)]], "night-talk")


def _mafia_vote(game: Game) -> bool:
    state = game.state
    ballot = f"mafia.{state.number}.{state.night.round}"
    voters = state.living_mafia
    targets = [name for name in state.living if name not in state.mafia]
    votes = _votes(game, ballot)
    if votes is None:
        return _ask(game, voters, "kill", targets, ballot)
    tally = Counter(votes.values())
    leaders = _leaders(tally, targets)
    last = state.night.round >= state.options.mafia_revote_rounds
    drawn = len(leaders) > 1 and last
    target = leaders[0] if len(leaders) == 1 else game.draw(leaders, "mafia-tie", state.number) if last else None
    _tell_motives(game, ballot, "kill")
    game.emit(
        events.MafiaBallotClosed(
            night=state.number,
            round=state.night.round,
            votes=votes,
            tally=_ordered(tally, targets),
            target=target,
            drawn=drawn,
        )
    )
    return True


def _ordered(tally: Mapping[str, int], order: Sequence[str]) -> dict[str, int]:
    return {name: tally[name] for name in order if tally.get(name)}


def _resolve_night(game: Game) -> bool:
    state = game.state
    target, protected = state.night.target, state.night.protected
    assert target is not None
    died = None if target == protected else target
    game.emit(
        events.NightResolved(
            night=state.number,
            target=target,
            protected=protected,
            died=died,
            cause="killed by the Mafia" if died else "saved by protection",
        )
    )
    _begin(game, "dawn")
    game.emit(events.DeathsAnnounced(day=state.number, deaths=(died,) if died else ()))
    if died and state.options.reveal_role_on_night_death:
        game.emit(events.RoleRevealed(player=died, role=state.roles[died]))
    return True


def _dawn(game: Game) -> bool:
    if game.state.narrated is None:
        return _ask(game, [NARRATOR], "dawn")
    if game.state.options.check_after_night and _end_if_decided(game):
        return True
    return _begin(game, "discussion")


def _discussion(game: Game) -> bool:
    state = game.state
    if state.floor == TOWN_HALL:
        return _begin(game, "nominations")
    if state.floor is not None:
        return _ask(game, [state.floor], "speech")
    if len(state.speeches) >= state.most_speeches:
        return _begin(game, "nominations")
    if state.options.floor == "bids":
        return _bids(game)
    return _ask(game, [NARRATOR], "moderate", (*state.living, TOWN_HALL))


def _bids(game: Game) -> bool:
    """Hold the ballot for the floor, or give the floor to the highest bid (M-114)."""
    state = game.state
    round_ = len(state.speeches)
    ballot = bids_ballot(state.number, round_)
    votes = _votes(game, ballot)
    if votes is None:
        return _ask(game, state.living, "bid", BIDS, ballot)
    bids = {player: int(bid) for player, bid in votes.items()}
    _tell_motives(game, ballot, "bid")
    game.emit(events.BidsClosed(day=state.number, round=round_, bids=bids))
    leaders = _leaders(bids, state.living)
    first = [player for player in leaders if player in _waiting_to_answer(state)] or leaders
    speaker = first[0] if len(first) == 1 else game.draw(first, "floor", state.number, round_)
    choice = speaker if any(bids.values()) else TOWN_HALL
    game.emit(events.FloorGiven(day=state.number, round=round_, choice=choice))
    return True


def _waiting_to_answer(state: MafiaState) -> set[str]:
    """Who has been named today by another speaker since last speaking."""
    waiting: set[str] = set()
    for speaker, text in state.speeches:
        waiting.update(named(text or "", state.players))
        waiting.discard(speaker)
    return waiting


def _nominations(game: Game) -> bool:
    state = game.state
    if state.pending is not None:
        return _second(game, *state.pending)
    waiting = [player for player in state.living if player not in state.asked]
    if waiting and len(state.nominees) < NOMINEES:
        choices = [name for name in state.living if name != waiting[0] and name not in state.nominated]
        return _ask(game, waiting[:1], "nominate", (*choices, "pass"))
    if not state.nominees:
        return _end_day(game)
    return _begin(game, "defence" if len(state.nominees) > 1 else "trial")


def _second(game: Game, nominator: str, nominee: str) -> bool:
    state = game.state
    ballot = f"second.{state.number}.{nominee}"
    votes: Any = _votes(game, ballot)
    if votes is None:
        return _ask(game, state.living, "second", ("yes", "no"), ballot)
    tally = Counter(votes.values())
    _tell_motives(game, ballot, "second")
    game.emit(
        events.SecondingClosed(
            day=state.number,
            nominator=nominator,
            nominee=nominee,
            votes=votes,
            tally={"yes": tally["yes"], "no": tally["no"]},
            seconded=tally["yes"] * 2 > len(votes),
        )
    )
    return True


def _next_defendant(state: MafiaState) -> str | None:
    return next((nominee for nominee in state.nominees if nominee not in state.defences), None)


def _condemned(state: MafiaState) -> str | None:
    return state.condemned


def _defence(game: Game) -> bool:
    state = game.state
    defendant = _next_defendant(state)
    if defendant is None:
        return _begin(game, "trial")
    if state.introduced == defendant:
        return _ask(game, [defendant], "defence")
    return _ask(game, [NARRATOR], "introduction")


def _trial(game: Game) -> bool:
    state = game.state
    if not state.candidates:
        return _end_day(game) if state.condemned is None else _begin(game, "gallows")
    ballot = f"trial.{state.number}.{state.trial_round}"
    votes = _votes(game, ballot)
    if votes is None:
        return _ask(game, state.living, "trial-vote", state.candidates, ballot)
    tally = Counter(votes.values())
    leaders = _leaders(tally, state.candidates)
    tied = leaders if len(leaders) > 1 else ()
    _tell_motives(game, ballot, "trial-vote")
    game.emit(
        events.TrialClosed(
            day=state.number,
            round=state.trial_round,
            votes=votes,
            tally=_ordered(tally, state.candidates),
            condemned=None if tied else leaders[0],
            tied=tied,
            again=bool(tied) and state.trial_round < state.options.trial_revote_rounds,
        )
    )
    return True


def _gallows(game: Game) -> bool:
    state = game.state
    condemned = state.condemned
    assert condemned is not None
    if state.narrated is None:
        return _ask(game, [NARRATOR], "gallows")
    if state.final_speech is None:
        return _ask(game, [condemned], "final-speech")
    if state.verdict is None:
        return _vote_on_execution(game, condemned)
    if not state.verdict:
        return _end_day(game)
    game.emit(events.PlayerExecuted(day=state.number, player=condemned))
    game.emit(events.RoleRevealed(player=condemned, role=state.roles[condemned]))
    return _begin(game, "aftermath")


def _vote_on_execution(game: Game, condemned: str) -> bool:
    state = game.state
    ballot = f"execution.{state.number}"
    voters = [player for player in state.living if player != condemned]
    votes: Any = _votes(game, ballot)
    if votes is None:
        return _ask(game, voters, "execution-vote", ("execute", "spare"), ballot)
    tally = Counter(votes.values())
    _tell_motives(game, ballot, "execution-vote")
    game.emit(
        events.ExecutionVoteClosed(
            day=state.number,
            condemned=condemned,
            votes=votes,
            tally={"execute": tally["execute"], "spare": tally["spare"]},
            executed=tally["execute"] * 2 > len(votes),
        )
    )
    return True


def _aftermath(game: Game) -> bool:
    if game.state.narrated is None:
        return _ask(game, [NARRATOR], "execution")
    return _end_day(game)


def _end_day(game: Game) -> bool:
    """The day is over: who has won (M-092), is it a draw (M-101), or does night fall (M-099)?"""
    state = game.state
    executed = state.condemned if state.verdict else None
    if executed and state.roles[executed] == "Jester":
        return _end(game, "jester", f"{executed}, the Jester, was executed.")
    if _end_if_decided(game):
        return True
    if state.options.max_days is not None and state.number >= state.options.max_days:
        return _end(game, "draw", f"{state.number} days have passed and neither side has won.")
    return _begin_night(game, state.number + 1)


def _end_if_decided(game: Game) -> bool:
    state = game.state
    mafia, others = len(state.living_mafia), len(state.living) - len(state.living_mafia)
    if mafia == 0:
        return _end(game, "town", "No Mafia is left alive.")
    if mafia >= others:
        return _end(game, "mafia", "The living Mafia are at least as many as the others.")
    return False


def _end(game: Game, winner: Winner, reason: str) -> bool:
    roles = {player: game.state.roles[player] for player in game.state.players}
    game.emit(events.GameEnded(winner=winner, reason=reason, roles=roles))
    return True


def _over(game: Game) -> bool:
    return False


STEPS: Mapping[Phase, Callable[[Game], bool]] = {
    "setup": _setup,
    "night": _night,
    "dawn": _dawn,
    "discussion": _discussion,
    "nominations": _nominations,
    "defence": _defence,
    "trial": _trial,
    "gallows": _gallows,
    "aftermath": _aftermath,
    "over": _over,
}
