"""How a game of Mafia looks."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from rich import box
from rich.console import RenderableType
from rich.text import Text

from cli.screens.look import GAP, Look
from domain.events import Event, GameOpened, ReplyAccepted, TurnOpened
from domain.rulesets.mafia import events
from domain.rulesets.mafia.events import NARRATOR, TOWN_HALL, Role
from domain.rulesets.mafia.phrases import ROLE_TEXT
from domain.rulesets.mafia.state import MafiaOptions

Blocks = list[RenderableType]

NARRATION = "#af5faf"
DEATH = "bold #d70000"
RESULTS = {"town": "bold #00875f", "mafia": "bold #d70000", "jester": "bold #d70087", "draw": "bold"}
HEADLINES = {"town": "The town wins.", "mafia": "The Mafia win.", "jester": "The Jester wins alone.", "draw": "A draw."}
SIDES: Mapping[Role, str] = {
    "Detective": "town",
    "Doctor": "town",
    "Villager": "town",
    "Mafia": "mafia",
    "Jester": "jester",
}
PHASES = {
    "discussion": "Day {}: discussion",
    "nominations": "Day {}: town hall, nominations",
    "defence": "Day {}: defence",
    "trial": "Day {}: trial",
    "gallows": "Day {}: the gallows",
    "aftermath": "Day {}: aftermath",
}
NOTES = {"discussion": None, "defence": "in defence", "final": "last words"}


def with_article(role: Role) -> str:
    """The role as it is said of one player."""
    return {"Mafia": "Mafia", "Villager": "a Villager"}.get(role, f"the {role}")


class MafiaRenderer:
    """Draws Mafia events; remembers who died how and when, for the table at the end."""

    def __init__(self, look: Look) -> None:
        self._look = look
        self._fates: dict[str, tuple[str, str]] = {}
        self._sealed: set[tuple[str, int]] = set()
        self._draw: Mapping[type[Event], Callable[[Any], Blocks | None]] = {
            GameOpened: self._opened,
            TurnOpened: self._asked,
            ReplyAccepted: self._accepted,
            events.RoleDealt: self._dealt,
            events.MafiaIntroduced: self._introduced,
            events.NarrationGiven: self._narrated,
            events.RepliesHeard: self._heard,
            events.PhaseBegan: self._phase,
            events.PlayerProtected: self._protected,
            events.PlayerInvestigated: self._investigated,
            events.MafiaWhispered: self._whispered,
            events.MafiaBallotClosed: self._mafia_counted,
            events.NightResolved: self._resolved,
            events.DeathsAnnounced: self._deaths,
            events.RoleRevealed: self._revealed,
            events.SpeakerChosen: self._speaker,
            events.BidsClosed: self._bids,
            events.FloorGiven: self._floor,
            events.SpeechGiven: self._speech,
            events.NominationMade: self._nominated,
            events.SecondingClosed: self._seconded,
            events.TrialClosed: self._tried,
            events.ExecutionVoteClosed: self._voted_on_execution,
            events.PlayerExecuted: self._executed,
            events.GameEnded: self._ended,
        }

    def draw(self, event: Event) -> Blocks | None:
        """The blocks of one event; None where the plain telling will do."""
        draw = self._draw.get(type(event))
        return None if draw is None else draw(event)

    def _opened(self, event: GameOpened) -> Blocks:
        look = self._look
        players = [name for name in event.seats if name != NARRATOR]
        listed = Text(", ").join(
            look.sentence(look.name(name), " (you)" if name == look.seat else "") for name in players
        )
        drawn = [*look.heading("Mafia", weight="━"), *look.line(f"{len(players)} players: ", listed, ".")]
        counts = event.options.get("role_counts") or {}
        if counts:
            dealt = ", ".join(
                f"{number} {role}{'s' if number > 1 and role != 'Mafia' else ''}"
                for role, number in counts.items()
                if number
            )
            drawn += look.line(f"Roles in play: {dealt}.")
        if look.seat == NARRATOR:
            drawn += look.line("You are the narrator.")
        changed = {key: value for key, value in event.options.items() if key != "role_counts" and _changed(key, value)}
        if changed:
            rules = ", ".join(f"{key}={json.dumps(value)}" for key, value in changed.items())
            drawn += look.line(f"Rules other than the usual: {rules}.", style="dim")
        return [*drawn, GAP]

    def _asked(self, event: TurnOpened) -> None:
        if event.ballot is not None:
            self._sealed.add((event.seat, event.turn))

    def _accepted(self, event: ReplyAccepted) -> Blocks:
        """An answer, unless the public event that follows tells as much."""
        look = self._look
        text, sealed = event.text.strip(), (event.seat, event.turn) in self._sealed
        words = text if text != event.choice else ""
        if not (words or (sealed and event.choice)):
            return []
        who = "You" if event.seat == look.seat else event.seat
        if event.choice is None:
            return look.aside(look.text(f"{who} answered: {text}", "dim"), own="")
        return look.aside(look.text(f"{who} answered: {event.choice}", "dim"), own="", words=words)

    def _dealt(self, event: events.RoleDealt) -> Blocks:
        look = self._look
        if event.player != look.seat:
            return look.aside(look.name(event.player), f" is {with_article(event.role)}.")
        title = look.text(f"You are {with_article(event.role)}.", RESULTS[SIDES[event.role]])
        return look.card(title, look.text(ROLE_TEXT[event.role]))

    def _introduced(self, event: events.MafiaIntroduced) -> Blocks:
        look = self._look
        if len(event.members) == 1:
            alone = event.members[0]
            told = ("You are the only Mafia.",) if alone == look.seat else ("The only Mafia is ", look.name(alone), ".")
            return look.aside(*told)
        return look.aside("The Mafia are ", look.name_list(event.members), ".", own="only the Mafia")

    def _narrated(self, event: events.NarrationGiven) -> Blocks:
        look = self._look
        return look.frame(look.text(event.text.strip(), "italic"), title="narrator", style=NARRATION)

    def _heard(self, event: events.RepliesHeard) -> Blocks:
        look = self._look
        drawn = look.aside(f"Overheard ({event.about})")
        for player, text in event.replies.items():
            words = look.text(" ".join(text.split()), "dim")
            hung = look.hang(look.sentence("    ", look.name(player)), words, look.column + 4, look.width - 2)
            drawn += [look.sentence(look.text("┆ ", "dim"), line) for line in hung.split("\n")]
        return drawn

    def _phase(self, event: events.PhaseBegan) -> Blocks:
        look = self._look
        if event.phase == "night":
            return look.heading(f"Night {event.number} falls", sign="☾", weight="━", style="bold #5f5faf")
        if event.phase == "dawn":
            return look.heading(f"Day {event.number}", sign="☀", weight="━", style="bold #9e7b00")
        title = PHASES.get(event.phase)
        return look.heading(title.format(event.number)) if title else []

    def _protected(self, event: events.PlayerProtected) -> Blocks:
        look = self._look
        target = look.name(event.target)
        if event.doctor == look.seat:
            return look.aside("You protect ", target, f" in night {event.night}.")
        return look.aside(look.name(event.doctor), " protects ", target, f" in night {event.night}.")

    def _investigated(self, event: events.PlayerInvestigated) -> Blocks:
        look = self._look
        target = look.name(event.target)
        role = look.text(with_article(event.role), RESULTS[SIDES[event.role]])
        if event.detective == look.seat:
            title = look.sentence(target, " is ", role, ".")
            return look.card(title, look.text(f"You investigated them in night {event.night}.", "dim"))
        detective = look.name(event.detective)
        return look.aside(detective, " investigates ", target, f" in night {event.night}, who is ", role, ".")

    def _whispered(self, event: events.MafiaWhispered) -> Blocks:
        look = self._look
        if event.text is None:
            return look.aside(look.name(event.player), " has nothing to say to the other Mafia.", own="only the Mafia")
        return look.aside(look.name(event.player), " says:", own="only the Mafia", words=event.text)

    def _mafia_counted(self, event: events.MafiaBallotClosed) -> Blocks:
        look = self._look
        label = look.label("only the Mafia")
        title = look.sentence(look.text(f"Night {event.night}: the Mafia vote", "bold"), look.text(f"  {label}", "dim"))
        if event.target is None:
            result = look.text("A tie; the Mafia vote again.")
        else:
            result = look.sentence("The target is ", look.name(event.target), " (drawn)." if event.drawn else ".")
        return look.ballot(title, event.votes, event.tally, result)

    def _resolved(self, event: events.NightResolved) -> Blocks:
        look = self._look
        return look.aside(f"Night {event.night}: ", look.name(event.target), f" was {event.cause}.")

    def _deaths(self, event: events.DeathsAnnounced) -> Blocks:
        look = self._look
        if not event.deaths:
            return [*look.line("Nobody died in the night.", style="bold"), GAP]
        drawn: Blocks = []
        for name in event.deaths:
            self._fates[name] = ("killed at night", str(event.day))
            drawn += self._death(look.sentence(look.text(name, DEATH), " died in the night."))
        return drawn

    def _executed(self, event: events.PlayerExecuted) -> Blocks:
        self._fates[event.player] = ("executed", str(event.day))
        return self._death(self._look.sentence(self._look.text(event.player, DEATH), " is executed."))

    def _death(self, body: Text) -> Blocks:
        look = self._look
        return [GAP, *look.frame(body, style=DEATH, shape=box.HEAVY, weighty=True), GAP]

    def _revealed(self, event: events.RoleRevealed) -> Blocks:
        look = self._look
        role = look.text(with_article(event.role), RESULTS[SIDES[event.role]])
        return self._death(look.sentence(look.text(event.player, DEATH), " was ", role, "."))

    def _speaker(self, event: events.SpeakerChosen) -> Blocks:
        look = self._look
        called = look.text("the town hall", "bold") if event.choice == TOWN_HALL else look.name(event.choice)
        words = (event.words or "").strip()
        if not words or words == event.choice:
            words = ""
        lead = look.sentence(look.text("narrator → ", NARRATION), called)
        if not words:
            return [lead]
        return [look.hang(lead, look.text(words, "italic"), max(look.column, lead.cell_len + 2))]

    def _bids(self, event: events.BidsClosed) -> Blocks:
        look = self._look
        bids = Text(", ").join(look.sentence(look.name(player), f" {bid}") for player, bid in event.bids.items() if bid)
        return look.aside("Bids for the floor: ", bids if bids.plain else "none", ".")

    def _floor(self, event: events.FloorGiven) -> Blocks:
        look = self._look
        called = look.text("the town hall", "bold") if event.choice == TOWN_HALL else look.name(event.choice)
        return [look.sentence(look.text("floor → ", NARRATION), called)]

    def _speech(self, event: events.SpeechGiven) -> Blocks:
        look = self._look
        speaker = look.name(event.player)
        if event.text is None:
            return [look.hang(speaker, look.text("stays silent", "dim italic"), look.column)]
        return look.speech(speaker, event.text, note=NOTES[event.occasion])

    def _nominated(self, event: events.NominationMade) -> Blocks:
        look = self._look
        if event.nominee is None:
            return look.line(look.name(event.player), " passes.")
        drawn = look.line(look.name(event.player), " nominates ", look.name(event.nominee), ".")
        return [*drawn, *look.speech(look.name(event.player), event.words)] if event.words else drawn

    def _seconded(self, event: events.SecondingClosed) -> Blocks:
        look = self._look
        nominee = look.name(event.nominee)
        title = look.sentence(look.text("Seconding ", "bold"), nominee, ", nominated by ", look.name(event.nominator))
        result = look.sentence(nominee, " stands trial." if event.seconded else " is not seconded.")
        return look.ballot(title, event.votes, event.tally, result)

    def _tried(self, event: events.TrialClosed) -> Blocks:
        look = self._look
        title = look.text(f"Trial, revote {event.round}" if event.round else "Trial", "bold")
        if event.condemned is not None:
            result = look.sentence(look.name(event.condemned), look.text(" is condemned.", "bold"))
        else:
            after = "; the town votes again among them." if event.again else "; nobody is condemned."
            result = look.sentence("A tie between ", look.name_list(event.tied), after)
        return look.ballot(title, event.votes, event.tally, result)

    def _voted_on_execution(self, event: events.ExecutionVoteClosed) -> Blocks:
        look = self._look
        condemned = look.name(event.condemned)
        title = look.sentence(look.text("Execution of ", "bold"), condemned)
        result = look.sentence(condemned, look.text(" is to be executed." if event.executed else " is spared.", "bold"))
        return look.ballot(title, event.votes, event.tally, result)

    def _ended(self, event: events.GameEnded) -> Blocks:
        look = self._look
        style = RESULTS[event.winner]
        headline = look.sentence(look.text(HEADLINES[event.winner], style), " ", event.reason)
        rows = []
        for player, role in event.roles.items():
            fate, day = self._fates.get(player, ("survived", ""))
            won = SIDES[role] == event.winner
            rows.append(
                [
                    look.sentence(look.name(player), " (you)" if player == look.seat else ""),
                    look.text(role, RESULTS[SIDES[role]]),
                    look.text(fate, "dim" if day else ""),
                    look.text(day),
                    look.text("won" if won else "", style if won else ""),
                ]
            )
        drawn = look.frame(headline, title="the game is over", style=style, shape=box.DOUBLE, weighty=True)
        table = look.columns(("player", "role", "fate", "day", ""), rows, indent=2 if look.width > 60 else 0)
        return [GAP, *drawn, GAP, *(look.hang(Text(), line, 0) for line in table), GAP]


def _changed(key: str, value: object) -> bool:
    field = MafiaOptions.model_fields.get(key)
    return field is None or value != field.default
