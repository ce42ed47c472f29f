"""Two living workers on one turn: one that was stopped, and one that took the turn over."""

from __future__ import annotations

import signal
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from durability.checks import check_game
from durability.processes import PATIENCE, Hung, Tap, Zygote
from sottovoce.eventlog import open_log


def stale_worker(
    folder: Path, url: str, workers: Sequence[Zygote], *, answered: bool, fault: str | None = None
) -> list[str]:
    """Return the findings after a worker was stopped in a call for so long that another took the turn over.

    It wakes up while the other is still asking, or with `answered` after the other has answered and continued.
    """
    one, other = workers
    turn, tap = ["narrator", 3, 1], Tap(folder / "tap")
    wishes: dict[str, Any] = {"tap": str(tap.path), "lease": "0.4", "fault": fault}
    play = ["--db", url, "play", "mafia", "--players", "5", "--agents", "random", "--seed", "16", "--quiet"]

    def asked(times: int) -> None:
        deadline = time.monotonic() + PATIENCE
        while sum(line.get("calling") == turn for line in tap.look()) < times:
            assert time.monotonic() < deadline, f"nobody asked for {turn}"
            time.sleep(0.002)

    one.start(play, folder / "one", stuck="narrator:3", **wishes)
    asked(1)
    log = open_log(url, create=False)
    try:
        (game,) = log.games()
        slow = f"narrator:3:{0.6 if answered else 3}"
        other.start(["--db", url, "resume", game, "--quiet"], folder / "other", slow=slow, **wishes)
        asked(2)
        if answered:
            tap.wait_for(len(tap.appends) + 3)
        _wake(one)
        findings = [
            f"{name} ended with {code}"
            for name, worker in (("the one that stood still", one), ("the other", other))
            if (code := _ended(worker))
        ]
        if not any(receipt.data.get("how") == "late" for receipt in log.receipts(game)):
            findings.append("the reply that came too late left no receipt")
        return findings + check_game(log, game, tap.appends)
    finally:
        log.close()
        for worker in workers:
            if worker.pid is not None:
                worker.kill()  # a failed worker must not disturb the next test


def _wake(worker: Zygote) -> None:
    """Wake a worker that has stopped itself, or is about to."""
    assert worker.pid is not None
    state = Path(f"/proc/{worker.pid}/stat")
    deadline = time.monotonic() + PATIENCE
    while state.read_text().rpartition(")")[2].split()[0] != "T":
        assert time.monotonic() < deadline, "the worker did not stand still"
        time.sleep(0.002)
    worker.signal(signal.SIGCONT)


def _ended(worker: Zygote) -> int | str:
    try:
        return worker.wait()
    except Hung:
        return "hung"
