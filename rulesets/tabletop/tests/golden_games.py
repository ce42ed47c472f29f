"""The golden sessions of tabletop: each edition played by bots, and a session with a human who comes and goes."""

from __future__ import annotations

from pathlib import Path
from weakref import WeakKeyDictionary

from session import FILES, PARTY

from sottovoce.agents.house import HouseAgent
from sottovoce.domain.turns import Turn
from sottovoce.golden import Answer, Golden, Playing, by_agent
from sottovoce.rulesets.tabletop.rules.names import HUMAN

CAMPAIGN = Path(__file__).resolve().parents[3] / "examples" / "campaigns" / "ten-past-four"
EVENING = {
    path.relative_to(CAMPAIGN).as_posix(): path.read_bytes() for path in sorted(CAMPAIGN.rglob("*")) if path.is_file()
}
CHARACTERS = ("pim-tallow", "bertram-oakes", "isolde-marrow", "sefa-quillon")
SAID = (
    "I kneel down and look at the hen.",
    "/chat isolde-marrow Shall we let her talk?",
    "2",
    "/save",
    "I say nothing, and watch where she looks.",
    "Over the wall with us, to the orchard.",
)


def visiting(said: tuple[str, ...], ends: str) -> Answer:
    """Bots everywhere except in the human's seat, which says these things in turn and then ends the session."""
    house = by_agent(HouseAgent())
    asked: WeakKeyDictionary[Playing, int] = WeakKeyDictionary()

    def answer(playing: Playing, turn: Turn) -> str | None:
        if turn.seat != HUMAN:
            return house(playing, turn)
        asked[playing] = count = asked.get(playing, 0) + 1
        return said[count - 1] if count <= len(said) else ends

    return answer


def _house(name: str, about: str, edition: str, seed: int) -> Golden:
    return Golden(
        "tabletop",
        name,
        about,
        by_agent(HouseAgent()),
        PARTY,
        seed=seed,
        options={"edition": edition, "campaign": "the-drowned-bell", "player_character": PARTY[0]},
        agent="house",
        files=FILES,
    )


GOLDENS: tuple[Golden, ...] = (
    _house("session-phase-1", "A small campaign in the first edition, all seats by the house.", "phase-1", 31),
    _house("session-phase-2", "A small campaign in the second edition, all seats by the house.", "phase-2", 32),
    _house("session-current", "A small campaign in the present edition, all seats by the house.", "current", 33),
    Golden(
        "tabletop",
        "evening",
        "An evening with a human who decides, chats aside, saves, and ends the session.",
        visiting(SAID, "/end It is late."),
        (*CHARACTERS, HUMAN),
        seed=34,
        options={"campaign": "ten-past-four", "player_character": "pim-tallow"},
        agent="house",
        files=EVENING,
    ),
)
