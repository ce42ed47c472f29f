/**
 * Light typesetting of Markdown: a text is cut into blocks and runs, which components draw as elements. No markup of a
 * text ever reaches the page as markup, and what is not understood stands as it was written.
 */

export type Inline = { how: 'text' | 'strong' | 'em' | 'code'; text: string };

export type Block =
    | { kind: 'heading'; level: number; runs: Inline[] }
    | { kind: 'paragraph'; runs: Inline[] }
    | { kind: 'quote'; blocks: Block[] }
    | { kind: 'list'; ordered: boolean; start: number; items: Item[] }
    | { kind: 'code'; text: string }
    | { kind: 'table'; header: Inline[][]; rows: Inline[][][] }
    | { kind: 'rule' };

export interface Item {
    /** A box that is ticked or not, where the item has one. */
    done: boolean | null;
    runs: Inline[];
    depth: number;
}

const FENCE = /^\s{0,3}(`{3,}|~{3,})/;
const HEADING = /^\s{0,3}(#{1,6})\s+(.*?)\s*#*$/;
const RULE = /^\s{0,3}(?:-\s*){3,}$|^\s{0,3}(?:\*\s*){3,}$|^\s{0,3}(?:_\s*){3,}$/;
const BULLET = /^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$/;
const BOX = /^\[([ xX])\]\s+(.*)$/;
const SPLIT = /^\s*\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?\s*$/;
/** Quotes within quotes are followed so deep. */
const DEPTH = 6;

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
            blocks.push({ kind: 'code', text: lines.slice(from, at).join('\n') });
            at++;
        } else if (heading !== null) {
            blocks.push({ kind: 'heading', level: heading[1]?.length ?? 1, runs: runsOf(heading[2] ?? '') });
            at++;
        } else if (RULE.test(line())) {
            blocks.push({ kind: 'rule' });
            at++;
        } else if (/^\s{0,3}>/.test(line()) && depth < DEPTH) {
            const from = at;
            while (at < lines.length && /^\s{0,3}>/.test(line())) at++;
            const inner = lines.slice(from, at).map((one) => one.replace(/^\s{0,3}>\s?/, ''));
            blocks.push({ kind: 'quote', blocks: blocksOf(inner.join('\n'), depth + 1) });
        } else if (line().includes('|') && SPLIT.test(lines[at + 1] ?? '')) {
            const header = cells(line());
            at += 2;
            const rows: Inline[][][] = [];
            while (at < lines.length && line().includes('|')) rows.push(cells(lines[at++] ?? ''));
            blocks.push({ kind: 'table', header, rows });
        } else if (BULLET.test(line())) {
            const items: Item[] = [];
            const first = BULLET.exec(line())?.[2] ?? '-';
            while (at < lines.length && line().trim() !== '') {
                const found = BULLET.exec(line());
                if (found !== null) {
                    const box = BOX.exec(found[3] ?? '');
                    items.push({
                        done: box === null ? null : box[1] !== ' ',
                        runs: runsOf(box?.[2] ?? found[3] ?? ''),
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

function begins(line: string): boolean {
    return FENCE.test(line) || HEADING.test(line) || RULE.test(line) || BULLET.test(line) || /^\s{0,3}>/.test(line);
}

function cells(line: string): Inline[][] {
    return line
        .trim()
        .replace(/^\||\|$/g, '')
        .split('|')
        .map((cell) => runsOf(cell.trim()));
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
