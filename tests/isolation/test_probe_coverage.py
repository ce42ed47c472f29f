"""The probes exercise everything: endpoints, parameters, tools, commands, options and states."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import click
import pytest
from exercised import exercised, missing
from fastapi import FastAPI

from sottovoce.cli.main import cli
from sottovoce.extras import craft_of
from sottovoce.isolation.probes import Coverage, probes
from sottovoce.isolation.probes.inputs import endpoints


def test_all_that_there_is_is_exercised_and_nothing_is_found(tmp_path: Path) -> None:
    coverage, findings = exercised(tmp_path)
    print(coverage.report())
    assert not findings, "\n".join(map(str, findings))
    left = missing(coverage)
    assert not left, "\n".join(left)


# anything new is reported as missing


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Coverage:
    """A few comparisons, after which most is still missing."""
    coverage = Coverage()
    for _ in islice(probes("wire", "delegation", 1, tmp_path_factory.mktemp("probes"), coverage), 60):
        pass
    return coverage


@pytest.fixture
def app(asked: Coverage) -> Iterator[FastAPI]:
    """The application under test, to which a test can add something."""
    assert asked.app is not None
    before = list(asked.app.router.routes)
    yield asked.app
    asked.app.router.routes[:] = before
    _forget(asked.app)


def _forget(app: FastAPI) -> None:
    app.openapi_schema = None
    endpoints.cache_clear()


def _new(before: list[str], after: list[str]) -> str:
    return "\n".join(line for line in after if line not in before)


def test_a_new_endpoint_is_missed(asked: Coverage, app: FastAPI) -> None:
    def gossip(about: str = "") -> dict[str, Any]:
        """Tell what is said."""
        return {}

    before = missing(asked)
    app.add_api_route("/v1/gossip", gossip, methods=["POST"], tags=["games"])
    app.add_api_route("/v1/rumours", gossip, methods=["GET"], tags=["games"], include_in_schema=False)
    _forget(app)
    new = _new(before, missing(asked))
    assert "POST /v1/gossip was never asked" in new
    assert "GET /v1/rumours was never asked" in new, "an endpoint that the document leaves out is one as well"


def test_a_new_parameter_is_missed(asked: Coverage, app: FastAPI) -> None:
    def gossip(about: str = "") -> dict[str, Any]:
        """Tell what is said."""
        return {}

    before = missing(asked)
    app.add_api_route("/v1/gossip", gossip, methods=["GET"], tags=["games"])
    asked.requests["GET /v1/gossip"] += 1
    _forget(app)
    assert "GET /v1/gossip: the query parameter 'about' was never given a value" in _new(before, missing(asked))


def test_a_new_tool_and_argument_are_missed(asked: Coverage) -> None:
    tool = {"name": "gossip", "inputSchema": {"properties": {"about": {"type": "string"}}}}
    assert "\n".join(asked.missing_tools([tool])).count("MCP tool gossip: ") == 2


def test_a_new_command_and_a_new_option_are_missed(asked: Coverage, monkeypatch: pytest.MonkeyPatch) -> None:
    view = cli.get_command(click.Context(cli), "view")
    assert view is not None
    before = missing(asked)
    monkeypatch.setattr(view, "params", [*view.params, click.Option(["--whisper"])])
    assert "sottovoce view --whisper was never run" in _new(before, missing(asked))

    known, found = cli.list_commands(click.Context(cli)), type(cli).get_command
    monkeypatch.setattr(type(cli), "list_commands", lambda self, ctx: [*known, "gossip"])
    gossip = click.Command("gossip", params=[click.Option(["--about"])])

    def get_command(self: Any, ctx: click.Context, name: str) -> click.Command | None:
        return gossip if name == "gossip" else found(self, ctx, name)

    monkeypatch.setattr(type(cli), "get_command", get_command)
    new = _new(before, missing(asked))
    assert "sottovoce gossip was never run" in new
    assert "sottovoce gossip --about was never run" in new


def test_a_new_state_is_missed(asked: Coverage, monkeypatch: pytest.MonkeyPatch) -> None:
    craft = craft_of("mafia")
    monkeypatch.setattr(type(craft), "states", {**craft.states, "asleep": lambda at: False})
    assert "No game of mafia came to the state 'asleep'" in "\n".join(missing(asked))
