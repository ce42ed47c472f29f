"""A process that creates, claims and revokes links without a pause, and reports every acknowledgement.

`python -m durability.links URL GAME SEAT` prints a line of JSON per change. With a fourth word it is faulty: it
acknowledges an end before that is stored.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Sequence

from durability.processes import REPO, environment
from sottovoce.eventlog import open_log
from sottovoce.eventlog.log import EventLog
from sottovoce.eventlog.verify import verify
from sottovoce.server.games import Games
from sottovoce.server.links import LinkKind, Links, digest_of


async def change(url: str, game: str, seat: str, faulty: bool) -> None:
    """Make changes until it is killed."""
    games = Games(open_log(url))
    live, links = games.load(game), Links(games)
    while True:
        token = await links.issue(live, LinkKind.SEAT, seat)
        digest = digest_of(token).hex()
        _say(what="issued", digest=digest)
        link = links.find(token)
        assert link is not None
        await links.claim(link)
        _say(what="claimed", digest=digest)
        if link.number % 3 == 0:
            if faulty:
                _say(what="ended", digest=digest)
                sys.stdin.read()
            await links.end(live, link.number)
            _say(what="ended", digest=digest)


def _say(**told: str) -> None:
    print(json.dumps(told), flush=True)


class Changing:
    """Such a process, from outside."""

    def __init__(self, url: str, game: str, seat: str, *, faulty: bool = False) -> None:
        words = [url, game, seat, *(["faulty"] if faulty else [])]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "durability.links", *words],
            cwd=REPO,
            env=environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.acknowledged: list[dict[str, str]] = []

    def read(self, count: int) -> None:
        """Wait for this many more acknowledgements."""
        assert self._process.stdout is not None
        for _ in range(count):
            line = self._process.stdout.readline()
            assert line, "it ended by itself"
            self.acknowledged.append(json.loads(line))

    def kill(self) -> None:
        """SIGKILL it, and read its remaining acknowledgements."""
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        process.kill()
        self.acknowledged += [json.loads(line) for line in process.stdout if line.endswith("\n")]
        process.wait()
        process.stdin.close()
        process.stdout.close()


def check_links(log: EventLog, game: str, acknowledged: Sequence[dict[str, str]], processes: int) -> list[str]:
    """Return what was acknowledged but is not true, and what exists beyond one change of each process."""
    findings = [problem.what for problem in verify(log, game).problems]
    links = {link.digest.hex(): link for link in log.links(game)}
    for told in acknowledged:
        link = links.get(told["digest"])
        if link is None:
            findings.append(f"{told} is gone")
        elif (told["what"] == "claimed" and link.claimed is None) or (told["what"] == "ended" and link.ended is None):
            findings.append(f"{told} is not so")
        elif told["what"] == "ended" and log.link(link.digest) is not None:
            findings.append(f"{told} still opens the game")
    issued = sum(told["what"] == "issued" for told in acknowledged)
    if len(links) > issued + processes:
        findings.append(f"{len(links)} links of which {issued} were acknowledged")
    live = [link.seat for link in links.values() if link.ended is None]
    if len(live) > len(set(live)):
        findings.append(f"two links to one seat: {live}")
    return findings


if __name__ == "__main__":
    asyncio.run(change(sys.argv[1], sys.argv[2], sys.argv[3], faulty=len(sys.argv) > 4))
