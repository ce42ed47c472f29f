"""Reading a choice out of a free text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence

from domain.errors import Refused


def plain(text: str) -> str:
    """The text as it is matched: NFKC, case folded, without invisible characters, white space as single spaces.

    A look-alike spelling or a zero-width character inside a name does not hide the name.
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    visible = "".join(char for char in folded if unicodedata.category(char) != "Cf")
    return " ".join(unicodedata.normalize("NFKC", visible).split())


def named(text: str, names: Iterable[str]) -> list[str]:
    """Those of `names` that the text mentions as whole words, in order of first mention.

    Longer names are matched first, so that "Ann Lee" is no mention of "Ann" and "Player 10" none of "Player 1".
    """
    found: dict[str, int] = {}
    rest = plain(text)
    for name in sorted(names, key=lambda name: (-len(name), name)):
        pattern = re.compile(rf"(?<!\w){re.escape(plain(name))}(?!\w)")
        match = pattern.search(rest)
        if match:
            found[name] = match.start()
            rest = pattern.sub(lambda hit: "\x00" * len(hit.group()), rest)
    return sorted(found, key=found.__getitem__)


def one_choice(
    text: str,
    choices: Sequence[str],
    patterns: Sequence[str],
    names: Iterable[str] = (),
    aliases: Mapping[str, str] | None = None,
) -> str:
    """The one legal choice that the text makes (M-016), or Refused with what was wrong (M-017, M-018).

    The text counts if it starts with one of the `patterns` (such as `i protect {}`) holding a legal choice, or else
    mentions exactly one. `names` are other names that may be mentioned and mean nothing; `aliases` are further ways to
    write a choice. The message depends on the text and the choices alone.
    """
    spellings = {choice: choice for choice in choices}
    spellings |= {alias: choice for alias, choice in (aliases or {}).items() if choice in spellings}
    vocabulary = {*spellings, *names}
    opening = plain(text).lstrip("\"'`*_#>([{-–—“”‘’«» ")
    for pattern in patterns:
        before, _, _ = pattern.partition("{}")
        if not opening.startswith(before):
            continue
        rest = opening.removeprefix(before)
        for word in sorted(vocabulary, key=len, reverse=True):
            spelled = plain(word)
            if re.match(rf"{re.escape(spelled)}(?!\w)", rest):
                if word in spellings:
                    return spellings[word]
                break
    hits = list(dict.fromkeys(spellings[word] for word in named(text, vocabulary) if word in spellings))
    if len(hits) == 1:
        return hits[0]
    legal = ", ".join(choices)
    if hits:
        raise Refused(f"Your reply names several choices ({', '.join(hits)}); name exactly one of: {legal}.")
    raise Refused(f"Your reply names no legal choice; name exactly one of: {legal}.")
