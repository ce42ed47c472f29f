"""A game as one file to share: the replay of the page in the browser, with the record of a chair, or of all, in it.

The file fetches nothing and sends nothing. Its policy lets in the one script and the one style sheet that stand in it,
by what they hash to; the record is data, which no browser runs, and holds no sign that markup begins with.
"""

from __future__ import annotations

import html
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256

from sottovoce.domain.visible import one_line, visible_json
from sottovoce.projections.bundle import Bundle
from sottovoce.projections.exports import compact
from sottovoce.projections.perspective import FULL, PUBLIC, Perspective, of_seat
from sottovoce.projections.track import Track

EVERYBODY, ALL = "", "*"
"""The names of the tracks that are no seat's: what everybody saw, and the full record."""

NOSCRIPT = "This replay needs JavaScript. It loads nothing from the network."


def chairs(seats: Sequence[str], whose: Perspective) -> dict[str, Perspective]:
    """The tracks that a file holds, by name: the chair's own, or with the full record all chairs'."""
    if whose.full:
        return {ALL: FULL, EVERYBODY: PUBLIC, **{seat: of_seat(seat) for seat in seats}}
    return {whose.seat or EVERYBODY: whose}


def escape(text: str) -> str:
    """One line of foreign text, harmless and as HTML."""
    return html.escape(one_line(text))  # noqa: TID251 - here and nowhere else


def replay_file(bundle: Bundle, tracks: Mapping[str, Track]) -> str:
    """The file with these tracks, of which the first is shown first. Raises NotBuilt."""
    first = next(iter(tracks.values())).head
    # What would end the element early, and what nobody sees: it stands in texts, where another spelling says the same.
    script = visible_json(re.sub("<(?=/script|!--)", r"\\x3c", bundle.script, flags=re.IGNORECASE))
    style = re.sub("</(?=style)", r"<\\/", bundle.style, flags=re.IGNORECASE)
    whose = "full log" if first.full else "public view" if first.seat is None else f"{first.seat}'s view"
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{escape(policy(script, style))}">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>{escape(f"{first.title}: {whose}")}</title>
<style>{style}</style>
</head>
<body>
<div id="page"></div>
<noscript>{escape(NOSCRIPT)}</noscript>
<script type="application/json" id="record">{record(tracks)}</script>
<script>{script}</script>
</body>
</html>
"""


def policy(script: str, style: str) -> str:
    """What the browser is told that may happen in the file: what stands in it, and nothing else."""
    rules = (
        "default-src 'none'",
        f"script-src '{_hashed(script)}'",
        f"style-src '{_hashed(style)}'",
        "font-src data:",
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types svelte-trusted-html",
    )
    return "; ".join(rules)


def record(tracks: Mapping[str, Track]) -> str:
    """The tracks as JSON in which no markup can begin.

    An entry that several chairs have alike stands there once, in `told`; each track names its entries by their place in
    it, with seq and position, null for who knows none. The game's id says nothing to a seat and is left out.
    """
    told: dict[bytes, int] = {}
    heads = {}
    for name, track in tracks.items():
        head = track.head if track.head.full else replace(track.head, game="")
        heads[name] = {**head.to_json(), "entries": _placed(track, told)}
    first = next(iter(tracks))
    entries = b",".join(told).decode()
    text = f'{{"told":[{entries}],"tracks":{compact(heads)},"first":{compact(first)}}}'
    return visible_json(text).replace("<", r"\u003c")


def _placed(track: Track, told: dict[bytes, int]) -> list[tuple[int, int, int | None]]:
    """The entries of a track by their places among those that are told, which new ones are put behind."""
    found: list[tuple[int, int, int | None]] = []
    for number, entry in enumerate(track.entries, 1):
        # An event of the full record has its position in it, and is nobody else's.
        own = entry if track.head.full else b"{" + entry.partition(b",")[2]
        place = told.setdefault(own, len(told))
        if track.head.full:
            found.append((place, number, number))
        else:
            found.append((place, number, None if track.positions is None else track.positions[number - 1]))
    return found


def _hashed(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"
