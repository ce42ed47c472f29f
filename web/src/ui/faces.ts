/** Drawings of seats: a shape by the seat's number at the table, a face by its name. The same name has the same face everywhere. */

/** Outlines within -23 to 23, one for each colour. */
export const SHAPES = [
    'M0-21C7-17 17-7 21 0 17 7 7 17 0 21-7 17-17 7-21 0-17-7-7-17 0-21Z',
    'M-17 19V-4C-17-15-9-20 0-20S17-15 17-4V19Z',
    'M-17-17H17V17H-17Z',
    'M0-20A20 20 0 1 1 0 20 20 20 0 1 1 0-20Z',
    'M-20 0-10-18H10L20 0 10 18H-10Z',
    'M-17-17H17V2C17 13 8 18 0 21-8 18-17 13-17 2Z',
    'M0-22C8-12 18-6 18 4 18 14 10 20 0 20S-18 14-18 4C-18-6-8-12 0-22Z',
    'M-9-19H9L19-9V9L9 19H-9L-19 9V-9Z',
] as const;

const HEADS = [
    'M-8-5V3C-8 11 8 11 8 3V-5',
    'M-9-4C-9 11 9 11 9-4',
    'M-8-5C-9 5-4 10 0 10S9 5 8-5',
    'M-7-5V4L-3 9H3L7 4V-5',
];
const HAIRS = [
    'M-12-6H12M-8-6V-13H8V-6Z',
    'M-10-2C-13-14-3-16 0-13 4-17 13-12 10-2 7-8-5-9-10-2Z',
    'M-10-3C-9-14 9-14 10-3H-10Z',
    'M-9-4C-9-14 9-14 9-4 4-7 0-6-9-4Z',
    'M-12-8C-6-15 8-15 13-8L5-10Z',
    'M-9-4C-12-15-2-17-1-12 1-17 12-15 9-4 6-9 2-9 0-7-2-9-6-9-9-4Z',
    'M-11 7C-15-9-7-15 0-15S15-9 11 7L8-4C3-9-3-9-8-4Z',
    'M-11-7C-8-14 8-14 11-7Z',
];
const EYES = ['M-5-1h2M3-1h2', 'M-5 0l3 1M5 0 2 1', 'M-5-1q2-2 3 0M2-1q2-2 3 0', 'M-6-2h4M2-2h4M-4 0v1M4 0v1'];
const MOUTHS = ['M-3 6h6', 'M-4 5q4 4 8 0', 'M-3 7q3-3 6 0', 'M-2 6q2 1 4 0'];
const EXTRAS = [
    '',
    'M-6.3 0a2.7 2.7 0 1 0 5.4 0 2.7 2.7 0 1 0-5.4 0M.9 0a2.7 2.7 0 1 0 5.4 0 2.7 2.7 0 1 0-5.4 0M-.9 0h1.8',
    'M-5 4Q0 1 5 4',
    'M-10 4a1.2 1.2 0 1 0 .1 0M10 4a1.2 1.2 0 1 0 .1 0',
    'M-8 2C-9 14 9 14 8 2L4 5H-4Z',
    'M0 0v3',
];

export interface Drawing {
    head: string;
    hair: string;
    lines: string;
}

/** The face of a name. */
export function face(name: string): Drawing {
    let seed = 2166136261;
    for (const char of name) seed = Math.imul(seed ^ (char.codePointAt(0) ?? 0), 16777619) >>> 0;
    const pick = (from: readonly string[]): string => {
        seed = (Math.imul(seed ^ (seed >>> 15), 2246822519) + 3266489917) >>> 0;
        return from[seed % from.length] ?? '';
    };
    const head = pick(HEADS);
    const hair = pick(HAIRS);
    return { head, hair, lines: pick(EYES) + pick(MOUTHS) + pick(EXTRAS) };
}

/** The number of a seat's colour and shape: players count at their table, offices have none. */
export function numberOf(seat: string, players: readonly string[]): { colour: number; shape: number } | null {
    const place = players.indexOf(seat);
    if (place < 0) return null;
    // A ninth player has the first one's colour, and another shape.
    return { colour: place % 8, shape: (place + 3 * Math.floor(place / 8)) % 8 };
}

/** The class that gives a seat its colour; an office has one of its own. */
export function colourOf(seat: string, players: readonly string[]): string {
    return `seat-${numberOf(seat, players)?.colour ?? 'office'}`;
}
