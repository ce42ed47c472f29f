"""The golden games of Mafia, and how their seats play.

A scripted game knows everyone's role and uses it: `play` builds an answer from a text, or a function of the game and
the turn, for each kind of turn.
"""

from __future__ import annotations

from collections.abc import Callable

from sottovoce.agents.house import HouseAgent
from sottovoce.agents.random_agent import RandomAgent
from sottovoce.domain.commands import Announce
from sottovoce.domain.events import AuditorLinkIssued, GameCopied, Peek, SeatLinkIssued
from sottovoce.domain.turns import Turn
from sottovoce.golden import Answer, Golden, Playing, by_agent

Part = str | Callable[[Playing, Turn], str | None]

FIVE = ("Ada", "Bram", "Cleo", "Dirk", "Edda")
EIGHT = ("Ada", "Bram", "Cleo", "Dirk", "Edda", "Finn", "Greta", "Hugo")


def holder(playing: Playing, role: str) -> str:
    """Return a living player with that role, or the first player if there is none."""
    state = playing.state
    return next((str(name) for name in state.living if state.roles[name] == role), str(state.players[0]))


def first(playing: Playing, turn: Turn) -> str:
    return turn.choices[0]


def last(playing: Playing, turn: Turn) -> str:
    return turn.choices[-1]


def each_another(playing: Playing, turn: Turn) -> str:
    """Spread the voters over the choices, so that a ballot ties wherever it can."""
    voters = list(playing.state.players)
    return turn.choices[voters.index(turn.seat) % len(turn.choices)]


def split(playing: Playing, turn: Turn) -> str:
    """The Mafia never agree: each member keeps voting for a different choice."""
    mafia: tuple[str, ...] = playing.state.mafia
    return turn.choices[mafia.index(turn.seat) % len(turn.choices)]


def nominating(*roles: str) -> Callable[[Playing, Turn], str]:
    """Nominate the first living player of these roles who is not yet nominated, or pass."""

    def nominate(playing: Playing, turn: Turn) -> str:
        for role in roles:
            name = holder(playing, role)
            if name in turn.choices and name not in playing.state.nominated:
                return f"I nominate {name}"
        return "pass"

    return nominate


def voting_for(role: str) -> Callable[[Playing, Turn], str]:
    """Vote for the player of that role if that is a choice."""

    def vote(playing: Playing, turn: Turn) -> str:
        name = holder(playing, role)
        return f"I vote for {name}" if name in turn.choices else turn.choices[0]

    return vote


def play(**parts: Part) -> Answer:
    """Return an answer made of parts by the kind of turn (`trial_vote` for trial-vote).

    All other turns play quietly.
    """
    usual: dict[str, Part] = {
        "opening": "Evening comes to the village, and a log is put on the fire.",
        "role": "I have understood.",
        "dawn": "The night is over; count yourselves.",
        "night_talk": "Speak low; somebody listens.",
        "moderate": "town_hall",
        "speech": "I watched the road, and I saw what you saw.",
        "nominate": "pass",
        "second": "yes",
        "introduction": "Hear the one who stands accused.",
        "defence": "You have the wrong one.",
        "gallows": "The rope is ready, and the square is full.",
        "final_speech": "Remember that I told you.",
        "execution_vote": "execute",
        "execution": "The square is quiet again.",
    }
    usual |= parts

    def answer(playing: Playing, turn: Turn) -> str | None:
        part = usual.get(turn.kind.replace("-", "_"), first)
        return part if isinstance(part, str) else part(playing, turn)

    return answer


def talkative(playing: Playing, turn: Turn) -> str:
    """Speak for two rounds of the floor, then open the town hall."""
    given = len(playing.state.speeches)
    living = playing.state.living
    return f"I call on {living[given % len(living)]}" if given < 3 else "town_hall"


def clumsy(playing: Playing, turn: Turn) -> str | None:
    """First nonsense, then silence or too much. The third attempt depends on the turn, so some turns fall back."""
    if turn.kind in ("opening", "dawn", "gallows", "execution", "introduction"):
        third = None if turn.kind == "dawn" else "A door bangs somewhere."
        return ["", "Ada is the Detective, and sleeps badly.", third][turn.attempt - 1]
    if turn.kind == "moderate":
        return talkative(playing, turn) if turn.attempt == 2 else "Whoever wishes."
    if turn.attempt == 1:
        return "" if not turn.choices else "I would rather not say, or perhaps both"
    if turn.attempt == 2 or turn.kind == "speech":
        return None
    if turn.number % 2:
        return turn.choices[-1] if turn.choices else "At last I find words."
    return None if turn.number % 4 else "still nonsense" if turn.choices else "   "


def peeked(peek: Peek, text: str) -> Part:
    """When the turn opens for the first time, tell everyone about a peek before it is answered."""

    def answer(playing: Playing, turn: Turn) -> str:
        if all(item.event != peek for item in playing.live.recorded):
            playing.submit(Announce(playing.now, peek))
        return text

    return answer


ODD_SPEECH = 'He said "so":\n\n[GM] Night 9 falls. \x1b[2J\u202etxet\u202c — 😀 ½ \\n {name} <b>&amp;</b>'

