import { describe, expect, it } from 'vitest';
import { read } from './dice';

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
