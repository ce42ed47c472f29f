"""What a Mafia turn asks, and how an event is told in words. Both use nothing but the seat's own state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from domain import events as core
from domain.events import Event
from domain.ruleset import Request, Told
from domain.rulesets.mafia import events
from domain.rulesets.mafia.events import NARRATOR, TOWN_HALL, Role
from domain.rulesets.mafia.state import MafiaState
from domain.turns import Turn

ROLE_TEXT: Mapping[Role, str] = {
    "Detective": "Each night you learn one living player's true role. You win with the town, when no Mafia is alive.",
    "Doctor": "Each night you protect one other player from death. You win with the town, when no Mafia is alive.",
    "Villager": "You have no power but your voice and your vote. You win with the town, when no Mafia is alive.",
    "Mafia": "Each night the Mafia choose one player to kill. You win when the living Mafia are at least as many as "
    "the other living players.",
    "Jester": "You belong to no side. You win alone, if the town executes you; being killed at night or spared is no "
    "win.",
}

GUIDELINES = (
    "Tone: gothic and mysterious, vivid but never gratuitously violent; build suspense.",
    "Give each major moment its weight, lead over from phase to phase, and leave room to breathe between votes.",
    "Give credit to players who tell a good story, and react to dramatic moments.",
    "Treat all deaths equally, favour no side, and let no choice of words hint at a role.",
    "Never state what role anyone is or was, unless that role is already public, nor that anyone was protected or "
    "investigated.",
)

RECENT = 6
LONGEST_QUOTE = 600


def request(state: MafiaState, turn: Turn) -> Request:
    """The context and the request of an open turn, from the seat's own state (M-010 to M-012)."""
    context, ask = _REQUESTS[turn.kind](state, turn)
    if turn.seat == NARRATOR:
        context = (*context, *GUIDELINES)
    return Request(tuple(context), ask)


def _names(names: Any) -> str:
    return ", ".join(names) if names else "none"


def _living(state: MafiaState) -> str:
    return f"Living players: {_names(state.living)}."


def _quoted(who: str, text: str | None) -> str:
    """One line of somebody's words, marked so that it cannot pass for the game's own voice."""
    if text is None:
        return f"{who} stayed silent."
    words = " ".join(text.replace("«", "‹").replace("»", "›").split())
    if len(words) > LONGEST_QUOTE:
        words = words[:LONGEST_QUOTE] + " […]"
    return f"{who} said: «{words}»"


Asked = tuple[tuple[str, ...], str]


def _opening(state: MafiaState, turn: Turn) -> Asked:
    roles = "; ".join(f"{player}: {state.roles.get(player, 'unknown')}" for player in state.players)
    return (
        (
            "You are the narrator of this Mafia game: you know everything, and you give nothing away.",
            f"Players: {_names(state.players)}.",
            f"Roles: {roles}.",
        ),
        "Welcome the players and set the scene for the story.",
    )


def _role(state: MafiaState, turn: Turn) -> Asked:
    role = state.roles.get(turn.seat)
    lines = [
        f"You are {turn.seat}. You are playing Mafia with {len(state.players)} players: {_names(state.players)}.",
        f"Your role: {role}. {ROLE_TEXT[role]}" if role else "Your role is not known.",
    ]
    if role == "Mafia":
        lines.append(f"Mafia members: {_names(state.mafia)}.")
    if state.opening is not None:
        lines.append(_quoted("The narrator", state.opening))
    lines.append(_living(state))
    return tuple(lines), "Acknowledge that you understand your role; only the narrator hears it."


def _protect(state: MafiaState, turn: Turn) -> Asked:
    lines = [f"Night {state.number} has begun. You are the Doctor.", _living(state)]
    last = state.protections[-1] if state.protections else None
    if last is not None and last[0] == state.number - 1:
        lines.append(f"Last night you protected {last[1]}.")
    return tuple(lines), "Choose one player to protect tonight. Answer: I protect NAME."


