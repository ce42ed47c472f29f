"""Probe the command line: every command that shows something to a seat, each option with values of the hidden world.

Commands and options come from click's own tree. The two worlds are in two databases. In the second one others have
looked before, so that anything commands keep on the disk or in this process differs.
"""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import tempfile
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from itertools import count, islice
from pathlib import Path
from typing import Any
from unittest import mock

import click
import msgspec

from sottovoce.cli.main import cli
from sottovoce.cli.numbers import Amount, WholeNumber
from sottovoce.domain.rulesets import RULESETS
from sottovoce.isolation.cases import Case
from sottovoce.isolation.draws import generator
from sottovoce.isolation.folder_listing import listing, written_in_order
from sottovoce.isolation.observe import Difference
from sottovoce.isolation.probes.canaries import Forbidden, marks_seen, secrets_of
from sottovoce.isolation.probes.coverage import UNSEATED, Coverage, options_of
from sottovoce.isolation.probes.deck import Deck
from sottovoce.isolation.probes.inquiry import Probed
from sottovoce.isolation.probes.lexicon import Lexicon, spellings
from sottovoce.isolation.probes.situations import Situation, situations
from sottovoce.isolation.surfaces import (
    DATABASE,
    Shelves,
    ask_by_tools,
    database_files,
    hold_by_files,
    hold_by_program,
    invoke,
    store,
)
from sottovoce.isolation.system import System

TOGETHER = 6
"""Situations that share a pair of databases."""
RUNS = 13
"""Runs of one situation."""
NOISE = 2
"""Runs by other viewers in the second world, before the seat's."""
ENDED = frozenset({"over", "void"})
PUBLIC = frozenset({"games", "show", "watch", "replay", "transcript"})
"""Commands that show what is public if no seat is given."""

KEY = "sk-zqzq-the-operator-s-own"
"""A value in the operator's environment that no screen may show."""

PLACES = frozenset({"SOTTOVOCE_DB", "SOTTOVOCE_LINK", "SOTTOVOCE_SERVER"})
"""Variables that say where a game lies, which is asked about in other ways."""
VARIABLE = "a variable"
Card = tuple[str, str, str]
"""A command, an option and a kind of value; or a variable of the environment that commands look for."""


@dataclass(frozen=True)
class Option:
    """An option of a command."""

    command: str
    param: click.Option

    @property
    def name(self) -> str:
        """Return its longest name."""
        return max(self.param.opts, key=len)


