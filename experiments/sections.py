"""A report in sections: sentences, tables and bars, the same in a terminal, in Markdown and on a page."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sottovoce.domain.safe_text import one_line
from sottovoce.experiments.power import found_with
from sottovoce.experiments.reports import Report
from sottovoce.experiments.statistics import Estimate


@dataclass(frozen=True, slots=True)
class Bar:
    """One line of a plot: a value with its interval."""

    name: str
    estimate: Estimate


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the report: sentences, a table, and bars. `scale` is where a plot begins, ends, and has a line."""

    title: str
    lines: tuple[str, ...] = ()
    header: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    bars: tuple[Bar, ...] = ()
    scale: tuple[float, float, float] = (0.0, 1.0, 0.5)


def beginning(found: Report) -> list[Section]:
    """Return what a summary has."""
    return [_design(found), _wins(found)]


def sections(found: Report) -> list[Section]:
    """Return the report in its order."""
    made = [*beginning(found), *_agents(found), _differences(found), _strengths(found)]
    return [*made, *_measures(found), _accounts(found), _limits(found), _definitions(found)]


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{value * 100:.1f} %"


def _share(estimate: Estimate) -> tuple[str, str]:
    low, high = estimate.low, estimate.high
    between = "–" if low is None or high is None else f"{low * 100:.1f} – {high * 100:.1f} %"
    return _percent(estimate.value), between


def _number(value: float | None, digits: int = 3) -> str:
    return "–" if value is None else f"{value:.{digits}f}"


def _mean(estimate: Estimate) -> tuple[str, str]:
    low, high = estimate.low, estimate.high
    between = "–" if low is None or high is None else f"{low:.3f} – {high:.3f}"
    return _number(estimate.value), between


def _points(estimate: Estimate) -> tuple[str, str]:
    """A difference of shares, in percentage points."""
    low, high = estimate.low, estimate.high
    between = "–" if low is None or high is None else f"{low * 100:+.1f} to {high * 100:+.1f}"
    return f"{estimate.value * 100:+.1f}", between


def _design(found: Report) -> Section:
    lines = list(_plain_design(found) if found.experiment.plain else _compared(found))
    lines.append(_games(found))
    if len(found.sizes) > 1:
        then = ", then ".join(map(str, found.sizes[1:]))
        lines.append(f"Games were added to the plan: it had {found.sizes[0]} at first, then {then}.")
    if found.progress.stopped not in ("games", None):
        lines.append(f"Stopped at the limit stop.{found.progress.stopped}.")
    if (fallen := found.progress.stood_in) > 0:
        lines.append(f"{fallen} of these games contain fallback moves: they are not only the agents' own.")
    lines.append("Intervals are 95 % intervals.")
    return Section("Design", tuple(lines))


def _plain_design(found: Report) -> Iterator[str]:
    file = found.experiment.file
    yield f"{file.ruleset.capitalize()}. Agents: {', '.join(file.agents)}."
    yield "Games of `run`: each is a deal of its own, so agents are not compared on the same deals."
    if file.options:
        yield f"Options: {_options(file.options)}."


def _options(options: Mapping[str, object]) -> str:
    return ", ".join(f"{key}={value}" for key, value in options.items())


def _compared(found: Report) -> list[str]:
    file = found.experiment.file
    design = file.design
    agents = ", ".join(f"{label} ({spec})" if label != spec else label for label, spec in file.agents.items())
    seats = ", ".join(f"{seat}: {agent}" for seat, agent in file.seats.items())
    lines = [one_line(file.about)] if file.about else []
    lines.append(f"{file.ruleset.capitalize()}, {_listed(file.sizes)} players. Agents: {agents}.")
    over = f" over {', '.join(design.over)}" if design.over else ""
    share = ", a varied number of seats for each agent" if design.share == "varied" else ""
    lines.append(f"Design: by {design.by}, {design.order}{over}{share}. Seed {file.seed}.")
    lines.append(f"All other seats: {file.rest}{f'; {seats}' if seats else ''}.")
    if file.options:
        lines.append(f"Options: {_options(file.options)}.")
    return lines


