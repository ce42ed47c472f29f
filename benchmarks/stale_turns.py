"""Count how often a server still lists a turn as open after another server on the same log accepted its answer.

    python benchmarks/stale_turns.py [--tries 160] [--postgres URL | --no-postgres]

A client answers at one of two `sottovoce serve` processes and asks the other for open turns, alternating. It asks with
the header `Sottovoce-Seen` that it got, and once more without it. To measure another checkout with this script, put it
first on PYTHONPATH.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "kit"))

from server_process import Serving  # noqa: E402

SEEN = "Sottovoce-Seen"
NAMES = ["Ada", "Bram", "Cleo", "Dirk", "Edda"]


class Seat:
    """One seat's requests to any of the servers. `seen` is the latest value of the header."""

    def __init__(self, http: httpx2.Client, game: str, link: str) -> None:
        self._http = http
        self._path = f"/v1/games/{game}/turns"
        self._token = link.partition("#")[2]
        self.seen: str | None = None

    def ask(self, base: str, method: str = "GET", turn: int | None = None, body: Any = None) -> httpx2.Response:
        """Send one request with the header, and keep the header of the answer."""
        headers = {"authorization": f"Bearer {self._token}", **({SEEN: self.seen} if self.seen else {})}
        path = self._path if turn is None else f"{self._path}/{turn}"
        answer = self._http.request(method, base + path, json=body, headers=headers)
        self.seen = answer.headers.get(SEEN, self.seen)
        return answer

    def open_turns(self, base: str) -> list[dict[str, Any]]:
        """Return the seat's open turns as that server has them."""
        return list(self.ask(base).raise_for_status().json()["turns"])


def stale(url: str, tries: int, *, telling: bool) -> int:
    """Return how many of `tries` turns were still listed after they were answered at the other server."""
    found = done = 0
    with Serving(url) as one, Serving(url) as other, httpx2.Client(timeout=60) as http:
        while done < tries:
            game, links = one.open(names=NAMES, agents={"narrator": "house"}, agent="outside")
            seats = {name: Seat(http, game, links[name]) for name in NAMES}
            servers = itertools.cycle(((one.base, other.base), (other.base, one.base)))
            quiet = 0
            while done < tries and quiet < 2 * len(seats):
                for seat in seats.values():
                    here, there = next(servers)
                    seat.open_turns(there)
                    turns = seat.open_turns(here)
                    quiet = 0 if turns else quiet + 1
                    for turn in turns[:1]:
                        text = turn["choices"][0] if turn["choices"] else "I was at home all night, and I saw nothing."
                        answer = seat.ask(here, "POST", turn["turn"], {"text": text})
                        if not telling:
                            seat.seen = None
                        if answer.status_code == 200 and done < tries:
                            done += 1
                            found += turn["turn"] in [listed["turn"] for listed in seat.open_turns(there)]
    return found


@contextmanager
def databases(given: str | None) -> Iterator[str]:
    """Yield the address of an empty log in PostgreSQL."""
    if given is not None:
        yield given
        return
    from postgres import databases as started

    with started() as made, made.log() as url:
        yield url


def main() -> None:
    """Measure both kinds of log and print the counts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tries", type=int, default=160)
    parser.add_argument("--postgres", metavar="URL", help="an empty database; a server is started if not given")
    parser.add_argument("--no-postgres", action="store_true")
    given = parser.parse_args()
    for telling in (True, False):
        said = "with" if telling else "without"
        with tempfile.TemporaryDirectory() as folder:
            count = stale(f"sqlite:///{folder}/games.db", given.tries, telling=telling)
        print(f"SQLite, {said} {SEEN}: stale {count} of {given.tries}", flush=True)
        if not given.no_postgres:
            with databases(given.postgres) as url:
                count = stale(url, given.tries, telling=telling)
            print(f"PostgreSQL, {said} {SEEN}: stale {count} of {given.tries}", flush=True)


if __name__ == "__main__":
    main()
