"""Events, audiences, draws, turns and rulesets as values."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import msgspec
import pytest
from hypothesis import given as always
from hypothesis import strategies as st
from mafia_game import mafia_game
from parley import PARLEY, ParleyState, WordSaid

from sottovoce.domain import commands
from sottovoce.domain.audience import EVERYONE, NOBODY, Audience, only
from sottovoce.domain.draws import Seed, generator, pick
from sottovoce.domain.errors import RulesetDefect, SottovoceError
from sottovoce.domain.events import CORE_EVENTS, STORED_NAME, AttemptFailed, Event, ReplyAccepted, TurnOpened
from sottovoce.domain.game import fold
from sottovoce.domain.rulesets import RULESETS
from sottovoce.domain.testing import NOON, given
from sottovoce.domain.turns import CORE_EVOLVE, Table
from sottovoce.rulesets.mafia.rules import MAFIA

EVERY_EVENT = [*CORE_EVENTS, *(event for ruleset in RULESETS.values() for event in ruleset.events)]


# events


@pytest.mark.parametrize("event_type", EVERY_EVENT, ids=lambda event: event.stored_name)
def test_every_event_class_has_an_example_that_survives_json(event_type: type[Event]) -> None:
    example = event_type.sample()
    assert type(example) is event_type
    assert msgspec.json.decode(example.encoded(), type=event_type) == example
    assert msgspec.convert(json.loads(json.dumps(example.data())), event_type) == example


@pytest.mark.parametrize("event_type", EVERY_EVENT, ids=lambda event: event.stored_name)
def test_every_event_class_has_a_docstring_of_its_own_and_takes_no_unknown_field(event_type: type[Event]) -> None:
    assert event_type.__doc__
    assert event_type.__doc__ != Event.__doc__
    with pytest.raises(ValueError, match="unknown"):
        msgspec.convert(event_type.sample().data() | {"unknown": 1}, event_type)


@pytest.mark.parametrize("event_type", EVERY_EVENT, ids=lambda event: event.stored_name)
def test_an_event_cannot_be_changed(event_type: type[Event]) -> None:
    example = event_type.sample()
    for field in type(example).__struct_fields__:
        with pytest.raises(AttributeError, match="immutable"):
            setattr(example, field, None)


def test_stored_names_are_unique_well_formed_and_carry_the_ruleset() -> None:
    names = [event.stored_name for event in EVERY_EVENT]
    assert len(set(names)) == len(names)
    assert all(STORED_NAME.fullmatch(name) for name in names)
    for ruleset in RULESETS.values():
        assert all(event.stored_name.startswith(f"{ruleset.name}.") for event in ruleset.events)
    assert all(event.stored_name.startswith("core.") for event in CORE_EVENTS)


@pytest.mark.parametrize(
    "name", ["", "Speech.v1", "speech", "mafia.speech", "mafia.speech.v0", "mafia..v1", "mafia.v1x"]
)
def test_a_badly_named_event_class_cannot_be_written(name: str) -> None:
    with pytest.raises(TypeError, match="needs a stored name"):
        type("Bad", (Event,), {"__module__": __name__}, name=name)


def test_only_a_seats_own_act_has_an_actor() -> None:
    assert ReplyAccepted.sample().actor == "Ada"
    assert AttemptFailed.sample().actor == "Ada"
    assert TurnOpened.sample().actor is None


# audiences


SEATS = st.lists(st.sampled_from(["Ann", "Ann Lee", "narrator", "gm"]))


@always(names=SEATS)
def test_an_audience_survives_json(names: list[str]) -> None:
    audience = only(*names)
    assert Audience.from_json(json.loads(json.dumps(audience.to_json()))) == audience
    assert audience.to_json() == sorted(set(names))
    for seat in ("Ann", "Lee", "Ann Lee", "narrator"):
        assert audience.includes(seat) == (seat in names), "names are compared whole"


def test_everyone_and_nobody_are_what_they_say() -> None:
    assert EVERYONE.includes("anyone")
    assert not NOBODY.includes("anyone")
    assert Audience() == NOBODY, "with nothing said it is nobody"
    assert Audience.from_json("everyone") == EVERYONE
    assert only(["Ada", "Bram"], "Cleo") == only("Ada", "Bram", "Cleo")


@pytest.mark.parametrize("value", [None, "Ada", [1], {"Ada": 1}, True, "nobody"])
def test_a_malformed_audience_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match="an audience is"):
        Audience.from_json(value)


# draws


@always(seed=st.integers(0, 2**60), others=st.lists(st.text(max_size=5), max_size=5))
def test_a_draw_depends_on_its_seed_and_purpose_and_not_on_other_draws(seed: int, others: list[str]) -> None:
    choices = [f"P{i}" for i in range(50)]
    root = Seed.of(seed)
    alone = pick(choices, root, "fallback", "Ada", 3)
    for other in others:
        pick(choices, root, other)
    assert pick(choices, root, "fallback", "Ada", 3) == alone


def test_different_purposes_draw_differently() -> None:
    choices = [f"P{i}" for i in range(1000)]
    purposes = [("fallback", "Ada", 1), ("fallback", "Ada", 11), ("fallback", "Ada1", 1), ("tie", 1), ("tie", 11)]
    assert len({pick(choices, Seed.of(7), *purpose) for purpose in purposes}) == len(purposes)
    assert generator(Seed.of(1), "a", "b").random() != generator(Seed.of(1), "ab").random()


def test_draws_are_the_same_in_another_process() -> None:
    code = (
        "from sottovoce.domain.draws import *\n"
        "print(pick([str(i) for i in range(1000)], Seed.of(7), 'fallback', 'Ada', 3))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == pick([str(i) for i in range(1000)], Seed.of(7), "fallback", "Ada", 3)


# rulesets as values


def replaced(**changes: Any) -> Any:
    return PARLEY.but(**changes)


def test_an_event_without_an_audience_fails_at_construction() -> None:
    audiences = {event: rule for event, rule in PARLEY.audiences.items() if event is not WordSaid}
    with pytest.raises(RulesetDefect, match="WordSaid states no audience"):
        replaced(audiences=audiences)


def test_an_event_without_a_fold_fails_at_construction() -> None:
    evolvers = {event: fold for event, fold in PARLEY.evolvers.items() if event is not WordSaid}
    with pytest.raises(RulesetDefect, match="WordSaid is not folded"):
        replaced(evolvers=evolvers)


def test_two_events_with_one_name_fail_at_construction() -> None:
    class Echo(Event, name="parley.word-said.v1"):
        """Another."""

    with pytest.raises(RulesetDefect, match="share a stored name"):
        replaced(
            events=(*PARLEY.events, Echo),
            audiences={**PARLEY.audiences, Echo: lambda state, event: NOBODY},
            evolvers={**PARLEY.evolvers, Echo: lambda state, event: state},
        )


def test_the_registry_lists_each_ruleset_under_its_name() -> None:
    assert RULESETS["mafia"] is MAFIA
    for name, ruleset in RULESETS.items():
        assert ruleset.name == name
        assert ruleset.rulebook.strip()


# the shared fold


@pytest.mark.parametrize("event_type", CORE_EVENTS, ids=lambda event: event.stored_name)
def test_the_shared_fold_takes_any_event_first(event_type: type[Event]) -> None:
    assert isinstance(CORE_EVOLVE[event_type](Table(), event_type.sample()), Table)


def test_a_fold_of_nothing_is_the_state_it_began_with() -> None:
    state = mafia_game({"Ada": "Mafia", "Bram": "Villager", "Cleo": "Villager", "Dirk": "Villager"}).state
    assert fold(MAFIA, [], state) is state
    assert fold(MAFIA, []) == MAFIA.initial


@pytest.mark.parametrize("ruleset", [MAFIA, PARLEY], ids=lambda ruleset: ruleset.name)
def test_before_the_opening_nothing_is_asked(ruleset: Any) -> None:
    game = given(ruleset)
    game.when(commands.Reply(NOON, "Ada", 1, "hello")).refused("no turn 1")
    game.when(commands.Expire(NOON, "Ada", 1, 1)).then_nothing()
    game.when(commands.Wake(NOON)).then_nothing()


def test_turns_of_one_ballot_are_kept_apart_from_other_replies() -> None:
    def opened(seat: str, ballot: str | None) -> TurnOpened:
        return TurnOpened(seat=seat, turn=1, kind="vote", choices=("a", "b"), attempts=1, ballot=ballot)

    state = given(
        PARLEY,
        opened("ann", "one"),
        opened("ben", "two"),
        opened("cy", None),
        ReplyAccepted(seat="ann", turn=1, choice="a", text="a!"),
        ReplyAccepted(seat="ben", turn=1, choice="b", text="b!"),
        ReplyAccepted(seat="cy", turn=1, choice="b", text="b!"),
    ).state
    assert state.ballots == {"one": {"ann": "a"}, "two": {"ben": "b"}}
    assert state.replies == {"one": {"ann": "a!"}, "two": {"ben": "b!"}}
    assert state.without_ballot("one").ballots == {"two": {"ben": "b"}}
    assert isinstance(state, ParleyState)


# errors


def test_an_errors_docstring_is_its_message() -> None:
    def tree(error: type[SottovoceError]) -> list[type[SottovoceError]]:
        return [error, *(sub for child in error.__subclasses__() for sub in tree(child))]

    for error in tree(SottovoceError):
        if error.__module__ == "sottovoce.domain.errors" and "__init__" not in vars(error):
            assert str(error()) == (error.__doc__ or "").strip()
    assert str(SottovoceError("This.")) == "This."


# the kit itself


def test_the_kit_fails_where_it_should() -> None:
    game = mafia_game({"Ada": "Mafia", "Bram": "Villager", "Cleo": "Villager", "Dirk": "Villager"})
    wrong: list[Any] = [
        lambda: game.reply("narrator", "Fog.").then(),
        lambda: game.reply("narrator", "Fog.").refused(),
        lambda: game.turn("Ada"),
        lambda: game.until("no such turn"),
    ]
    for call in wrong:
        with pytest.raises(AssertionError):
            call()
    game.reply("narrator", "").refused("empty")
    with pytest.raises(AssertionError):
        game.reply("narrator", "").refused("something else")
