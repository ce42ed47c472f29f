import { fireEvent, render, screen, within } from '@testing-library/svelte';
import { describe, expect, it, vi } from 'vitest';
import { Track } from '../record/track';
import WhoSawWhat from './WhoSawWhat.svelte';
import { record } from './sample';

describe('who saw what', () => {
    it('marks each seat that has an entry, and what was handed over to it', async () => {
        const onjump = vi.fn();
        const handed = (seat: string, position: number) => (seat === 'Bram' && position === 3 ? 'sent to house' : null);
        render(WhoSawWhat, { track: Track.of(record(null, true)), place: 3, onjump, handed });
        const line = within(screen.getByRole('rowheader', { name: /Bram is Doctor/ }).closest('tr') as HTMLElement);
        expect(line.getAllByRole('cell').map((cell) => cell.title)).toEqual([
            'Narrator saw it',
            '',
            'Bram saw it, sent to house',
            '',
        ]);
        await fireEvent.click(line.getByRole('button', { name: 'Go to event 3' }));
        expect(onjump).toHaveBeenCalledWith(3);
    });

    it('draws only the rows in sight', () => {
        const whole = record(null, true);
        whole.entries = Array.from({ length: 5000 }, (_, index) => ({
            ...(whole.entries[index % 9] as (typeof whole.entries)[0]),
            position: index + 1,
        }));
        render(WhoSawWhat, { track: Track.of(whole), place: 1, onjump: vi.fn() });
        expect(screen.getAllByRole('row').length).toBeLessThan(60);
        expect(screen.getByRole('table').getAttribute('aria-rowcount')).toBe('5001');
    });

    it('hears nothing any more of a list that has gone', async () => {
        const { unmount } = render(WhoSawWhat, { track: Track.of(record(null, true)), place: 3, onjump: vi.fn() });
        const list = screen.getByRole('group', { name: 'Events by seat' });
        await unmount();
        // A browser tells late, in its next frame, that a list was scrolled.
        const wrong = vi.fn((event: ErrorEvent) => event.preventDefault());
        addEventListener('error', wrong);
        list.dispatchEvent(new Event('scroll'));
        removeEventListener('error', wrong);
        expect(wrong).not.toHaveBeenCalled();
    });

    it('moves its rows with the moment, and is scrolled to where they stand once nobody steps', async () => {
        vi.useFakeTimers();
        const whole = record(null, true);
        whole.entries = Array.from({ length: 5000 }, (_, index) => ({
            ...(whole.entries[index % 9] as (typeof whole.entries)[0]),
            position: index + 1,
        }));
        const { rerender } = render(WhoSawWhat, { track: Track.of(whole), place: 1000, onjump: vi.fn() });
        const list = screen.getByRole('group', { name: 'Events by seat' });
        const rows = list.querySelector('tbody') as HTMLElement;
        const drawn = (at: number): boolean => screen.queryByRole('button', { name: `Go to event ${at}` }) !== null;
        /** Where a row is seen, in pixels from the list's upper edge. */
        const seen = (at: number): number => {
            const lines = [...rows.querySelectorAll('tr[aria-rowindex]')];
            const line = lines.findIndex((one) => one.getAttribute('aria-rowindex') === `${at + 1}`);
            return Number.parseFloat(rows.style.translate.split(' ')[1] ?? '') + line * 26 - list.scrollTop;
        };
        await rerender({ place: 1000 });
        const first = list.scrollTop;
        expect(first).toBeGreaterThan(0);
        const below = seen(1000);
        await rerender({ place: 2000 });
        expect([list.scrollTop, seen(2000)]).toEqual([first, below]);
        vi.advanceTimersByTime(300);
        await vi.advanceTimersByTimeAsync(0);
        expect([list.scrollTop, seen(2000)]).toEqual([1999 * 26 - below, below]);
        // That it was scrolled is told late, when a step has moved the rows already.
        await rerender({ place: 3000 });
        await fireEvent.scroll(list);
        expect([drawn(3000), seen(3000)]).toEqual([true, below]);
        // Whoever scrolls now goes on from what is seen.
        list.scrollTop -= 52;
        await fireEvent.scroll(list);
        expect(seen(3000)).toBe(below + 52);
        vi.advanceTimersByTime(300);
        list.scrollTop = 0;
        await fireEvent.scroll(list);
        expect([drawn(1), drawn(3000)]).toEqual([true, false]);
        vi.useRealTimers();
    });

    it('has its rows in their order, however they are used again', async () => {
        const whole = record(null, true);
        whole.entries = Array.from({ length: 500 }, (_, index) => ({
            ...(whole.entries[index % 9] as (typeof whole.entries)[0]),
            position: index + 1,
        }));
        const track = Track.of(whole);
        const { rerender } = render(WhoSawWhat, { track, place: 1, onjump: vi.fn() });
        const row = (at: number): HTMLElement =>
            screen.getByRole('button', { name: `Go to event ${at}` }).closest('tr') as HTMLElement;
        const before = [...document.querySelectorAll('tbody tr')];
        for (const place of [40, 43, 60, 300, 200, 499, 1]) {
            await rerender({ place });
            const drawn = [...document.querySelectorAll('tbody tr[aria-rowindex]')];
            const numbers = drawn.map((one) => Number(one.getAttribute('aria-rowindex')) - 1);
            expect(numbers).toEqual(numbers.map((_, index) => (numbers[0] ?? 0) + index));
            expect(numbers).toContain(place);
            expect(within(row(place)).getByRole('rowheader').textContent).toContain(`${place}`);
            expect([...document.querySelectorAll('tbody tr')].every((one) => before.includes(one))).toBe(true);
        }
    });
});
