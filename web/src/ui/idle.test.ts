import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Idle } from './idle';

describe('a idle', () => {
    beforeEach(() => vi.useFakeTimers());
    afterEach(() => vi.useRealTimers());

    it.each([2, 10])('comes once, so long after the last of %i steps', (steps) => {
        const then = vi.fn();
        const idle = new Idle(250, then);
        for (let step = 0; step < steps; step++) {
            idle.stir();
            vi.advanceTimersByTime(100);
        }
        expect(then).not.toHaveBeenCalled();
        vi.advanceTimersByTime(149);
        expect(then).not.toHaveBeenCalled();
        vi.advanceTimersByTime(1);
        expect(then).toHaveBeenCalledOnce();
        vi.advanceTimersByTime(1000);
        expect(then).toHaveBeenCalledOnce();
        idle.stir();
        vi.advanceTimersByTime(250);
        expect(then).toHaveBeenCalledTimes(2);
    });

    it('does not come once it is ended', () => {
        const then = vi.fn();
        const idle = new Idle(250, then);
        idle.stir();
        idle.end();
        vi.advanceTimersByTime(1000);
        expect(then).not.toHaveBeenCalled();
    });
});
