"""What `play` and `run` commands of a ruleset's own are made of.

    @click.command("quiz")
    @click.argument("folder", type=click.Path(path_type=Path))
    @agents_option
    @seating_options
    @seed_option
    @play_options
    @click.pass_obj
    def play_quiz(place: Place, folder: Path, seating: Seating, play: PlayOptions) -> None:
        '''Play a quiz whose questions lie in a folder.'''
        play_laid(place, "quiz", Laid(("Ada", "Bram"), {}, read(folder)), seating, play)

The module loads what playing takes: import it in the function that makes the command, since the help needs none of it.
"""

from __future__ import annotations

from sottovoce.cli.laid import play_laid as play_laid
from sottovoce.cli.laid import run_laid as run_laid
from sottovoce.cli.many import Run as Run
from sottovoce.cli.many import run_options as run_options
from sottovoce.cli.output import say as say
from sottovoce.cli.place import Place as Place
from sottovoce.cli.question import ask as ask
from sottovoce.cli.seats import Seating as Seating
from sottovoce.cli.seats import agents_option as agents_option
from sottovoce.cli.seats import seating_options as seating_options
from sottovoce.cli.session import PlayOptions as PlayOptions
from sottovoce.cli.session import play_options as play_options
from sottovoce.cli.session import seed_option as seed_option
from sottovoce.cli.sitting import at_terminal as at_terminal
from sottovoce.server.extras import Laid as Laid
