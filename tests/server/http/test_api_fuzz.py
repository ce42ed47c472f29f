"""Requests of every form, right and wrong, by every kind of link: nothing fails, nothing is answered that is not
documented, and no link opens more than the document says."""

from __future__ import annotations

import asyncio
import itertools
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st
from patience import PATIENCE
from remote import PLAYERS, Opened, RemoteServer, bounded, log_in
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from sizes import sized

from sottovoce.server.http.seen import SEEN
from sottovoce.server.http.settings import Settings
from sottovoce.server.links import LinkKind, new_token

REQUESTS = sized(1_000, 50_000)
AT_ONCE = 25
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
OWN = (LinkKind.KEEPER, LinkKind.SEAT, LinkKind.SPECTATOR, LinkKind.AUDITOR)


@dataclass
class Fuzzed:
    """A server with one game that stands still and one that is over."""

    remote: RemoteServer
    standing: Opened
    over: Opened

    def tokens(self, game: Opened) -> dict[str, str]:
        """A token of every kind for that game, made anew, since requests may have ended the older ones."""

        async def issued() -> list[str]:
            async with self.remote.live_games.using(game.game) as table:
                links = self.remote.links
                return [await links.issue(table.live, kind, "Ada" if kind is LinkKind.SEAT else None) for kind in OWN]

        made = asyncio.run_coroutine_threadsafe(issued(), self.remote.loop).result(PATIENCE)
        return {
            "host": self.remote.host,
            **{kind.value: token for kind, token in zip(OWN, made, strict=True)},
            "wrong": new_token(LinkKind.SEAT),
            "none": "",
        }


@pytest.fixture(scope="module")
def fuzzed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fuzzed]:
    # A body over the bound is answered before it is read, and a client may notice the end of the connection first.
    settled = Settings(bounds=bounded(body=8 << 20), log_requests=False)
    with RemoteServer(log_in(tmp_path_factory.mktemp("far")), settled) as remote:
        over = remote.open(names=list(PLAYERS), agent="random", seed="1")
        with remote.stream(over.game, over.spectator) as frames:
            assert list(frames)[-1].event == "end"
        standing = remote.open(names=list(PLAYERS), agent="outside", seed="1")
        yield Fuzzed(remote, standing, over)


class Asker:
    """Asks with every kind of link in turn, and checks the answers."""

    def __init__(self, remote: RemoteServer, session: requests.Session) -> None:
        self.remote = remote
        self.session = session
        self.sent: Counter[str] = Counter()
        self.statuses: set[int] = set()
        self._turns = itertools.count()

    def ask(self, operation: Any, cases: st.SearchStrategy[Any], tokens: dict[str, str], number: int) -> None:
        """So many cases of one operation, drawn from that seed."""

        @seed(number)
        @settings(max_examples=AT_ONCE, deadline=None, database=None, suppress_health_check=list(HealthCheck))
        @given(case=cases)
        def one(case: Any) -> None:
            turn = next(self._turns)
            kind = list(tokens)[turn % len(tokens)]
            if case.path_parameters and "seat" in case.path_parameters and turn % 2:
                case.path_parameters["seat"] = "Bram"
            if isinstance(case.query, dict) and "wait" in case.query:
                case.query["wait"] = 0
            if case.headers and str(case.headers.get(SEEN, "")).isdecimal():
                case.headers[SEEN] = "1"  # what nobody has seen yet would rightly be waited for
            answer = case.call(
                base_url=self.remote.base,
                session=self.session,
                headers={"Authorization": f"Bearer {tokens[kind]}" if tokens[kind] else "none"},
                timeout=PATIENCE,
            )
            self.sent[operation.label] += 1
            self.statuses.add(answer.status_code)
            case.validate_response(answer, checks=CHECKS)
            allowed = {kind for entry in operation.definition.raw["security"] for kind in entry}
            if allowed and kind not in allowed:
                assert answer.status_code >= 400, (kind, case, answer.text)

        one()


def test_no_request_makes_the_server_fail_answer_what_is_not_documented_or_open_what_it_should_not(
    fuzzed: Fuzzed,
) -> None:
    document = fuzzed.remote.get("/openapi.json")
    operations: list[Any] = [found.ok() for found in _found(document)]
    with requests.Session() as session:
        asker = Asker(fuzzed.remote, session)
        for number in itertools.count():
            for operation in operations:
                # A stream of a game that goes on has no end.
                game = fuzzed.over if operation.path.endswith("/stream") or number % 4 == 3 else fuzzed.standing
                own = {"game": game.game} if "{game}" in operation.path else None
                modes = (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)
                cases = st.one_of([operation.as_strategy(mode, path_parameters=own) for mode in modes])
                asker.ask(operation, cases, fuzzed.tokens(game), number)
            if asker.sent.total() >= REQUESTS:
                break
    assert all(asker.sent[operation.label] >= 2 for operation in operations), asker.sent
    assert asker.statuses >= {200, 201, 401, 403, 404, 422}, asker.statuses


def _found(document: dict[str, Any]) -> list[Any]:
    return list(schemathesis.openapi.from_dict(document).get_all_operations())
