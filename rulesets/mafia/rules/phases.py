"""The course of a Mafia game: the phases, and what comes next in each.

Every phase is one function, called while nobody is asked anything: it asks somebody, tells what comes next, or begins
another phase. What follows from an answer or a vote is said by the kinds of turns (`turns/`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta

from sottovoce import Game as Deciding
from sottovoce.rulesets.mafia.rules import events
from sottovoce.rulesets.mafia.rules.roles import NARRATOR, TOWN_HALL, Winner
from sottovoce.rulesets.mafia.rules.state import MafiaState, Phase
from sottovoce.rulesets.mafia.rules.turns import (
    AcceptRole,
    Bid,
    Dawn,
    Defence,
    Execution,
    ExecutionVote,
    FinalSpeech,
    Gallows,
    Introduction,
    Investigate,
    Kill,
    Moderate,
    NightTalk,
    Nominate,
    Opening,
    Protect,
    Second,
    Speech,
    TrialVote,
)
from sottovoce.rulesets.mafia.rules.turns.town_hall import NOMINEES, PASS

Game = Deciding[MafiaState]


def begin(game: Game, phase: Phase) -> None:
    """Move to the next phase of this night and day."""
    game.emit(events.PhaseBegan(phase=phase, number=game.state.number))


def begin_night(game: Game, number: int) -> None:
    """Night falls, and may be held to a length (M-111)."""
    game.emit(events.PhaseBegan(phase="night", number=number))
    if game.state.options.night_seconds > 0:
        game.emit(events.DawnHeld(until=game.at + timedelta(seconds=game.state.options.night_seconds)))


def setup(game: Game) -> None:
    """The narrator opens the game, and every player accepts a role: the only ballot before the first night."""
    state = game.state
    if state.opening is None:
        game.ask(NARRATOR, Opening)
    elif not state.ballots:
        game.ask(state.players, AcceptRole)
    else:
        begin_night(game, 1)


def night(game: Game) -> None:
    """Doctor, Detective, Mafia; then dawn, once the night may end."""
    state, night = game.state, game.state.night
    doctor, detective = state.holder("Doctor"), state.holder("Detective")
    if doctor and night.protected is None:
        game.ask(doctor, Protect, protectable(state, doctor))
    elif detective and not night.investigated:
        game.ask(detective, Investigate, [name for name in state.living if name != detective])
    elif night.target is None and (speaker := next_to_talk(state)):
        game.ask(speaker, NightTalk)
    elif night.target is None:
        game.ask(state.living_mafia, Kill, [name for name in state.living if name not in state.mafia])
    elif night.held_until is None or game.at >= night.held_until:
        end_night(game, night.target)


def protectable(state: MafiaState, doctor: str) -> list[str]:
    """Return the players the Doctor can protect: not the Doctor, nor, with some options, the player protected last
    (M-035, M-036).
    """
    last = state.protections[-1] if state.protections else (0, "")
    barred = last[1] if not state.options.doctor_repeat and last[0] == state.number - 1 else None
    return [name for name in state.living if name not in (doctor, barred)]


def next_to_talk(state: MafiaState) -> str | None:
    """Who of two or more Mafia has a word before the first vote, if there is one to be had (M-112)."""
    pack, talked = state.living_mafia, state.night.talked
    if len(pack) < 2 or state.night.round or talked >= state.options.night_talk * len(pack):
        return None
    return pack[talked % len(pack)]


def end_night(game: Game, target: str) -> None:
    """Kill the Mafia's target unless protected (M-049), and begin the day."""
    state, protected = game.state, game.state.night.protected
    died = None if target == protected else target
    cause: events.Cause = "killed by the Mafia" if died else "saved by protection"
    game.emit(events.NightResolved(night=state.number, target=target, protected=protected, died=died, cause=cause))
    begin(game, "dawn")
    game.emit(events.DeathsAnnounced(day=state.number, deaths=(died,) if died else ()))
    if died and state.options.reveal_role_on_night_death:
        game.emit(events.RoleRevealed(player=died, role=state.roles[died]))


def dawn(game: Game) -> None:
    if game.state.narrated is None:
        game.ask(NARRATOR, Dawn)
    elif not (game.state.options.check_after_night and end_if_decided(game)):
        begin(game, "discussion")


