"""What a Mafia turn asks, from nothing but the seat's own state."""

from __future__ import annotations

from collections.abc import Mapping

from domain.rulesets.mafia.events import NARRATOR
from domain.rulesets.mafia.phrases import ROLE_TEXT, members, named_list, results
from domain.rulesets.mafia.state import MafiaState
from domain.turns import Request, Turn

GUIDELINES = (
    "Tone: gothic and mysterious, vivid but never gratuitously violent; build suspense.",
    "Give each major moment its weight, lead over from phase to phase, and leave room to breathe between votes.",
    "Give credit to players who tell a good story, and react to dramatic moments.",
    "Treat all deaths equally, favour no side, and let no choice of words hint at a role.",
    "Never state what role anyone is or was, unless that role is already public, nor that anyone was protected or "
    "investigated.",
)

ENTER: Mapping[str, str] = {"role": "I understand."}
"""What Enter alone says, by the kind of turn."""

RECENT = 6
LONGEST_QUOTE = 600


def request(state: MafiaState, turn: Turn) -> Request:
    """The context and the request of an open turn, from the seat's own state (M-010 to M-012)."""
    context, ask = _REQUESTS[turn.kind](state, turn)
    if turn.seat == NARRATOR:
        context = (*context, *GUIDELINES)
    return Request(tuple(context), ask, ENTER.get(turn.kind))


def _living(state: MafiaState) -> str:
    return f"Living players: {named_list(state.living)}."


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
            f"Players: {named_list(state.players)}.",
            f"Roles: {roles}.",
        ),
        "Welcome the players and set the scene for the story.",
    )


def _role(state: MafiaState, turn: Turn) -> Asked:
    role = state.roles.get(turn.seat)
    lines = [
        f"You are {turn.seat}. You are playing Mafia with {len(state.players)} players: {named_list(state.players)}.",
        f"Your role: {role}. {ROLE_TEXT[role]}" if role else "Your role is not known.",
    ]
    if role == "Mafia":
        lines.append(members(state))
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
    return (
        (
            f"Night {state.number} has begun. You are the Detective.",
            _living(state),
            results(state),
        ),
        "Choose one player to investigate; you learn their true role at once. Answer: I investigate NAME.",
    )


def _whispers(state: MafiaState, night: int) -> tuple[str, ...]:
    """What the Mafia have said to each other in a night, as far as it was heard here."""
    said = [whisper for whisper in state.whispers if whisper.night == night]
    return tuple(_quoted(whisper.player, whisper.text) for whisper in said if whisper.text is not None)


def _night_talk(state: MafiaState, turn: Turn) -> Asked:
    return (
        (
            f"Night {state.number} has begun. You are Mafia, and the Mafia talk before they vote.",
            _living(state),
            members(state),
            *_whispers(state, state.number),
        ),
        "Say one thing to the other Mafia, or pass. Only the living Mafia and the narrator hear it. Nothing is chosen"
        " yet: the vote follows.",
    )


def _kill(state: MafiaState, turn: Turn) -> Asked:
    lines = [
        f"Night {state.number} has begun. You are Mafia.",
        _living(state),
        members(state),
        *_whispers(state, state.number),
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
            f"Deaths: {named_list(state.last_deaths)}." if state.last_deaths else "Nobody died.",
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
            f"Have spoken today: {named_list(spoken)}.",
            *(_quoted(player, text) for player, text in state.speeches[-RECENT:]),
        ),
        "Choose the next speaker by name, or answer town_hall to go on to the nominations. All will hear your words.",
    )


def _bid(state: MafiaState, turn: Turn) -> Asked:
    return (
        (
            f"Discussion, day {state.number}. Speeches so far: {len(state.speeches)} of at most {state.most_speeches}.",
            _living(state),
            *(_quoted(player, text) for player, text in state.speeches[-2 * RECENT :]),
        ),
        "How much do you want to speak next? The highest bid gets the floor: 4 you must answer at once, 3 you have"
        " something that cannot wait, 2 you would add something, 1 you would speak if nobody else does, 0 not now."
        " When nobody bids, the town hall opens. Only the narrator learns your bid. Answer: I bid NUMBER.",
    )


def _speech(state: MafiaState, turn: Turn) -> Asked:
    given = (
        "Your bid has won you the floor" if state.options.floor == "bids" else "The narrator has chosen you to speak"
    )
    return (
        (
            f"Discussion, day {state.number}. {given}, {turn.seat}.",
            _living(state),
            *(_quoted(player, text) for player, text in state.speeches[-2 * RECENT :]),
        ),
        "Share your thoughts, suspicions or information with the town.",
    )


def _nominate(state: MafiaState, turn: Turn) -> Asked:
    return (
        (
            f"Town hall, day {state.number}: nominations.",
            f"Nominees: {named_list(state.nominees)}. Nominations remaining: {3 - len(state.nominees)}.",
            _living(state),
        ),
        "Nominate one player for execution, or pass. Answer: I nominate NAME, or: I pass. All hear the words that you"
        " nominate with.",
    )


def _second(state: MafiaState, turn: Turn) -> Asked:
    nominator, nominee = state.pending or ("Somebody", "somebody")
    return (
        (
            f"{nominator} has nominated {nominee}.",
            *((_quoted(nominator, state.charge),) if state.charge is not None else ()),
            _living(state),
        ),
        "Do you second this nomination? Answer yes or no.",
    )


def _introduction(state: MafiaState, turn: Turn) -> Asked:
    nominee = next((name for name in state.nominees if name not in state.defences), "the nominee")
    return (
        (f"Defence, day {state.number}. Now on the stand: {nominee}.", f"Nominees: {named_list(state.nominees)}."),
        f"Introduce {nominee} to the stand and set the scene for the defence.",
    )


def _defence(state: MafiaState, turn: Turn) -> Asked:
    lines = ["You are nominated for execution.", f"Nominees: {named_list(state.nominees)}."]
    if state.narrated is not None:
        lines.append(_quoted("The narrator", state.narrated))
    return tuple(lines), "Give your defence: why should the town spare you?"


def _trial_vote(state: MafiaState, turn: Turn) -> Asked:
    lines = [f"Trial, day {state.number}. Nominees: {named_list(turn.choices)}."]
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
    "night-talk": _night_talk,
    "kill": _kill,
    "dawn": _dawn,
    "moderate": _moderate,
    "bid": _bid,
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