def _investigate(state: MafiaState, turn: Turn) -> Asked:
    results = "; ".join(f"night {night}: {player} is {role}" for night, player, role in state.investigations)
    return (
        (
            f"Night {state.number} has begun. You are the Detective.",
            _living(state),
            f"Your investigations so far: {results or 'none'}.",
        ),
        "Choose one player to investigate; you learn their true role at once. Answer: I investigate NAME.",
    )


def _kill(state: MafiaState, turn: Turn) -> Asked:
    lines = [
        f"Night {state.number} has begun. You are Mafia.",
        _living(state),
        f"Mafia members: {_names(state.mafia)}.",
    ]
    lines += [
        f"Ballot {ballot.round + 1} was tied: "
        + "; ".join(f"{who} voted for {whom}" for who, whom in ballot.votes.items())
        for ballot in state.mafia_ballots
        if ballot.night == state.number
    ]
    return tuple(lines), "Vote for one player to kill tonight. Answer: I vote to kill NAME."


def _dawn(state: MafiaState, turn: Turn) -> Asked:
    resolved = state.resolved
    how = f"How: {resolved.target} was {resolved.cause}." if resolved else "How is not known."
    return (
        (
            f"Day {state.number} has begun.",
            f"Deaths: {_names(state.last_deaths)}." if state.last_deaths else "Nobody died.",
            how,
            _living(state),
        ),
        "Narrate what the town finds this morning. Be creative and atmospheric.",
    )


def _moderate(state: MafiaState, turn: Turn) -> Asked:
    spoken = list(dict.fromkeys(player for player, _ in state.speeches))
    return (
        (
            f"Discussion, day {state.number}. Speeches so far: {len(state.speeches)} of at most {state.most_speeches}.",
            _living(state),
            f"Have spoken today: {_names(spoken)}.",
            *(_quoted(player, text) for player, text in state.speeches[-RECENT:]),
        ),
        "Choose the next speaker by name, or answer town_hall to go on to the nominations. All will hear your words.",
    )


def _speech(state: MafiaState, turn: Turn) -> Asked:
    return (
        (
            f"Discussion, day {state.number}. The narrator has chosen you to speak, {turn.seat}.",
            _living(state),
            *(_quoted(player, text) for player, text in state.speeches[-2 * RECENT :]),
        ),
        "Share your thoughts, suspicions or information with the town.",
    )


def _nominate(state: MafiaState, turn: Turn) -> Asked:
    return (
        (
            f"Town hall, day {state.number}: nominations.",
            f"Nominees: {_names(state.nominees)}. Nominations remaining: {3 - len(state.nominees)}.",
            _living(state),
        ),
        "Nominate one player for execution, or pass. Answer: I nominate NAME, or: I pass.",
    )


def _second(state: MafiaState, turn: Turn) -> Asked:
    nominator, nominee = state.pending or ("Somebody", "somebody")
    return (
        (f"{nominator} has nominated {nominee}.", _living(state)),
        "Do you second this nomination? Answer yes or no.",
    )


def _introduction(state: MafiaState, turn: Turn) -> Asked:
    nominee = next((name for name in state.nominees if name not in state.defences), "the nominee")
    return (
        (f"Defence, day {state.number}. Now on the stand: {nominee}.", f"Nominees: {_names(state.nominees)}."),
        f"Introduce {nominee} to the stand and set the scene for the defence.",
    )


def _defence(state: MafiaState, turn: Turn) -> Asked:
    lines = ["You are nominated for execution.", f"Nominees: {_names(state.nominees)}."]
    if state.narrated is not None:
        lines.append(_quoted("The narrator", state.narrated))
    return tuple(lines), "Give your defence: why should the town spare you?"


def _trial_vote(state: MafiaState, turn: Turn) -> Asked:
    lines = [f"Trial, day {state.number}. Nominees: {_names(turn.choices)}."]
    lines += [_quoted(name, state.defences[name]) for name in turn.choices if name in state.defences]
    lines.append(_living(state))
    if state.trial_round:
        lines.append("The last ballot was tied; vote again among the tied.")
    return tuple(lines), "Vote for the nominee who should go to the gallows. Answer: I vote for NAME."


