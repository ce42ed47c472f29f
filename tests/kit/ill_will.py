"""A server on which everything anyone can write is malicious: names, words, documents, files, a model's answers, the
host's offers, and a ruleset's own options."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pytest
from durability.checks import state_of
from endpoint import StandIn
from hostile import NAMES, SAYINGS, HostileModel
from patience import PATIENCE
from pydantic import Field
from remote import CAMPAIGN, EXAMPLES, Opened, RemoteServer, bounded, log_in
from working import log_at, until

from sottovoce.domain.rulesets import RULESETS
from sottovoce.rulesets.mafia.rules import MAFIA
from sottovoce.rulesets.mafia.rules.options import MafiaOptions
from sottovoce.server.http.settings import Settings

MODEL = "openai:<i>ill</i> javascript:ran=20"
MARKED = "<i onclick=ran=21>ill</i>"
PLACES = (f"{MARKED} \u202eplace", "javascript:ran=22", "__proto__", "</option></select><script>ran = 23</script>")
FILES = (
    "<img src=x onerror=ran=24>.md",
    "javascript:ran=25.md",
    "\u202edm.nrut.md",
    f"{'W' * 120}.md",
    "__proto__",
    "a%2f..%2f..%2fb#at=1&as=x?.md",
    "page.html",
    "picture.svg",
)
MARKUP = "<!doctype html><html onload=ran=26><body style='display:none'><script>ran = 27</script><h1>Own page</h1>"
DOCUMENT = "\n\n".join((*SAYINGS, MARKUP))


class IllOptions(MafiaOptions):
    """Malicious options: only the form shows them, because no game of these rules has them."""

    ill: str = Field(default=SAYINGS[0], description=SAYINGS[4], alias="<u>ill</u> __proto__", max_length=400)
    kind: Literal["<b>one</b>", "javascript:ran=28", "constructor"] = Field(
        default="<b>one</b>", description=SAYINGS[1], alias="constructor"
    )
    words: dict[str, str] = Field(default={"__proto__": MARKUP}, description=SAYINGS[5][:2000])


RULES = MAFIA.but(name="<u>odd</u> \u202e</title><script>ran = 29</script>")
OFFERED = MAFIA.but(name='offered" onclick="ran=30', options=IllOptions)


@dataclass(frozen=True)
class IllWill:
    """The server, its model, and a game of each kind: a finished game of Mafia, and three with an open turn."""

    remote: RemoteServer
    model: HostileModel
    over: Opened
    table: Opened
    story: Opened
    work: Opened
    odd: Opened

    def link(self, one: Opened, kind: str, seat: str | None = None) -> str:
        """Return the address of a page of the game."""
        own = {"keeper": one.keeper, "spectator": one.spectator, **one.seats}
        token = own.get(seat or kind) or self.remote.issue(one.game, one.keeper, kind, seat)
        return f"{self.remote.base}/games/{one.game}#{token}"

    @property
    def reports(self) -> str:
        """Return how often a browser reported that a page broke its policy."""
        told = self.remote.ask("GET", "/metrics", self.remote.host).text.splitlines()
        return next(line for line in told if line.startswith("sottovoce_policy_reports_total"))


@contextmanager
def ill_will(folder: Path) -> Iterator[IllWill]:
    """Start all of it, with games played as far as they go."""
    model = HostileModel()
    with ExitStack() as stack:
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        for rules in (RULES, OFFERED):
            patch.setitem(RULESETS, rules.name, rules)
        patch.setenv("OPENAI_BASE_URL", stack.enter_context(StandIn(answer=model)).url)
        remote = stack.enter_context(RemoteServer(log_in(folder), _settings(folder)))
        short = {"options": {"max_days": 2, "max_speeches": 2}, "seed": "5"}
        mafia: dict[str, Any] = {"names": NAMES, "agents": {NAMES[0]: "outside"}, "agent": MODEL, **short}
        yield IllWill(
            remote,
            model,
            _played(remote, mafia, 1000),
            _played(remote, mafia, 3),
            _played(
                remote,
                {
                    "ruleset": "tabletop",
                    "campaign": PLACES[0],
                    "character": "pim-tallow",
                    "agents": {"human": "outside", "gm": MODEL, "narrator": MODEL},
                },
                0,
            ),
            _played(
                remote, {"ruleset": "delegation", "folder": PLACES[1], "agents": {"user": "outside"}, "agent": MODEL}, 0
            ),
            remote.open(ruleset=RULES.name, names=NAMES, agent="outside"),
        )


def _settings(folder: Path) -> Settings:
    campaign = shutil.copytree(EXAMPLES / "campaigns" / CAMPAIGN, folder / CAMPAIGN)
    for path in ("party/pim-tallow.md", "party-knowledge.md", "world-primer.md"):
        with (campaign / path).open("a", encoding="utf-8") as file:
            file.write(f"\n\n{DOCUMENT}\n")
    for name in FILES:
        (campaign / "npcs" / name).write_text(DOCUMENT if name.endswith(".md") else MARKUP, encoding="utf-8")
    work = shutil.copytree(EXAMPLES / "delegation" / "village-paper", folder / "work")
    (work / "tasks" / "ill.md").write_text(DOCUMENT[:60_000], encoding="utf-8")
    agents: Mapping[str, int | None] = {"house": None, "outside": None, MODEL: 1_000_000_000}
    return Settings(
        bounds=bounded(),
        log_requests=False,
        agents=dict(agents),
        places={"campaign": dict.fromkeys(PLACES, campaign), "folder": dict.fromkeys(PLACES, work)},
    )


def _played(remote: RemoteServer, wanted: dict[str, Any], answers: int) -> Opened:
    """Play a game in which its one person gives this many malicious answers. Then only that person has a turn."""
    one = remote.open(**wanted)
    (seat,) = one.seats
    left = [*SAYINGS * 3]
    path, token = f"/v1/games/{one.game}", one.seats[seat]
    while not (inbox := remote.get(f"{path}/turns", token, wait=PATIENCE // 8))["over"]:
        for turn in inbox["turns"]:
            if answers == 0:
                with log_at(remote.url) as log:
                    until(lambda: {due.seat for due in state_of(log.read(one.game)).turns.values()} == {seat})
                return one
            text = turn["choices"][-1] if turn["choices"] else left.pop(0)
            answers -= remote.ask("POST", f"{path}/turns/{turn['turn']}", token, {"text": text}).json()["accepted"]
    return one
