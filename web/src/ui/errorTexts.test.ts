import { fireEvent, render, screen } from '@testing-library/svelte';
import { expect, test, vi } from 'vitest';
import { Problem } from '../api/client';
import ErrorPage from './ErrorPage.svelte';
import { isLoopback, pasted } from './links';
import { errorText } from './errorTexts';

const TOKEN = `svs_${'a'.repeat(43)}`;

test.each([
    ['no-link', 'Open your link', 'paste'],
    ['unauthorized', 'This link no longer works', 'paste'],
    ['unknown', 'Game not found', 'again'],
    ['away', 'Can’t reach the server', 'again'],
    ['unavailable', 'Unavailable', 'again'],
    ['internal', 'Server error', 'again'],
    ['broken', 'Something went wrong', 'reload'],
    ['elsewhere', 'Unavailable', 'home'],
    ['never-heard-of', 'Unavailable', 'again'],
] as const)('%s has its words and a way on', (slug, title, way) => {
    const told = errorText(new Problem(400, slug, 'Unavailable', 'Do this.'), TOKEN);
    expect(told.title).toBe(title);
    expect(told.words).not.toBe('');
    expect(told.ways).toContain(way);
});

test("a host's ended link says where the new one stands", () => {
    const problem = new Problem(401, 'unauthorized', '', '');
    expect(errorText(problem, 'svh_x').words).toContain('terminal');
    expect(errorText(problem, TOKEN).words).toContain('keeper of the game');
});

test('the page of a problem offers its ways', async () => {
    const again = vi.fn();
    const problem = new Problem(404, 'unknown', 'Not there', '');
    render(ErrorPage, { problem, token: TOKEN, again, home: () => undefined });
    await fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
    expect(again).toHaveBeenCalledOnce();
    await fireEvent.input(screen.getByLabelText('Your link'), { target: { value: 'nonsense' } });
    await fireEvent.click(screen.getByRole('button', { name: 'Open' }));
    expect(screen.getByText(/link is incomplete/)).toBeTruthy();
    await fireEvent.input(screen.getByLabelText('Your link'), {
        target: { value: `https://games.example/games/x#${TOKEN}` },
    });
    await fireEvent.click(screen.getByRole('button', { name: 'Open' }));
    const away = screen.getByRole<HTMLAnchorElement>('link', { name: 'Open it there' });
    expect(away.href).toBe(`https://games.example/games/x#${TOKEN}`);
});

test('a pasted link leads where it says, and nothing else leads anywhere', () => {
    const here = 'http://127.0.0.1:8642';
    expect(pasted(` ${here}/games/x#${TOKEN} `, here)).toEqual({ leads: 'here', address: `/games/x#${TOKEN}` });
    for (const text of ['', 'x', `${here}/games/x`, `${here}/games/x#at=4`, `javascript:alert(1)#${TOKEN}`])
        expect(pasted(text, here)).toEqual({ leads: 'nowhere' });
});

test.each([
    ['http://127.0.0.1:8642/', true],
    ['http://localhost/', true],
    ['http://[::1]:1/', true],
    ['https://games.example/', false],
    ['http://192.168.1.4:8642/', false],
])('%s leads to this machine alone: %s', (link, alone) => {
    expect(isLoopback(link)).toBe(alone);
});
