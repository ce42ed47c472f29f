"""`sottovoce new campaign`, `new character` and `new map`: files to begin with, written once and never over others."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from contextlib import suppress
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

import click

from sottovoce import SetupRefused
from sottovoce.domain.safe_text import one_line
from sottovoce.rulesets.tabletop.opening import campaign_in, campaign_name
from sottovoce.rulesets.tabletop.rules.folders.arrangement import arrange
from sottovoce.rulesets.tabletop.rules.folders.plan import PLAN, write_plan
from sottovoce.rulesets.tabletop.rules.folders.sheets import made_sheet, name_of, named_sheet, shipped
from sottovoce.rulesets.tabletop.rules.lore.facts import unread_headings
from sottovoce.rulesets.tabletop.terminal.characters import make_character, sheet_given
from sottovoce.terminal import at_terminal, say

_STARTER = "sottovoce.rulesets.tabletop.rules.folders"


@click.command("campaign")
@click.argument("name", metavar="NAME")
def new_campaign(name: str) -> None:
    """Write a small campaign folder into the current folder, to play at once and to change.

    The folder has the name in lower case, with hyphens. Nothing is written if it is there already.

    \b
    Example:  sottovoce new campaign "The Dark Lamp"
    """
    title = " ".join(name.split())
    if not title or len(title) > 80 or "/" in title:
        raise SetupRefused("A campaign's name has 1 to 80 characters and no slash. Give another name.")
    folder = Path(campaign_name(title))
    texts = {
        path: text.replace("{title}", re.sub(r"[*_`#<>|\[\]]", "", title)).replace("{folder}", str(folder))
        for path, text in _starter(files(_STARTER).joinpath("starter"))
    }
    _write(folder, texts)
    say(f"Written: {folder}/ with {len(texts)} files. To play it: sottovoce play tabletop {folder}")


@click.command("character")
@click.argument("name", metavar="[NAME]", required=False)
@click.option(
    "--in", "folder", metavar="FOLDER", type=click.Path(path_type=Path), help="Campaign folder to write into."
)
@click.option("--concept", metavar="TEXT", help="Who the character is, in a line.")
@click.option("--skills", metavar="A,B,…", help="What the character is good at: one to four skills.")
@click.option("--pronouns", metavar="P", default="", help="Such as she/her.")
@click.option("--from", "source", metavar="SHEET", help="A sheet's file, or a character that comes with Sottovoce.")
def new_character(
    name: str | None, folder: Path | None, concept: str | None, skills: str | None, pronouns: str, source: str | None
) -> None:
    """Write a character's sheet: into a campaign's folder party/, or into the current folder.

    In a terminal you are asked for what you leave out. With `--from` the sheet is a copy of that one.

    \b
    Examples: sottovoce new character "Ada Brook" --concept "a smuggler" --skills stealth,deception
              sottovoce new character --from osric-pell --in the-dark-lamp
    """
    if source is not None:
        made, text = sheet_given(source)
        if name is not None:
            title = " ".join(name.split())
            made, text = named_sheet(re.sub(r"\A(?:# [^\n]*\n)?", f"# {title}\n", text, count=1), title)
    elif name is None or concept is None or skills is None:
        if not at_terminal():
            known = ", ".join(shipped())
            raise SetupRefused(
                f"Give a name, --concept and --skills, or --from with a sheet's file or one of: {known}."
            )
        made, text = make_character(name, concept)
    else:
        made, text = name_of(name), made_sheet(name, concept, skills.split(","), pronouns)
    if folder is not None:
        there = arrange(campaign_in(folder).files).files
        if f"party/{made}.md" in there:
            raise SetupRefused(f"There is a character {made!r} in {str(folder)!r} already. Choose another name.")
    path = (folder / "party" if folder is not None else Path()) / f"{made}.md"
    _write(path.parent, {path.name: text}, into_existing=True)
    hint = f"play tabletop {folder}" if folder is not None else f"play tabletop CAMPAIGN --with {path}"
    say(f"Written: {path}. To play: sottovoce {hint}{f' --as {made}' if folder is not None else ''}")


@click.command("map")
@click.argument("folder", metavar="FOLDER", type=click.Path(path_type=Path))
@click.option("--force", is_flag=True, help=f"Write over a {PLAN} that is there.")
def new_map(folder: Path, force: bool) -> None:
    """Write down what is what in a campaign folder of yours, for you to correct.

    It writes `sottovoce.toml` at the folder's top: every folder and file with what it is taken for, and headings that
    nothing is told from. `play tabletop` reads it.

    \b
    Example:  sottovoce new map ~/vaults/my-campaign
    """
    found = campaign_in(folder).files
    if PLAN in found and not force:
        raise SetupRefused(f"{folder / PLAN} is there already. Change it, or use --force to write it again.")
    arranged = arrange(found)
    kinds: dict[str, str] = dict(arranged.plan.files)
    kinds |= {
        path: kind for kind, paths in arranged.found.items() for path in paths if "#" not in path or path in found
    }
    headings = dict.fromkeys(unread_headings(arranged.files), "closed") | dict(arranged.plan.headings)
    rest = [path for path in (*arranged.unplaced, *arranged.handouts) if path not in kinds]
    text = write_plan(dict(sorted(kinds.items())), headings, arranged.plan.start, rest)
    _write(folder, {PLAN: text}, into_existing=True, over=force)
    say(f"Found: {one_line(arranged.listing)}.")
    say(f"Written: {folder / PLAN}. Correct it, then: sottovoce play tabletop {folder}")


def _starter(folder: Traversable, above: str = "") -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for each in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if each.is_dir():
            found += _starter(each, f"{above}{each.name}/")
        elif each.name.endswith(".md"):
            found.append((f"{above}{each.name}", each.read_text(encoding="utf-8")))
    return found


def _write(folder: Path, texts: Mapping[str, str], *, into_existing: bool = False, over: bool = False) -> None:
    """Write the files; nothing where one of them, or the folder, is there already."""
    try:
        folder.mkdir(parents=True, exist_ok=into_existing)
    except FileExistsError:
        raise SetupRefused(f"{str(folder)!r} is there already. Choose another name.") from None
    except OSError as error:
        raise SetupRefused(f"{str(folder)!r} cannot be written: {(error.strerror or 'an error').lower()}.") from None
    for name, text in texts.items():
        path = folder / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if over:
                with suppress(FileNotFoundError):
                    os.unlink(path)
            with path.open("x", encoding="utf-8") as file:
                file.write(text)
        except FileExistsError:
            raise SetupRefused(f"{str(path)!r} is there already. Nothing was written over it.") from None
        except OSError as error:
            raise SetupRefused(f"{str(path)!r} cannot be written: {(error.strerror or 'an error').lower()}.") from None
