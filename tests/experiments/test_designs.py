"""The file and its designs: who sits where, what is refused, and why."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from sottovoce.domain.commands import Open
from sottovoce.domain.errors import SottovoceError
from sottovoce.domain.game import decide, fold
from sottovoce.experiments.contests import RankDeficient, check_rank, model_of
from sottovoce.experiments.designs import Experiment
from sottovoce.experiments.file import ExperimentFile, ExperimentUnusable, digest, parse_experiment, schema
from sottovoce.server.games import now

PLAIN: dict[str, Any] = {
    "name": "trial",
    "ruleset": "mafia",
    "players": 8,
    "agents": {"house": "house", "random": "random"},
    "seed": 1,
    "stop": {"games": 20},
}


def experiment(**changed: Any) -> Experiment:
    return Experiment(ExperimentFile.model_validate({**PLAIN, **changed}))


def test_by_side_a_whole_side_has_one_agent_and_each_deal_is_played_both_ways_round() -> None:
    one, other = experiment().deal(3)
    assert one.parts == other.parts
    assert one.plan.seed == other.plan.seed
    assert {(one.parts[seat] == "Mafia", label) for seat, label in one.labels.items()} == {
        (False, "house"),
        (True, "random"),
    }
    assert {seat: {"house": "random", "random": "house"}[label] for seat, label in one.labels.items()} == other.labels
    assert len(one.labels) == 7, "the Jester and the narrator are not compared"


def test_the_part_of_a_plan_is_the_part_in_the_game() -> None:
    trial = experiment()
    for planned in trial.deal(5):
        plan, ruleset = planned.plan, trial.ruleset
        opening = Open(now(), plan.seats, plan.agents, plan.seed, plan.options)
        state = fold(ruleset, [draft.event for draft in decide(ruleset, ruleset.initial, opening)])
        assert state.roles == planned.parts


def test_the_last_deal_is_whole_and_tables_take_turns() -> None:
    games = list(experiment(players=[5, 8], stop={"games": 7}).planned())
    assert len(games) == 8
    assert [len(game.plan.seats) - 1 for game in games] == [5, 5, 8, 8, 5, 5, 8, 8]
    assert [game.number for game in games] == list(range(8))


def test_rotated_gives_every_agent_every_side_once() -> None:
    agents = {"one": "house", "two": "random", "three": "house"}
    games = experiment(agents=agents, design={"order": "rotated"}).deal(0)
    by_side: Counter[tuple[bool, str]] = Counter()
    for game in games:
        by_side.update({(game.parts[seat] == "Mafia", label) for seat, label in game.labels.items()})
    assert len(games) == 3
    assert set(by_side.values()) == {1}


def test_a_latin_square_gives_every_seat_every_agent_once() -> None:
    games = experiment(design={"by": "seat", "order": "latin"}).deal(2)
    for seat in games[0].labels:
        assert {game.labels[seat] for game in games} == {"house", "random"}
    latin = experiment(design={"by": "seat", "order": "latin"})
    orders = {tuple(game.labels.values()) for deal in range(6) for game in latin.deal(deal)}
    assert len(orders) > 4, "its order is drawn for each deal"


def test_crossed_has_every_combination() -> None:
    names = [game.arrangement for game in experiment(design={"order": "crossed"}).deal(0)]
    assert sorted(names) == [
        "town=house mafia=house",
        "town=house mafia=random",
        "town=random mafia=house",
        "town=random mafia=random",
    ]


def test_swapped_by_role_plays_the_others_alone_once() -> None:
    games = experiment(design={"by": "role", "order": "swapped", "over": ["Detective", "Doctor"]}).deal(0)
    assert [game.arrangement for game in games] == ["house", "Detective=random", "Doctor=random"]
    for game in games[1:]:
        (swapped,) = [seat for seat, label in game.labels.items() if label == "random"]
        assert game.arrangement.startswith(game.parts[swapped])


def test_varied_shares_give_every_agent_a_seat_and_differ() -> None:
    varied = experiment(design={"by": "seat", "order": "mirrored", "share": "varied"})
    counts = {Counter(game.labels.values())["house"] for deal in range(12) for game in varied.deal(deal)}
    assert len(counts) > 3
    assert min(counts) > 0


@pytest.mark.parametrize(
    ("design", "said"),
    [
        ({"by": "seat", "order": "mirrored"}, "share: varied"),
        ({"by": "seat", "order": "rotated"}, "share: varied"),
        ({"by": "side", "order": "mirrored", "estimate": "by-side"}, "order: crossed"),
    ],
)
def test_a_design_that_cannot_tell_strengths_apart_is_refused(design: dict[str, Any], said: str) -> None:
    trial = experiment(design=design, stop={"games": 400})
    model = model_of(trial)
    assert model is not None
    with pytest.raises(RankDeficient, match=said):
        check_rank(model, trial.planned())


@pytest.mark.parametrize(
    "design",
    [
        {"by": "side", "order": "mirrored"},
        {"by": "side", "order": "crossed"},
        {"by": "seat", "order": "mirrored", "share": "varied"},
        {"by": "seat", "order": "mirrored", "estimate": "overall"},
        {"by": "role", "order": "swapped"},
        {"by": "role", "order": "crossed", "over": ["Detective", "Mafia"]},
    ],
)
def test_a_design_that_can_is_taken(design: dict[str, Any]) -> None:
    trial = experiment(design=design, stop={"games": 200})
    model = model_of(trial)
    assert model is not None
    check_rank(model, trial.planned())


def test_without_the_others_alone_a_swap_tells_nothing() -> None:
    agents = {"one": "random", "two": "house:plain"}
    trial = experiment(agents=agents, design={"by": "role", "order": "swapped", "over": ["Detective", "Doctor"]})
    model = model_of(trial)
    assert model is not None
    with pytest.raises(RankDeficient, match="agent of rest"):
        check_rank(model, trial.planned())


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"ruleset": "chess"}, "there is no ruleset 'chess'"),
        ({"colour": "red"}, "colour: there is no such field"),
        ({"agents": {}}, "agents"),
        ({"agents": {"house": "house"}}, "at least two agents"),
        ({"stop": {"games": 0}}, "stop.games"),
        ({"stop": {}}, "stop.games: is missing"),
        ({"design": {"order": "fixed"}}, "go together"),
        ({"design": {"order": "fixed", "assign": {"town": "nobody"}}}, "not in agents"),
        ({"design": {"by": "side", "share": "varied"}}, "by: seat"),
        ({"players": []}, "at least one player"),
        ({"names": ["A", "B"], "players": 5}, "different numbers"),
    ],
)
def test_a_file_says_its_first_fault(changed: dict[str, Any], said: str) -> None:
    with pytest.raises(ExperimentUnusable) as error:
        parse_experiment(yaml.safe_dump({**PLAIN, **changed}), "x.yaml")
    assert said in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("text", ["a: [", "- 1", "", "x: &a [*a]", "\0"])
def test_a_text_that_is_no_file_says_so(text: str) -> None:
    with pytest.raises(ExperimentUnusable):
        parse_experiment(text, "x.yaml")


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"design": {"by": "side", "over": ["wolves"]}}, "There are: jester, mafia, town"),
        ({"seats": {"nobody": "house"}}, "seats has 'nobody'"),
        ({"ruleset": "delegation"}, "by: seat"),
        ({"agents": {str(n): "random" for n in range(9)}, "design": {"order": "crossed"}}, "81 games a deal"),
    ],
)
def test_a_design_that_does_not_fit_the_ruleset_says_so(changed: dict[str, Any], said: str) -> None:
    with pytest.raises(ExperimentUnusable, match=said):
        experiment(**changed).deal(0)


def test_what_decides_the_games_is_in_the_digest_and_nothing_else() -> None:
    one = digest(experiment().file.plan)
    assert digest(experiment(about="why").file.plan) == one
    assert digest(experiment(stop={"games": 20, "cost": 3}).file.plan) == one
    assert digest(experiment(stop={"games": 21}).file.plan) != one
    assert digest(experiment(seed=2).file.plan) != one


def test_the_schema_names_every_field_with_a_sentence() -> None:
    found = schema()
    for name, field in found["properties"].items():
        if "$ref" not in field and name not in ("design", "stop"):
            assert field.get("description", "").endswith((".", "…")), name
    assert found["additionalProperties"] is False


@pytest.mark.parametrize(
    "path", sorted((Path(__file__).parents[2] / "examples" / "experiments").glob("*.yaml")), ids=str
)
def test_the_examples_can_be_played(path: Path) -> None:
    trial = Experiment(parse_experiment(path.read_text(encoding="utf-8"), str(path)))
    model = model_of(trial)
    if model is not None:
        check_rank(model, trial.planned())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name: x\nagents:\n\thouse: house\n", "line 3. Use spaces there, not tabs"),
        ("name: x\nseed: 1\nseed: 2\n", "line 3: seed is there twice"),
        ("stop:\n  games: 2\n  games: 3\n", "line 3: games is there twice"),
        ("name: [\n", "not YAML"),
        ("", "has no fields"),
    ],
)
def test_a_text_that_is_not_a_file_names_the_line(text: str, said: str) -> None:
    with pytest.raises(ExperimentUnusable, match=said):
        parse_experiment(text)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"players": "five"}, "players: must be a whole number"),
        ({"players": True}, "players: must be a whole number"),
        ({"players": 0}, "players: a table has at least one player"),
        ({"players": 50}, "at most 40 players"),
        ({"seed": True}, "seed: must be a whole number or a text in quotes"),
        ({"name": 5}, "name: must be a text; put it in quotes"),
        ({"name": "../x"}, "name: has at most 78 letters"),
        ({"agents": {"my agent": "house"}}, r"agents\.my agent: has at most 40 letters"),
        ({"agents": []}, "agents: must have fields of its own below it"),
        ({"stop": 10}, "stop: must have fields of its own below it"),
        ({"stop": {}}, r"stop\.games: is missing"),
        ({"stop": {"games": 2, "cost": 0}}, r"stop\.cost: must be more than 0\."),
        ({"design": {"order": "mirored"}}, r"design\.order: must be 'mirrored', 'rotated'"),
        ({"sede": 1}, "sede: there is no such field"),
    ],
)
def test_a_mistake_is_told_in_plain_words(changed: dict[str, Any], said: str) -> None:
    with pytest.raises(SottovoceError, match=said):
        Experiment(parse_experiment(yaml.safe_dump({**PLAIN, **changed}))).deal(0)
