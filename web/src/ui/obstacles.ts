/** Each problem that takes the page, in words, and what way leads on. */
import type { Problem } from '../api/client';

/** `paste` another link, try `again`, `reload` the page, go to where the link leads (`home`). */
export type Way = 'paste' | 'again' | 'reload' | 'home';

export interface Obstacle {
    title: string;
    words: string;
    ways: Way[];
}

const ENDED =
    'It was ended, or a newer one was issued in its place, or a part of it was lost on the way. Ask whoever keeps the game for a new link, and paste it here. What you did in the game is kept.';
const HOST =
    'The host’s link is a new one whenever the server starts, unless its settings keep one. It stands in the terminal where the server runs: paste it here.';

/** What a problem comes to for whoever came with `token`, or with none. */
export function obstacle(problem: Problem, token: string | null): Obstacle {
    switch (problem.slug) {
        case 'no-link':
            return {
                title: 'A link opens this page',
                words: 'Whoever opens a game gets links for it, one for each seat and one to look on. Paste yours here.',
                ways: ['paste'],
            };
        case 'unauthorized':
            return {
                title: 'This link has ended',
                words: token?.startsWith('svh_') === true ? HOST : ENDED,
                ways: ['paste', 'again'],
            };
        case 'elsewhere':
            return { title: problem.title, words: problem.detail, ways: ['home', 'paste'] };
        case 'unknown':
            return {
                title: 'There is no such game here',
                words: 'It is gone from this server’s log, or it never was in it. Whoever keeps the game knows where it is played now.',
                ways: ['again', 'paste'],
            };
        case 'away':
            return {
                title: 'The server does not answer',
                words: 'It is stopped, or the network is. Trying again by itself; your link stays good.',
                ways: ['again'],
            };
        case 'unavailable':
        case 'too-many':
            return { title: problem.title, words: `${problem.detail} Trying again by itself.`, ways: ['again'] };
        case 'internal':
            return { title: 'The server failed', words: problem.detail, ways: ['again'] };
        case 'broken':
            return {
                title: 'This page has failed',
                words: `The fault is the page’s, and your game goes on. What it says: ${problem.detail}`,
                ways: ['reload'],
            };
        default:
            return { title: problem.title, words: problem.detail, ways: ['again', 'paste'] };
    }
}
