"""The frame of a game: roles and phases, what the narrator tells and hears, and the end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from sottovoce import (
    NOTHING,
    Chair,
    Closing,
    Event,
    Grid,
    Heading,
    Piece,
    Voice,
    changes_nothing,
    everyone,
    fact,
    marked,
    named_in,
    names,
    says,
    seat,
)
from sottovoce.rulesets.mafia.rules.roles import MOODS, NARRATOR, ROLE_TEXT, SIDES, Role, Winner, article, mood
from sottovoce.rulesets.mafia.rules.state import NO_SPEECHES, MafiaState, Night, Phase

Scene = Literal["opening", "dawn", "introduction", "gallows", "execution"]
Facts = frozenset[tuple[str, ...]]

OWN = "only you"
WITH_MAFIA = "only the Mafia"


class RoleDealt(Event[MafiaState], name="mafia.role-dealt.v1", seen_by=named_in("player") | seat(NARRATOR)):
    """A player's role for the whole game (M-002, M-004, M-029)."""

    player: str
    role: Role

    example = {"player": "Ada", "role": "Detective"}
    facts = fact("role", "player", "role")

    def fold(self, state: MafiaState) -> MafiaState:
        mafia = (*state.mafia, self.player) if self.role == "Mafia" else state.mafia
        return state.with_role(self.player, self.role, mafia=mafia)

    def tell(self, chair: Chair) -> Piece:
        if not chair.owns(self.player):
            return Piece(f"{marked(self.player)} is {article(self.role)}.", private=OWN)
        note = ROLE_TEXT[self.role]
        lead = f"You are {article(self.role)}."
        return Piece(lead, "card", note=note, private=OWN, mood=mood(self.role), weight=2)


class MafiaIntroduced(
    Event[MafiaState], name="mafia.mafia-introduced.v1", seen_by=named_in("members") | seat(NARRATOR)
):
    """The Mafia learn each other's names (M-029)."""

    members: tuple[str, ...]

    example = {"members": ("Bram", "Cleo")}
    facts = fact("role", "members", being="Mafia")

    def fold(self, state: MafiaState) -> MafiaState:
        return state.but(mafia=self.members, roles={**state.roles, **dict.fromkeys(self.members, "Mafia")})

    def tell(self, chair: Chair) -> Piece:
        if len(self.members) > 1:
            return Piece(f"The Mafia are {names(self.members)}.", private=WITH_MAFIA)
        alone = chair.owns(self.members[0])
        return Piece("You are the only Mafia." if alone else f"The only Mafia is {names(self.members)}.", private=OWN)


class NarrationGiven(Event[MafiaState], name="mafia.narration-given.v1", seen_by=everyone, by=seat(NARRATOR)):
    """The narrator speaks to all (M-026, M-056, M-074, M-084, M-091, M-103). `subject` is whom the scene is about."""

    scene: Scene
    subject: str | None = None
    text: str  # type: ignore[misc]

    example = {"scene": "opening", "text": "Fog lies on the harbour, and the lamps are lit early."}
    tell = says("The narrator says:", kind="narration")

    def fold(self, state: MafiaState) -> MafiaState:
        if self.scene == "opening":
            return state.but(narrated=self.text, opening=self.text)
        if self.scene == "introduction":
            return state.but(narrated=self.text, introduced=self.subject)
        return state.but(narrated=self.text)


class RepliesHeard(Event[MafiaState], name="mafia.replies-heard.v1", seen_by=seat(NARRATOR)):
    """What players said when they chose, acknowledged or voted, in seating order: motives for the narrator (M-102)."""

    about: str
    replies: dict[str, str]

    example = {"about": "trial-vote", "replies": {"Ada": "I vote for Bram; he lied about the well."}}
    fold = changes_nothing

    def tell(self, chair: Chair) -> Piece:
        voices = tuple(Voice(player, text) for player, text in self.replies.items())
        hears = "You overhear" if chair.owns(NARRATOR) else "The narrator hears"
        return Piece(f"{hears} ({self.about.replace('-', ' ')}):", words=voices, private=OWN)

    def facts(self) -> Facts:
        return frozenset(("said", player, text) for player, text in self.replies.items())