def _listed(sizes: Sequence[int]) -> str:
    return " or ".join(map(str, sorted(set(sizes))))


def _games(found: Report) -> str:
    done = found.progress
    more = [
        f"{number} {what}"
        for number, what in ((done.void, "void, not counted"), (done.held, "on hold"), (done.open, "unfinished"))
        if number
    ]
    return f"{done.over} of {done.planned} games counted{''.join(f'; {one}' for one in more)}."


def _wins(found: Report) -> Section:
    rows = [
        (
            one.arrangement,
            one.side,
            f"{round(one.estimate.value * one.estimate.cases)} of {one.estimate.cases}",
            *_share(one.estimate),
        )
        for one in found.wins
    ]
    bars = [Bar(f"{one.arrangement}: {one.side}", one.estimate) for one in found.wins]
    return Section(
        "Wins by side",
        ("Wilson's intervals: a deal is played once in each arrangement.",) if rows else ("No finished games yet.",),
        ("arrangement", "side", "won", "share", "interval"),
        tuple(rows),
        tuple(bars),
    )


def _agents(found: Report) -> list[Section]:
    made = []
    for title, what, won in (("Agents by side", "side", found.by_side), ("Agents by role", "role", found.by_role)):
        if not won:
            continue
        rows = [
            (
                one.agent,
                f"{one.where} (apart)" if one.alone else one.where,
                str(one.estimate.cases),
                str(one.seats),
                *_share(one.estimate),
            )
            for one in won
        ]
        alone = [one.where for one in won if one.alone]
        lines = ["Wilson's intervals at the effective number of cases, with the deal as the cluster."]
        if found.experiment.measures is not None:
            lines.append("All seats of a side win together, so a game counts once for an agent.")
        if alone:
            lines.append(f"Never add {', '.join(dict.fromkeys(alone))} to the others: it wins by other means.")
        bars = tuple(Bar(f"{one.agent} as {one.where}", one.estimate) for one in won)
        header = ("agent", what, "cases", "seats", "won", "interval")
        made.append(Section(title, tuple(lines), header, tuple(rows), bars))
    return made


def _differences(found: Report) -> Section:
    rows = [
        (
            f"{one.one} – {one.other}",
            one.where,
            str(one.estimate.clusters),
            *_points(one.estimate),
            "–" if one.p is None else f"{one.p:.2g}",
            one.method,
        )
        for one in found.differences
    ]
    bars = [Bar(f"{one.one} – {one.other}, {one.where}", one.estimate) for one in found.differences]
    lines = [
        "How much more often the first agent won than the second on the same deals, in percentage points."
        if rows
        else "No two agents were compared on the same deals."
    ]
    if len(found.experiment.file.agents) > 2 and found.experiment.file.design.order == "mirrored":
        lines.append("No agent meets itself here, so opponents differ. Strengths take opponents into account.")
    header = ("agents", "where", "deals", "difference", "interval", "p", "method")
    return Section("Differences on the same deals", tuple(lines), header, tuple(rows), tuple(bars), (-1.0, 1.0, 0.0))


def _strengths(found: Report) -> Section:
    fitted = found.strengths
    if fitted is None:
        return Section("Strengths", (found.without_strengths,))
    one, other = fitted["sides"]
    lines = (
        f"A Bradley-Terry model of the {fitted['games']} games that {one} or {other} won, with Firth's penalty. "
        f"Values are logarithms of odds; {fitted['reference']} is 0.",
    )
    estimates = [(row["name"], Estimate(row["value"], row["low"], row["high"], 0, 0)) for row in fitted["rows"]]
    rows = [(name, *_mean(estimate), f"{math.exp(estimate.value):.3g}") for name, estimate in estimates]
    reach = max(1.0, *(abs(bound or 0.0) for _, estimate in estimates for bound in (estimate.low, estimate.high)))
    bars = tuple(Bar(name, estimate) for name, estimate in estimates)
    header = ("strength", "value", "interval", "odds ratio")
    return Section("Strengths", lines, header, tuple(rows), bars, (-reach, reach, 0.0))


