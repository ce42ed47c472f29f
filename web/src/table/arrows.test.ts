import { describe, expect, it } from 'vitest';
import { arrows } from './arrows';

describe('votes', () => {
    const places = new Map([
        ['Ada', { x: 0, y: 0 }],
        ['Bram', { x: 200, y: 0 }],
    ]);
    const vote = (of: string, to: string | null) => ({ of, for: to, choice: '', ballot: 'b', place: 1 });

    it('are arrows between seats; a vote for nobody, or for oneself, is none', () => {
        const drawn = arrows(
            [vote('Ada', 'Bram'), vote('Bram', null), vote('Bram', 'Bram'), vote('Ada', 'Zoe')],
            places,
            { x: 100, y: 100 },
            { side: 20, below: 40 },
        );
        expect(drawn.map((one) => [one.of, one.to])).toEqual([['Ada', 'Bram']]);
    });
});

describe('an arrow', () => {
    const places = new Map([
        ['Top', { x: 100, y: 0 }],
        ['Foot', { x: 100, y: 400 }],
    ]);
    const drawn = (of: string, to: string) =>
        arrows(
            [{ of, for: to, choice: '', ballot: 'b', place: 1 }],
            places,
            { x: 100, y: 200 },
            { side: 30, below: 60 },
        )[0]?.path;

    it('leaves free the face, and below it the name', () => {
        expect(drawn('Top', 'Foot')).toMatch(/^M100,60/);
        expect(drawn('Top', 'Foot')).toMatch(/L100,367$/);
        expect(drawn('Foot', 'Top')).toMatch(/^M100,370/);
        expect(drawn('Foot', 'Top')).toMatch(/L100,63$/);
    });
});
