"""The neutral narration that stands in for a silent narrator, built from public facts alone (M-021)."""

from __future__ import annotations

from domain.rulesets.mafia.state import MafiaState


def neutral(scene: str, state: MafiaState) -> str:
    """One plain text for a narration turn of that kind."""
    match scene:
        case "opening":
            return f"The town of {len(state.players)} gathers. Night is near."
        case "dawn":
            if not state.last_deaths:
                return f"Day {state.number} breaks. Nobody died in the night."
            return f"Day {state.number} breaks. {' and '.join(state.last_deaths)} did not live to see it."
        case "introduction":
            subject = next((name for name in state.nominees if name not in state.defences), "The nominee")
            return f"{subject} steps forward to answer the town."
        case "gallows":
            return f"{state.condemned} is led to the gallows."
        case _:
            return f"{state.condemned} is dead. The town has had its way."
