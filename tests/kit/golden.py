"""Where the golden games lie, the examples' too: `make golden` writes them anew, and what is made from the code."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from guests import EXAMPLES, seat_guest

from sottovoce.extras import EXTRAS
from sottovoce.golden import Golden, write

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "tests" / "golden"
LOGS = FOLDER / "logs"
PLAYTHROUGHS = FOLDER / "playthroughs"
GUESTS = tuple(sorted(path.parent.name for path in EXAMPLES.glob("*/golden")))
"""The examples that have golden games too."""


def guest_games(patch: pytest.MonkeyPatch, name: str) -> Sequence[Golden]:
    """The golden games of an example, which is installed until the patch is undone."""
    seat_guest(patch, name)
    golden = EXTRAS[name].golden
    assert golden is not None, f"{name} has golden files and names no golden games"
    return golden()


def main() -> None:
    """Write what has changed, and say so."""
    import golden_api
    import golden_audiences
    from golden_games import GOLDENS
    from golden_readme import README, with_sample

    from sottovoce.eventlog.sqlite.schema import FIRST, first_script

    text = README.read_text(encoding="utf-8")
    if (sampled := with_sample(text)) != text:
        README.write_text(sampled, encoding="utf-8")
        print("changed  README.md")
    pages = {
        golden_audiences.PAGE: golden_audiences.page(),
        golden_api.PAGE: golden_api.page(),
        golden_api.DOCUMENT: golden_api.written(),
        FIRST: first_script(),
    }
    for path, said in pages.items():
        if not path.exists() or said != path.read_text(encoding="utf-8"):
            path.write_text(said, encoding="utf-8")
            print(f"changed  {path.relative_to(ROOT)}")
    done = write(GOLDENS, FOLDER)
    for name in GUESTS:
        with pytest.MonkeyPatch.context() as patch:
            done |= write(guest_games(patch, name), EXAMPLES / name / "golden")
    for path, what in done.items():
        print(f"{what:<7}  {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
