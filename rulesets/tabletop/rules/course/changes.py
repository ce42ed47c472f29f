"""State deltas and rolls: what a seat writes into documents and resources, and the dice the server draws for it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, replace
from typing import Literal

from sottovoce import Refused, generator, plain
from sottovoce.rulesets.tabletop.rules import events
from sottovoce.rulesets.tabletop.rules.course.team_lead import message
from sottovoce.rulesets.tabletop.rules.documents import (
    DECISION_LOG,
    LOG_WRITER,
    PARTY_KNOWLEDGE,
    SHARED_NARRATIVE,
    STORY_STATE,
    Delta,
    Outline,
    Piece,
    check_entry,
    check_response,
    journal,
    lines_of,
    notes_file,
    prompt_file,
    rebuild,
    response_file,
    scene_file,
    sheet,
)
from sottovoce.rulesets.tabletop.rules.messages import OpenDocument, ResourceDelta, RollRequest, post
from sottovoce.rulesets.tabletop.rules.names import GM, NARRATOR, TEAM_LEAD, full_name
from sottovoce.rulesets.tabletop.rules.records import drop, write_delta, write_quietly
from sottovoce.rulesets.tabletop.rules.resources import Resource, changed, stated_in
from sottovoce.rulesets.tabletop.rules.rolls import draw, expression, result
from sottovoce.rulesets.tabletop.rules.state import WRITERS, Game
from sottovoce.rulesets.tabletop.rules.texts import shown

MOST_OPENED = 2
"""Documents that the GM may open in one turn."""
LONGEST_OPENED = 8_000
"""Characters of a document that are shown when it is opened."""
LISTED = 40

CARRIED = ".carried.json"
"""The path under which an evening that goes on brings along what no file of the folder says: what the characters had,
as `resources`, and the number of the next scene, as `scene`."""


def carried_over(game: Game, content: bytes) -> None:
    """What the characters had at the end of the evening before, in place of what their sheets say; and the scene that
    comes next, so that nothing is added to the files of that evening's scenes."""
    carried = json.loads(content)
    if carried["scene"] != game.state.scene[0]:
        game.emit(events.SceneChanged(number=carried["scene"], slug=game.state.scene[1]))
    for held in carried["resources"]:
        if held["character"] in game.state.roster:
            now = Resource(held["amount"], held["most"], tuple(held["words"]))
            _state(game, None, held["character"], held["resource"], now)


def imported(game: Game, pieces: Iterable[Piece]) -> None:
    """Take in a campaign's documents, and what the sheets say that their characters have."""
    for piece in pieces:
        game.emit(events.PieceWritten(seat=None, after=None, **asdict(piece)))
    for character in game.state.roster:
        known = [piece for piece in game.state.documents.get(sheet(character), ()) if not piece.secret]
        for name, resource in stated_in(rebuild(known)).items():
            _state(game, None, character, name, resource)


def write(game: Game, author: str, delta: Delta) -> None:
    """One change to a document (T-144), as a seat or one of the team lead's tasks makes it."""
    state = game.state
    if author == GM:
        for character in state.roster:
            if delta.document == prompt_file(character):
                state.heard.keep_closed(character, delta.text, f"The prompt file of {character}")
    elif author in state.roster:
        delta = _own_file(game, author, delta)
    write_delta(game, author, delta)


def _own_file(game: Game, author: str, delta: Delta) -> Delta:
    """A character's response and journal have their form, whichever way they are written (F-035, F-045)."""
    state = game.state
    if delta.document == response_file(author):
        if author not in state.signalled:
            raise Refused("You can write a response only once, after the GM has signalled for it.")
        if delta.operation != "set" or delta.heading is not None:
            raise Refused("Write the whole response at once: use the operation set, without a heading.")
        return replace(
            delta, text=check_response(state.documents, state.edition_name, author, delta.text, state.campaign)
        )
    if delta.document == journal(author) and delta.operation == "append" and delta.heading is None:
        return replace(delta, text=check_entry(delta.text))
    return delta


def open_document(game: Game, author: str, item: OpenDocument) -> None:
    """Show the GM a document in full, as far as it may be shown at once, at most so many times in a turn."""
    state = game.state
    if author != GM:
        raise Refused("Only the GM opens documents.")
    if len(state.gm_turn.opened) - state.gm_turn.asked >= MOST_OPENED:
        raise Refused(f"You have opened {MOST_OPENED} documents in this turn; continue with what you know.")
    path = item.document
    pieces = state.documents.get(path) or state.documents.get(f"{path}.md")
    if not pieces:
        folder = path.rpartition("/")[0]
        near = [known for known in sorted(state.documents) if known.rpartition("/")[0] == folder] or state.documents
        raise Refused(f"There is no document {shown(path)}; there are: {', '.join(list(near)[:LISTED])}.")
    text = rebuild([piece for piece in pieces if GM in piece.readers])
    if item.heading is not None:
        text = section(text, item.heading)
    if len(text) > LONGEST_OPENED:
        more = "; ".join(headings(text[LONGEST_OPENED:])) or "none"
        text = f"{text[:LONGEST_OPENED]}\n[… Open it by one of the headings that follow: {more}]"
    name = pieces[0].document if item.heading is None else f"{pieces[0].document}, {item.heading}"
    game.emit(events.DocumentOpened(seat=author, document=name, text=text.strip()))


