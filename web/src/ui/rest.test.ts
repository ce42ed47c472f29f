import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Rest } from './rest';

describe('a rest', () => {
    beforeEach(() => vi.useFakeTimers());
    afterEach(() => vi.useRealTimers());

    it.each([2, 10])('comes once, so long after the last of %i steps', (steps) => {
        const then = vi.fn();
        const rest = new Rest(250, then);
        for (let step = 0; step < steps; step++) {
            rest.stir();
            vi.advanceTimersByTime(100);
        }
        expect(then).not.toHaveBeenCalled();
        vi.advanceTimersByTime(149);
        expect(then).not.toHaveBeenCalled();
        vi.advanceTimersByTime(1);
        expect(then).toHaveBeenCalledOnce();
        vi.advanceTimersByTime(1000);
        expect(then).toHaveBeenCalledOnce();
        rest.stir();
        vi.advanceTimersByTime(250);
        expect(then).toHaveBeenCalledTimes(2);
    });

    it('does not come once it is ended', () => {
        const then = vi.fn();
        const rest = new Rest(250, then);
        rest.stir();
        rest.end();
        vi.advanceTimersByTime(1000);
        expect(then).not.toHaveBeenCalled();
    });
});
