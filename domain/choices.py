"""Reading a choice out of a free text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sottovoce.domain.errors import Refused
from sottovoce.domain.reading import plain
from sottovoce.domain.spellings import first_of, longest_first, named

_OPENERS = "\"'`*_#>([{-–—“”«» "


def one_choice(
    text: str,
    choices: Sequence[str],
    patterns: Sequence[str],
    names: Iterable[str] = (),
    aliases: Mapping[str, str] | None = None,
) -> str:
    """The one legal choice that the text makes (M-016), or Refused with what was wrong (M-017, M-018).

    The text counts if it starts with one of the `patterns` (such as `i protect {}`) holding a legal choice, or else
    mentions exactly one. `names` are other names: mentioned in passing they mean nothing, but a text that starts with
    a pattern's words and one of them ("I protect Dirk") chooses what is not legal, whatever else it mentions.
    `aliases` are further ways to write a choice. The message depends on the text and the choices alone.
    """
    if text in choices:
        return text
    spellings = {choice: choice for choice in choices}
    spellings |= {alias: choice for alias, choice in (aliases or {}).items() if choice in spellings}
    vocabulary = longest_first({*spellings, *names})
    legal = ", ".join(choices)
    opening = plain(text).lstrip(_OPENERS)
    for pattern in patterns:
        word = _filling(pattern, opening, vocabulary)
        if word in spellings:
            return spellings[word]
        if word is not None and not pattern.startswith("{}"):
            raise Refused(f"{word} is not a legal choice here; name exactly one of: {legal}.")
    hits = list(dict.fromkeys(spellings[word] for word in named(text, vocabulary) if word in spellings))
    if len(hits) == 1:
        return hits[0]
    if hits:
        raise Refused(f"Your reply names several choices ({', '.join(hits)}); name exactly one of: {legal}.")
    raise Refused(f"Your reply names no legal choice; name exactly one of: {legal}.")


def _filling(pattern: str, opening: str, vocabulary: Sequence[str]) -> str | None:
    """The first word of the vocabulary that the opening holds where the pattern has `{}`; None if it does not fit."""
    before, _, after = pattern.partition("{}")
    if not opening.startswith(before):
        return None
    first = first_of(opening[len(before) :].lstrip(_OPENERS), vocabulary)
    if first is None or not first[1].lstrip("*_\"'`” ").startswith(after):
        return None
    return first[0]
