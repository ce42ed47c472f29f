"""Threads that use a class of events for the first time at the same moment don't crash the process."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

THREADS = """
import sys, threading
from typing import Optional
import msgspec
from sottovoce.domain.typed import converted, decoded, decoder_of

sys.setswitchinterval(1e-6)
fields = [(f"f{number}", Optional[dict[str, tuple[int, ...]]]) for number in range(30)]
text = msgspec.json.encode({name: {"a": [1]} for name, _ in fields})
read = [
    lambda cls: decoder_of(cls).decode(text),
    lambda cls: decoded(text, cls),
    lambda cls: converted(msgspec.json.decode(text), cls),
]

def use(cls, first):
    together.wait()
    for way in (*read[first:], *read[:first]):
        assert way(cls).f29 == {"a": (1,)}
    done.append(cls)

done = []
for number in range(400):
    together = threading.Barrier(4)
    inner = msgspec.defstruct(f"Event{number}", fields)
    threads = [threading.Thread(target=use, args=(inner, first)) for first in (0, 1, 2, 0)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
print(len(done))
"""


def test_threads_meet_a_class_for_the_first_time() -> None:
    ran = subprocess.run([sys.executable, "-c", THREADS], capture_output=True, text=True)
    assert (ran.returncode, ran.stdout.strip()) == (0, "1600"), ran.stderr


def test_nothing_reads_a_class_past_the_lock() -> None:
    root = Path(__file__).parents[2]
    folders = ("agents", "cli", "client", "domain", "eventlog", "projections", "rulesets", "server", "sottovoce")
    past = re.compile(
        r"msgspec\.convert\(|msgspec\.json\.Decoder\(\w|msgspec\.json\.decode\([^)]*type=|\.decode\(.*, type="
    )
    found = [
        str(path.relative_to(root))
        for folder in folders
        for path in sorted((root / folder).rglob("*.py"))
        if not path.is_symlink() and "tests" not in path.parts and past.search(path.read_text(encoding="utf-8"))
    ]
    assert set(found) == {"domain/typed.py"}
