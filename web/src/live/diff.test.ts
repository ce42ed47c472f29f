import { describe, expect, it } from 'vitest';
import { around, differences, type Line } from './diff';

const read = (lines: Line[]): string[] =>
    lines.map(({ how, text }) => ({ same: ' ', new: '+', gone: '-' })[how] + text);

describe('the differences of two texts', () => {
    it('are the lines that came and went', () => {
        expect(read(differences('a\nb\nc\n', 'a\nx\nc\nd\n'))).toEqual([' a', '-b', '+x', ' c', '+d']);
        expect(read(differences('', 'a'))).toEqual(['+a']);
        expect(read(differences('a\nb', ''))).toEqual(['-a', '-b']);
        expect(differences('a\nb', 'a\nb').every((line) => line.how === 'same')).toBe(true);
    });

    it('lead from the one to the other, and are no more than need be', () => {
        let seed = 7;
        const next = (n: number) => (seed = (seed * 48271) % 2147483647) % n;
        for (let round = 0; round < 300; round++) {
            const text = () => Array.from({ length: next(9) }, () => 'abc'[next(3)] ?? '');
            const [a, b] = [text(), text()];
            const lines = differences(a.join('\n'), b.join('\n'));
            expect(lines.filter((one) => one.how !== 'new').map((one) => one.text)).toEqual(a);
            expect(lines.filter((one) => one.how !== 'gone').map((one) => one.text)).toEqual(b);
            expect(lines.filter((one) => one.how === 'same')).toHaveLength(common(a, b));
        }
    });

    it('of texts that have nothing in common are found at once', () => {
        const text = (word: string) => Array.from({ length: 20_000 }, (_, place) => `${word} ${place}`).join('\n');
        expect(differences(text('a'), text('b'))).toHaveLength(40_000);
    });

    it('are shown with what stands around them', () => {
        const before = Array.from({ length: 20 }, (_, place) => String(place));
        const after = before.with(10, 'ten');
        const shown = around(differences(before.join('\n'), after.join('\n')), 1);
        expect(shown.map((line) => line?.text ?? '…')).toEqual(['…', '9', '10', 'ten', '11', '…']);
    });
});

/** The length of the longest common subsequence, the slow way. */
function common(a: string[], b: string[]): number {
    const [x, ...xs] = a;
    const [y, ...ys] = b;
    if (x === undefined || y === undefined) return 0;
    return x === y ? 1 + common(xs, ys) : Math.max(common(xs, b), common(a, ys));
}
