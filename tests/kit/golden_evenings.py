"""Three evenings on a campaign without a beat sheet, as the person reads them; `make golden` writes them."""

from __future__ import annotations

from pathlib import Path

from worlds import HERE, open_evening

from sottovoce.rulesets.tabletop.rules.messages import MessageSent

FOLDER = Path(__file__).parents[2] / "docs" / "evenings"
SEEDS = (1, 2, 3)
LENGTH = 36
"""Lines that the person says in an evening."""


def lines() -> list[str]:
    """What people say on the drowned mill, from the list of labelled sentences."""
    text = (HERE / "sentences.txt").read_text(encoding="utf-8").partition("# ten-past-four")[0]
    return [line.partition("|")[0].strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]


def page_of(seed: int) -> Path:
    return FOLDER / f"the-drowned-mill-{seed}.md"


def page(seed: int) -> str:
    """The evening of that seed as Markdown: what the person said, and what they were told."""
    start = LENGTH * (seed - 1)
    table = open_evening(lines()[start : start + LENGTH], seed)
    parts = [
        f"# The Drowned Mill, evening {seed}",
        f"The built-in game master on `tests/agents/tabletop/the-drowned-mill`, seed {seed}. The person plays Dorrin"
        " Vale; the lines are from the list of labelled sentences, in their order, and not chosen for the answers.",
    ]
    for recorded in table.recorded:
        event = recorded.event
        if not isinstance(event, MessageSent):
            continue
        if event.tag == "NARRATIVE":
            parts.append(event.body)
        elif event.tag == "HUMAN_DECISION":
            parts.append(f"> **{event.body}**")
        elif event.tag == "PLAYER_ANSWER":
            parts.append(f"> **{event.fields['answer']}**")
        elif event.tag == "ASK_PLAYER":
            options = "\n".join(f"- {option['label']}" for option in event.fields["options"])
            parts.append(f"*{event.fields['question']}*\n\n{options}")
        elif event.tag == "SESSION_END":
            parts.append(f"*{event.fields['summary']}*\n\n*{event.fields['next_hook']}*")
    return "\n\n".join(parts) + "\n"
