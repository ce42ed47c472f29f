import { describe, expect, it } from 'vitest';
import { blocksOfParts, type Block } from './markdown';
import { excerpt, partsOf } from './parts';

describe('a long text', () => {
    it('is cut into parts that make the text again', () => {
        const texts = [
            '',
            'short',
            'word '.repeat(9_000),
            'a\n'.repeat(30_000),
            '\n'.repeat(60_000),
            '|'.repeat(30_000),
        ];
        for (const text of [...texts, '🦉'.repeat(30_000), 'aא'.repeat(30_000), 'W'.repeat(65_536)]) {
            const parts = partsOf(text);
            expect(parts.join('')).toBe(text);
            expect(parts.every((part) => part.length <= 10_000)).toBe(true);
            expect(() => parts.map(encodeURIComponent)).not.toThrow(); // as it would at half a character
        }
    });

    it('has smaller parts where it holds lines, cells or scripts that take longer to draw', () => {
        const most = (text: string): number => Math.max(...partsOf(text).map((part) => part.length));
        expect(most('word '.repeat(9_000))).toBeGreaterThan(5_000);
        expect(most('ab'.repeat(9_000))).toBeGreaterThan(9_900);
        expect(most('a\n'.repeat(9_000))).toBeLessThan(600);
        expect(most('| '.repeat(9_000))).toBeLessThan(3_000);
        expect(most('aक'.repeat(9_000))).toBeLessThan(1_500);
    });

    it('is cut between paragraphs, else between lines, else between words', () => {
        const paragraph = 'Some words that make a line.\n'.repeat(20);
        const [first = ''] = partsOf(`${paragraph}\n`.repeat(40));
        expect(first.endsWith('line.\n\n')).toBe(true);
        expect(partsOf('word '.repeat(9_000)).every((part) => part.endsWith('word '))).toBe(true);
        expect(partsOf(`${'x'.repeat(90)}\n`.repeat(500)).every((part) => part.endsWith('x\n'))).toBe(true);
    });

    it('is short in an excerpt', () => {
        expect(excerpt('as it is')).toBe('as it is');
        expect(excerpt('word '.repeat(9_000))).toMatch(/^(word )+…$/);
        expect(excerpt('word '.repeat(9_000)).length).toBeLessThan(2_100);
    });

    it('goes on with its code, its table and its numbers in the next part', () => {
        const lines = (line: (at: number) => string): string =>
            Array.from({ length: 900 }, (_, at) => line(at)).join('\n');
        const kinds = (text: string): Block[] => blocksOfParts(partsOf(text)).flat();
        expect(new Set(kinds(`\`\`\`\n${lines((at) => `# ${at}`)}\n\`\`\``).map((block) => block.kind))).toEqual(
            new Set(['code']),
        );
        const tables = kinds(`| n | m |\n|---|---|\n${lines((at) => `| ${at} | x |`)}`);
        expect(tables.length).toBeGreaterThan(2);
        expect(tables.every((block) => block.kind === 'table' && block.header[0]?.[0]?.text === 'n')).toBe(true);
        expect(tables.reduce((sum, block) => sum + (block.kind === 'table' ? block.rows.length : 0), 0)).toBe(900);
        const lists = kinds(lines((at) => `${at + 1}. item`));
        expect(lists.length).toBeGreaterThan(2);
        expect(lists.at(-1)).toMatchObject({ kind: 'list', ordered: true });
        let before = 0;
        for (const list of lists) {
            if (list.kind !== 'list') throw new Error(list.kind);
            expect(list.start).toBe(before + 1);
            before += list.items.length;
        }
    });
});