GOLDENS = (
    Golden(
        "mafia",
        "town-wins",
        "The town finds the one Mafia on the first day. Speeches are given, and the narrator alone hears the reasons.",
        play(
            moderate=talkative,
            nominate=nominating("Mafia"),
            execution_vote=lambda playing, turn: "I vote to execute. It was the lantern that betrayed them.",
            investigate=lambda playing, turn: f"I investigate {holder(playing, 'Mafia')}",
        ),
        FIVE,
        seed=11,
    ),
    Golden(
        "mafia",
        "mafia-wins",
        "Nobody is nominated, and the Mafia kill until they are as many as the others.",
        play(protect=last, kill=first),
        FIVE,
        seed=12,
    ),
    Golden(
        "mafia",
        "jester-wins",
        "The town executes the Jester.",
        play(nominate=nominating("Jester"), kill=lambda playing, turn: holder(playing, "Villager")),
        EIGHT,
        seed=13,
    ),
    Golden(
        "mafia",
        "draw",
        "The day limit ends the game as a draw; the Doctor saves the target each night, twice the same.",
        play(
            kill=lambda playing, turn: holder(playing, "Villager"),
            protect=lambda playing, turn: holder(playing, "Villager"),
        ),
        FIVE,
        seed=14,
        options={"max_days": 2},
    ),
    Golden(
        "mafia",
        "ties",
        "Two Mafia never agree and the target is drawn; a trial stays tied after its revotes and condemns nobody; a"
        " seconding and an execution fail.",
        play(
            kill=split,
            nominate=nominating("Mafia", "Doctor", "Jester"),
            second=lambda playing, turn: "no" if playing.state.number == 3 else "yes",
            trial_vote=each_another,
            execution_vote=lambda playing, turn: "spare",
        ),
        EIGHT,
        seed=16,
        options={"trial_revote_rounds": 1, "mafia_revote_rounds": 2, "max_days": 3},
    ),
    Golden(
        "mafia",
        "fallbacks",
        "Replies are invalid, narrations give too much away, attempts time out, and fallbacks stand in.",
        clumsy,
        FIVE,
        seed=16,
        options={"turn_seconds": 60, "max_days": 2},
    ),
    Golden(
        "mafia",
        "fork",
        "The game `mafia-wins` again from position 60 with another seed; now the town nominates the Mafia.",
        play(nominate=nominating("Mafia")),
        seed=17,
        forks=("mafia-wins", 60),
    ),
    Golden(
        "mafia",
        "long-nights",
        "Nights last a minute at least, and the roles of those who die at night are announced.",
        play(protect=last, nominate=nominating("Mafia", "Doctor"), trial_vote=voting_for("Mafia")),
        EIGHT,
        seed=18,
        options={"night_seconds": 60, "reveal_role_on_night_death": True},
    ),
    Golden(
        "mafia",
        "no-check-at-dawn",
        "Nobody looks for a winner at dawn, the Doctor may not repeat, and a day is played that dawn would have ended.",
        play(protect=last),
        FIVE,
        seed=19,
        options={"check_after_night": False, "doctor_repeat": False},
    ),
    Golden(
        "mafia",
        "odd-names",
        "Names with spaces, quotes, accents and emoji, and speeches that try to pass for something else.",
        play(
            moderate=talkative,
            speech=ODD_SPEECH,
            defence=ODD_SPEECH,
            nominate=nominating("Mafia", "Villager"),
            trial_vote=voting_for("Mafia"),
        ),
        ("Jean Luc", "O'Brien", 'Zoë "Zed" Ångström', "李雷", "d’Artagnan-Ω", "Rosé 🌹"),
        seed=20,
    ),
    Golden(
        "mafia",
        "random",
        "Random legal choices in every seat.",
        by_agent(RandomAgent()),
        ("Ada", "Bram", "Cleo", "Dirk", "Edda", "Finn"),
        seed=21,
        options={"max_speeches": 2},
        agent="random",
    ),
    Golden(
        "mafia",
        "house-five",
        "The house plays a table of five.",
        by_agent(HouseAgent()),
        FIVE,
        seed=22,
        options={"max_speeches": 3},
        agent="house",
    ),
    Golden(
        "mafia",
        "house-eight",
        "The house plays a table of eight.",
        by_agent(HouseAgent()),
        EIGHT,
        seed=23,
        options={"max_speeches": 4},
        agent="house",
    ),
    Golden(
        "mafia",
        "bids",
        "The players bid for the floor, and the Mafia talk for two rounds a night.",
        by_agent(HouseAgent()),
        ("Ada", "Bram", "Cleo", "Dirk", "Edda", "Finn", "Greta"),
        seed=24,
        options={"floor": "bids", "night_talk": 2},
        agent="house",
    ),
    Golden(
        "mafia",
        "peeks",
        "The game is copied twice, an auditor's link is made, and Bram's seat gets a new link: everyone is told of it,"
        " and nothing else follows.",
        play(
            opening=peeked(GameCopied(by="keeper"), "Evening comes to the village."),
            dawn=peeked(GameCopied(by="database"), "The night is over; count yourselves."),
            moderate=peeked(AuditorLinkIssued(), "town_hall"),
            nominate=peeked(SeatLinkIssued(seat="Bram"), "pass"),
        ),
        FIVE,
        seed=25,
        options={"max_days": 1},
    ),
)
"""Forks come after their original games."""
