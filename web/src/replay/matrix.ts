/** *Who knows what* at one place: a row for each fact that the chair has heard of, a cell for each seat. */
import type { FactRow, Knowledge, Track } from '../record/track';
import { upto } from '../record/track';

/**
 * The cells of a row, which stay the very same array until one of them changes: a step then costs a look, and no drawing.
 */
export class Lines {
    private readonly kept = new Map<FactRow, { turn: number; cells: readonly (Knowledge | null)[] }>();

    constructor(
        private readonly track: Track,
        private readonly seats: readonly string[],
    ) {}

    cells(row: FactRow, place: number): readonly (Knowledge | null)[] {
        const turn = upto(row.changes, place);
        const before = this.kept.get(row);
        if (before?.turn === turn) return before.cells;
        const cells = this.seats.map((seat) => this.track.knows(row, seat, place));
        this.kept.set(row, { turn, cells });
        return cells;
    }
}

/** The seats that have a column: whoever plays, the chair's own, and each office that does not simply know everything. */
export function columns(track: Track, count: number): string[] {
    const rows = track.rows.slice(0, count);
    return track.seats.filter(
        (seat) =>
            track.players.includes(seat) ||
            seat === track.chair.seat ||
            (rows.some((row) => row.cells.has(seat)) && rows.some((row) => row.known !== null && !row.cells.has(seat))),
    );
}

/** Rows that this chair holds to be so, and apart from them those that were only said. */
export function sorted(rows: readonly FactRow[], place: number): { known: FactRow[]; said: FactRow[] } {
    const known: FactRow[] = [];
    const said: FactRow[] = [];
    for (const row of rows) (row.known !== null && row.known <= place ? known : said).push(row);
    return { known, said };
}

/** Whether a cell of a row changes at this very place. */
export function changesAt(row: FactRow, place: number): boolean {
    return row.changes[upto(row.changes, place) - 1] === place;
}

/** How a seat could know, in words. */
export function how(seat: string, knowledge: Knowledge | null, number: (place: number) => number): string {
    if (knowledge === null) return `${seat} has no way to know`;
    const at = number(knowledge.place);
    switch (knowledge.way) {
        case 'saw':
            return `${seat} saw it, at ${at}`;
        case 'rule':
            return `by rule everybody has it, from ${at} on`;
        case 'told':
            return `${seat} was told by ${knowledge.by ?? 'somebody'}, at ${at}`;
        case 'denied':
            return `${seat} was told, and ${knowledge.by ?? 'somebody'} denied it at ${at}`;
    }
}

const GRAPHEMES = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

const letters = new Map<string, string>();

/** The letter of a name that stands in a sign. */
export function letter(name: string): string {
    let found = letters.get(name);
    if (found === undefined) {
        found = GRAPHEMES.segment(name)[Symbol.iterator]().next().value?.segment.toLocaleUpperCase() ?? '?';
        letters.set(name, found);
    }
    return found;
}
