"""Every command and option is in `docs/cli.md`, and every help text has an example that can be run."""

from __future__ import annotations

import json
import re
import shlex

import click
import pytest
from commands import COMMANDS, LEAVES, ROOT, Cli

from sottovoce.agents.kinds import AFAR, KINDS, known
from sottovoce.cli.agent import NOT_HERE
from sottovoce.cli.main import cli
from sottovoce.domain.rulesets import RULESETS
from sottovoce.projections.extras import EXTRAS
from sottovoce.projections.tally import Seated

DOCS = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")


def section(name: str) -> str:
    """What the document says of a command."""
    found = re.search(rf"^### `{name}`\n(.*?)(?=^##)", DOCS + "\n## end", re.M | re.S)
    assert found, f"docs/cli.md has no section for {name}"
    return found[1]


@pytest.mark.parametrize("name", LEAVES)
def test_every_command_is_documented_with_every_option(name: str) -> None:
    text = section(name)
    for param in LEAVES[name].params:
        if isinstance(param, click.Option):
            long = [opt for opt in param.opts if opt.startswith("--")]
            assert any(f"`{opt}" in text for opt in long), f"{name} {long[0]} is not in docs/cli.md"


def test_nothing_is_documented_that_is_not_there() -> None:
    assert set(re.findall(r"^### `(.*)`$", DOCS, re.M)) == set(LEAVES)
    known = {
        opt
        for command in (cli, *COMMANDS.values())
        for param in command.params
        for opt in (*param.opts, *param.secondary_opts)
    }
    assert set(re.findall(r"`(--[a-z-]+)", DOCS)) <= known | {"--help", "--version"}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_help_has_an_example_of_the_command(name: str) -> None:
    said = Cli(ROOT / "unused.db")(*name.split(), "--help")
    assert said.code == 0
    examples = re.findall(r"^ *(?:Examples?:|  ) +(.*sottovoce .*)$", said.out, re.M)
    examples = [re.sub(r" --db \S+", "", example) for example in examples]
    assert any(f"sottovoce {name}" in example for example in examples)
    for example in examples:
        words = shlex.split(example.rpartition("| ")[2])
        leaf = next(path for path in (" ".join(words[1:3]), words[1]) if path in LEAVES)
        given = words[1 + len(leaf.split()) :]
        LEAVES[leaf].make_context(leaf, list(given))
    assert "one line" not in said.out
    for line in said.out.splitlines():
        assert len(line) <= 100


def test_the_shapes_in_the_document_are_json() -> None:
    shapes = [*re.findall(r"`(\{\"[^`]*\})`", DOCS), *re.findall(r"^```json\n(.*?)```", DOCS, re.M | re.S)]
    assert len(shapes) > 10
    for shape in shapes:
        json.loads(re.sub(r"\[…\]", "[]", shape.replace("{…}", "{}")))


def quoted(text: str) -> set[str]:
    return set(re.findall(r"`([^`]+)`", re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)))


def found(pattern: str, text: str = DOCS) -> str:
    """The one place in the text that the pattern finds."""
    [place] = re.findall(pattern, text, re.M)
    return str(place)


def test_every_kind_of_agent_is_told_of() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    [table] = re.findall(r"^### Agents\n(.*?)^### ", DOCS, re.M | re.S)
    for text in ("\n".join(re.findall(r"^\|.*", table, re.M)), found(r"^Any seat, .*, can be filled by(.*)", readme)):
        assert set(known()) - quoted(text) == set()
        with_details = {f"{kind.name}:{kind.detail}" for kind in KINDS}
        assert {name for name in quoted(text) if re.fullmatch(r"[a-z]+:[A-Z]+", name)} <= with_details
    here = {str(kind) for kind in KINDS if kind.name not in NOT_HERE}
    assert quoted(found(r"^\| `--as AGENT` \|(.*)", section("agent"))) == here


def test_every_agent_that_may_be_chosen_from_afar_is_told_of() -> None:
    assert quoted(found(r"^\| `--agents AGENT` \|(.*)", section("serve"))) == {
        *AFAR,
        "openai:MODEL=TOKENS",
        "model:NAME=TOKENS",
    }
    server = (ROOT / "docs" / "server.md").read_text(encoding="utf-8")
    assert quoted(found(r"^\*\*Agents\*\* are what .*? seat: (.*?) unless", server)) == set(AFAR)
    never = quoted(found(r"^\*\*Agents\*\* .*\((.*)\) cannot be allowed", server))
    assert {name.rstrip(":") for name in never} == {kind.name for kind in KINDS} - {*AFAR, "openai", "model"}


def test_the_columns_of_the_csv_are_told_of() -> None:
    columns = EXTRAS.of("mafia").columns
    assert columns is not None
    header = found(r"`(game,seed,[a-z,]+)`", section("run mafia"))
    assert header.split(",") == Seated.header(columns.names)


@pytest.mark.parametrize("ruleset", RULESETS)
def test_the_columns_that_a_ruleset_adds_are_told_of(ruleset: str) -> None:
    columns = EXTRAS.of(ruleset).columns
    assert set(columns.names if columns is not None else ()) <= quoted(section(f"run {ruleset}"))
