"""Characters that a request for a session brings: those that come with the product, and new ones."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Discriminator, Field, Tag

from sottovoce import SetupRefused, UnknownName
from sottovoce.rulesets.tabletop.rules.folders.sheets import (
    HIGHEST_SCORE,
    LONGEST_SHEET,
    LOWEST_SCORE,
    MOST_SKILLS,
    PRONOUNS,
    SKILLS,
    USUAL_CONCEPT,
    USUAL_SKILLS,
    made_sheet,
    name_of,
    named_sheet,
    shipped,
)

MOST_NEWCOMERS = 6
"""Characters that one request can bring."""
LONGEST_NAME = 100
GUESTS = 3
"""Characters that come with the product who play where a folder has none."""
_FORM = 'give a list of names, or of objects such as {"name": "Ada Brook", "concept": "a smuggler"}'

Ability = Literal["str", "dex", "con", "int", "wis", "cha"]


class NewCharacter(BaseModel):
    """A character that is made for a session: from a name, a concept and a few numbers, or from a sheet's text."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str | None = Field(
        None,
        max_length=LONGEST_NAME,
        description="What the character is called.",
        json_schema_extra={"none": "the first # heading of the sheet"},
    )
    concept: str | None = Field(
        None,
        max_length=200,
        description="Who that is, in a line, such as: a smuggler who has sworn off the sea.",
        json_schema_extra={"none": USUAL_CONCEPT},
    )
    pronouns: str | None = Field(
        None,
        description="How others speak of the character.",
        json_schema_extra={"enum": list(PRONOUNS), "none": "Not said (they)"},
    )
    skills: tuple[str, ...] = Field(
        (),
        max_length=len(SKILLS),
        description=f"What the character is good at: one to {MOST_SKILLS}. Without any: {' and '.join(USUAL_SKILLS)}.",
        json_schema_extra={"items": {"type": "string", "enum": list(SKILLS)}, "maxItems": MOST_SKILLS},
    )
    numbers: dict[Ability, Annotated[int, Field(strict=True, ge=LOWEST_SCORE, le=HIGHEST_SCORE)]] = Field(
        {},
        description=f"Ability scores from {LOWEST_SCORE} to {HIGHEST_SCORE}. The skills decide those left out.",
    )
    sheet: str | None = Field(
        None,
        max_length=LONGEST_SHEET,
        description="A sheet's text in Markdown, in place of the rest. Its first # heading is the name.",
        json_schema_extra={"lines": True, "none": "made of the fields above"},
    )

    def written(self) -> tuple[str, str]:
        """The seat's name and the sheet. SetupRefused says in one line what is wrong."""
        if self.sheet is not None:
            return self._copied(self.sheet)
        if self.name is None:
            raise SetupRefused("a new character needs a name, or a sheet.")
        skills = self.skills or USUAL_SKILLS
        numbers = {str(ability): score for ability, score in self.numbers.items()}
        text = made_sheet(self.name, self.concept or USUAL_CONCEPT, skills, self.pronouns or "", numbers)
        return name_of(self.name), text

    def _copied(self, text: str) -> tuple[str, str]:
        if self.concept or self.pronouns or self.skills or self.numbers:
            raise SetupRefused("a sheet says all that is to be said. Leave out concept, pronouns, skills and numbers.")
        title = " ".join((self.name or "").split())
        if title:
            text = re.sub(r"\A(?:# [^\n]*\n)?", lambda _: f"# {title}\n", text, count=1)
        elif not re.search(r"(?m)^# +\S", text):
            raise SetupRefused("the sheet has no name. Begin it with a line such as: # Ada Brook.")
        return named_sheet(text, title or "sheet")


def _listed(given: Any) -> Any:
    """The list as it is, or read from a text: JSON, or names with commas between them."""
    if isinstance(given, str):
        given = _read(given)
    if given is None:
        return None
    if not isinstance(given, Sequence) or not all(isinstance(one, str | Mapping | NewCharacter) for one in given):
        raise ValueError(_FORM)
    if len(given) > MOST_NEWCOMERS:
        raise ValueError(f"bring at most {MOST_NEWCOMERS}")
    return tuple(dict(one) if isinstance(one, Mapping) else one for one in given)


def _read(text: str) -> Any:
    if not text.lstrip().startswith(("[", "{")):
        return [name.strip() for name in text.split(",") if name.strip()]
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise ValueError(_FORM) from None
    return [found] if isinstance(found, dict) else found


Newcomers = Annotated[
    tuple[
        Annotated[
            Annotated[str, Tag("name")] | Annotated[NewCharacter, Tag("new")],
            Discriminator(lambda one: "name" if isinstance(one, str) else "new"),
        ],
        ...,
    ]
    | None,
    BeforeValidator(_listed),
]
"""What a request brings: names of characters that come with the product, and new ones."""


def sheets_for(wanted: Sequence[str | NewCharacter] | None, party: Sequence[str]) -> dict[str, str]:
    """The sheets to play with beside those of the party: the ones that are wanted, and where the folder has no party,
    as many as it takes for nobody to play alone. SetupRefused or UnknownName for the first that can't be had.
    """
    found: dict[str, str] = {}
    for one in wanted or ():
        try:
            name, text = (one, _shipped(one)) if isinstance(one, str) else one.written()
            text.encode()
            if name in found or name in party:
                raise SetupRefused(f"there is a character {name!r} already. Choose another name.")
        except UnicodeEncodeError:
            raise SetupRefused("characters: the text has characters that are not Unicode. Write them again.") from None
        except (SetupRefused, UnknownName) as wrong:
            words = str(wrong)
            raise type(wrong)(f"characters: {words[:1].lower()}{words[1:]}") from None
        found[name] = text
    if not party and found:
        others = [guest for guest in shipped() if guest not in found]
        found |= {guest: shipped()[guest] for guest in others[: max(0, GUESTS - len(found))]}
    return found


def _shipped(name: str) -> str:
    if name not in shipped():
        raise UnknownName(f"no character {name[:100]!r} comes with Sottovoce. Choose one of: {', '.join(shipped())}.")
    return shipped()[name]
