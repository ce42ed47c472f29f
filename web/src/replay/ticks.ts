/** The timeline as lines to draw: ticks by audience, nights, phases and marks, for a width of so many pixels. */
import type { Moment, Phase, Reach, Track } from '../record/track';
import type { Highlight, Mood } from '../record/types';

export const REACHES: readonly Reach[] = ['nobody', 'one', 'some', 'everyone'];
export const HEIGHTS: Readonly<Record<Reach, number>> = { everyone: 26, some: 18, one: 12, nobody: 4 };
/** Where ticks stand. */
export const FOOT = 32;

export interface Scale {
    width: number;
    count: number;
}

/** Where a place is drawn; the first at the left end, the last at the right. */
export function x({ width, count }: Scale, place: number): number {
    return count < 2 ? 0 : ((place - 1) / (count - 1)) * width;
}

/** The place that is drawn nearest to a point. */
export function placeAt({ width, count }: Scale, at: number): number {
    if (count < 2 || width <= 0) return 1;
    return Math.max(1, Math.min(count, Math.round((at / width) * (count - 1)) + 1));
}

/** One path for each audience. Entries that fall on the same half pixel are one line, as high as the highest. */
export function ticks(track: Track, scale: Scale): Record<Reach, string> {
    const columns = new Map<number, number>();
    for (let place = 1; place <= scale.count; place++) {
        const column = Math.round(x(scale, place) * 2);
        const rank = REACHES.indexOf(track.reach(place));
        const before = columns.get(column);
        if (before === undefined || before < rank) columns.set(column, rank);
    }
    const paths: Record<Reach, string> = { everyone: '', some: '', one: '', nobody: '' };
    for (const [column, rank] of columns) {
        const reach = REACHES[rank] ?? 'nobody';
        const height = HEIGHTS[reach];
        paths[reach] += `M${column / 2} ${FOOT - height}v${height}`;
    }
    return paths;
}

export interface Label {
    at: number;
    text: string;
    place: number;
    mood: Mood;
}

export interface Night {
    at: number;
    width: number;
}

/** The phases of the game whose names have room: chapters before their sections. */
export function labels(phases: readonly Phase[], scale: Scale, letter = 7): Label[] {
    const taken: [number, number][] = [];
    const drawn: Label[] = [];
    const ranked = phases.filter((phase) => phase.level > 1).sort((a, b) => a.level - b.level || a.place - b.place);
    for (const phase of ranked) {
        const at = x(scale, phase.place);
        const width = phase.text.length * letter + 10;
        if (at + width > scale.width + 8 || taken.some(([from, to]) => at < to && at + width > from)) continue;
        taken.push([at, at + width]);
        drawn.push({ at, text: phase.text, place: phase.place, mood: phase.mood });
    }
    return drawn.sort((a, b) => a.place - b.place);
}

/** From where to where it is night. */
export function nights(phases: readonly Phase[], scale: Scale): Night[] {
    const found: Night[] = [];
    const chapters = phases.filter((phase) => phase.level <= 2);
    chapters.forEach((phase, index) => {
        if (phase.mood !== 'night') return;
        const from = x(scale, phase.place);
        const to = x(scale, chapters[index + 1]?.place ?? scale.count);
        found.push({ at: from, width: to - from });
    });
    return found;
}

export interface Sign {
    at: number;
    text: string;
    place: number;
    what: Highlight;
}

const SIGNS: Readonly<Record<Highlight, { text: string; rank: number }>> = {
    end: { text: '', rank: 6 },
    death: { text: '†', rank: 5 },
    betrayal: { text: '‡', rank: 4 },
    counter: { text: '!!', rank: 3 },
    close: { text: '', rank: 2 },
    'last-words': { text: '”', rank: 1 },
    claim: { text: '!', rank: 0 },
};

/** The sign of a highlight; a close vote shows its count where its text has one. */
export function sign(moment: Pick<Moment, 'what' | 'text'>): string {
    if (moment.what !== 'close') return SIGNS[moment.what].text;
    const counted = /(?<!\d)(\d+)\s*(?::|to|–|-)\s*(\d+)/.exec(moment.text);
    return counted === null ? '=' : `${counted[1]}:${counted[2]}`;
}

/** The highlights whose signs have room, the weightiest first. */
export function signs(moments: readonly Moment[], scale: Scale): Sign[] {
    const drawn: Sign[] = [];
    const ranked = [...moments].sort((a, b) => SIGNS[b.what].rank - SIGNS[a.what].rank || a.place - b.place);
    for (const moment of ranked) {
        const at = x(scale, moment.place);
        const text = sign(moment);
        const room = 6 + text.length * 4;
        if (drawn.some((one) => Math.abs(one.at - at) < room + one.text.length * 3)) continue;
        drawn.push({ at, text, place: moment.place, what: moment.what });
    }
    return drawn.sort((a, b) => a.place - b.place);
}
