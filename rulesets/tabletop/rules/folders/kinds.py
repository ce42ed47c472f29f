"""What a folder, a file or a tag is named for: the party, people, places, and so on, in the languages people write."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib.resources import files
from typing import Literal, get_args

Kind = Literal["party", "people", "places", "things", "groups", "sessions", "shared", "closed"]
"""What a file can be. `shared` is what the whole party has read; `closed` is the GM's alone, and read for nothing."""
KINDS: tuple[Kind, ...] = get_args(Kind)

PEOPLE = ("npcs", "npc", "people", "persons", "characters", "cast")
PLACES = ("locations", "location", "places", "settlements", "regions")
THINGS = ("items", "item", "objects", "artifacts", "artefacts", "treasures")
GROUPS = ("factions", "faction", "organizations", "organisations", "guilds")
BEATS = ("beats", "sessions", "adventures")
READ: Mapping[Kind, tuple[str, ...]] = {
    "people": PEOPLE,
    "places": PLACES,
    "things": THINGS,
    "groups": GROUPS,
    "sessions": BEATS,
}
"""The folders that the house reads, by kind; a file of that kind from elsewhere is put into the first."""

ASIDE = "closed"
"""The folder of a game where a file goes that is closed and would be read where it lies."""

EITHER = "people or party"
"""What a name such as `characters` says: it takes the file itself to tell."""


def bare(name: str) -> str:
    """A name as it is compared: in lower case, without accents, signs and the numbers that some put first."""
    letters = unicodedata.normalize("NFKD", name).casefold()
    letters = "".join(char for char in letters if not unicodedata.combining(char))
    return re.sub(r"^(?:\d+ )+(?=\S)", "", " ".join(re.split(r"[\W_]+", letters)).strip())


@cache
def _named() -> Mapping[str, str]:
    found: dict[str, str] = {}
    topic = ""
    for line in files(__package__).joinpath("kinds.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            topic = line[2:]
        elif line.strip():
            found.setdefault(bare(line), topic)
    return found


def named_for(name: str) -> str | None:
    """What such a name stands for: a kind, EITHER, `handouts`, `aside` for what is no part of the story, or None."""
    word = bare(name)
    return _named().get(word) or _named().get(word.removeprefix("the "))


_PLURALS = frozenset("orte luoghi people folk personen leute gente npc nsc png pnj нпс люди места локации".split())


def named_partly_for(folder: str) -> str | None:
    """The kind that one word of a folder's name stands for, such as `Notable Locations`; None where it is not clear.

    Only words for several count: `City of Glass` is one city, and its folder can hold anything.
    """
    words = [word for word in bare(folder).split() if word in _PLURALS or (len(word) > 3 and word.endswith("s"))]
    kinds = {kind for word in words if (kind := named_for(word)) is not None}
    return kinds.pop() if len(kinds) == 1 and kinds <= {*READ, EITHER} else None


@lru_cache(maxsize=16_384)
def read_as(path: str) -> Kind | None:
    """What the house takes a file for, by its path alone."""
    *folders, name = path.casefold().split("/")
    if not name.endswith(".md") or name in ("index.md", "readme.md") or folders[:1] == [ASIDE]:
        return None
    return next((kind for part in folders for kind, names in READ.items() if part in names), None)
