"""Beats in a form other than the rules' own: what happens, who asks what, and what comes of which answer."""

from __future__ import annotations

import re
from functools import lru_cache

from sottovoce.rulesets.tabletop.rules.lore.entities import StoryBeat, slug
from sottovoce.rulesets.tabletop.rules.lore.lines import lines_of

_BEAT = re.compile(r"(?i)^(?:beat|scene|part|encounter) *\d+ *[:.–—-]? *(.*)$")
_OPTIONAL = re.compile(r"(?i)\(optional\)|optional$")


@lru_cache(maxsize=64)
def story_beats(path: str, text: str) -> tuple[StoryBeat, ...]:
    """The beats of a sheet in somebody else's form."""
    found: dict[str, dict[str, list[str]]] = {}
    outcomes: dict[str, dict[str, str]] = {}
    titles: dict[str, str] = {}
    for line in lines_of(text):
        heads = [head for head in line.heads if head]
        beat = next((head for head in heads if _BEAT.match(head)), None)
        if beat is None or line.lead == "|":
            continue
        key = f"{path}#{slug(beat)}"
        titles[key] = beat
        under = heads[-1].casefold() if heads[-1] != beat else ""
        parts = found.setdefault(key, {"happens": [], "questions": [], "told": [], "decisions": []})
        if re.search(r"what happens|events?$|^happens", under):
            text_ = f"{line.text}" if not line.lead or not line.item else line.text
            if line.item or not line.text.endswith(":"):
                parts["happens"].append(text_)
        elif "question" in under:
            parts["questions"].append(line.text.strip(' "“”'))
        elif "outcome" in under and line.lead:
            outcomes.setdefault(key, {})[line.lead.casefold()] = line.text
        elif re.search(r"information|evidence|clues?|what .* learns?", under) and line.item:
            parts["told"].append(line.text)
        elif "decision" in under:
            parts["decisions"].append(line.text)
    return tuple(
        StoryBeat(
            key,
            (_BEAT.match(titles[key]) or ["", ""])[1] or titles[key],
            bool(_OPTIONAL.search(titles[key])),
            tuple(parts["happens"]),
            tuple(parts["questions"]),
            outcomes.get(key, {}),
            tuple(parts["told"]),
            tuple(parts["decisions"]),
        )
        for key, parts in found.items()
        if parts["happens"]
    )
