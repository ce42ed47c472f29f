/** Remarks at lines of the code: which a viewer knows of, and where they stand in a round that is looked at. */
import type { Track } from '../record/track';
import { after, filesOf, type DiffLine, type FileDiff, type Side } from './diffLines';
import { taskOf, type Difference, type Offer } from './work';

/** Lines of a file in the code of a round, or, on the old side, in the code that the task began with. */
export interface Anchor {
    file: string;
    side: Side;
    round: number;
    line: number;
    last: number;
    code: string;
}

export interface Remark extends Anchor {
    text: string;
}

export interface Answered {
    by: string;
    round: number;
    /** Null if nothing was said. */
    done: boolean | null;
    words: string;
}

/** A remark that was sent: by whom, its number if it is to be answered, and the answers. */
export interface Noted {
    by: string;
    remark: Remark;
    number: number | null;
    answers: Answered[];
}

const USER = 'user';

/** The remarks of a task that a viewer knows of, up to a place. */
export function notedIn(track: Track, task: string, place: number): Noted[] {
    const found: Noted[] = [];
    const numbered = new Map<number, Noted>();
    for (const entry of track.entries.slice(0, place)) {
        if (taskOf(entry) !== task) continue;
        const data = (entry.data ?? {}) as {
            remarks?: Remark[];
            first?: number;
            items?: unknown[];
            session?: string;
            round?: number;
            answers?: { number: number; done: boolean | null; words: string }[];
        };
        for (const [at, remark] of (data.remarks ?? []).entries()) {
            const number = data.first === undefined ? null : data.first + (data.items?.length ?? 0) + at;
            // Who sees an item both asked for and passed on has it once.
            if (number !== null && numbered.has(number)) continue;
            const noted = { by: data.session ?? USER, remark, number, answers: [] };
            found.push(noted);
            if (number !== null) numbered.set(number, noted);
        }
        for (const { number, done, words } of data.answers ?? [])
            numbered.get(number)?.answers.push({ by: data.session ?? '', round: data.round ?? 0, done, words });
    }
    return found;
}

/** What is looked at: the changes of a round since the task began, or since the round before. */
export interface Looked {
    offers: readonly Offer[];
    index: number;
    since: boolean;
}

export function differenceOf({ offers, index, since }: Looked): Difference | null {
    const offer = offers[index];
    if (offer === undefined) return null;
    return since && offer.since !== null ? offer.since : offer.whole;
}

/** The lines that a line of what is looked at stands for; what is there on the old side may be the round before's. */
export function anchorAt(looked: Looked, file: FileDiff, lines: readonly DiffLine[]): Anchor | null {
    const { offers, index, since } = looked;
    const side: Side = lines[0]?.how === 'gone' ? 'old' : 'new';
    const within = lines.filter((line) => line[side] !== null);
    const [line, last] = [within[0]?.[side] ?? null, within.at(-1)?.[side] ?? null];
    const round = offers[side === 'old' && since ? index - 1 : index]?.round;
    if (line === null || last === null || round === undefined) return null;
    const code = within.map((one) => one.text).join('\n');
    const earlier = side === 'old' && since;
    return { file: earlier ? file.old : file.path, side: earlier ? 'new' : side, round, line, last, code };
}

type Place = Pick<Anchor, 'file' | 'line' | 'last'>;

/** Where lines of an earlier round are in a later one; null where they have changed since, or nobody can tell. */
export function followed(offers: readonly Offer[], anchor: Anchor, round: number): Place | null {
    let { file, line, last } = anchor;
    for (const offer of offers.filter((one) => one.round > anchor.round && one.round <= round)) {
        if (offer.since === null) return null;
        const named = file;
        if (!offer.since.files.some((one) => one.path === named || one.old === named)) continue;
        const changed = filesOfOnce(offer.since.text).find((one) => one.old === named);
        if (changed === undefined) return null;
        const moved: (number | null)[] = [];
        for (let number = line; number <= last; number++) moved.push(after(changed, number));
        const first = moved[0] ?? null;
        if (first === null || moved.some((number, at) => number !== first + at)) return null;
        [file, line, last] = [changed.path, first, first + moved.length - 1];
    }
    return { file, line, last };
}

/** Something that stands at lines: what was sent, or what waits. */
export type Standing<T> = T & { outdated: boolean };

export interface Placed<T> {
    /** By the side and number of the line that they stand below, for each file by its path. */
    at: ReadonlyMap<string, Standing<T>[]>;
    /** Those whose lines are not shown, by file. */
    loose: ReadonlyMap<string, Standing<T>[]>;
}

export function spot(path: string, side: Side, line: number): string {
    return `${side} ${line} ${path}`;
}

/** Where remarks stand in what is looked at. Those on the code of later rounds are left out. */
export function placed<T>(
    looked: Looked,
    files: readonly FileDiff[],
    all: readonly T[],
    anchorOf: (one: T) => Anchor,
): Placed<T> {
    const { offers, index, since } = looked;
    const round = offers[index]?.round ?? 0;
    const before = offers[index - 1]?.round ?? 0;
    const shown = new Map<string, string>();
    for (const file of files)
        for (const line of file.lines) {
            if (line.new !== null) shown.set(spot(file.path, 'new', line.new), line.text);
            if (line.how === 'gone' && line.old !== null) {
                shown.set(spot(file.path, 'old', line.old), line.text);
                if (file.old !== file.path) shown.set(spot(file.old, 'old', line.old), line.text);
            }
        }
    const at = new Map<string, Standing<T>[]>();
    const loose = new Map<string, Standing<T>[]>();
    const put = (to: Map<string, Standing<T>[]>, key: string, one: Standing<T>): void => {
        to.set(key, [...(to.get(key) ?? []), one]);
    };
    for (const one of all) {
        const anchor = anchorOf(one);
        if (anchor.round > round) continue;
        if (anchor.side === 'old') {
            const key = spot(anchor.file, 'old', anchor.last);
            const same = shown.get(key) === anchor.code.split('\n').at(-1);
            if (!since && same) put(at, key, { ...one, outdated: false });
            else put(loose, anchor.file, { ...one, outdated: !since && anchor.round !== round });
            continue;
        }
        const found = followed(offers, anchor, round);
        const key = found === null ? '' : spot(found.file, 'new', found.last);
        // A line that this round took away is still to be seen in what changed since the round before.
        const earlier = found === null && since && anchor.round <= before ? followed(offers, anchor, before) : null;
        const gone = earlier === null ? '' : spot(earlier.file, 'old', earlier.last);
        if (shown.has(key)) put(at, key, { ...one, outdated: false });
        else if (shown.has(gone)) put(at, gone, { ...one, outdated: true });
        else put(loose, found?.file ?? anchor.file, { ...one, outdated: found === null });
    }
    return { at, loose };
}

/** File and lines in words, such as `roof.py:12–15`. */
export function placeOf({ file, line, last, side }: Anchor): string {
    return `${file}:${line}${last === line ? '' : `–${last}`}${side === 'old' ? ' (old)' : ''}`;
}

const KNOWN = 8;
const parsed = new Map<string, FileDiff[]>();

/** The files of a diff, which are asked for again and again. */
export function filesOfOnce(text: string): FileDiff[] {
    const known = parsed.get(text) ?? filesOf(text);
    parsed.delete(text);
    parsed.set(text, known);
    for (const old of [...parsed.keys()].slice(0, -KNOWN)) parsed.delete(old);
    return known;
}
