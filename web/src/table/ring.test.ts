import { describe, expect, it } from 'vitest';
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