def discussion(game: Game) -> None:
    """Players get the floor one by one, until the town hall is called or enough has been said (M-057 to M-061)."""
    state = game.state
    if state.floor == TOWN_HALL:
        begin(game, "nominations")
    elif state.floor is not None:
        game.ask(state.floor, Speech)
    elif len(state.speeches) >= state.most_speeches:
        begin(game, "nominations")
    elif state.options.floor == "bids":
        game.ask(state.living, Bid)
    else:
        game.ask(NARRATOR, Moderate, (*state.living, TOWN_HALL))


def nominations(game: Game) -> None:
    """Each living player may nominate once, until enough nominees are seconded (M-062 to M-071)."""
    state = game.state
    if state.pending is not None:
        game.ask(state.living, Second)
    elif len(state.nominees) < NOMINEES and (player := state.next_to_nominate):
        others = [name for name in state.living if name != player and name not in state.nominated]
        game.ask(player, Nominate, (*others, PASS))
    elif not state.nominees:
        end_day(game)
    else:
        begin(game, "defence" if len(state.nominees) > 1 else "trial")


def defence(game: Game) -> None:
    """Each nominee is introduced and speaks (M-073 to M-075)."""
    defendant = game.state.defendant
    if defendant is None:
        begin(game, "trial")
    elif game.state.introduced == defendant:
        game.ask(defendant, Defence)
    else:
        game.ask(NARRATOR, Introduction)


def trial(game: Game) -> None:
    """All vote for one nominee, again among the tied, until one is condemned or nobody is (M-076 to M-081)."""
    state = game.state
    if state.candidates:
        game.ask(state.living, TrialVote, state.candidates)
    elif state.condemned is None:
        end_day(game)
    else:
        begin(game, "gallows")


def gallows(game: Game) -> None:
    """The walk, the last words, and the vote on life and death (M-084 to M-090)."""
    state, condemned = game.state, game.state.condemned
    assert condemned is not None, "nobody comes to the gallows uncondemned"
    if state.narrated is None:
        game.ask(NARRATOR, Gallows)
    elif state.final_speech is None:
        game.ask(condemned, FinalSpeech)
    elif state.verdict is None:
        game.ask([player for player in state.living if player != condemned], ExecutionVote)
    elif not state.verdict:
        end_day(game)
    else:
        game.emit(events.PlayerExecuted(day=state.number, player=condemned))
        game.emit(events.RoleRevealed(player=condemned, role=state.roles[condemned]))
        begin(game, "aftermath")


def aftermath(game: Game) -> None:
    if game.state.narrated is None:
        game.ask(NARRATOR, Execution)
    else:
        end_day(game)


def end_day(game: Game) -> None:
    """The day is over: who has won (M-092), is it a draw (M-101), or does night fall (M-099)?"""
    state = game.state
    executed = state.condemned if state.verdict else None
    if executed and state.roles[executed] == "Jester":
        end(game, "jester", f"{executed}, the Jester, was executed.")
    elif not end_if_decided(game):
        if state.options.max_days is not None and state.number >= state.options.max_days:
            end(game, "draw", f"{state.number} days have passed and neither side has won.")
        else:
            begin_night(game, state.number + 1)


def end_if_decided(game: Game) -> bool:
    """End the game where the town or the Mafia have won (M-095, M-096); whether they have."""
    mafia = len(game.state.living_mafia)
    if mafia == 0:
        end(game, "town", "No Mafia is left alive.")
    elif mafia >= len(game.state.living) - mafia:
        end(game, "mafia", "The living Mafia are at least as many as the others.")
    return game.state.over


def end(game: Game, winner: Winner, reason: str) -> None:
    """Tell the result and every role (M-100)."""
    roles = {player: game.state.roles[player] for player in game.state.players}
    game.emit(events.GameEnded(winner=winner, reason=reason, roles=roles))


STEPS: Mapping[Phase, Callable[[Game], None]] = {
    "setup": setup,
    "night": night,
    "dawn": dawn,
    "discussion": discussion,
    "nominations": nominations,
    "defence": defence,
    "trial": trial,
    "gallows": gallows,
    "aftermath": aftermath,
}
"""What comes next in each phase."""
