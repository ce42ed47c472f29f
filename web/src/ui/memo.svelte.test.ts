import { flushSync } from 'svelte';
import { describe, expect, it } from 'vitest';
import { Memo } from './memo.svelte';

describe('a steady value', () => {
    it('is at once what it is of, and tells its readers of another', () => {
        let place = $state(1);
        const heard: number[] = [];
        const end = $effect.root(() => {
            const tens = new Memo(() => Math.floor(place / 10));
            expect(tens.now).toBe(0);
            $effect(() => {
                heard.push(tens.now);
            });
        });
        for (const next of [5, 12, 19, 31]) {
            flushSync();
            place = next;
        }
        flushSync();
        expect(heard).toEqual([0, 1, 3]);
        end();
    });

    it('stands still before its readers are asked, so that none sees the old beside the new', () => {
        let place = $state(1);
        const seen: boolean[] = [];
        const end = $effect.root(() => {
            const same = new Memo(() => place);
            $effect.pre(() => {
                seen.push(place === same.now);
            });
        });
        flushSync();
        place = 2;
        flushSync();
        expect(seen).not.toContain(false);
        end();
    });
});
