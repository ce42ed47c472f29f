"""Where the golden games of the rulesets that ship lie: `make golden` writes them, and README's sample, anew."""

from __future__ import annotations

from pathlib import Path

from sottovoce.golden import write

FOLDER = Path(__file__).parents[1] / "golden"
LOGS = FOLDER / "logs"
PLAYTHROUGHS = FOLDER / "playthroughs"


def main() -> None:
    """Write what has changed, and say so."""
    from golden_games import GOLDENS
    from golden_readme import README, with_sample

    text = README.read_text(encoding="utf-8")
    if (sampled := with_sample(text)) != text:
        README.write_text(sampled, encoding="utf-8")
        print("changed  README.md")
    for path, what in write(GOLDENS, FOLDER).items():
        print(f"{what:<7}  {path.relative_to(FOLDER)}")


if __name__ == "__main__":
    main()
