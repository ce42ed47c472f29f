"""Where the golden games are stored, including the examples'.

`make golden` writes them, and everything made from the code.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from guests import EXAMPLES, seat_guest

from sottovoce.domain.events import Recorded
from sottovoce.domain.rulesets import RULESETS
from sottovoce.extras import EXTRAS
from sottovoce.golden import Golden, read_log, write

ROOT = Path(__file__).parents[2]
FOLDERS = {name: ROOT / "rulesets" / name / "tests" / "golden" for name in sorted(RULESETS)}
"""The folder of each ruleset's golden games, with `logs` and `playthroughs`."""
LOGS = sorted((path for folder in FOLDERS.values() for path in folder.glob("logs/*.jsonl")), key=lambda path: path.stem)
"""Every golden log."""
GUESTS = tuple(sorted(path.parent.name for path in EXAMPLES.glob("*/golden")))
"""The examples that also have golden games."""


def golden_games(ruleset: str) -> Sequence[Golden]:
    """Return the golden games of a ruleset; forks come after their original games."""
    found: Sequence[Golden] = import_module(f"sottovoce.rulesets.{ruleset}.tests.golden_games").GOLDENS
    return found


def path_of(name: str) -> Path:
    """Return the golden log of that name."""
    return next(path for path in LOGS if path.stem == name)


def named(name: str) -> list[Recorded]:
    """Return the events of the golden log of that name."""
    return read_log(path_of(name))


def of(recorded: Iterable[Recorded], *types: type[Any]) -> list[Any]:
    """Return the events of those classes."""
    return [item.event for item in recorded if isinstance(item.event, types)]


def guest_games(patch: pytest.MonkeyPatch, name: str) -> Sequence[Golden]:
    """Return the golden games of an example, which is installed until the patch is undone."""
    seat_guest(patch, name)
    golden = EXTRAS[name].golden
    assert golden is not None, f"{name} has golden files and names no golden games"
    return golden()


def main() -> None:
    """Write what has changed, and report it."""
    import golden_api
    import golden_audiences
    import golden_evenings
    import golden_house_games
    import golden_prompt
    from golden_readme import README, with_sample

    from sottovoce.eventlog.sqlite.schema import INITIAL, first_script

    text = README.read_text(encoding="utf-8")
    if (sampled := with_sample(text)) != text:
        README.write_text(sampled, encoding="utf-8")
        print("changed  README.md")
    pages = {
        golden_audiences.PAGE: golden_audiences.page(),
        golden_prompt.PAGE: golden_prompt.page(),
        golden_api.PAGE: golden_api.page(),
        golden_api.DOCUMENT: golden_api.written(),
        INITIAL: first_script(),
        **{golden_evenings.page_of(seed): golden_evenings.page(seed) for seed in golden_evenings.SEEDS},
        **{golden_house_games.page_of(seed): golden_house_games.page(seed) for seed in golden_house_games.SEEDS},
    }
    for path, said in pages.items():
        if not path.exists() or said != path.read_text(encoding="utf-8"):
            path.write_text(said, encoding="utf-8")
            print(f"changed  {path.relative_to(ROOT)}")
    done: dict[Path, str] = {}
    for ruleset, folder in FOLDERS.items():
        done |= write(golden_games(ruleset), folder)
    for name in GUESTS:
        with pytest.MonkeyPatch.context() as patch:
            done |= write(guest_games(patch, name), EXAMPLES / name / "golden")
    for path, what in done.items():
        print(f"{what:<7}  {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
