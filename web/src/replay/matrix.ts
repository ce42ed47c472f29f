/** *Who knows what* at one place: a row for each fact that the chair has heard of, a cell for each seat. */
import type { FactRow, Knowledge, Track } from '../record/track';
import { upto } from '../record/track';
import { displayName } from '../ui/names';

/** A row as it is drawn at a place. */
export interface Line {
    readonly row: FactRow;
    readonly cells: readonly (Knowledge | null)[];
    /** Whether one of them changes at this very place. */
    readonly now: boolean;
}

/** The rows as they are drawn, each the very same object until it changes: a step then costs a look, and no drawing. */
export class Lines {
    private readonly kept = new Map<FactRow, { turn: number; line: Line }>();

    constructor(
        private readonly track: Track,
        private readonly seats: readonly string[],
    ) {}

    at(row: FactRow, place: number): Line {
        const turn = upto(row.changes, place);
        const now = row.changes[turn - 1] === place;
        const before = this.kept.get(row);
        const same = before?.turn === turn;
        if (same && before.line.now === now) return before.line;
        const cells = same ? before.line.cells : this.seats.map((seat) => this.track.knows(row, seat, place));
        const line = { row, cells, now };
        this.kept.set(row, { turn, line });
        return line;
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
    const name = displayName(seat);
    if (knowledge === null) return `${name} has no way to know`;
    const at = number(knowledge.place);
    const by = knowledge.by === null ? 'someone' : displayName(knowledge.by);
    switch (knowledge.way) {
        case 'saw':
            return `${name} saw it at event ${at}`;
        case 'rule':
            return `everyone knows it by the rules from event ${at}`;
        case 'told':
            return `${name} was told by ${by} at event ${at}`;
        case 'denied':
            return `${name} was told, then ${by} denied it at event ${at}`;
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
