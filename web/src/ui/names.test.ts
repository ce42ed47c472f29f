import { expect, test } from 'vitest';
import { displayIn, displayName } from './names';

test.each([
    ['pim-tallow', 'Pim Tallow'],
    ['gm', 'GM'],
    ['team-lead', 'Team lead'],
    ['narrator', 'Narrator'],
    ['executor-2', 'Executor 2'],
    ['émile-zola', 'Émile Zola'],
    ['constructor', 'Constructor'],
])('%s is shown as %s', (seat, shown) => {
    expect(displayName(seat)).toBe(shown);
    expect(displayName(seat)).toBe(shown);
});

test.each(['Ada', 'Player 3', 'Jean-Luc', 'Team-Lead', 'McCoy', 'ada b', '-', 'a--b', '<b>ada</b>', '__proto__', '3'])(
    '%s is shown as somebody wrote it',
    (seat) => expect(displayName(seat)).toBe(seat),
);

test('a text is a seat only among the seats', () => {
    expect(displayIn('pim-tallow', ['pim-tallow', 'gm'])).toBe('Pim Tallow');
    expect(displayIn('well-done', ['pim-tallow', 'gm'])).toBe('well-done');
});
