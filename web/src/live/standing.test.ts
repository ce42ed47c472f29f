import { describe, expect, it } from 'vitest';
import type { OpenTurn } from '../api/client';
import { Track } from '../record/track';
import type { Entry, Mark } from '../record/types';
import { awaitedIn, isBallot, isHeld } from './standing';

function track(...entries: [name: string, marks?: Mark[], data?: Record<string, unknown>][]): Track {
    const made = new Track({ seat: 'Ada', full: false });
    for (const [name, marks = [], data = {}] of entries)
        made.add({ name, at: '', actor: null, data, piece: null, marks } satisfies Entry);
    return made;
}

describe('where a game stands', () => {
    it('says who else is awaited last, or what is', () => {
        const seats: Mark = { mark: 'awaited', seats: ['Ada', 'Bram'], text: '' };
        expect(awaitedIn(track(), 'Ada')).toBe('');
        expect(awaitedIn(track(['a', [seats]], ['b']), 'Ada')).toEqual(['Bram']);
        expect(awaitedIn(track(['a', [seats]], ['b', [{ mark: 'awaited', seats: [], text: 'the night' }]]), null)).toBe(
            'the night',
        );
    });

    it('is on hold from its placing to its lifting', () => {
        expect(isHeld(track(['core.turn-opened.v1']))).toBe(false);
        expect(isHeld(track(['core.hold-placed.v1'], ['x']))).toBe(true);
        expect(isHeld(track(['core.hold-placed.v1'], ['core.hold-lifted.v1']))).toBe(false);
    });

    it('knows a ballot by the entry that opened the turn', () => {
        const opened = (ballot: string | null) => track(['core.turn-opened.v1', [], { turn: 4, ballot }]);
        const turn = { turn: 4, choices: ['yes', 'no'] } as OpenTurn;
        expect(isBallot(opened('second'), turn)).toBe(true);
        expect(isBallot(opened(null), turn)).toBe(false);
        expect(isBallot(opened('role'), { ...turn, choices: [] })).toBe(false);
    });
});