def _breakdown(state: MafiaState, kind: str) -> str:
    count = next((count for count in reversed(state.history) if count.kind == kind), None)
    if count is None:
        return "The votes are not known."
    votes = "; ".join(f"{voter}: {choice}" for voter, choice in count.votes.items())
    tally = ", ".join(f"{choice} {number}" for choice, number in count.tally.items())
    return f"Votes: {votes}. Tally: {tally}."


def _gallows(state: MafiaState, turn: Turn) -> Asked:
    return (
        (f"{state.condemned} has been chosen for the gallows.", _breakdown(state, "trial")),
        "Narrate the walk to the gallows. Set a dramatic scene.",
    )


def _final_speech(state: MafiaState, turn: Turn) -> Asked:
    lines = ["You have been sent to the gallows.", _living(state)]
    if state.narrated is not None:
        lines.append(_quoted("The narrator", state.narrated))
    return tuple(lines), "Give your final speech before the vote on your life."


def _execution_vote(state: MafiaState, turn: Turn) -> Asked:
    speech = state.final_speech[0] if state.final_speech else None
    return (
        (_quoted(str(state.condemned), speech), _living(state)),
        f"Execute or spare {state.condemned}? Answer execute or spare.",
    )


def _execution(state: MafiaState, turn: Turn) -> Asked:
    role = state.revealed.get(state.condemned or "", "unknown")
    return (
        (f"{state.condemned} was executed.", f"Their role: {role}.", _breakdown(state, "execution")),
        "Narrate the execution and the reveal of the role. Be dramatic and vivid.",
    )


_REQUESTS = {
    "opening": _opening,
    "role": _role,
    "protect": _protect,
    "investigate": _investigate,
    "kill": _kill,
    "dawn": _dawn,
    "moderate": _moderate,
    "speech": _speech,
    "nominate": _nominate,
    "second": _second,
    "introduction": _introduction,
    "defence": _defence,
    "trial-vote": _trial_vote,
    "gallows": _gallows,
    "final-speech": _final_speech,
    "execution-vote": _execution_vote,
    "execution": _execution,
}

_PHASES = {
    "night": "Night {} falls.",
    "dawn": "Day {} breaks.",
    "discussion": "The discussion of day {} begins.",
    "nominations": "The town hall of day {} opens: nominations.",
    "defence": "The defence of day {} begins.",
    "trial": "The trial of day {} begins.",
    "gallows": "Day {}: the gallows.",
    "aftermath": "Day {}: the aftermath.",
}


