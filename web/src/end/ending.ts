/** What the end of a game shows: its outcome, what a seat never knew, and where chairs knew most unlike each other. */
import type { FactRow, Moment, Track } from '../record/track';
import type { Piece } from '../record/types';

/** The piece that says how the game ended, null where there is none. */
export function outcome(track: Track): Piece | null {
    return track.entries.findLast((entry) => entry.piece?.kind === 'ending')?.piece ?? null;
}

/** The last place before the end, at which what is told to all afterwards is not known yet. */
export function beforeEnd(track: Track): number {
    const end = track.entries.findIndex((entry) => entry.piece?.kind === 'ending');
    return Math.max(1, end === -1 ? track.length : end);
}

/** A fact that a seat never knew, who did, and from where on. */
export interface Unknown {
    row: FactRow;
    knew: string[];
    place: number;
}

const MOST = 3;

/** The facts that a seat had no way to know before the end, those about itself first. */
export function neverKnew(track: Track, seat: string, chairs: readonly string[]): Unknown[] {
    const place = beforeEnd(track);
    const found: Unknown[] = [];
    for (const row of track.rows) {
        if (row.known === null || row.known > place || knows(track, row, seat, place)) continue;
        const knew = chairs.filter((chair) => chair !== seat && knows(track, row, chair, place));
        if (knew.length > 0) found.push({ row, knew, place: row.known });
    }
    // What was known from the beginning is less of a surprise than what happened on the way.
    const rank = (one: Unknown) => (one.row.about.includes(seat) ? 0 : 1);
    return found.sort((one, other) => rank(one) - rank(other) || other.place - one.place).slice(0, MOST);
}

/** The moments at which a game turned, by what the open chairs saw: a few of the last ones. */
export function turns(track: Track, most = 5): Moment[] {
    const heavy = track.moments.filter((moment) => !['claim', 'counter'].includes(moment.what));
    return (heavy.length > 0 ? heavy : track.moments).slice(-most);
}

/** The chairs worth a look side by side: of those who play, and one’s own; all of them where hardly anybody plays. */
export function beside(track: Track, chairs: readonly string[], own: string): string[] {
    const playing = chairs.filter((chair) => chair === own || !track.offices.includes(chair));
    return playing.length > 1 ? playing : [...chairs];
}

/** The two chairs whose knowledge differs most at a place; with `own` given, it is one of them. */
export function furthest(track: Track, place: number, chairs: readonly string[], own: string | null): string[] {
    let best: string[] = chairs.slice(0, 2);
    let most = -1;
    for (const [at, one] of chairs.entries())
        for (const other of chairs.slice(at + 1)) {
            if (own !== null && one !== own && other !== own) continue;
            const apart = differing(track, place, one, other);
            if (apart > most) [best, most] = [other === own ? [other, one] : [one, other], apart];
        }
    return best;
}

/** How many facts one of two chairs knows, and the other does not. */
function differing(track: Track, place: number, one: string, other: string): number {
    return track.rows.filter(
        (row) => row.from <= place && knows(track, row, one, place) !== knows(track, row, other, place),
    ).length;
}

function knows(track: Track, row: FactRow, seat: string, place: number): boolean {
    const knowledge = track.knows(row, seat, place);
    return knowledge !== null && (knowledge.way === 'saw' || knowledge.way === 'rule');
}
