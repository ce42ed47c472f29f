import { describe, expect, it } from 'vitest';
import { Track } from '../record/track';
import { fresh, HandOvers, Seqs } from './handovers';
import { record } from './sample';

const receipt = (number: number, seat: string, data: Record<string, unknown>) => ({
    game: 'g',
    number,
    name: 'core.x.v1',
    at: '',
    seat,
    data,
    texts: [],
    hash: '',
});

describe('hand-overs', () => {
    const handed = new HandOvers();
    handed.add([
        receipt(1, 'Ada', { call: 'a', turn: 1, from: 1, to: 2, by: 'view', agent: 'openai:x' }),
        receipt(2, 'Bram', { call: 'b', turn: null, from: 1, to: 1, by: 'http' }),
        receipt(3, 'Ada', { call: 'a', how: 'accepted', prompt_tokens: 900, reply_tokens: 40, cost: 0.5 }),
        receipt(4, 'Ada', {
            call: 'c',
            turn: 2,
            from: 1,
            to: 5,
            by: 'view',
            how: 'accepted',
            prompt_tokens: 1000,
            reply_tokens: null,
        }),
    ]);

    it('are of a seat and a turn, with how the call ended', () => {
        expect(handed.turns('Ada').map((one) => [one.turn, one.last, one.how])).toEqual([
            [1, 2, 'accepted'],
            [2, 5, 'accepted'],
        ]);
        expect(handed.turns('Bram')).toEqual([]);
        expect(handed.total('Ada')).toEqual({ prompt: 1900, reply: 40, cost: 0.5 });
        expect(handed.total('Bram')).toEqual({ prompt: null, reply: null, cost: null });
    });

    it('are no more where the same was handed over again', () => {
        const again = new HandOvers();
        const data = { turn: 1, from: 1, to: 2, by: 'http', agent: 'outside' };
        again.add([
            receipt(1, 'Ada', { ...data, call: 'a' }),
            { ...receipt(2, 'Ada', { ...data, call: 'b', times: 40 }), name: 'core.handed-again.v1' },
        ]);
        expect(again.turns('Ada').map((one) => one.number)).toEqual([1]);
    });

    it('say by which of them an entry came first', () => {
        expect([1, 4, 6].map((seq) => handed.broughtBy('Ada', seq)?.number ?? null)).toEqual([1, 4, null]);
    });

    it('say what an agent had in mind when it last answered, and nothing of what it might have answered', () => {
        const minds = new HandOvers();
        const mind = { thoughts: 'Hm.', suspicion: { Bram: -1, Cleo: 2.5, Dirk: 'much' } };
        minds.add([
            receipt(1, 'Ada', { call: 'a', turn: 1, from: 1, to: 2, by: 'view', how: 'accepted', mind }),
            receipt(2, 'Ada', { call: 'b', turn: 2, from: 1, to: 5, by: 'prompt' }),
            receipt(3, 'Ada', { call: 'b', how: 'accepted', mind: { thoughts: 7, suspicion: null } }),
            receipt(4, 'Ada', { call: 'c', turn: 3, from: 1, to: 9, by: 'prompt', how: 'failed', mind: 'none' }),
        ]);
        expect([1, 2, 4, 5, 99].map((seq) => minds.minded('Ada', seq).map((one) => one.number))).toEqual([
            [],
            [1],
            [1],
            [1, 2],
            [1, 2],
        ]);
        expect(minds.minded('Ada', 3).at(-1)?.mind).toEqual({
            thoughts: 'Hm.',
            suspicion: [
                ['Cleo', 2.5],
                ['Bram', -1],
            ],
        });
        expect(minds.minded('Ada', 5).at(-1)?.mind).toEqual({ thoughts: '', suspicion: [] });
        expect(minds.minded('Bram', 5)).toEqual([]);
    });

    it('are found by the seqs that follow from the audiences', () => {
        const seqs = new Seqs(Track.of(record(null, true)));
        expect([1, 2, 3, 9].map((position) => seqs.seq('Bram', position))).toEqual([1, 1, 2, 7]);
        expect([seqs.position('Bram', 2), seqs.position('Bram', 99)]).toEqual([3, null]);
    });
});

describe('what is new in a text', () => {
    it('is the lines between what it has in common with the older one', () => {
        expect(fresh('a\nb\nnew\nc', 'a\nb\nc')).toEqual({ before: 'a\nb\n', fresh: 'new\n', after: 'c' });
        expect(fresh('a', undefined)).toEqual({ before: '', fresh: 'a', after: '' });
        expect(fresh('same', 'same').fresh).toBe('');
    });

    it('loses not a byte', () => {
        for (const [text, older] of [
            ['a\n\nb\n', 'a\nb\n'],
            ['x', 'y'],
            ['a\na\na', 'a\na'],
            ['', 'a'],
        ] as const) {
            const { before, fresh: part, after } = fresh(text, older);
            expect(before + part + after).toBe(text);
        }
    });
});
