"""What many games came to, as a table or as JSON."""

from __future__ import annotations

import shlex

from sottovoce.cli.columns import print_table
from sottovoce.cli.output import say
from sottovoce.cli.place import print_json
from sottovoce.domain.safe_text import one_line
from sottovoce.experiments.batches import DIGEST
from sottovoce.projections.extras import EXTRAS
from sottovoce.projections.models import told_substitutes
from sottovoce.projections.seat_counts import SeatCount, told_failures
from sottovoce.projections.tally import Tally
from sottovoce.server.batches import Batch

ERRORS_SHOWN = 3


def print_result(batch: Batch, tally: Tally, *, as_json: bool) -> None:
    """Print the results of a batch so far."""
    if as_json:
        planned = len(batch.plans)
        print_json({**tally.to_json(), "seed": batch.seed.text, "batch": batch.name, "planned": planned})
        return
    standing = EXTRAS.of(batch.plans[0].ruleset).standing
    _table(batch, tally, standing.counted if standing else None)


def _table(batch: Batch, tally: Tally, rounds: str | None) -> None:
    rows = [
        [share.side, str(share.wins), f"{share.share:.1%}", f"{share.low:.1%} – {share.high:.1%}"]
        for share in tally.shares
    ]
    print_table(["winner", "games", "share", "95 % interval"], rows)
    say()
    if len({agent for agent, _, _ in tally.agents}) > 1:
        compared = [
            [agent, share.side, str(seats), f"{share.share:.1%}", f"{share.low:.1%} – {share.high:.1%}"]
            for agent, share, seats in tally.agents
        ]
        print_table(["agent", "as", "seats", "won", "95 % interval"], compared)
        say()
    rough = [
        [seat, agent, *map(str, count)] for (seat, agent), count in sorted(tally.seats.items()) if not count.smooth
    ]
    if rough:
        print_table(["seat", "agent", *SeatCount._fields], rough)
        say()
    left = len(batch.plans) - tally.games + tally.open
    facts = [
        ("games", str(tally.games)),
        *(
            [("void", f"{tally.voided}, not counted: an agent was unreachable or gave no answers")]
            if tally.voided
            else []
        ),
        *([("unfinished", f"{left}; to continue: sottovoce {_again(batch)}")] if left else []),
        *([("on hold", f"{tally.held}, not counted yet; {_HELD}")] if tally.held else []),
        *([(f"{rounds} a game", _spread(tally.mean_rounds, tally.median_rounds))] if rounds else []),
        ("decisions", f"{tally.decisions} ({_spread(tally.mean_decisions, tally.median_decisions)} a game)"),
        ("events", str(tally.events)),
        ("fallbacks", f"{tally.fallbacks}{_stood_in(tally)}"),
        *([("failed", told_failures(tally.failures))] if tally.failures else []),
        *([("models", f"not the one asked for: {told_substitutes(tally.substitutes)}")] if tally.substitutes else []),
        ("refusals", str(tally.refusals)),
        ("tokens", "unknown" if tally.tokens is None else str(tally.tokens)),
        ("cost", "unknown" if tally.cost is None else f"{tally.cost:.4f}"),
        ("seconds", f"{tally.seconds:.1f}"),
        ("seed", str(batch.seed.text)),
        ("batch", batch.name),
    ]
    for name, value in facts:
        say(f"{name:<12} {value}")
    for error, count in sorted(tally.errors.items(), key=lambda one: -one[1])[:ERRORS_SHOWN]:
        say(f"{'went wrong':<12} {count} × {one_line(error)}")


def _again(batch: Batch) -> str:
    return "experiment run FILE" if DIGEST in batch.about else f"run --continue {shlex.quote(batch.name)}"


_HELD = "list them with `sottovoce games`, continue one with `sottovoce resume GAME`"


def _stood_in(tally: Tally) -> str:
    """Return the note for results that contain fallback moves."""
    if not tally.stood_in:
        return ""
    where = f"in {tally.stood_in} of the {tally.ended} games counted"
    return f" fallback moves, {where}: these results are not only the seats' own"


def _spread(mean: float | None, median: float | None) -> str:
    return "–" if mean is None or median is None else f"mean {mean:.1f}, median {median:g}"
