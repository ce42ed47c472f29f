"""Parts for a ruleset's own `play` and `run` commands.

    @click.command("quiz")
    @click.argument("folder", type=click.Path(path_type=Path))
    @agents_option
    @seating_options
    @seed_option
    @play_options
    @click.pass_obj
    def play_quiz(place: Place, folder: Path, seating: Seating, play: PlayOptions) -> None:
        '''Play a quiz whose questions lie in a folder.'''
        play_opening(place, "quiz", Opening(("Ada", "Bram"), {}, read(folder)), seating, play)

This module loads everything that playing needs. Import it in the function that makes the command, because the help does
not need it.
"""

from __future__ import annotations

from sottovoce.cli.batch_run import Run as Run
from sottovoce.cli.batch_run import run_options as run_options
from sottovoce.cli.folder_commands import play_opening as play_opening
from sottovoce.cli.folder_commands import run_opening as run_opening
from sottovoce.cli.folder_commands import setup_options as setup_options
from sottovoce.cli.output import say as say
from sottovoce.cli.place import Place as Place
from sottovoce.cli.play_screen import at_terminal as at_terminal
from sottovoce.cli.question import ask as ask
from sottovoce.cli.seats import Seating as Seating
from sottovoce.cli.seats import agents_option as agents_option
from sottovoce.cli.seats import seating_options as seating_options
from sottovoce.cli.session import PlayOptions as PlayOptions
from sottovoce.cli.session import play_options as play_options
from sottovoce.cli.session import seed_option as seed_option
from sottovoce.server.extras import Opening as Opening
