import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { pause } from './pause';

describe('a pause before something is tried again', () => {
    beforeEach(() => void vi.useFakeTimers());
    afterEach(() => void vi.useRealTimers());

    const ended = (ms: number) => {
        const state = { over: false };
        void pause(ms).then(() => (state.over = true));
        return state;
    };

    it('lasts as long as it is to', async () => {
        const state = ended(8_000);
        await vi.advanceTimersByTimeAsync(7_999);
        expect(state.over).toBe(false);
        await vi.advanceTimersByTimeAsync(1);
        expect(state.over).toBe(true);
    });

    it('is over at once when there is a network again', async () => {
        const state = ended(8_000);
        dispatchEvent(new Event('online'));
        await vi.advanceTimersByTimeAsync(0);
        expect(state.over).toBe(true);
        expect(vi.getTimerCount()).toBe(0);
    });
});
