import { render, screen } from '@testing-library/svelte';
import { expect, test } from 'vitest';
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
