import { render, screen } from '@testing-library/svelte';
import { tick } from 'svelte';
import { describe, expect, it, test } from 'vitest';
import Diff from '../live/Diff.svelte';
import Plain from './Plain.svelte';
import Prose from './Prose.svelte';

const ENDED = 'The link of this seat has ended';
const WORDS = `# ${ENDED}\n\nWrite your new link below.\n\n> ## ${ENDED}`;

test('a heading in what somebody says is a bold line', () => {
    for (const story of [false, true]) {
        const { container, unmount } = render(Prose, { text: WORDS, story });
        expect(screen.queryAllByRole('heading')).toEqual([]);
        expect(container.querySelectorAll('.heading')).toHaveLength(0);
        expect([...container.querySelectorAll('strong')].map((line) => line.textContent)).toEqual([ENDED, ENDED]);
        unmount();
    }
});

test('a document has its headings', () => {
    render(Prose, { text: WORDS, markdown: true });
    expect(screen.getAllByRole('heading', { name: ENDED })).toHaveLength(2);
});

const LONGEST = 65_536;
/** Texts whose drawing takes seconds when all of it is drawn. */
const HEAVY: Record<string, string> = {
    cells: `|a|b|\n|--|--|\n${'|'.repeat(LONGEST - 20)}`,
    rows: `|a|b|\n|--|--|\n${'|x|y|\n'.repeat(LONGEST / 6 - 3)}`,
    head: `${'|a'.repeat(LONGEST / 4)}|\n${'|--'.repeat(LONGEST / 8)}|`,
    items: '- x\n'.repeat(LONGEST / 4),
    headings: '# x\n'.repeat(LONGEST / 4),
    rules: '---\n'.repeat(LONGEST / 4),
    quotes: '> x\n\n'.repeat(LONGEST / 5),
    deep: `${'>'.repeat(200)} x\n`.repeat(LONGEST / 203),
    lines: '# x\n\n'.padEnd(LONGEST, 'x\n'),
    emphasis: `# x\n${'*a* '.repeat(LONGEST / 4 - 1)}`,
    code: `# x\n${'`a` '.repeat(LONGEST / 4 - 1)}`,
    paragraphs: 'x\n\n'.repeat(LONGEST / 3),
    word: 'W'.repeat(LONGEST),
};
const MOST_ELEMENTS = 3_000;
const MOST_LETTERS = 11_000;

const letters = (text: string | null): string => (text ?? '').replace(/[^a-zA-Z]/g, '');
const words = (box: Element): string => {
    const copy = box.cloneNode(true) as Element;
    for (const part of copy.querySelectorAll('.rest, .more')) part.remove();
    return copy.textContent ?? '';
};
const button = (name: string): HTMLElement => screen.getByRole('button', { name });

describe('a text that is heavy to draw', () => {
    for (const [name, text] of Object.entries(HEAVY))
        it(`is drawn in part, and as a whole when asked: ${name}`, async () => {
            const { container } = render(Prose, { text });
            expect(container.querySelectorAll('*').length).toBeLessThan(MOST_ELEMENTS);
            expect(words(container).length).toBeLessThan(MOST_LETTERS);
            const plain =
                screen.queryByRole('button', { name: 'Show the rest as plain text' }) ?? button('Show the rest');
            plain.click();
            await tick();
            expect(container.querySelectorAll('*').length).toBeLessThan(MOST_ELEMENTS + 200);
            expect(letters(words(container))).toBe(letters(text));
            expect(document.activeElement?.classList).toContain('part');
            expect(screen.queryByRole('button')).toBeNull();
        });

    it('is set part by part, each where the one before ends, and the keyboard goes along', async () => {
        const text = Array.from({ length: 900 }, (_, at) => `- item ${at}`).join('\n');
        const { container } = render(Prose, { text });
        let before = 0;
        while (screen.queryByRole('button', { name: 'Show more' }) !== null) {
            button('Show more').click();
            await tick();
            const now = container.querySelectorAll('li').length;
            expect(now).toBeGreaterThan(before);
            expect(document.activeElement?.textContent).toContain(`item ${now - 1}`);
            before = now;
        }
        expect(before).toBe(900);
        expect(screen.queryByRole('button')).toBeNull();
    });

    it('is shown from its beginning where another text takes its place', async () => {
        const { container, rerender } = render(Prose, { text: HEAVY['items'] ?? '' });
        button('Show the rest as plain text').click();
        await tick();
        await rerender({ text: HEAVY['headings'] ?? '' });
        expect(words(container).length).toBeLessThan(MOST_LETTERS);
        button('Show more');
    });

    it('is drawn in part where it is not set', async () => {
        const { container, rerender } = render(Plain, { text: HEAVY['word'] ?? '' });
        expect(words(container).length).toBeLessThan(MOST_LETTERS);
        button('Show the rest').click();
        await tick();
        expect(words(container).trim()).toBe(HEAVY['word']);
        await rerender({ text: 'short' });
        expect(container.textContent).toBe('short');
        await rerender({ text: HEAVY['word'] ?? '' });
        button('Show the rest');
    });

    it('is compared line by line only so far, and further when asked', async () => {
        const after = Array.from({ length: 1_000 }, (_, at) => `line ${at}`).join('\n');
        const { container } = render(Diff, { before: '', after });
        expect(container.querySelectorAll('li').length).toBe(300);
        for (const lines of [600, 900, 1_000]) {
            button('Show more').click();
            await tick();
            expect(container.querySelectorAll('li').length).toBe(lines);
        }
        expect(screen.queryByRole('button')).toBeNull();
    });
});