def _measures(found: Report) -> list[Section]:
    kinds = {one.name: one for one in found.listed}
    rows = []
    for one in found.measures:
        told = _share(one.estimate) if kinds[one.measure].kind == "share" else _mean(one.estimate)
        rows.append((one.measure, one.where, one.agent, *told, str(one.estimate.cases)))
    if not rows:
        return []
    bars = [
        Bar(f"{one.measure}, {one.where}: {one.agent}", one.estimate)
        for one in found.measures
        if kinds[one.measure].kind == "share"
    ]
    header = ("measure", "side", "agent", "value", "interval", "cases")
    return [
        Section(
            "How seats behaved",
            ("From the log alone, with the deal as the cluster.",),
            header,
            tuple(rows),
            tuple(bars),
        )
    ]


def _accounts(found: Report) -> Section:
    shown: Sequence[tuple[str, Callable[..., str]]] = (
        ("agent", lambda one: one.agent),
        ("games", lambda one: str(one.games)),
        ("seats", lambda one: str(one.seats)),
        ("decisions", lambda one: str(one.decisions)),
        ("tokens in", lambda one: "unknown" if one.prompt_tokens is None else str(one.prompt_tokens)),
        ("cached", lambda one: str(one.cached_tokens)),
        ("tokens out", lambda one: "unknown" if one.reply_tokens is None else str(one.reply_tokens)),
        ("cost", lambda one: "unknown" if one.cost is None else f"{one.cost:.4f}"),
        (
            "seconds",
            lambda one: "–" if one.median_seconds is None else f"{one.median_seconds:.2f} / {one.p95_seconds:.2f}",
        ),
        ("failures", lambda one: f"{one.failures}{_reasons(one.reasons)}"),
        ("fallbacks", lambda one: str(one.fallbacks)),
        ("refused", lambda one: str(one.refusals)),
        ("retries", lambda one: str(one.retries)),
        ("other model", lambda one: str(one.other_models)),
    )
    rows = tuple(tuple(tell(one) for _, tell in shown) for one in found.accounts)
    lines = (
        "Seconds of a call: median / 95th percentile. Failures are attempts without a reply; other model counts calls "
        "that another model answered than the one asked for. Names in brackets are agents that are not compared.",
    )
    return Section("What agents did and used", lines, tuple(name for name, _ in shown), rows)


def _reasons(reasons: dict[str, int]) -> str:
    return f" ({', '.join(f'{number} {reason}' for reason, number in reasons.items())})" if reasons else ""


def _limits(found: Report) -> Section:
    """What the games do not show."""
    file, done = found.experiment.file, found.progress
    lines = []
    known = [one.estimate for one in found.differences if one.estimate.low is not None]
    open_ = sum((one.low or 0.0) <= 0 <= (one.high or 0.0) for one in known)
    if open_:
        lines.append(
            f"The intervals of {open_} of {len(known)} differences contain 0: there the games do not show which agent "
            "is better. They do not show that both are equal either."
        )
    if len(done.played) > 1:
        fewest = min(done.played.values())
        least = found_with(fewest)
        lines.append(
            f"{fewest} games in an arrangement are too few to find any difference reliably."
            if least is None
            else f"With {fewest} games in an arrangement, a difference between two arrangements of less than "
            f"{least * 100:.0f} points is missed more often than 1 time in 5."
        )
    lines.append(
        "No interval is corrected for the number of comparisons: of 20, one misses the truth on average. Decide which "
        "comparison matters before you play."
    )
    lines.append(
        f"The results hold for {file.ruleset} with these agents, settings, options and numbers of players. They do "
        "not say how an agent plays against others, or how another version of it plays."
    )
    if done.void or done.held or done.open:
        lines.append(
            "Games without a result are left out. If one agent fails more often, that favours it or the others."
        )
    return Section("What cannot be concluded", tuple(lines))


def _definitions(found: Report) -> Section:
    used = {one.measure for one in found.measures}
    rows = tuple((one.name, one.means, one.source) for one in found.listed if one.name in used)
    return Section("Measures", (), ("measure", "meaning", "computed from"), rows)
