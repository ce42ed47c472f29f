"""A game as a chapter to read, as one seat lived it: made of that seat's view, and of nothing else.

What a seat's words come to is said by its ruleset (`ProjectionExtras.novel`); here is the form, and the escaping.
"""

from __future__ import annotations

from typing import Any

from sottovoce.domain.errors import SottovoceError
from sottovoce.projections.document import SILENCE, paragraphs
from sottovoce.projections.extras import EXTRAS
from sottovoce.projections.passages import Novel
from sottovoce.projections.prose import escaped
from sottovoce.projections.view import View


class NoChapter(SottovoceError):
    """The game's ruleset makes no chapters."""

    exit_code = 2


def novel(view: View[Any]) -> Novel:
    """The chapter of the view. Raises NoChapter where the ruleset makes none."""
    novelist = EXTRAS.of(view.ruleset.name).novel
    if novelist is None:
        raise NoChapter(f"There are no chapters of a game of {view.ruleset.name}. To read it, use transcript.")
    return novelist(view)


def markdown(chapter: Novel) -> str:
    """The chapter as Markdown, with a line end. What seats wrote is escaped, as in transcripts."""
    blocks = [f"# {escaped(chapter.title)}", f"*{escaped(chapter.whose)}*"]
    for passage in chapter.passages:
        text = "\n\n".join("\\\n".join(map(escaped, lines)) for lines in paragraphs(passage.text))
        if not text:
            continue
        match passage.kind:
            case "scene":
                blocks.append(f"## {text}")
            case "thought":
                blocks.append("\n\n".join(f"*{part}*" for part in text.split("\n\n")))
            case "note":
                blocks += ["\\* \\* \\*", text]
            case _:
                blocks.append(text)
    if not chapter.passages:
        blocks.append(f"*{escaped(SILENCE)}*")
    return "\n\n".join(blocks) + "\n"