class Runs:
    """What is run in one situation."""

    def __init__(
        self, situation: Situation, deck: Deck[Card], coverage: Coverage, rng: random.Random, heard: set[str]
    ) -> None:
        self.situation, self.case, self.deck, self.coverage, self.rng = situation, situation.case, deck, coverage, rng
        self.heard = heard
        self.ruleset = RULESETS[situation.base.craft.name]
        self.lexicon = Lexicon(self.ruleset, (self.case.first, self.case.second), self.case.seat)
        seen = [item.audience.seats for item in self.case.first]
        secrets = [KEY, *(secret for log in (self.case.first, self.case.second) for secret in secrets_of(log))]
        self.forbidden = Forbidden(marks_seen(self.case.first, seen, self.case.seat), secrets)

    def commands(self) -> list[str]:
        """Return the commands that can run here. Those that send need a game that both worlds can continue."""
        ctx = click.Context(cli)
        known = [name for name in cli.list_commands(ctx) if name not in UNSEATED]
        if self.case.seat is None:
            return [name for name in known if name in PUBLIC]
        ended = bool(self.situation.states & ENDED)
        fit = {"send": self.case.sound or ended, "resume": self.case.sound and self.case.asked, "games": False}
        return [name for name in known if fit.get(name, True)]

    def lines(self) -> Iterator[tuple[list[str], str | None, str]]:
        """Command lines, each with what is typed into it, and a variable of the environment that is set for it."""
        cards: dict[Card, tuple[str, list[str]]] = {}
        for name in self.commands():
            cards[name, "", "plain"] = (name, [])
            for option in _options(name):
                for kind, words in self._values(option):
                    cards.setdefault((name, option.name, kind), (name, [option.name, *words]))
        # Each variable with any command: those that read it are not known.
        for variable in sorted(self.heard):
            cards[VARIABLE, variable, "set"] = (self.rng.choice(self.commands()), [])
        # A person who has been answered for waits at the screen for what never comes.
        for card in sorted(self.deck.deal(cards, RUNS), key=lambda card: card[0] != "resume"):
            name, words = cards[card]
            set_for_it = card[1] if card[0] == VARIABLE else ""
            self.coverage.commands[name, "" if set_for_it else card[1]] += 1
            line = self._whole(name, words)
            yield line, self._typed(name, line), set_for_it

    def noise(self) -> Iterator[list[str]]:
        """Return what others run before: another seat, and an auditor."""
        others = [seat for seat in self.lexicon.seats if seat != self.case.seat]
        for name in self.rng.sample(("view", "transcript", "replay", "show", "inbox", "files", "novelize"), NOISE):
            yield self._of(name, self.rng.choice(others))
        yield [self.rng.choice(("replay", "transcript", "show")), self.case.game, "--auditor"]

    def _of(self, name: str, seat: str) -> list[str]:
        return [name, self.case.game, "--as", seat, *(["--into", "others"] if name == "files" else [])]

    def _whole(self, name: str, words: list[str]) -> list[str]:
        """Return the command line with its required parts."""
        given = [name, *([] if name == "games" else [self.case.game])]
        options = {option.name for option in _options(name)}
        if self.case.seat is not None and "--as" in options and "--as" not in words:
            given += ["--as", self.case.seat]
        if "--into" in options and "--into" not in words:
            given += ["--into", "out"]
        if name == "resume":
            words = [] if "--seat" in words else words
            filled = [f"{seat}={'human' if seat == self.case.seat else 'outside'}" for seat in self.lexicon.seats]
            given += [word for spec in filled for word in ("--seat", spec)]
        return [*given, *words]

    def _typed(self, name: str, line: list[str]) -> str | None:
        """Return a command's standard input. A reply to another's turn is sometimes the text that answered it."""
        if name == "resume":
            return ":view all\n:who\n:again\n:help\n:quit\n"
        if name == "send":
            answers = [each for each in self.lexicon.answers if each[0] not in self._own_turns()]
            if answers and "--turn" not in line and self.rng.random() < 0.7:
                number, text = self.rng.choice(answers[:5])
                line += ["--turn", str(number)]
                return text
            return self.rng.choice(self.lexicon.texts(self.rng, 8) or [("", "x")])[1]
        return None

    def _values(self, option: Option) -> Iterator[tuple[str, list[str]]]:
        """Return values for an option, each with its kind."""
        if option.param.is_flag:
            yield "given", []
            return
        match option.param.type:
            case WholeNumber():
                own = self._own_turns() if option.name == "--turn" else ()
                for kind, number in self.lexicon.integers(self.rng, 12):
                    if number not in own:
                        yield kind, [str(number)]
            case Amount():
                yield "given", ["1e9" if option.name == "--speed" else "0" if option.name == "--wait" else "5"]
            case click.Choice() as choice:
                for each in choice.choices:
                    yield str(each), [str(each)]
            case _ if option.name == "--as":
                if self.case.seat is not None:
                    yield "spelled otherwise", [self.rng.choice(list(spellings(self.case.seat)))]
                    # Anyone with the log can play any seat of the game, so what another seat gets is not a leak.
                    taken = {seat.casefold() for seat in self.lexicon.seats}
                    for kind in ("fact", "hidden value", "hidden pair"):
                        words = [each for each in self.lexicon.words.get(kind, ()) if each.casefold() not in taken]
                        yield kind, [self.rng.choice(words or ["nobody there"])]
            case _ if option.name in ("--into", "--output"):
                yield "given", ["out" if option.name == "--into" else self.rng.choice(("out.md", "out.html"))]
            case _:
                yield from ((kind, [word]) for kind, word in self.lexicon.texts(self.rng, 10))

    def _own_turns(self) -> set[int]:
        return {turn.number for turn in self.lexicon.own_turns}


def _options(name: str) -> list[Option]:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None, name
    named = {max(param.opts, key=len): param for param in command.params if isinstance(param, click.Option)}
    return [Option(name, named[each]) for each in options_of(command)]


