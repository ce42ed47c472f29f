"""How a session opens: its seats and options are checked, and the campaign's documents are taken in."""

from __future__ import annotations

from collections.abc import Sequence

from sottovoce import GameOpened, SeatsFilled, SetupRefused
from sottovoce.domain import commands
from sottovoce.rulesets.tabletop.rules.course import changes
from sottovoce.rulesets.tabletop.rules.documents import import_folder
from sottovoce.rulesets.tabletop.rules.names import HUMAN, STANDING, checked_roster, is_slug
from sottovoce.rulesets.tabletop.rules.state import Game
from sottovoce.rulesets.tabletop.rules.texts import blank


def seats_for(names: Sequence[str]) -> tuple[str, ...]:
    """The session's seats: the standing ones, the characters in the order given, and `human` if it is among them."""
    characters = checked_roster([name for name in names if name != HUMAN])
    return (*STANDING, *characters, *((HUMAN,) if HUMAN in names else ()))


def open_game(game: Game, command: commands.Open) -> None:
    """Check the setup, open the session, and take in the campaign's documents."""
    seats = seats_for([seat for seat in command.seats if seat not in STANDING])
    roster = [seat for seat in seats if seat not in STANDING and seat != HUMAN]
    if set(command.seats) != set(seats):
        raise SetupRefused(f"A session needs the seats {', '.join(STANDING)} and one for each character.")
    if not roster:
        raise SetupRefused("A session needs at least one character.")
    options = game.ruleset.checked_options(command.options)
    if options.player_character is not None and options.player_character not in roster:
        raise SetupRefused(f"{options.player_character!r} is not one of the characters: {', '.join(roster)}.")
    if not is_slug(options.campaign):
        raise SetupRefused(
            f"The option 'campaign' must be lower-case words joined by hyphens, such as 'the-drowned-bell', not "
            f"{options.campaign[:60]!r}."
        )
    if blank(options.narrative_style):
        raise SetupRefused("The option 'narrative_style' is empty. Name a style, such as hybrid.")
    game.emit(GameOpened(ruleset="tabletop", seats=seats, options=options.model_dump(mode="json")))
    game.emit(SeatsFilled(agents=dict(command.agents), seed=command.seed))
    documents = {path: content for path, content in command.files.items() if path != changes.CARRIED}
    changes.imported(game, import_folder(documents, roster))
    if changes.CARRIED in command.files:
        changes.carried_over(game, command.files[changes.CARRIED])
