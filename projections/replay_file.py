"""A game as one file to share: the page's replay for the browser, with the record of one viewer, or of all.

The file fetches and sends nothing. Its policy allows only its own script and style sheet, by their hashes. The record
is data that no browser runs, and contains no character that begins markup.
"""

from __future__ import annotations

import html
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256

from sottovoce.domain.safe_text import one_line, visible_json
from sottovoce.projections.bundle import Bundle
from sottovoce.projections.exports import compact
from sottovoce.projections.perspective import FULL, PUBLIC, Perspective, of_seat
from sottovoce.projections.track import Track

EVERYBODY, ALL = "", "*"
"""The names of the tracks that are not a seat's: the public's, and the full record."""

NOSCRIPT = "This replay needs JavaScript. It loads nothing from the network."


def chairs(seats: Sequence[str], whose: Perspective) -> dict[str, Perspective]:
    """Return the tracks in a file by name: the viewer's own, or with the full record everyone's."""
    if whose.full:
        return {ALL: FULL, EVERYBODY: PUBLIC, **{seat: of_seat(seat) for seat in seats}}
    return {whose.seat or EVERYBODY: whose}


def escape(text: str) -> str:
    """Make one line of foreign text harmless and escape it for HTML."""
    return html.escape(one_line(text))  # noqa: TID251 - here and nowhere else


def replay_file(bundle: Bundle, tracks: Mapping[str, Track]) -> str:
    """Return the file with these tracks; it shows the first one first. Raises NotBuilt."""
    first = next(iter(tracks.values())).head
    # Escape what would end the element early, and invisible characters: inside texts, another spelling means the same.
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
    """Return the policy for the file: only its own content is allowed."""
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
    """Return the tracks as JSON in which no markup can begin.

    An entry that several viewers share is stored once, in `told`. Each track lists its entries by their index there,
    with seq and position, null if unknown. The game's ID means nothing to a seat and is omitted.
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
    """Return the entries of a track by their index in the shared list. New ones are appended to it."""
    found: list[tuple[int, int, int | None]] = []
    for number, entry in enumerate(track.entries, 1):
        # An event of the full record contains its position, so no other viewer shares it.
        own = entry if track.head.full else b"{" + entry.partition(b",")[2]
        place = told.setdefault(own, len(told))
        if track.head.full:
            found.append((place, number, number))
        else:
            found.append((place, number, None if track.positions is None else track.positions[number - 1]))
    return found


def _hashed(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"
