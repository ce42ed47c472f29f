"""What the GM asks of the campaign within its turn: facts, checks, how somebody thinks of the party; and its note."""

from __future__ import annotations

from collections.abc import Sequence

from sottovoce import Refused
from sottovoce.rulesets.tabletop.rules import events
from sottovoce.rulesets.tabletop.rules.course import changes
from sottovoce.rulesets.tabletop.rules.documents import Delta
from sottovoce.rulesets.tabletop.rules.messages import AttitudeChange, CheckRequest, FactsRequest, RollRequest
from sottovoce.rulesets.tabletop.rules.names import GM, full_name
from sottovoce.rulesets.tabletop.rules.records import write_quietly
from sottovoce.rulesets.tabletop.rules.state import Game

MOST_ASKED = 4
"""Facts and checks that the GM may ask for in one turn."""
LONGEST_ANSWER = 6_000
"""Characters of an answer that are shown."""


def show_facts(game: Game, author: str, item: FactsRequest) -> None:
    """Show the GM the facts of a person, place or thing: what is open now, and what is near, with its gate."""
    from sottovoce.rulesets.tabletop.rules.lore.lookup import facts_about

    _may_ask(game, author)
    name, text = facts_about(game.state, item.about, item.topic)
    _show(game, author, name if item.topic is None else f"{name}: {item.topic}", text)


def check(game: Game, author: str, item: CheckRequest) -> None:
    """Roll for a character, with the bonus of its sheet, and show what that opens."""
    from sottovoce.rulesets.tabletop.rules.lore.lookup import OPENS, check_for

    _may_ask(game, author)
    state = game.state
    character = full_name(item.who, state.played)
    needed = check_for(state, item.skill, character, item.fact)
    changes.roll(game, author, RollRequest(character, item.skill, needed.expression, needed.dc))
    rolled = next(draft.event for draft in reversed(game.drafts) if isinstance(draft.event, events.DiceRolled))
    opened = f"{OPENS}{needed.text}" if needed.text else "It succeeds."
    answer = opened if rolled.total >= needed.dc else "It fails: nothing opens."
    _show(game, author, f"{item.skill} by {character}", f"{rolled.roll} against {needed.dc}. {answer}")


def change_attitude(game: Game, author: str, item: AttitudeChange) -> None:
    """Note how much better or worse a person thinks of the party from now on."""
    from sottovoce.rulesets.tabletop.rules.lore.lookup import person_named

    if author != GM:
        raise Refused("Only the GM says what people think of the party.")
    note(game, [f"- liking {person_named(game.state, item.who)} {item.change:+d}"])


def note(game: Game, lines: Sequence[str]) -> None:
    """Add lines to the GM's note, whoever is the GM."""
    from sottovoce.rulesets.tabletop.rules.lore.memory import PROGRESS

    if lines:
        write_quietly(game, GM, Delta(PROGRESS, "append", "\n".join(lines) + "\n"))


def note_telling(game: Game, prose: str) -> None:
    """Note which facts a narrative told, and whom the party has met by name."""
    from sottovoce.rulesets.tabletop.rules.lore.lookup import notes_of

    note(game, notes_of(game.state, prose))


def _may_ask(game: Game, author: str) -> None:
    if author != GM:
        raise Refused("Only the GM asks for facts and checks.")
    if game.state.gm_turn.asked >= MOST_ASKED:
        raise Refused(f"You have asked {MOST_ASKED} times in this turn; continue with what you know.")


def _show(game: Game, author: str, about: str, text: str) -> None:
    shown = text if len(text) <= LONGEST_ANSWER else f"{text[:LONGEST_ANSWER]}\n[… ask with a topic for the rest]"
    game.emit(events.FactsShown(seat=author, about=about, text=shown))
