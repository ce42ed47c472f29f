"""When each player of a finished game died, and how each voted: for whoever counts more than wins."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from domain.catalogue import Catalogue
from domain.events import Event


@dataclass(frozen=True, slots=True)
class Fate:
    """`died` is when, such as `night 2`; empty for who lived. `votes` are those cast, each as `when:choice`."""

    died: str = ""
    votes: tuple[str, ...] = ()


class Fates:
    """Takes in the events of one game in order; `of(player)` gives a player's fate."""

    def __init__(self) -> None:
        self.died: dict[str, str] = {}
        self.votes: dict[str, list[str]] = {}

    def cast(self, when: str, votes: Mapping[str, str]) -> None:
        """Take in a ballot."""
        for voter, choice in votes.items():
            self.votes.setdefault(voter, []).append(f"{when}:{choice}")

    def take(self, event: Event) -> None:
        """Take in one event."""

    def of(self, player: str) -> Fate:
        return Fate(self.died.get(player, ""), tuple(self.votes.get(player, ())))


def _mafia() -> type[Fates]:
    from projections.mafia_fates import MafiaFates

    return MafiaFates


FATES: Catalogue[type[Fates]] = Catalogue({"mafia": _mafia})
"""By ruleset; nobody dies or votes in one that is not listed."""


def fates(ruleset: str, events: Iterable[Event]) -> Fates:
    """The fates of one game's players."""
    found = FATES.get(ruleset, Fates)()
    for event in events:
        found.take(event)
    return found
