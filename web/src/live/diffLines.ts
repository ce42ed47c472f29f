/** The lines of a diff as git writes it: of which file, on which side, and under which number. */

export type Side = 'new' | 'old';

export interface DiffLine {
    how: 'same' | 'new' | 'gone' | 'place';
    text: string;
    /** Its number before and after; null where it is not there. */
    old: number | null;
    new: number | null;
}

/** What changed in a file. `old` is its path before; they differ if it was renamed. */
export interface FileDiff {
    path: string;
    old: string;
    lines: DiffLine[];
    hunks: Hunk[];
}

/** The numbers that the lines of a hunk have, from the first to the one after the last. */
interface Hunk {
    old: [number, number];
    new: [number, number];
}

const PLACE = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;
const HOW: Partial<Record<string, 'same' | 'new' | 'gone'>> = { ' ': 'same', '+': 'new', '-': 'gone', '': 'same' };
const SIGNS: Partial<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 };

/** The files of a diff; what stands before the first place in a file is left out. */
export function filesOf(text: string): FileDiff[] {
    return text
        .split(/^(?=diff --git )/m)
        .filter((part) => part.startsWith('diff --git '))
        .map(fileOf);
}

function fileOf(part: string): FileDiff {
    const lines = part.split('\n');
    const found = lines.findIndex((line) => line.startsWith('@@ '));
    const first = found < 0 ? lines.length : found;
    const [old, path] = pathsOf(lines.slice(0, first));
    const file: FileDiff = { path, old, lines: [], hunks: [] };
    let at = first;
    while (at < lines.length) {
        const place = PLACE.exec(lines[at] ?? '');
        if (place === null) at++;
        else at = takeHunk(file, lines, at, place);
    }
    return file;
}

/** Read a hunk. Its own counts say where it ends, since a line of code can look like the head of one. */
function takeHunk(file: FileDiff, lines: readonly string[], from: number, place: RegExpExecArray): number {
    const [olds, news] = [Number(place[2] ?? 1), Number(place[4] ?? 1)];
    // Without lines, git names the one before.
    let old = Number(place[1]) + (olds === 0 ? 1 : 0);
    let new_ = Number(place[3]) + (news === 0 ? 1 : 0);
    const hunk: Hunk = { old: [old, old + olds], new: [new_, new_ + news] };
    file.hunks.push(hunk);
    file.lines.push({ how: 'place', text: lines[from] ?? '', old: null, new: null });
    let at = from + 1;
    while (at < lines.length && (old < hunk.old[1] || new_ < hunk.new[1])) {
        const line = lines[at++] ?? '';
        const how = HOW[line.charAt(0)];
        if (how === undefined) continue;
        file.lines.push({
            how,
            text: line.slice(1),
            old: how === 'new' ? null : old,
            new: how === 'gone' ? null : new_,
        });
        if (how !== 'new') old++;
        if (how !== 'gone') new_++;
    }
    return at;
}

/** The paths before and after. Those of the first line cannot be told apart where they have spaces. */
function pathsOf(head: readonly string[]): [string, string] {
    const named = (key: string): string | null => {
        const line = head.find((one) => one.startsWith(key));
        return line === undefined ? null : unquoted(line.slice(key.length));
    };
    const [from, to] = [named('rename from '), named('rename to ')];
    if (from !== null && to !== null) return [from, to];
    const [before, after] = [named('--- '), named('+++ ')];
    if (before !== null && after !== null) {
        const [old, path] = [before.slice(2), after.slice(2)];
        return [before === '/dev/null' ? path : old, after === '/dev/null' ? old : path];
    }
    const both = (head[0] ?? '').slice('diff --git '.length);
    const same = (
        both.startsWith('"') ? unquoted(both.slice(0, (both.length - 1) / 2)) : both.slice((both.length + 1) / 2)
    ).slice(2);
    return [same, same];
}

/** A path as it is; git writes one with unusual signs between quotation marks, its bytes as octal numbers. */
function unquoted(name: string): string {
    if (!name.startsWith('"')) return name.replace(/\t$/, '');
    const bytes: number[] = [];
    const encoder = new TextEncoder();
    for (const part of name
        .slice(1)
        .replace(/"\t?$/, '')
        .matchAll(/\\([0-7]{3}|.)|[^\\]+/g)) {
        const sign = part[1];
        if (sign === undefined) bytes.push(...encoder.encode(part[0]));
        else bytes.push(sign.length === 3 ? parseInt(sign, 8) : (SIGNS[sign] ?? sign.charCodeAt(0)));
    }
    return new TextDecoder().decode(new Uint8Array(bytes));
}

/** The number that a line of the old side has on the new one; null where it is gone. */
export function after(file: FileDiff, line: number): number | null {
    let moved = 0;
    for (const hunk of file.hunks) {
        if (line < hunk.old[0]) break;
        if (line < hunk.old[1]) return file.lines.find((one) => one.old === line)?.new ?? null;
        moved = hunk.new[1] - hunk.old[1];
    }
    return line + moved;
}
