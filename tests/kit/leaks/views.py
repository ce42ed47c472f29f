"""Planted leaks between the log and the seat: projections, entries and prompts that know more than they should."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from typing import Any
from unittest import mock

from sottovoce.agents import prompt as prompts
from sottovoce.agents.prompt import build_prompt
from sottovoce.domain.events import GameOpened, Recorded, ReplyAccepted, TurnOpened
from sottovoce.domain.ruleset import Ruleset
from sottovoce.domain.turns import Turn
from sottovoce.isolation.system import PromptBuilder, System
from sottovoce.projections.marks import Awaited, Mark, Mention, to_json
from sottovoce.projections.pieces import Teller
from sottovoce.projections.view import Entry, SeatProjection, View, public_view
from sottovoce.rulesets.mafia.rules import MAFIA
from sottovoce.rulesets.mafia.rules.events import NightResolved

PRODUCT = System(MAFIA)


class Knowing(View[Any]):
    """A view that contains the whole log and the full state."""

    log: list[Recorded]
    full: Any


class Omniscient(SeatProjection[Any]):
    """A projection that filters correctly, but keeps the rest."""

    def __init__(self, ruleset: Ruleset[Any], seat: str) -> None:
        super().__init__(ruleset, seat)
        self.log: list[Recorded] = []
        self.full = ruleset.initial

    def take_all(self, recorded: Iterable[Recorded]) -> None:
        items = list(recorded)
        for item in items:
            self.log.append(item)
            with suppress(Exception):
                self.full = self.ruleset.evolve(self.full, item.event)
        super().take_all(items)

    def view(self) -> View[Any]:
        self._fold()
        view = Knowing(self.ruleset, self.seat, self._entries, self.seq, self._state)
        view.log, view.full = self.log, self.full
        return view


def telling(line: Callable[[Any, Turn], str]) -> System:
    """Return the product with one more line in every prompt, made from everything."""
    return replace(
        PRODUCT,
        projection=Omniscient,
        prompts=lambda: lambda view, turn: f"{build_prompt(view, turn).text}\n{line(view, turn)}",
    )


class Labelled(Entry, frozen=True):
    """An entry that remembers its envelope."""

    envelope: Any = None
    extra: dict[str, Any] = {}


def labelling(label: Callable[[Recorded], dict[str, Any]]) -> System:
    """Return the product with something of the envelope in every entry."""

    class Labelling(SeatProjection[Any]):
        def take(self, recorded: Recorded) -> Entry | None:
            entry = super().take(recorded)
            if entry is not None:
                self._entries[-1] = Labelled(entry.seq, entry.at, entry.event, None, label(recorded))
            return entry

    def written(entry: Entry) -> dict[str, Any]:
        return {**entry.to_json(), **getattr(entry, "extra", {})}

    return replace(PRODUCT, projection=Labelling, entry=written)


def letting_in(may: Callable[[SeatProjection[Any], Recorded], bool]) -> System:
    """Return the product with another gate: everything that `may` accepts is an entry too."""

    class Gate(SeatProjection[Any]):
        def take(self, recorded: Recorded) -> Entry | None:
            if may(self, recorded) and not recorded.audience.includes(self.seat):
                with suppress(Exception):
                    self._state = self.ruleset.evolve(self._state, recorded.event)
                    at = recorded.at.replace(second=0, microsecond=0)
                    self._entries.append(Entry(self.seq + 1, at, recorded.event))
                return None
            return super().take(recorded)

    return replace(PRODUCT, projection=Gate)


def folding(also: Callable[[Recorded], bool]) -> System:
    """Return the product whose state (but not its entries) is folded from more than the seat saw."""

    class Peeking(SeatProjection[Any]):
        def take(self, recorded: Recorded) -> Entry | None:
            entry = super().take(recorded)
            if entry is None and also(recorded):
                with suppress(Exception):
                    self._state = self.ruleset.evolve(self._state, recorded.event)
            return entry

    return replace(PRODUCT, projection=Peeking)


class WithSeconds(SeatProjection[Any]):
    def take(self, recorded: Recorded) -> Entry | None:
        entry = super().take(recorded)
        if entry is not None:
            self._entries[-1] = Entry(entry.seq, recorded.at, entry.event)
        return entry


class AskedWithOthers(SeatProjection[Any]):
    """A seat's turn claims to have opened in the minute in which anyone's turn opened last."""

    opened: Recorded | None = None

    def take(self, recorded: Recorded) -> Entry | None:
        entry = super().take(recorded)
        asked = isinstance(recorded.event, TurnOpened)
        if entry is not None and asked and self.opened is not None:
            minute = self.opened.at.replace(second=0, microsecond=0)
            entry = self._entries[-1] = Entry(entry.seq, minute, entry.event)
        elif asked:
            self.opened = recorded
        return entry


class NumberedByPosition(SeatProjection[Any]):
    def take(self, recorded: Recorded) -> Entry | None:
        entry = super().take(recorded)
        if entry is not None:
            self._entries[-1] = Entry(recorded.position, entry.at, entry.event)
        return entry


class WithGaps(SeatProjection[Any]):
    """Reveals that something happened where something hidden did."""

    def __init__(self, ruleset: Ruleset[Any], seat: str) -> None:
        super().__init__(ruleset, seat)
        self.gap = False

    def take(self, recorded: Recorded) -> Entry | None:
        entry = super().take(recorded)
        if entry is not None and self.gap:
            self._entries[-1] = Labelled(entry.seq, entry.at, entry.event, None, {"after": "something hidden"})
        self.gap = entry is None
        return entry


class AlwaysPresent(SeatProjection[Any]):
    def __init__(self, ruleset: Ruleset[Any], seat: str) -> None:
        super().__init__(ruleset, seat)
        self.present = True


class OneAhead(SeatProjection[Any]):
    """Folds an event before it checks who can see it, and undoes that only at the next event."""

    def view(self) -> View[Any]:
        state = getattr(self, "peeked", None) or self._state
        return View(self.ruleset, self.seat, self._entries, self.seq, state)

    def take(self, recorded: Recorded) -> Entry | None:
        self.peeked = None
        with suppress(Exception):
            self.peeked = self.ruleset.evolve(self._state, recorded.event)
        return super().take(recorded)


def _substring(projection: SeatProjection[Any], recorded: Recorded) -> bool:
    return any(projection.seat in name for name in recorded.audience.seats or ())


def _first_sync(projection: SeatProjection[Any], recorded: Recorded) -> bool:
    return projection.present and projection._state.phase == "setup" and recorded.name.startswith("mafia.")


def _spectator_sync(ruleset: Ruleset[Any], log: Iterable[Recorded]) -> View[Any]:
    events = list(log)
    view = public_view(ruleset, events)
    state = ruleset.initial
    for item in events[:12]:
        with suppress(Exception):
            state = ruleset.evolve(state, item.event)
    if len(view.entries) <= 2:
        return View(ruleset, "", view.entries, view.seq, state)
    return view


def _answered(view: Any, turn: Turn) -> str:
    done = [item.event.seat for item in view.log if isinstance(item.event, ReplyAccepted)][-3:]
    return f"Have answered already: {', '.join(sorted(done))}." if turn.ballot else ""


def _unquoted(view: View[Any], turn: Turn) -> str:
    return build_prompt(view, turn).text.replace("\n> ", "\n")


def _cached(key: Callable[[View[Any], Turn], Any]) -> Callable[[], PromptBuilder]:
    """Caches prompts under a key that does not distinguish all seats."""

    def factory() -> PromptBuilder:
        kept: dict[Any, str] = {}
        return lambda view, turn: kept.setdefault(key(view, turn), build_prompt(view, turn).text)

    return factory


def _shrunk(view: Any, turn: Turn) -> str:
    return build_prompt(view, turn, budget=max(1200, prompts.BUDGET - 16 * len(view.log))).text


def _opened_elsewhere(view: Any, turn: Turn) -> str:
    return f"Turns so far: {sum(isinstance(item.event, TurnOpened) for item in view.log)}."


def _asked_of_all(view: Any, turn: Turn) -> str:
    return str(MAFIA.request(view.full, turn))


def _hidden_to(view: Any) -> str:
    last = view.log[-1].audience.seats
    return f"Last told: {', '.join(sorted(last or ('all',)))}."


class Remembered(Omniscient):
    """A projection that keeps its last log where marks are made."""

    last: list[Recorded] = []

    def take(self, recorded: Recorded) -> Entry | None:
        entry = super().take(recorded)
        Remembered.last = self.log
        return entry


def marking(extra: Callable[[list[Recorded]], Mark]) -> System:
    """Return the product with one more mark next to every entry, made from everything."""
    told = Teller.shown

    def marked(self: Teller, event: Any, audience: Any = None) -> dict[str, Any]:
        found = told(self, event, audience)
        return {**found, "marks": [*found["marks"], *to_json([extra(Remembered.last)])]}

    return replace(PRODUCT, projection=Remembered, patches=lambda: mock.patch.object(Teller, "shown", marked))


def systems() -> dict[str, System]:
    """Return every planted leak of this module by name."""
    return {
        "last_actor": telling(lambda view, turn: f"The last to act was {view.log[-1].actor}."),
        "last_event_name": telling(lambda view, turn: f"Newest: {view.log[-1].name.split('.')[0]}."),
        "total_event_count": telling(lambda view, turn: f"{len(view.log)} events so far."),
        "hidden_event_count": telling(lambda view, turn: f"{len(view.log) - view.seq} things you do not know."),
        "global_position": telling(lambda view, turn: f"Position {view.log[-1].position}."),
        "hidden_recipients": telling(lambda view, turn: _hidden_to(view)),
        "who_has_answered": telling(_answered),
        "turns_of_other_seats": telling(_opened_elsewhere),
        "agents_in_the_prompt": telling(lambda view, turn: f"Filled by: {dict(view.full.agents)}."),
        "seed_in_the_view": telling(lambda view, turn: f"Seed {view.full.seed}."),
        "living_mafia_counted": telling(lambda view, turn: f"Mafia left: {len(view.full.living_mafia)}."),
        "doctor_still_acts": telling(lambda view, turn: f"The Doctor lives: {view.full.holder('Doctor') is not None}."),
        "game_id_in_the_prompt": telling(lambda view, turn: f"Game {view.log[-1].game}."),
        "budget_by_hidden_length": replace(PRODUCT, projection=Omniscient, prompts=lambda: _shrunk),
        "request_from_the_full_state": replace(
            PRODUCT,
            projection=Omniscient,
            prompts=lambda: _asked_of_all,
        ),
        "standing_from_the_full_state": telling(
            lambda view, turn: "\n".join(view.ruleset.standing(view.full, view.seat))
        ),
        "digest_of_what_was_said_at_night": telling(
            lambda view, turn: "\n".join(f"{said.player} said: «{said.text}»" for said in view.full.whispers)
        ),
        "marks_name_the_last_actor": marking(lambda log: Awaited((str(log[-1].actor if log else ""),))),
        "marks_count_what_is_hidden": marking(lambda log: Mention("claim", str(len(log)))),
        "recipients_in_entries": labelling(lambda item: {"audience": item.audience.to_json()}),
        "cause_in_entries": labelling(lambda item: {"cause": item.cause}),
        "append_in_entries": labelling(lambda item: {"append": item.append}),
        "hash_in_entries": labelling(lambda item: {"hash": item.hash.hex()}),
        "salt_in_entries": labelling(lambda item: {"salt": item.salt.hex()}),
        "seconds_in_at": replace(PRODUCT, projection=WithSeconds),
        "opening_minute_of_another_s_turn": replace(PRODUCT, projection=AskedWithOthers),
        "seq_from_position": replace(PRODUCT, projection=NumberedByPosition),
        "gaps_marked": replace(
            PRODUCT, projection=WithGaps, entry=lambda entry: {**entry.to_json(), **getattr(entry, "extra", {})}
        ),
        "present_before_seated": replace(PRODUCT, projection=AlwaysPresent),
        "one_event_ahead": replace(PRODUCT, projection=OneAhead),
        "substring_audience": letting_in(_substring),
        "audience_never_passed": letting_in(lambda projection, item: projection.present),
        "unfiltered_first_sync": letting_in(_first_sync),
        "unfiltered_first_sync_for_spectators": replace(PRODUCT, spectator=_spectator_sync),
        "fold_of_everything": folding(lambda item: not isinstance(item.event, GameOpened)),
        "deaths_concluded_early": replace(
            folding(lambda item: item.name == "mafia.night-resolved.v1"), ruleset=_concluding(MAFIA)
        ),
        "speech_unquoted_in_the_prompt": replace(PRODUCT, prompts=lambda: _unquoted),
        "prompt_cached_across_seats": replace(
            PRODUCT, prompts=_cached(lambda view, turn: (turn.kind, turn.number, len(view.state.dead)))
        ),
        "prompt_cached_by_ballot": replace(
            PRODUCT,
            prompts=_cached(lambda view, turn: turn.ballot or (view.seat, turn.number, len(turn.failures))),
        ),
    }


def _concluding(ruleset: Ruleset[Any]) -> Ruleset[Any]:
    """A fold that infers the death from how the night was resolved, before it is announced."""

    def resolved(state: Any, event: NightResolved) -> Any:
        state = event.fold(state)
        return state.but(dead={**state.dead, event.died: "killed in the night"}) if event.died else state

    return ruleset.but(evolvers={**ruleset.evolvers, NightResolved: resolved})
