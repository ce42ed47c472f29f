/** Each problem that takes the page, in words, and what way leads on. */
import type { Problem } from '../api/client';

/** `paste` another link, try `again`, `reload` the page, go to where the link leads (`home`). */
export type Way = 'paste' | 'again' | 'reload' | 'home';

export interface ErrorText {
    title: string;
    words: string;
    ways: Way[];
}

const ENDED =
    'It was revoked or replaced, or it is incomplete. Ask the keeper of the game for a new one and paste it here. Your moves are saved.';
const HOST =
    'The host link changes each time the server starts, unless its settings keep one. Copy the current one from the server’s terminal and paste it here.';

/** What a problem comes to for whoever came with `token`, or with none. */
export function errorText(problem: Problem, token: string | null): ErrorText {
    switch (problem.slug) {
        case 'no-link':
            return {
                title: 'Open your link',
                words: 'You need a link to enter. The person who created the game has one for each seat and one for spectators. Paste yours here.',
                ways: ['paste'],
            };
        case 'unauthorized':
            return {
                title: 'This link no longer works',
                words: token?.startsWith('svh_') === true ? HOST : ENDED,
                ways: ['paste', 'again'],
            };
        case 'elsewhere':
            return { title: problem.title, words: problem.detail, ways: ['home', 'paste'] };
        case 'unknown':
            return {
                title: 'Game not found',
                words: 'This server does not have the game. Ask its keeper where it is played now.',
                ways: ['again', 'paste'],
            };
        case 'away':
            return {
                title: 'Can’t reach the server',
                words: 'The server or your network is down. Reconnecting automatically. Your link still works.',
                ways: ['again'],
            };
        case 'unavailable':
        case 'too-many':
            return { title: problem.title, words: `${problem.detail} Retrying automatically.`, ways: ['again'] };
        case 'internal':
            return { title: 'Server error', words: problem.detail, ways: ['again'] };
        case 'broken':
            return {
                title: 'Something went wrong',
                words: `The page crashed. Your game is not affected. Details: ${problem.detail}`,
                ways: ['reload'],
            };
        default:
            return { title: problem.title, words: problem.detail, ways: ['again', 'paste'] };
    }
}