def section(text: str, heading: str) -> str:
    """What stands below a heading of a document, smaller headings included."""
    outline = Outline(lines_of(text))
    found = [at for at, each in outline.heading_at.items() if plain(each.title) == plain(heading.strip("# "))]
    if not found:
        raise Refused(f"It has no heading {shown(heading)}; there are: {'; '.join(headings(text)) or 'none'}.")
    level = outline.heading_at[found[0]].level
    ends = [at for at, each in outline.heading_at.items() if at > found[0] and each.level <= level]
    return "".join(outline.lines[found[0] : min(ends, default=len(outline.lines))])


def headings(text: str) -> list[str]:
    """The titles of a document's headings, so many that they can be told."""
    return [each.title for each in Outline(lines_of(text)).heading_at.values()][:LISTED]


def change_resource(game: Game, author: str, item: ResourceDelta) -> None:
    """One change to what a character has (T-144); the GM alone keeps the sheets (F-015).

    A number is added, a text is what there is from now on; of words, such as conditions, `+word` adds one and `-word`
    takes one away.
    """
    if author != GM:
        raise Refused("Only the GM changes what a character has; tell the GM in your answer.")
    state = game.state
    change: Literal["set", "add", "remove"]
    value: int | str
    if isinstance(item.change, int):
        change, value = ("add", item.change) if item.change >= 0 else ("remove", -item.change)
    elif item.change[:1] in "+-":
        change, value = ("add" if item.change[0] == "+" else "remove"), item.change[1:].strip()
    else:
        change, value = "set", item.change
    owner, name, now = changed(state.resources, state.roster, item.character, item.resource, change, value)
    _state(game, author, owner, name, now)


def _state(game: Game, seat: str | None, character: str, name: str, now: Resource) -> None:
    game.emit(
        events.ResourceChanged(
            seat=seat, character=character, resource=name, amount=now.amount, most=now.most, words=now.words
        )
    )


def roll(game: Game, seat: str, item: RollRequest) -> None:
    """Draw dice for a character at a seat's request (T-166). A roll for the human's character is a DICE_RESULT too."""
    state = game.state
    character = full_name(item.who, state.played)
    if seat not in (GM, character):
        raise Refused(f"You roll for your own character only; give who as {seat}.")
    # Counted for each character, so that what others roll unseen does not move dice that are shown.
    number = state.rolls.get((seat, character), 0) + 1
    drawn = draw(expression(item.expression), generator(game.seed, "roll", seat, character, number))
    outcome = result(drawn, item.dc)
    game.emit(
        events.DiceRolled(
            seat=seat,
            character=character,
            check=item.check,
            roll=drawn.notation,
            total=drawn.total,
            dc=item.dc,
            result=outcome,
        )
    )
    if character == state.character and state.has_human:
        rolled = message(
            game, "DICE_RESULT", character=character, check=item.check, roll=drawn.notation, dc=item.dc, result=outcome
        )
        post(game, TEAM_LEAD, GM, rolled)


def merge_deltas(game: Game) -> None:
    """The delta files that the GM has reported are merged and done with (T-117)."""
    for task, path in WRITERS.items():
        state = game.state
        if path not in state.reported:
            continue
        target = STORY_STATE if task == "state-delta-writer" else PARTY_KNOWLEDGE
        game.emit(events.TaskStarted(task=task))
        done = write_quietly(game, task, Delta(target, "append", rebuild(state.documents.get(path, ()))))
        if done:
            drop(game, GM, path)
        game.emit(events.TaskEnded(task=task, done=done))


def log_decisions(game: Game) -> None:
    """What the players decided openly since the last report goes into the decision log (T-118)."""
    game.emit(events.TaskStarted(task="decision-log"))
    number, slug = game.state.scene
    lines = "\n".join(f"- {character}: {' '.join(text.split())}" for character, text in game.state.deeds)
    entry = Delta(DECISION_LOG, "append", f"## Scene {number} - {slug}\n{lines}\n")
    done = not game.state.deeds or write_quietly(game, LOG_WRITER, entry)
    game.emit(events.TaskEnded(task="decision-log", done=done))


def share_narrative(game: Game) -> None:
    """What every character witnessed, for those who write journals (F-041, F-042); nothing in a split (F-064)."""
    state = game.state
    if state.last_narrative and not state.split:
        write_quietly(game, TEAM_LEAD, Delta(SHARED_NARRATIVE, "set", state.last_narrative))


def enter(game: Game, character: str, delta: Delta) -> None:
    """Append a journal entry; the notes that it was made from are done with (F-049)."""
    write(game, character, delta)
    drop(game, character, notes_file(character))


def add_to_scene(game: Game, text: str) -> None:
    """Add to the current scene's file (T-045)."""
    write(game, NARRATOR, Delta(scene_file(*game.state.scene), "append", text))
