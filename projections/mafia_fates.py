"""Deaths and votes in a game of Mafia: what the town voted in public, and what the Mafia voted at night."""

from __future__ import annotations

from domain.events import Event
from domain.rulesets.mafia import events
from projections.fates import Fates


class MafiaFates(Fates):
    """Votes are of `night N` (whom to kill), `second N` (yes or no), `trial N` (whom to condemn) and `gallows N`."""

    def take(self, event: Event) -> None:
        match event:
            case events.MafiaBallotClosed():
                self.cast(f"night {event.night}", event.votes)
            case events.DeathsAnnounced():
                self.died |= dict.fromkeys(event.deaths, f"night {event.day - 1}")
            case events.SecondingClosed():
                self.cast(f"second {event.day}", event.votes)
            case events.TrialClosed():
                self.cast(f"trial {event.day}", event.votes)
            case events.ExecutionVoteClosed():
                self.cast(f"gallows {event.day}", event.votes)
            case events.PlayerExecuted():
                self.died[event.player] = f"day {event.day}"
