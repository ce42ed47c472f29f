"""What the narrator is asked: to tell the story, and to say who speaks next."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import ClassVar

from sottovoce import Answer, Game, Refused, Request, Turn
from sottovoce.rulesets.mafia.rules.events import NarrationGiven, SpeakerChosen
from sottovoce.rulesets.mafia.rules.events.course import Scene
from sottovoce.rulesets.mafia.rules.narration_rules import disclosure
from sottovoce.rulesets.mafia.rules.phrases import living, named_list, quoted
from sottovoce.rulesets.mafia.rules.roles import TOWN_HALL
from sottovoce.rulesets.mafia.rules.state import CountedBallot, MafiaState

GUIDELINES = (
    "Tone: gothic and mysterious, vivid but never gratuitously violent; build suspense.",
    "Give each major moment its weight, lead over from phase to phase, and leave room to breathe between votes.",
    "Give credit to players who tell a good story, and react to dramatic moments.",
    "Treat all deaths equally, favour no side, and let no choice of words hint at a role.",
    "Never state what role anyone is or was, unless that role is already public, nor that anyone was protected or "
    "investigated.",
)
RECENT = 6
"""How many of the latest speeches the narrator is shown."""


def given_away(state: MafiaState, text: str) -> str | None:
    """What a narration gives away as the game stands (M-104, M-106); None if nothing was found."""
    return disclosure(text, state.players, state.revealed, state.dead, _about(state))


def _about(state: MafiaState) -> str | None:
    """Whom a narration is about now, if anybody."""
    match state.phase:
        case "dawn":
            return state.last_deaths[0] if len(state.last_deaths) == 1 else None
        case "defence":
            return state.defendant
        case "gallows" | "aftermath":
            return state.condemned
    return None


class NarratorTurn(Turn[MafiaState]):
    """A turn of the narrator, who knows everything and may give nothing away."""

    def request(self, state: MafiaState) -> Request:
        asked = super().request(state)
        return replace(asked, context=(*asked.context, *GUIDELINES))

    def read(self, state: MafiaState, text: str) -> Answer:
        answer = super().read(state, text)
        found = given_away(state, text) if text != answer.choice else None
        if found:
            raise Refused(found)
        return answer


class Narration(NarratorTurn, silence=None):
    """The narrator tells all seats of a scene; where it stays silent, a neutral text stands in (M-021)."""

    scene: ClassVar[Scene]

    def about(self, state: MafiaState) -> str | None:
        """Whom the scene is about, if anybody."""
        return None

    def neutral(self, state: MafiaState) -> str:
        """What stands in for a silent narrator, made of public facts alone."""
        raise NotImplementedError

    def answered(self, game: Game[MafiaState], answer: Answer) -> None:
        text = answer.words or self.neutral(game.state)
        game.emit(NarrationGiven(scene=self.scene, subject=self.about(game.state), text=text))


class Opening(Narration, kind="opening"):
    """Welcome the players and set the scene for the story."""

    scene = "opening"

    def context(self, state: MafiaState) -> Iterable[str]:
        roles = "; ".join(f"{player}: {state.roles.get(player, 'unknown')}" for player in state.players)
        yield "You are the narrator of this Mafia game: you know everything, and you give nothing away."
        yield f"Players: {named_list(state.players)}."
        yield f"Roles: {roles}."

    def neutral(self, state: MafiaState) -> str:
        return f"The town of {len(state.players)} gathers. Night is near."


class Dawn(Narration, kind="dawn"):
    """Narrate what the town finds this morning. Be creative and atmospheric."""

    scene = "dawn"

    def context(self, state: MafiaState) -> Iterable[str]:
        resolved = state.resolved
        yield f"Day {state.number} has begun."
        yield f"Deaths: {named_list(state.last_deaths)}." if state.last_deaths else "Nobody died."
        yield f"How: {resolved.target} was {resolved.cause}." if resolved else "How is not known."
        yield living(state)

    def neutral(self, state: MafiaState) -> str:
        if not state.last_deaths:
            return f"Day {state.number} breaks. Nobody died in the night."
        return f"Day {state.number} breaks. {' and '.join(state.last_deaths)} did not live to see it."


class Introduction(Narration, kind="introduction"):
    """Introduce the nominee to the stand and set the scene for the defence."""

    scene = "introduction"

    def context(self, state: MafiaState) -> Iterable[str]:
        yield f"Defence, day {state.number}. Now on the stand: {state.defendant or 'the nominee'}."
        yield f"Nominees: {named_list(state.nominees)}."

    def ask(self, state: MafiaState) -> str:
        return f"Introduce {state.defendant or 'the nominee'} to the stand and set the scene for the defence."

    def about(self, state: MafiaState) -> str | None:
        return state.defendant

    def neutral(self, state: MafiaState) -> str:
        return f"{state.defendant or 'The nominee'} steps forward to answer the town."


class Gallows(Narration, kind="gallows"):
    """Narrate the walk to the gallows. Set a dramatic scene."""

    scene = "gallows"

    def context(self, state: MafiaState) -> Iterable[str]:
        yield f"{state.condemned} has been chosen for the gallows."
        yield breakdown(state, "trial")

    def about(self, state: MafiaState) -> str | None:
        return state.condemned

    def neutral(self, state: MafiaState) -> str:
        return f"{state.condemned} is led to the gallows."


class Execution(Narration, kind="execution"):
    """Narrate the execution and the reveal of the role. Be dramatic and vivid."""

    scene = "execution"

    def context(self, state: MafiaState) -> Iterable[str]:
        yield f"{state.condemned} was executed."
        yield f"Their role: {state.revealed.get(state.condemned or '', 'unknown')}."
        yield breakdown(state, "execution")

    def about(self, state: MafiaState) -> str | None:
        return state.condemned

    def neutral(self, state: MafiaState) -> str:
        return f"{state.condemned} is dead. The town has had its way."


def breakdown(state: MafiaState, kind: str) -> str:
    """The last ballot of that kind, vote by vote."""
    counts: Iterable[CountedBallot] = reversed(state.history)
    count = next((count for count in counts if count.kind == kind), None)
    if count is None:
        return "The votes are not known."
    votes = "; ".join(f"{voter}: {choice}" for voter, choice in count.votes.items())
    tally = ", ".join(f"{choice} {number}" for choice, number in count.tally.items())
    return f"Votes: {votes}. Tally: {tally}."


class Moderate(NarratorTurn, kind="moderate", silence=TOWN_HALL):
    """Choose the next speaker by name, or answer town_hall to go on to the nominations. All will hear your words."""

    patterns = ("i call on {}", *(f"{{}}{mark}" for mark in ",:;.!?—–-"))
    aliases = {"town hall": TOWN_HALL, "town-hall": TOWN_HALL}
    spoken = {TOWN_HALL: "Town hall."}

    def context(self, state: MafiaState) -> Iterable[str]:
        spoken = list(dict.fromkeys(player for player, _ in state.speeches))
        yield (
            f"Discussion, day {state.number}. Speeches so far: {len(state.speeches)} of at most {state.most_speeches}."
        )
        yield living(state)
        yield f"Have spoken today: {named_list(spoken)}."
        yield from (quoted(player, text) for player, text in state.speeches[-RECENT:])

    def wording(self, state: MafiaState, choice: str, words: str) -> str:
        """Words that call the speaker by name stand as they are."""
        return words if self.makes(state, words, choice) else super().wording(state, choice, words)

    def answered(self, game: Game[MafiaState], answer: Answer) -> None:
        game.emit(SpeakerChosen(choice=answer.choice or TOWN_HALL, words=answer.words))