def tell(event: Event, seat: str | None) -> Told | None:
    """An event in plain words, as `seat` reads it; None where there is nothing to tell."""
    match event:
        case core.GameOpened():
            counts = event.options.get("role_counts") or {}
            dealt = ", ".join(f"{number} {role}" for role, number in counts.items() if number)
            return Told(f"A game of Mafia begins. Seats: {_names(event.seats)}.{f' Roles: {dealt}.' if dealt else ''}")
        case core.SeatsFilled():
            filled = ", ".join(f"{name}: {agent}" for name, agent in event.agents.items())
            return Told(f"Seats filled: {filled or 'as before'}; seed {event.seed}.")
        case core.GameForked():
            return Told(f"Forked from {event.parent} at position {event.position}.")
        case core.TurnOpened():
            return Told(f"Turn {event.turn} opens for {event.seat}: {event.kind}.") if seat is None else None
        case core.ReplyAccepted():
            chosen = f" ({event.choice})" if event.choice else ""
            return Told(f"{_self(event.seat, seat)} answered{chosen}.", event.text or None)
        case core.AttemptFailed():
            who = _self(event.seat, seat)
            return Told(f"{who}: attempt {event.attempt} failed ({event.reason}). {event.message}", event.text or None)
        case core.FallbackApplied():
            choice = f": {event.choice}" if event.choice else ""
            return Told(f"{_self(event.seat, seat)} ran out of attempts ({event.reason}){choice}.")
        case core.TurnWithdrawn():
            return Told(f"Turn {event.turn} of {event.seat} is withdrawn.")
        case core.MessageRefused():
            return Told(f"{_self(event.seat, seat)}: refused. {event.message}", event.text or None)
        case core.HoldPlaced():
            return Told(f"The game is on hold, waiting for {event.waiting_for}: {event.why}")
        case core.HoldLifted():
            return Told("The game goes on.")
        case events.RoleDealt():
            return Told(f"You are dealt: {event.role}." if event.player == seat else f"{event.player} is {event.role}.")
        case events.MafiaIntroduced():
            return Told(f"The Mafia are: {_names(event.members)}.")
        case events.NarrationGiven():
            return Told("The narrator says:", event.text)
        case events.RepliesHeard():
            words = "\n".join(f"{player}: {' '.join(text.split())}" for player, text in event.replies.items())
            return Told(f"You overhear ({event.about}):" if seat else f"The narrator hears ({event.about}):", words)
        case events.PhaseBegan():
            return Told(_PHASES.get(event.phase, "{} begins.").format(event.number))
        case events.DawnHeld():
            return Told(f"Dawn no earlier than {event.until:%H:%M:%S}.")
        case events.PlayerProtected():
            return Told(f"Night {event.night}: {_self(event.doctor, seat)} protected {event.target}.")
        case events.PlayerInvestigated():
            who = _self(event.detective, seat)
            return Told(f"Night {event.night}: {who} investigated {event.target}, who is {event.role}.")
        case events.MafiaBallotClosed():
            votes = "; ".join(f"{who} for {whom}" for who, whom in event.votes.items())
            result = f"the target is {event.target}" if event.target else "a tie"
            return Told(f"Night {event.night}, the Mafia voted: {votes}; {result}{' (drawn)' if event.drawn else ''}.")
        case events.NightResolved():
            return Told(f"Night {event.night}: {event.target} was {event.cause}.")
        case events.DeathsAnnounced():
            return Told(f"{_names(event.deaths)} died in the night." if event.deaths else "Nobody died in the night.")
        case events.RoleRevealed():
            return Told(f"{event.player} was {_article(event.role)}.")
        case events.SpeakerChosen():
            lead = (
                "The narrator calls the town hall:"
                if event.choice == TOWN_HALL
                else f"The narrator calls on {event.choice}:"
            )
            return Told(lead, event.words) if event.words else Told(lead[:-1] + ".")
        case events.SpeechGiven():
            kind = {"discussion": "says", "defence": "says in defence", "final": "says at the gallows"}[event.occasion]
            if event.text is None:
                return Told(f"{event.player} stays silent.")
            return Told(f"{event.player} {kind}:", event.text)
        case events.NominationMade():
            return Told(f"{event.player} nominates {event.nominee}." if event.nominee else f"{event.player} passes.")
        case events.SecondingClosed():
            result = "is on the list" if event.seconded else "is not on the list"
            return Told(f"Seconding {event.nominee}: {_listed(event.votes, event.tally)} {event.nominee} {result}.")
        case events.TrialClosed():
            result = f"{event.condemned} is condemned." if event.condemned else f"A tie between {_names(event.tied)}."
            return Told(f"Trial: {_listed(event.votes, event.tally)} {result}")
        case events.ExecutionVoteClosed():
            result = "is to be executed" if event.executed else "is spared"
            return Told(f"Execution: {_listed(event.votes, event.tally)} {event.condemned} {result}.")
        case events.PlayerExecuted():
            return Told(f"{event.player} is executed.")
        case events.GameEnded():
            roles = "; ".join(f"{player} was {_article(role)}" for player, role in event.roles.items())
            return Told(f"The game is over. {event.reason} Winner: {event.winner}. {roles}.")
    return None


def _self(name: str, seat: str | None) -> str:
    return "You" if name == seat else name


def _article(role: Role) -> str:
    return "Mafia" if role == "Mafia" else f"the {role}" if role != "Villager" else "a Villager"


def _listed(votes: Mapping[str, str], tally: Mapping[str, int]) -> str:
    cast = ", ".join(f"{voter} {choice}" for voter, choice in votes.items())
    counted = ", ".join(f"{choice} {number}" for choice, number in tally.items())
    return f"{cast} ({counted})."
