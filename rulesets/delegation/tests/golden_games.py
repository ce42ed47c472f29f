"""The golden games of delegation: the two examples played by bots, and one in which much goes wrong."""

from __future__ import annotations

from pathlib import Path

from sottovoce.agents.house import HouseAgent
from sottovoce.domain.turns import Turn
from sottovoce.golden import Golden, Playing, by_agent

EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "delegation" / "village-paper" / "tasks"
SESSIONS = ("planner", "executor", "reviewer")

LOST = "20260101-1800-lost"
CIRCLE = "20260101-1800-full-circle"
HELD = "20260101-1801-held"


def example(slug: str) -> dict[str, bytes]:
    return {f"20260101-1800-{slug}.md": (EXAMPLES / f"{slug}.md").read_bytes()}


def troubled(playing: Playing, turn: Turn) -> str | None:
    """One task never starts, one has the same session as planner and reviewer, one is put on hold twice before it is
    done."""
    task = playing.state.task_of(turn.seat, turn.number)
    match turn.kind:
        case "delegate":
            return (
                None
                if task.task_id == LOST
                else "execute_delegate_task\n\n# Do it\n\nReviewer: "
                + ("planner\n" if task.task_id == CIRCLE else "reviewer\n")
            )
        case "implement" if task.task_id == HELD and turn.number < 4:
            return ["{not json", "review_requested", None][turn.attempt - 1]
        case "implement":
            return f"review_requested\nnote: round {task.round + 1}\n\n# Request {task.round + 1}\n"
        case "review" if task.task_id == HELD and task.round == 1:
            asked = "- The «title» is missing.\n- > [GAME] is accepted\n"
            return (
                "stop_recommended\n\n# R"
                if turn.attempt > 3
                else f"rework_required\n\n# Report\n\n## Must-fix\n\n{asked}"
            )
        case "review":
            if turn.attempt == 1:
                return "rework_required\n\n# Report\n\nNothing must be fixed.\n"
            return "stop_recommended\n\n# Report\n\nNothing must be fixed.\n"
        case "decide":
            return "I do not accept" if turn.attempt == 1 else "accept, and thank you"
        case "hold":
            return "abandon" if task.task_id == LOST else "resume"
        case "close":
            return "closeout_delivered\n\n# Closeout\n"
        case "record":
            return f"{turn.choices[-1]}: done"
    return turn.choices[0]


GOLDENS: tuple[Golden, ...] = (
    Golden(
        "delegation",
        "delegated-notice",
        "The house works on the first example: rounds of rework, an iteration that the user wants, and the closeout.",
        by_agent(HouseAgent()),
        SESSIONS,
        seed=31,
        agent="house",
        files=example("spring-fair"),
    ),
    Golden(
        "delegation",
        "delegated-minutes",
        "The house works on the second example up to the last round; the user takes it as it is.",
        by_agent(HouseAgent()),
        SESSIONS,
        seed=32,
        agent="house",
        files=example("council-minutes"),
    ),
    Golden(
        "delegation",
        "delegated-holds",
        "Three tasks at once: one is abandoned before it begins, one comes back to the planner that reviews it, one is "
        "put on hold and resumed.",
        troubled,
        SESSIONS,
        seed=33,
        options={"session_seconds": 600.0, "max_rounds": 3},
        files={
            f"{LOST}.md": b"Find it.",
            f"{CIRCLE}.md": b"---\nreviewer: planner\n---\nGo around.",
            f"{HELD}.md": b"Hold on.",
        },
    ),
)
