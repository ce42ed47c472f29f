import { describe, expect, it } from 'vitest';
import { blocksOf, runsOf } from './markdown';

describe('a text with light typesetting', () => {
    it('is cut into headings, paragraphs, lists, quotes, tables and code', () => {
        const text =
            '# Sheet\n\nA *quiet* man,\n**tall**.\n\n- one\n- [x] two\n  - three\n\n> said\n> so\n\n| a | b |\n|---|---|\n| 1 | `2` |\n\n```\n<b>\n```\n---\n2. second';
        expect(blocksOf(text).map((block) => block.kind)).toEqual(
            'heading paragraph list quote table code rule list'.split(' '),
        );
        expect(blocksOf(text)[2]).toMatchObject({
            items: [{ done: null, depth: 0 }, { done: true }, { depth: 1 }],
        });
        expect(blocksOf(text)[5]).toEqual({ kind: 'code', text: '<b>' });
        expect(blocksOf(text)[7]).toMatchObject({ ordered: true, start: 2 });
    });

    it('keeps every word of what it does not understand', () => {
        for (const text of [
            'a * b * c',
            '**open',
            '`',
            '|',
            '>>>>>>>> deep',
            '- ',
            '#no heading',
            '5 * 3_000_000 _x_y',
        ])
            expect(flat(blocksOf(text)).replace(/[\s>]/g, '')).toBe(text.replace(/[\s>]/g, ''));
    });

    it('takes long lines of signs in their stride', () => {
        const started = performance.now();
        for (const sign of ['*', '_', '`', '>', '[', '|', '- ', '**a'])
            expect(blocksOf(sign.repeat(20_000)).length).toBeGreaterThan(0);
        expect(performance.now() - started).toBeLessThan(5_000);
    });

    it('knows emphasis within words from signs', () => {
        expect(runsOf('snake_case_name and *this*')).toEqual([
            { how: 'text', text: 'snake_case_name and ' },
            { how: 'em', text: 'this' },
        ]);
    });
});

function flat(blocks: ReturnType<typeof blocksOf>): string {
    return blocks
        .map((block) => {
            switch (block.kind) {
                case 'heading':
                case 'paragraph':
                    return block.runs.map((run) => run.text).join('');
                case 'list':
                    return block.items.map((item) => `- ${item.runs.map((run) => run.text).join('')}`).join('');
                case 'quote':
                    return flat(block.blocks);
                case 'code':
                    return block.text;
                case 'table':
                    return block.header
                        .flat()
                        .map((run) => run.text)
                        .join('');
                case 'rule':
                    return '---';
            }
        })
        .join('');
}
