import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Piece } from '../record/types';
import { Pace, restAfter } from './pace.svelte';

function piece(words: string, more: Partial<Piece> = {}): Piece {
    const blank = { who: null, to: [], title: [], lead: [], note: '', chapter: null, private: null, grid: null };
    return {
        kind: 'speech',
        ...blank,
        words: [{ who: 'Ada', text: words }],
        mood: '',
        weight: 1,
        numbers: {},
        ...more,
    };
}

describe('the pace', () => {
    beforeEach(() => void vi.useFakeTimers());
    afterEach(() => void vi.useRealTimers());

    it('tells at once what comes while nothing is being read, and the rest as it can be read', () => {
        const pieces: (Piece | null)[] = [];
        const pace = new Pace(
            () => pieces.length,
            (place) => pieces[place - 1] ?? null,
        );
        pieces.push(piece('x'.repeat(100)));
        pace.go();
        expect(pace.place).toBe(1);
        pieces.push(null, piece('y'), piece('z'));
        pace.go();
        expect(pace.place).toBe(1);
        vi.advanceTimersByTime(restAfter(pieces[0] ?? null));
        expect(pace.place).toBe(3);
        vi.advanceTimersByTime(10_000);
        expect(pace.place).toBe(4);
    });

    it('comes to the present when it is told to', () => {
        const pace = new Pace(
            () => 9,
            () => piece('long '.repeat(100)),
        );
        pace.go();
        pace.jump();
        expect(pace.place).toBe(9);
        vi.advanceTimersByTime(60_000);
        expect(pace.place).toBe(9);
    });

    it('rests by the length of what is told, longer at counts and deaths, and never for what is not', () => {
        expect(restAfter(null)).toBe(0);
        expect(restAfter(piece('x', { weight: 0 }))).toBe(0);
        expect(restAfter(piece('x'))).toBeLessThan(restAfter(piece('x'.repeat(90))));
        expect(restAfter(piece('x', { kind: 'ballot' }))).toBeGreaterThan(2_000);
        expect(restAfter(piece('x'.repeat(9_999)))).toBeLessThan(5_000);
    });
});
