import { render, screen } from '@testing-library/svelte';
import { expect, test } from 'vitest';
import { hands } from './handed.svelte';
import HandedLinks from './HandedLinks.svelte';

test('each link is shown, though a seat has the name of another kind of link', async () => {
    const link = (opens: string, seat: string | null) =>
        ({ name: 'Keeping', about: '', opens, link: `http://here/#${opens}`, icon: 'key', seat }) as const;
    render(HandedLinks);
    hands.show({
        title: 'Links',
        note: '',
        links: [link('keeper', null), link('seat', 'Keeping')],
        players: ['Keeping'],
    });
    await screen.findByDisplayValue('http://here/#keeper');
    expect(screen.getByDisplayValue('http://here/#seat')).toBeTruthy();
    hands.close();
});