def ran(
    ruleset: str,
    seed: int,
    folder: Path,
    coverage: Coverage,
    patch: Callable[[], AbstractContextManager[Any]] = nullcontext,
    system: System | None = None,
) -> Generator[Probed]:
    """Yield comparisons endlessly. The `patch` is entered while commands run."""
    deck: Deck[Card] = Deck(generator(seed, "deck", ruleset, "commands"), lambda card: card[:2])
    several = situations(ruleset, seed, system)
    heard: set[str] = set()
    for batch in count():
        found = [_named(one, place) for place, one in enumerate(islice(several, TOGETHER))]
        # Only people with the log see a list of games with their ends, so public games are kept apart.
        seated = [one for one in found if one.case.seat is not None]
        public = [one for one in found if one.case.seat is None and not one.states & ENDED]
        for name, some in (("seated", seated), ("public", public)):
            if not some:
                continue
            here = folder / f"probes-{batch}-{name}"
            here.mkdir()
            shelves = Shelves(here, [_database(ruleset, [one.case for one in some], side) for side in (0, 1)])
            for situation in some:
                coverage.states.update((ruleset, state) for state in situation.states)
                rng = generator(seed, "run", batch, situation.case.game)
                runs = Runs(situation, deck, coverage, rng, heard)
                with patch(), _listening(heard):
                    yield from _compared(shelves, runs)


def _named(situation: Situation, place: int) -> Situation:
    """Return the situation as that of a separate game, because several can come from one game."""
    game = f"{situation.case.game}-{place}"
    first, second = (
        [msgspec.structs.replace(item, game=game) for item in log]
        for log in (situation.case.first, situation.case.second)
    )
    return replace(situation, case=replace(situation.case, game=game, first=first, second=second))


def _database(ruleset: str, cases: Sequence[Any], side: int) -> dict[str, bytes]:
    with tempfile.TemporaryDirectory() as folder:
        store(f"sqlite:///{folder}/{DATABASE}", ruleset, cases, side)
        return database_files(Path(folder))


@contextlib.contextmanager
def _listening(heard: set[str]) -> Iterator[None]:
    """While this is entered, note which of the product's variables are looked for in the environment."""
    real = os._Environ.__getitem__

    def noting(self: Any, key: Any) -> Any:
        if isinstance(key, str) and key.startswith("SOTTOVOCE_") and key not in PLACES:
            heard.add(key)
        return real(self, key)

    with mock.patch.object(os._Environ, "__getitem__", noting):
        yield


def _compared(shelves: Shelves, runs: Runs) -> Iterator[Probed]:
    situation, coverage, rng = runs.situation, runs.coverage, runs.rng
    said: list[str] = []
    one, two = shelves.folders
    if situation.case.seat is not None:
        for words in runs.noise():
            _run(two, "others", words, None)
    if situation.case.asked:
        held = rng.choice((hold_by_files, hold_by_program, ask_by_tools))
        given = [_in(shelf, held, situation.case) for shelf in (one, two)]
        coverage.comparisons["held seats"] += 1
        what = _difference(*given) or ((canary := runs.forbidden.found(given[0])) and f"canary {canary}")
        yield Probed(held.__name__, situation, Difference(f"{held.__name__} ({situation})", what) if what else None)
        if what:
            return
    for words, typed, variable in runs.lines():
        told = [_run(shelf, "desk", words, typed, variable) for shelf in (one, two)]
        coverage.comparisons["command lines"] += 1
        what = _difference(*told)
        if what is None:
            said += [*words, typed or ""]
            canary = runs.forbidden.found(told[0], said) or runs.forbidden.found(told[1], said)
            what = canary and f"canary {canary}"
        setting = f"{variable}=1 " if variable else ""
        where = f"{setting}sottovoce {' '.join(words)} (seat {situation.case.seat}; {situation})"
        yield Probed(words[0], situation, Difference(where, what) if what else None)
        if what:
            return


def _in(shelf: Path, held: Callable[[Case], bytes], case: Case) -> bytes:
    with contextlib.chdir(shelf):
        return held(case)


def _run(shelf: Path, name: str, words: Sequence[str], typed: str | None, variable: str = "") -> bytes:
    """What a command prints, how it ends, and what it leaves in the folder of that name where it is run. The variable
    is set to 1.
    """
    folder = shelf / name
    folder.mkdir(exist_ok=True)
    for path in folder.glob("out*"):
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    home = str(shelf / "home")
    variables = {
        **dict.fromkeys(("HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"), home),
        "OPENAI_API_KEY": KEY,
        **({variable: "1"} if variable else {}),
    }
    with contextlib.chdir(folder), written_in_order() as order:
        printed = invoke(words, typed, f"../{DATABASE}", variables)
        return b"\n".join([printed, listing(Path()), *map(str.encode, order)])


def _difference(one: bytes, two: bytes) -> str | None:
    if one == two:
        return None
    apart = [(a, b) for a, b in zip(one.splitlines(), two.splitlines(), strict=False) if a != b]
    return "; ".join(f"{a.decode()!r} against {b.decode()!r}" for a, b in apart[:2]) or "one is longer"
