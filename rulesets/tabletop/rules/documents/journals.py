"""The form of a journal entry (F-045)."""

from __future__ import annotations

from sottovoce import Refused

BULLETS = ("What happened:", "What I did:", "What I learned:", "How I feel:", "Notes:")


def journal_entry(title: str, happened: str, did: str, learned: str, feel: str, notes: str) -> str:
    """An entry as it is written: a rule, a title, and the five bullets in order."""
    bullets = zip(BULLETS, (happened, did, learned, feel, notes), strict=True)
    return "\n".join(["---", f"### {title}", "", *(f"- {bullet} {text}" for bullet, text in bullets)]) + "\n"


def check_entry(text: str) -> str:
    """The entry with one newline at its end; Refused naming what its form lacks."""
    lines = [line.strip() for line in text.strip().splitlines() if line.strip()]
    if not lines or lines[0] != "---":
        raise Refused("A journal entry starts with a line --- and a title ### below it.")
    if len(lines) < 2 or not lines[1].startswith("### ") or not lines[1][4:].strip():
        raise Refused("A journal entry has a title: write ### and the title below the line ---.")
    bullets = [_bullet(line) for line in lines[2:]]
    found = [bullet for bullet in bullets if bullet is not None]
    if found != list(BULLETS):
        missing = [bullet for bullet in BULLETS if bullet not in found]
        what = f"it lacks {', '.join(missing)}" if missing else "they stand in another order or more than once"
        raise Refused(f"A journal entry has five bullets, in order: {' '.join(BULLETS)} In yours {what}.")
    return text.strip() + "\n"


def _bullet(line: str) -> str | None:
    words = line.lstrip("-*+ ").replace("*", "")
    return next((bullet for bullet in BULLETS if words.startswith(bullet)), None)
