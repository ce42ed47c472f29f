/**
 * Light typesetting of Markdown: a text is cut into blocks and runs, which components draw as elements. No markup of a
 * text ever reaches the page as markup, and what is not understood stands as it was written.
 *
 * Anybody may write such a text, so reading one takes time in proportion to its length: `patterns.test.ts` measures
 * every pattern.
 */

export type Inline = { how: 'text' | 'strong' | 'em' | 'code'; text: string };

export type Block =
    | { kind: 'heading'; level: number; runs: Inline[] }
    | { kind: 'paragraph'; runs: Inline[] }
    | { kind: 'quote'; blocks: Block[] }
    | { kind: 'list'; ordered: boolean; start: number; items: Item[] }
    /** `open` is the fence of code that has no end. */
    | { kind: 'code'; text: string; open?: string }
    /** `head` are the lines of its head, as they were written. */
    | { kind: 'table'; header: Inline[][]; rows: Inline[][][]; head: string }
    | { kind: 'rule' };

export interface Item {
    /** A box that is ticked or not, where the item has one. */
    done: boolean | null;
    runs: Inline[];
    depth: number;
}

const FENCE = /^\s{0,3}(`{3,}|~{3,})/;
const HEADING = /^\s{0,3}(#{1,6})\s/;
const SIGNS = /^(?:-{3,}|\*{3,}|_{3,})$/;
const QUOTE = /^\s{0,3}>/;
const BULLET = /^(\s*)([-*+]|\d{1,9}[.)])\s/;
const BOX = /^\[([ xX])\]\s/;
const DIVIDER = /^:?-{2,}:?$/;
/** Quotes within quotes are followed so deep. */
const DEPTH = 6;
/** The head of a table is written again above its next part if it is no longer than this. */
const LONGEST_HEAD = 500;

export function blocksOf(text: string, depth = 0): Block[] {
    const lines = text.replace(/\r\n?/g, '\n').split('\n');
    const blocks: Block[] = [];
    let at = 0;
    const line = () => lines[at] ?? '';
    while (at < lines.length) {
        const fence = FENCE.exec(line())?.[1];
        const heading = HEADING.exec(line());
        if (line().trim() === '') {
            at++;
        } else if (fence !== undefined) {
            const from = ++at;
            while (at < lines.length && !line().trim().startsWith(fence)) at++;
            const open = at < lines.length ? {} : { open: fence };
            blocks.push({ kind: 'code', text: lines.slice(from, at).join('\n'), ...open });
            at++;
        } else if (heading !== null) {
            const words = unclosed(line().slice(heading[0].length).trim());
            blocks.push({ kind: 'heading', level: heading[1]?.length ?? 1, runs: runsOf(words) });
            at++;
        } else if (isRule(line())) {
            blocks.push({ kind: 'rule' });
            at++;
        } else if (QUOTE.test(line()) && depth < DEPTH) {
            const from = at;
            while (at < lines.length && QUOTE.test(line())) at++;
            const inner = lines.slice(from, at).map((one) => one.replace(/^\s{0,3}>\s?/, ''));
            blocks.push({ kind: 'quote', blocks: blocksOf(inner.join('\n'), depth + 1) });
        } else if (line().includes('|') && isDivider(lines[at + 1] ?? '')) {
            const head = `${line()}\n${lines[at + 1] ?? ''}\n`;
            const header = cellsOf(line()).map(runsOf);
            at += 2;
            const rows: Inline[][][] = [];
            while (at < lines.length && line().includes('|')) rows.push(cellsOf(lines[at++] ?? '').map(runsOf));
            blocks.push({ kind: 'table', header, rows, head });
        } else if (BULLET.test(line())) {
            const items: Item[] = [];
            const first = BULLET.exec(line())?.[2] ?? '-';
            while (at < lines.length && line().trim() !== '') {
                const found = BULLET.exec(line());
                if (found !== null) {
                    const words = line().slice(found[0].length).trim();
                    const box = BOX.exec(`${words} `);
                    items.push({
                        done: box === null ? null : box[1] !== ' ',
                        runs: runsOf(box === null ? words : words.slice(box[0].length).trim()),
                        depth: Math.min(Math.floor((found[1]?.length ?? 0) / 2), 4),
                    });
                } else if (/^\s/.test(line())) {
                    items.at(-1)?.runs.push(...runsOf(` ${line().trim()}`));
                } else break;
                at++;
            }
            blocks.push({ kind: 'list', ordered: /\d/.test(first), start: Number.parseInt(first, 10) || 1, items });
        } else {
            const from = at++;
            while (at < lines.length && line().trim() !== '' && !begins(line())) at++;
            blocks.push({ kind: 'paragraph', runs: runsOf(lines.slice(from, at).join('\n')) });
        }
    }
    return blocks;
}

/** The blocks of a text in parts: code and tables go on in the next part. */
export function blocksOfParts(parts: readonly string[]): Block[][] {
    const all: Block[][] = [];
    for (const part of parts) all.push(blocksOf(goingOn(all.at(-1)?.at(-1), part) + part));
    return all;
}

/** What stands above the next part, so that it is read as what goes on there. */
function goingOn(last: Block | undefined, part: string): string {
    if (last?.kind === 'code' && last.open !== undefined) return `${last.open}\n`;
    const [line] = part.split('\n', 1);
    if (last?.kind === 'table' && last.head.length <= LONGEST_HEAD && line?.includes('|') === true) return last.head;
    return '';
}

function begins(line: string): boolean {
    return FENCE.test(line) || HEADING.test(line) || isRule(line) || BULLET.test(line) || QUOTE.test(line);
}

/** A heading without the signs that close it, which stand apart from its words. */
function unclosed(heading: string): string {
    let end = heading.length;
    while (heading[end - 1] === '#') end--;
    return end === 0 || heading[end - 1] === ' ' ? heading.slice(0, end).trimEnd() : heading;
}

function isRule(line: string): boolean {
    return /^\s{0,3}[-*_]/.test(line) && SIGNS.test(line.replace(/\s/g, ''));
}

/** Whether it is the line below the head of a table. */
function isDivider(line: string): boolean {
    return line.includes('--') && cellsOf(line).every((cell) => DIVIDER.test(cell));
}

function cellsOf(line: string): string[] {
    return line
        .trim()
        .replace(/^\||\|$/g, '')
        .split('|')
        .map((cell) => cell.trim());
}

const INLINE =
    /`([^`\n]+)`|\*\*([^\s*](?:[^*\n]*[^\s*])?)\*\*|\*([^\s*](?:[^*\n]*[^\s*])?)\*|(?<![\w])_([^\s_](?:[^_\n]*[^\s_])?)_(?![\w])/g;

export function runsOf(text: string): Inline[] {
    const runs: Inline[] = [];
    let last = 0;
    for (const found of text.matchAll(INLINE)) {
        if (found.index > last) runs.push({ how: 'text', text: text.slice(last, found.index) });
        if (found[1] !== undefined) runs.push({ how: 'code', text: found[1] });
        else if (found[2] !== undefined) runs.push({ how: 'strong', text: found[2] });
        else runs.push({ how: 'em', text: found[3] ?? found[4] ?? '' });
        last = found.index + found[0].length;
    }
    if (last < text.length) runs.push({ how: 'text', text: text.slice(last) });
    return runs;
}
