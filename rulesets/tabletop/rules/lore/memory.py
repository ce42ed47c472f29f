"""What the house's GM remembers of an open evening: the lines of its own progress note, and nothing else.

Each change is one line, written in the reply that brings it about. So whoever reads the note stands where it was left:
after a pause, in another process, and on the next evening, which takes over what lasts.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

PROGRESS = "gm-progress.md"
"""The document of the note: the GM's alone, as every file is that no rule names (F-061)."""

LASTING = frozenset({"told", "met", "at", "from", "liking", "carries", "lost", "favor", "seen", "settled", "by"})
"""What another evening takes over."""


@dataclass(slots=True)
class Memory:
    """The note, read. `done` are things that happen once; `asks` is a question that somebody put and waits for.
    `asked` is what was asked last, which `when was that?` goes on about, and `subject` the name that `him` stands for.

    `mate` is the one of the party to whom the person's last words were, and `interrupted` whether somebody else has
    come or spoken since. `acquainted` were met on an earlier evening, and `settled` is what was decided then. `by` is
    what the party stands by within a place, where the folder has no heading for it (`the bridge`, `the inn/upstairs`),
    `eyes` what was looked at or pointed out last, and `visited` the turn in which somebody last came up by themself.
    """

    told: dict[str, None] = field(default_factory=dict)
    met: dict[str, None] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)
    at: str = ""
    before: str = ""
    by: str = ""
    eyes: str = ""
    visited: int = 0
    liking: Counter[str] = field(default_factory=Counter)
    carries: dict[str, None] = field(default_factory=dict)
    lost: set[str] = field(default_factory=set)
    favor: set[str] = field(default_factory=set)
    here: dict[str, None] = field(default_factory=dict)
    away: set[str] = field(default_factory=set)
    done: set[str] = field(default_factory=set)
    failed: Counter[str] = field(default_factory=Counter)
    answers: list[tuple[str, str]] = field(default_factory=list)
    last: str | None = None
    spoken: str | None = None
    mate: str | None = None
    interrupted: bool = False
    thing: str | None = None
    clock: int = 0
    quiet: int = 0
    troubled: int = 0
    found: int = 0
    asks: str = ""
    asked: str = ""
    subject: str = ""
    meant: str = ""
    decided: str = ""
    settled: str = ""
    acquainted: frozenset[str] = frozenset()
    ends: int = 0
    postponed: int = 0
    lines: list[str] = field(default_factory=list)

    def apply(self, line: str) -> None:
        """Take in one line of the note."""
        key, _, value = line.partition(" ")
        self.lines.append(line)
        match key:
            case "told":
                self.told[value] = None
            case "met":
                self.met[value] = None
            case "seen":
                self.seen.add(value)
            case "at":
                self.before, self.at, self.by = self.at, value, ""
                self.here.clear()
            case "by":
                if value.partition("/")[0] != self.by.partition("/")[0]:
                    self.here.clear()
                self.by = value
            case "eyes":
                self.eyes = value
            case "visited":
                self.visited = int(value)
            case "liking":
                who, _, change = value.rpartition(" ")
                self.liking[who] += int(change)
            case "carries":
                self.carries[value] = None
                self.lost.discard(value)
            case "lost":
                self.carries.pop(value, None)
                self.lost.add(value)
            case "favor":
                self.favor.add(value)
            case "here":
                self.here[value] = None
                self.interrupted = True
                self.away.discard(value)
            case "away":
                self.away.add(value)
                self.here.pop(value, None)
            case "done":
                self.done.add(value)
            case "failed":
                self.failed[value] += 1
            case "answer":
                beat, _, how = value.rpartition(" ")
                self.answers.append((beat, how))
            case "last":
                self.last = value or None
                self.interrupted = True
            case "to":
                self.spoken = value or None
            case "mate":
                self.mate = value or None
                self.interrupted = False
            case "thing":
                self.thing = value or None
                self.eyes = value
            case "clock":
                if not self.clock:
                    self.acquainted = frozenset(self.met)
                self.clock = int(value)
            case "quiet":
                self.quiet = int(value)
            case "troubled":
                self.troubled = int(value)
            case "found":
                self.found = int(value)
            case "asks":
                self.asks = value
            case "asked":
                self.asked = value
            case "subject":
                self.subject = value
            case "meant":
                self.meant = value
            case "decided":
                self.decided = value
            case "settled":
                self.settled = value
            case "answers" | "offers" | "evening:" | "turn":
                pass
            case "postponed":
                self.postponed = int(value)
            case "ends":
                self.ends = int(value)
            case _:
                self.lines.pop()


def remembered(text: str) -> Memory:
    """The note as it stands."""
    memory = Memory()
    for line in text.splitlines():
        if line.startswith("- "):
            memory.apply(line[2:].strip())
    return memory


def carried_over(text: str) -> list[str]:
    """The lines of an earlier evening's note that still count. What was decided is settled now."""
    lines = [line[2:].strip() for line in text.splitlines() if line.startswith("- ")]
    settled = [line.removeprefix("decided ") for line in lines if line.startswith("decided ")][-1:]
    kept = [
        line for line in lines if line.partition(" ")[0] in LASTING and not (settled and line.startswith("settled "))
    ]
    return [*kept, *(f"settled {what}" for what in settled)]