class PhaseBegan(Event[MafiaState], name="mafia.phase-began.v1", seen_by=everyone):
    """The game moves on. A night and the day after it share a number (M-030)."""

    phase: Phase
    number: int

    example = {"phase": "night", "number": 1}

    def fold(self, state: MafiaState) -> MafiaState:
        fresh: Mapping[str, Any] = NEW.get(self.phase, NOTHING)
        if self.phase == "trial":
            fresh = {"candidates": state.nominees, "trial_round": 0}
        return state.but(phase=self.phase, number=self.number, narrated=None, **fresh)

    def tell(self, chair: Chair) -> Piece | None:
        number = {"number": self.number}
        match self.phase:
            case "night":
                heading = Heading(f"Night {self.number}", 2, "night")
                return Piece(f"Night {self.number} falls.", "heading", chapter=heading, numbers=number)
            case "dawn":
                heading = Heading(f"Day {self.number}", 2, "day")
                return Piece(f"Day {self.number} breaks.", "heading", chapter=heading, numbers=number)
        if self.phase not in SECTIONS:
            return None
        title, lead = SECTIONS[self.phase]
        heading = Heading(title, 3, within=f"Day {self.number}")
        return Piece(lead.format(self.number), "heading", chapter=heading, numbers=number)


NEW: Mapping[Phase, Mapping[str, Any]] = {
    "night": {
        "night": Night(),
        "resolved": None,
        "ballots": NOTHING,
        "replies": NOTHING,
        "nominees": (),
        "candidates": (),
        "condemned": None,
        "final_speech": None,
        "verdict": None,
    },
    "discussion": {"floor": None, "speeches": NO_SPEECHES},
    "nominations": {
        "floor": None,
        "asked": (),
        "nominated": (),
        "pending": None,
        "charge": None,
        "nominees": (),
        "introduced": None,
        "defences": NOTHING,
    },
}
"""What is forgotten when a phase begins."""

SECTIONS: Mapping[Phase, tuple[str, str]] = {
    "discussion": ("Discussion", "The discussion of day {} begins."),
    "nominations": ("The town hall", "The town hall of day {} opens: nominations."),
    "defence": ("Defence", "The defence of day {} begins."),
    "trial": ("Trial", "The trial of day {} begins."),
    "gallows": ("The gallows", "Day {}: the gallows."),
    "aftermath": ("Aftermath", "Day {}: the aftermath."),
}


class RoleRevealed(Event[MafiaState], name="mafia.role-revealed.v1", seen_by=everyone):
    """A dead player's role becomes public by rule (M-054, M-090)."""

    player: str
    role: Role

    example = {"player": "Ada", "role": "Detective"}
    facts = fact("role", "player", "role")

    def fold(self, state: MafiaState) -> MafiaState:
        return state.with_role(self.player, self.role, revealed={**state.revealed, self.player: self.role})

    def tell(self, chair: Chair) -> Piece:
        return Piece(f"{marked(self.player)} was {article(self.role)}.", "card", mood=mood(self.role), weight=2)


class GameEnded(Closing[MafiaState], name="mafia.game-ended.v1", seen_by=everyone):
    """The result and all roles (M-100). Closes the game."""

    winner: Winner
    reason: str
    roles: dict[str, Role]

    example = {"winner": "town", "reason": "No Mafia is left alive.", "roles": {"Ada": "Detective", "Bram": "Mafia"}}

    def fold(self, state: MafiaState) -> MafiaState:
        return state.but(phase="over", roles=self.roles, revealed=self.roles)

    def tell(self, chair: Chair) -> Piece:
        state = chair.state if isinstance(chair.state, MafiaState) else None
        rows = []
        for player, role in self.roles.items():
            won = "won" if SIDES[role] == self.winner else ""
            fate = (state.dead.get(player, "survived"), str(state.died.get(player, ""))) if state else ()
            rows.append((chair.listed(player), role, *fate, won))
        header = ("Player", "Role", "Fate", "Day", "Result") if state else ("Player", "Role", "Result")
        return Piece(
            f"{RESULTS[self.winner]} {self.reason}",
            "ending",
            title="The game is over",
            chapter=Heading("The end"),
            mood=MOODS[self.winner],
            weight=2,
            grid=Grid(header, tuple(rows)),
        )

    def facts(self) -> Facts:
        return frozenset(("role", player, role) for player, role in self.roles.items())


RESULTS: Mapping[Winner, str] = {
    "town": "The town wins.",
    "mafia": "The Mafia win.",
    "jester": "The Jester wins alone.",
    "draw": "A draw.",
}
