"""A report as Markdown, and as one self-contained page with plots."""

from __future__ import annotations

from collections.abc import Iterator

from sottovoce.experiments.reports import Report
from sottovoce.experiments.sections import Bar, Section, sections
from sottovoce.projections.replay_file import escape


def markdown(found: Report) -> str:
    """Return the report as Markdown."""
    parts = [f"# {_cell(found.title)}", ""]
    for section in sections(found):
        parts += [f"## {section.title}", ""]
        parts += [part for line in section.lines for part in (_cell(line), "")]
        if section.rows:
            parts.append(f"| {' | '.join(section.header)} |")
            parts.append(f"|{'---|' * len(section.header)}")
            parts += [f"| {' | '.join(map(_cell, row))} |" for row in section.rows]
            parts.append("")
    return "\n".join(parts)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


STYLE = """
:root{color-scheme:light dark;--ink:#1d1b18;--paper:#fbf9f4;--rule:#d8d2c4;--mark:#7a3b1d;--soft:#efe9dc}
@media(prefers-color-scheme:dark){:root{--ink:#e9e4d8;--paper:#1b1917;--rule:#45403a;--mark:#e0a37f;--soft:#2a2622}}
body{margin:0 auto;max-width:70rem;padding:2rem 1rem;
font:1rem/1.5 Georgia,serif;color:var(--ink);background:var(--paper)}
h1,h2{font-weight:600;line-height:1.2}h2{margin-top:2.5rem;border-top:1px solid var(--rule);padding-top:1rem}
.wide{overflow-x:auto}table{border-collapse:collapse;font-size:.9rem}
th,td{padding:.25rem .75rem .25rem 0;text-align:left}
td{border-top:1px solid var(--rule);vertical-align:top}svg{max-width:100%;height:auto}
svg text{fill:var(--ink);font-size:14px}
.axis{stroke:var(--rule)}.span{stroke:var(--mark);stroke-width:2}.dot{fill:var(--mark)}
@media screen and (max-width:40rem){table{min-width:34rem}}
@media print{:root{color-scheme:light;--ink:#000;--paper:#fff;--rule:#bbb;--mark:#7a3b1d}
body{max-width:none;padding:0;font-size:.8rem}.wide{overflow:visible}h2{break-after:avoid}
tr,svg{break-inside:avoid}}
"""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
EDGE, WIDTH, STEP, MOST_BARS = 18, 480, 38, 60
"""Of a plot, in pixels: what is left free at its sides, its width, the height of a bar with its name above it, and how
many bars there are at most. It is narrow enough for a phone.
"""


def page(found: Report) -> str:
    """Return the report as one page that loads nothing."""
    title = escape(found.title)
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{title}</title><style>{STYLE}</style></head><body><main>",
        f"<h1>{title}</h1>",
    ]
    for section in sections(found):
        parts.extend(_section(section))
    return "\n".join([*parts, "</main></body></html>", ""])


def _section(section: Section) -> Iterator[str]:
    yield f"<section><h2>{escape(section.title)}</h2>"
    for line in section.lines:
        yield f"<p>{escape(line)}</p>"
    if section.bars:
        yield from _plot(section)
    if section.rows:
        yield '<div class="wide"><table><thead><tr>'
        yield "".join(f'<th scope="col">{escape(name)}</th>' for name in section.header)
        yield "</tr></thead><tbody>"
        for row in section.rows:
            yield f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>"
        yield "</tbody></table></div>"
    yield "</section>"


def _plot(section: Section) -> Iterator[str]:
    bars = section.bars[:MOST_BARS]
    least, most, middle = section.scale
    height = STEP * len(bars) + 34

    def at(value: float) -> float:
        inside = min(most, max(least, value))
        return round(EDGE + (WIDTH - 2 * EDGE) * (inside - least) / (most - least), 1)

    label = f"{section.title}: values with their intervals"
    yield f'<svg viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" role="img" aria-label="{escape(label)}">'
    for value in (least, (least + most) / 2, most, middle):
        yield f'<line class="axis" x1="{at(value)}" x2="{at(value)}" y1="4" y2="{height - 22}"/>'
    for value in (least, (least + most) / 2, most):
        yield f'<text x="{at(value)}" y="{height - 6}" text-anchor="middle">{value:.3g}</text>'
    for place, bar in enumerate(bars):
        yield from _bar(bar, at, STEP * place + 30)
    yield "</svg>"


def _bar(bar: Bar, at: object, height: int) -> Iterator[str]:
    assert callable(at)
    value, low, high, *_ = bar.estimate
    name = bar.name if len(bar.name) <= 52 else f"{bar.name[:51]}…"
    yield f'<text x="{EDGE}" y="{height - 10}">{escape(name)}</text>'
    if low is not None and high is not None:
        yield f'<line class="span" x1="{at(low)}" x2="{at(high)}" y1="{height}" y2="{height}"/>'
    yield f'<circle class="dot" cx="{at(value)}" cy="{height}" r="4"/>'
