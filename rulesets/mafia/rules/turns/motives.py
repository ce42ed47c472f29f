"""What is said with a choice: motives, which only the narrator hears (M-102)."""

from __future__ import annotations

from collections.abc import Mapping

from sottovoce import Count, Game
from sottovoce.rulesets.mafia.rules.events import RepliesHeard
from sottovoce.rulesets.mafia.rules.state import MafiaState


def tell_motives(game: Game[MafiaState], about: str, count: Count) -> None:
    """Let the narrator hear what the voters of a ballot said with their votes."""
    _tell(game, about, count.words, count.votes)


def tell_motive(game: Game[MafiaState], about: str, seat: str, words: str | None, choice: str | None) -> None:
    """Let the narrator hear what one seat said with its choice."""
    _tell(game, about, {seat: words or ""}, {seat: choice or ""})


def _tell(game: Game[MafiaState], about: str, words: Mapping[str, str], choices: Mapping[str, str]) -> None:
    said = {seat: text for seat, text in words.items() if text.strip() and text.strip() != choices[seat]}
    if said:
        game.emit(RepliesHeard(about=about, replies=said))
