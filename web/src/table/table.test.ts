import { describe, expect, it } from 'vitest';
import { arrows } from './arrows';
import { read } from './dice';
import { ring, seated } from './ring';

describe('the ring', () => {
    it.each([3, 8, 12, 20])('seats %i apart from one another, in a window as in a phone', (count) => {
        for (const width of [332, 620, 1240]) {
            const { seats, face, height } = ring(count, width);
            expect(seats).toHaveLength(count);
            for (const [index, one] of seats.entries()) {
                expect(one.x).toBeGreaterThanOrEqual(face / 2);
                expect(one.x).toBeLessThanOrEqual(width - face / 2);
                expect(one.y).toBeGreaterThanOrEqual(face / 2 - 1);
                expect(one.y).toBeLessThanOrEqual(height - face / 2);
                for (const other of seats.slice(0, index))
                    expect(Math.hypot(one.x - other.x, one.y - other.y)).toBeGreaterThan(face);
            }
        }
    });

    it('has the own seat at the foot, and the others in their order', () => {
        expect(seated(['Ada', 'Bram', 'Cleo'], 'Bram')).toEqual(['Bram', 'Cleo', 'Ada']);
        expect(seated(['Ada', 'Bram'], null)).toEqual(['Ada', 'Bram']);
        const { seats, centre } = ring(4, 600);
        expect(seats[0]?.x).toBeCloseTo(centre.x);
        expect(seats[0]?.y).toBeGreaterThan(centre.y);
    });
});

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

describe('dice', () => {
    it('are read as they are told', () => {
        expect(read('Tilda rolls 1d20+5 = [8]+5 = 13 against 12')).toEqual({
            die: 20,
            faces: [8],
            rest: '+5',
            total: 13,
        });
        expect(read('2d6 = [4, 2] = 6')?.faces).toEqual([4, 2]);
        expect(read('no dice')).toBeNull();
    });
});
