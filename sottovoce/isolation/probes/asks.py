"""What is asked in one situation: plainly, with values of the hidden world, and in ways no client would."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote

from sottovoce.domain.game import fold
from sottovoce.domain.turns import Turn
from sottovoce.isolation.draws import generator
from sottovoce.isolation.probes import odd
from sottovoce.isolation.probes.coverage import Coverage
from sottovoce.isolation.probes.deck import Deck
from sottovoce.isolation.probes.inputs import Endpoint, Parameter, Value, asked, in_header, values
from sottovoce.isolation.probes.lexicon import Lexicon
from sottovoce.isolation.wire.operations import Request

MOST_INPUTS = 50
"""Requests of one situation with one value each, not counting those that are always sent."""
MOST_ODD = 60
"""Requests that no client would send, from the viewer that the situation is about."""
MOST_ODD_OF_OTHERS = 12
ALWAYS = frozenset({"length", "length, quoted", "document", "document, spelled otherwise", "fact", "game", "listed"})
"""Kinds of values that the viewer whom the situation is about always asks with."""
MOST_ALWAYS = 12
"""About how many of the endpoints with a parameter of one name are always asked with it, over all viewers."""
TOGETHER = 0.35
"""How often a request has a second parameter."""
NO_TURN = 4711
"""A turn number that does not exist."""

Card = tuple[str, str, str, str]
"""A viewer, an endpoint, a parameter and a kind of value."""
Places = Mapping[str, str]


@dataclass
class Decks:
    """What has been asked in a run, so that in time everything gets asked."""

    inputs: Deck[Card]
    oddities: Deck[tuple[str, str, str]]
    calls: Deck[tuple[str, str]]
    guarded: Deck[str]
    """What strangers ask for, by its name."""
    heard: set[str]
    """The headers that the application read."""

    @classmethod
    def of(cls, seed: int, ruleset: str) -> Decks:
        """Return new decks for a run."""
        rngs = [generator(seed, "deck", ruleset, name) for name in ("inputs", "oddities", "calls", "guarded")]
        return cls(Deck(rngs[0], lambda card: card[:3]), Deck(rngs[1]), Deck(rngs[2]), Deck(rngs[3]), set())


@dataclass
class Asks:
    """Makes the requests of a situation.

    `places` fill in the paths. `chairs` are the viewers, the situation's own first.
    """

    lexicon: Lexicon
    places: Places
    decks: Decks
    coverage: Coverage
    rng: random.Random

    def plain(self, readable: Iterable[tuple[str, Endpoint]]) -> list[Request]:
        """Ask each endpoint as each viewer that can read it, with only what its path needs."""
        return [asked(one, chair, self.places, {}) for chair, one in readable]

    def note(self, one: Endpoint, given: Iterable[Parameter]) -> None:
        """Count the parameters that an endpoint gets."""
        self.coverage.inputs.update((one.name, parameter.name) for parameter in given)

    # with values of the hidden world

    def telling(self, readable: Sequence[tuple[str, Endpoint]]) -> list[Request]:
        """Ask each endpoint with a value of the hidden world.

        The first viewer always uses the most revealing values.
        """
        found: dict[Card, tuple[Endpoint, Parameter, Value]] = {}
        must: list[Card] = []
        common = Counter(each.name for _, one in readable for each in one.parameters)
        for chair, one in readable:
            for parameter in one.parameters:
                likely = self.rng.random() < MOST_ALWAYS / common[parameter.name]
                for place, value in enumerate(values(parameter, self.lexicon, self.rng)):
                    always = likely and chair == readable[0][0] and value.kind in ALWAYS
                    card = (chair, one.name, parameter.name, f"{value.kind} {place}" if always else value.kind)
                    found.setdefault(card, (one, parameter, value))
                    must += [card] if always else []
        dealt = [*must, *self.decks.inputs.deal(found.keys() - {*must}, MOST_INPUTS)]
        return [self._with(card[0], *found[card]) for card in dealt]

    def _with(self, chair: str, one: Endpoint, parameter: Parameter, value: Value) -> Request:
        given = {parameter: value.value}
        others = [each for each in one.parameters if each.where == "query" and each != parameter]
        if others and self.rng.random() < TOGETHER:
            other = self.rng.choice(others)
            given[other] = 1 if other.name == "limit" else next(values(other, self.lexicon, self.rng)).value
        self.note(one, given)
        self.coverage.kinds[value.kind] += 1
        return asked(one, chair, self.places, given)

    def anything(self, chair: str, one: Endpoint, places: Places) -> Request:
        """Ask the endpoint somehow, sometimes with a value."""
        given: dict[Parameter, Any] = {}
        if one.parameters and self.rng.random() < TOGETHER:
            parameter = self.rng.choice(one.parameters)
            given[parameter] = self.rng.choice(list(values(parameter, self.lexicon, self.rng))).value
        return asked(one, chair, {**self.places, **places}, given)

    # in ways no client would

    def oddly(self, readable: Sequence[tuple[str, Endpoint]], sends: Sequence[Endpoint]) -> list[Request]:
        """Return unusual paths, methods that nothing accepts, headers and parameters that nobody should read, and
        invalid bodies."""
        first = readable[0][0]
        ways = (*odd.PATHS, *odd.METHODS, *odd.QUERIES, *odd.HEADERS)
        own = {(first, one.name, how): one for chair, one in readable if chair == first for how in ways}
        own |= {(first, one.name, how): one for one in sends if one.open_to(first) for how in odd.BODIES}
        others = {(chair, one.name, how): one for chair, one in readable if chair != first for how in ways}
        always = [card for card in own if card[2] in odd.ANSWERED]
        dealt = [*always, *self.decks.oddities.deal(own.keys() - {*always}, MOST_ODD)]
        dealt += self.decks.oddities.deal(others, MOST_ODD_OF_OTHERS)
        return [self._oddly(card[0], (own | others)[card], card[2]) for card in dealt]

    def _oddly(self, chair: str, one: Endpoint, how: str) -> Request:
        self.coverage.oddities[how] += 1
        documents = self.rng.choice((self.lexicon.words.get("document", ()), self.lexicon.own_documents))
        named = [parameter for parameter in one.parameters if parameter.name == "path" and documents]
        plain = asked(one, chair, self.places, {parameter: self.rng.choice(documents) for parameter in named})
        if how in odd.PATHS:
            return replace(plain, path=odd.respelled(plain.path, how))
        if how in odd.METHODS:
            return replace(plain, method=how)
        if how in odd.QUERIES:
            return replace(plain, query=how.format(seat=quote(self.rng.choice(self.lexicon.seats))))
        if how in odd.BODIES:
            return replace(plain, body=odd.BODIES[how])
        return replace(plain, headers=tuple(self._headers(how)))

    def _headers(self, how: str) -> Iterator[tuple[str, str]]:
        numbers = [str(number) for _, number in self.lexicon.integers(self.rng, 5)]
        if how == "a range of bytes":
            yield "range", f"bytes={self.rng.choice(numbers)}-"
            return
        if how == "asking for gzip":
            yield "accept-encoding", "gzip"
            return
        words = [word for _, word in self.lexicon.texts(self.rng, 9)] or ["x"]
        told = {"headers with numbers": numbers, "headers with words": words}.get(how, list(self.lexicon.seats))
        for name in dict.fromkeys((*odd.KNOWN, *odd.named_in_code(), *sorted(self.decks.heard - odd.FRAMING))):
            yield name, in_header(self.rng.choice(told))

    # saying something

    def said(self, sends: Iterable[Endpoint], *, freely: bool) -> Iterator[Request]:
        """Reply to turns that are not the seat's, in words that mean something to others.

        With `freely`, more than that, if it moves nothing on.
        """
        for one in sends:
            named = {parameter.name: parameter for parameter in one.parameters}
            if "turn" in named:
                inputs = list(self._replies(freely=freely))
            else:
                inputs = [{"text": word} for _, word in self._words(5)] if freely else []
                inputs += [{"text": text} for text in self.lexicon.altered_answers(self.rng, 3)] if freely else []
            inputs += list(self._elsewhere(one, named))
            for each in inputs:
                given = {named[name]: value for name, value in each.items() if name in named}
                self.note(one, given)
                yield asked(one, "seat", self.places, given)

    def _elsewhere(self, one: Endpoint, named: Mapping[str, Parameter]) -> Iterator[dict[str, Any]]:
        """Ask for something that is not the seat's: another game, and what else the endpoint accepts apart from
        turns and words."""
        plain = {name: value for name, value in (("text", ""), ("turn", NO_TURN)) if name in named}
        for name, parameter in named.items():
            if name not in SAID and not (name == "game" and not self.lexicon.games[1:]):
                yield {**plain, name: self._any(parameter)}

    def _any(self, parameter: Parameter) -> Any:
        """Return a value for the parameter.

        For a game, return another game's ID, because these requests already use its own.
        """
        if parameter.name == "game":
            return self.rng.choice(self.lexicon.games[1:] or ("nosuch",))
        return self.rng.choice(list(values(parameter, self.lexicon, self.rng))).value

    def _replies(self, *, freely: bool) -> Iterator[dict[str, Any]]:
        own, words = {turn.number for turn in self.lexicon.own_turns}, self._words(5)
        numbers = [number for _, number in self.lexicon.integers(self.rng, 6) if number not in own]
        for place, (_, word) in enumerate(words):
            yield {"turn": numbers[place % len(numbers)] if numbers else NO_TURN, "text": word}
        for number, text in self.lexicon.answers[:4]:
            if number not in own:
                yield {"turn": number, "text": text}
        for turn in [turn for log in self.lexicon.logs for turn in self.lexicon.others_turns(log)][:3]:
            if turn.number not in own:
                yield {"turn": turn.number, "text": turn.choices[-1] if turn.choices else "So be it."}
                yield {"turn": turn.number, "fields": self._fields(turn)}
        for number in self.lexicon.past_turns[:3]:
            yield {"turn": number, "text": "So be it."}
        for number in (*numbers[:1], *(own if freely else ())):
            yield {"turn": number, "fields": {"choice": words[0][1]}}
        for key in (SHARED_KEY, *self.lexicon.words.get("append", ())):
            yield {"turn": NO_TURN, "text": "yes", "Idempotency-Key": key}

    def _words(self, most: int) -> list[tuple[str, str]]:
        facts = self.lexicon.words.get("fact", ())
        found = [("fact", word) for word in self.rng.sample(facts, min(most, len(facts)))]
        return [*found, *self.lexicon.texts(self.rng, most)] or [("nothing", "x")]

    def _fields(self, turn: Turn) -> dict[str, Any]:
        """Fill in the fields of a turn's form by its schema."""
        for log in self.lexicon.logs:
            state = fold(self.lexicon.ruleset, [item.event for item in log])
            if (turn.seat, turn.number) in state.turns:
                form = self.lexicon.ruleset.form(state, state.turns[turn.seat, turn.number])
                schema = {} if form is None else form.schema
                return {name: _filled(one) for name, one in schema.get("properties", {}).items()}
        return {}

    def kept(self, one: Endpoint, chair: str, plain: Any) -> Iterator[Request]:
        """Change the game as its keeper, with numbers and names of the hidden world."""
        for parameter in one.parameters:
            if parameter.name == "game":
                self.note(one, [parameter])
                yield asked(one, chair, self.places, {parameter: self._any(parameter)}, plain)
                continue
            found = list(values(parameter, self.lexicon, self.rng))
            telling = [value for value in found if value.kind == "length"]
            for value in dict.fromkeys(map(repr, (*telling, self.rng.choice(found)))):
                chosen = next(each for each in found if repr(each) == value)
                self.note(one, [parameter])
                yield asked(one, chair, self.places, {parameter: chosen.value}, plain)


SAID = frozenset({"turn", "text", "fields"})
"""What a seat says, and to what."""

SHARED_KEY = "a-key-that-others-use-too"


def _filled(schema: Any) -> Any:
    """Return a value that roughly fits a schema."""
    if "enum" in schema:
        return schema["enum"][-1]
    inner = next((one for one in schema.get("anyOf", ()) if one.get("type") != "null"), schema)
    match inner.get("type"):
        case "integer" | "number":
            return 1
        case "boolean":
            return True
        case "array":
            return [_filled(inner.get("items", {}))]
        case "object":
            return {name: _filled(one) for name, one in inner.get("properties", {}).items()}
    return inner.get("enum", ["So be it."])[-1]
