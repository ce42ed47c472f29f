import { describe, expect, it } from 'vitest';
import type { OpenTurn } from '../api/client';
import { answerTo, contextOf, offersOf, partsOf } from './answers';

function turn(more: Partial<OpenTurn> & Record<string, unknown>): OpenTurn {
    const blank = { turn: 1, kind: 'vote', choices: [], attempts_left: 3, deadline: null, claimed_until: null };
    return {
        ...blank,
        ask: '',
        how: '',
        context: [],
        enter: null,
        options: [],
        form: null,
        goes_to: {},
        refused: [],
        prompt: '',
        ...more,
    };
}

describe('an answer', () => {
    it('is the choice that was taken, and leaves the words alone that were typed ahead', () => {
        const vote = turn({ choices: ['Bram', 'Cleo'] });
        expect(answerTo(vote, offersOf(vote)[1] ?? null, 'something for later')).toBe('Cleo');
    });

    it('has both where words belong to the choice', () => {
        const decide = turn({ choices: ['accept', 'iterate'], task: '20260101-1200-fair', artifact: null });
        expect(answerTo(decide, offersOf(decide)[1] ?? null, ' Shorter, please. ')).toBe('iterate\n\nShorter, please.');
        expect(answerTo(decide, offersOf(decide)[0] ?? null, '')).toBe('accept');
    });

    it('is the words as they were typed, a bare number being the choice that it numbers', () => {
        const vote = turn({ choices: ['Bram', 'Cleo'] });
        expect(answerTo(vote, null, ' I vote for Bram. ')).toBe('I vote for Bram.');
        expect(answerTo(vote, null, '2')).toBe('Cleo');
        expect(answerTo(vote, null, '7')).toBe('7');
        const bid = turn({ choices: ['1', '2', '0'] });
        expect(answerTo(bid, null, '0')).toBe('0');
        expect(answerTo(bid, null, '2')).toBe('2');
    });

    it('takes options by their numbers, and the words beside them as they are', () => {
        const decide = turn({ options: ['Go in', 'Wait'] });
        expect(answerTo(decide, offersOf(decide)[1] ?? null, '')).toBe('2');
        expect(answerTo(decide, null, 'I knock twice.')).toBe('I knock twice.');
    });

    it('is the short one of the turn where nothing was typed, and nothing where there is none', () => {
        expect(answerTo(turn({ enter: 'I understand.' }), null, '  ')).toBe('I understand.');
        expect(answerTo(turn({}), null, ' \n')).toBeNull();
    });

    it('is not asked for twice: lines that repeat the options are left out', () => {
        const decide = turn({ options: ['Go in', 'Wait'], context: ['A door.', 'Options:\n> 1 Go in\n> 2 Wait'] });
        expect(contextOf(decide)).toEqual(['A door.']);
        expect(contextOf(turn({ context: ['A door.'] }))).toEqual(['A door.']);
    });

    it('keeps what others wrote apart from what the game says', () => {
        expect(partsOf('The GM asks:\n> # Your link has ended\n>\n> Write it here.\nAnswer in words.')).toEqual([
            { quoted: false, text: 'The GM asks:' },
            { quoted: true, text: '# Your link has ended\n\nWrite it here.' },
            { quoted: false, text: 'Answer in words.' },
        ]);
    });
});
