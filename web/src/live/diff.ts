/** What a text has that an earlier one had not, line by line, by what the two have in common in the same order. */

export interface Line {
    how: 'same' | 'new' | 'gone';
    text: string;
}

/** Pairs of lines that are compared at most: beyond it the texts are told one after the other. */
const MOST_CELLS = 1_000_000;

export function differences(before: string, after: string): Line[] {
    const a = linesOf(before);
    const b = linesOf(after);
    let head = 0;
    while (head < a.length && head < b.length && a[head] === b[head]) head++;
    let tail = 0;
    while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++;
    const middle = walk(a.slice(head, a.length - tail), b.slice(head, b.length - tail));
    const same = (texts: string[]): Line[] => texts.map((text) => ({ how: 'same', text }));
    return [...same(a.slice(0, head)), ...middle, ...same(a.slice(a.length - tail))];
}

function linesOf(text: string): string[] {
    return text === '' ? [] : text.replace(/\r\n?/g, '\n').replace(/\n$/, '').split('\n');
}

function walk(a: string[], b: string[]): Line[] {
    const gone = a.map((text): Line => ({ how: 'gone', text }));
    const come = b.map((text): Line => ({ how: 'new', text }));
    const width = b.length + 1;
    if ((a.length + 1) * width > MOST_CELLS) return [...gone, ...come];
    // How many lines the rest of both texts have in common, from each pair of lines on.
    const common = new Uint16Array((a.length + 1) * width);
    const at = (x: number, y: number) => common[x * width + y] ?? 0;
    const [left, right] = numbered(a, b);
    for (let x = a.length - 1; x >= 0; x--)
        for (let y = b.length - 1; y >= 0; y--)
            common[x * width + y] = left[x] === right[y] ? at(x + 1, y + 1) + 1 : Math.max(at(x + 1, y), at(x, y + 1));
    const lines: Line[] = [];
    let x = 0;
    let y = 0;
    while (x < a.length && y < b.length) {
        if (left[x] === right[y]) {
            lines.push({ how: 'same', text: a[x++] ?? '' });
            y++;
        } else if (at(x + 1, y) >= at(x, y + 1)) lines.push({ how: 'gone', text: a[x++] ?? '' });
        else lines.push({ how: 'new', text: b[y++] ?? '' });
    }
    return [...lines, ...gone.slice(x), ...come.slice(y)];
}

/** Each line as a number, the same for the same line: long lines are compared once. */
function numbered(a: string[], b: string[]): [number[], number[]] {
    const numbers = new Map<string, number>();
    const numberOf = (line: string): number => {
        const known = numbers.get(line) ?? numbers.size;
        numbers.set(line, known);
        return known;
    };
    return [a.map(numberOf), b.map(numberOf)];
}

/** The lines with something new about them, each with so many of the same around it; null stands for a gap. */
export function around(lines: Line[], many = 2): (Line | null)[] {
    const kept = lines.map((_, place) =>
        lines.slice(Math.max(0, place - many), place + many + 1).some((line) => line.how !== 'same'),
    );
    const shown: (Line | null)[] = [];
    for (const [place, line] of lines.entries()) {
        if (kept[place] === true) shown.push(line);
        else if (shown.at(-1) !== null) shown.push(null);
    }
    return shown;
}
