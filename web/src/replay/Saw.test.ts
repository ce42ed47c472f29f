import { fireEvent, render, screen, within } from '@testing-library/svelte';
import { describe, expect, it, vi } from 'vitest';
import { Track } from '../record/track';
import Saw from './Saw.svelte';
import { record } from './sample';

describe('who saw what', () => {
    it('marks each seat that has an entry, and what was handed over to it', async () => {
        const onjump = vi.fn();
        const handed = (seat: string, position: number) =>
            seat === 'Bram' && position === 3 ? 'handed over to house' : null;
        render(Saw, { track: Track.of(record(null, true)), place: 3, onjump, handed });
        const line = within(screen.getByRole('rowheader', { name: /Bram is Doctor/ }).closest('tr') as HTMLElement);
        expect(line.getAllByRole('cell').map((cell) => cell.title)).toEqual([
            'narrator saw it',
            '',
            'Bram saw it, handed over to house',
            '',
        ]);
        await fireEvent.click(line.getByRole('button', { name: 'To 3' }));
        expect(onjump).toHaveBeenCalledWith(3);
    });

    it('draws only the rows in sight', () => {
        const whole = record(null, true);
        whole.entries = Array.from({ length: 5000 }, (_, index) => ({
            ...(whole.entries[index % 9] as (typeof whole.entries)[0]),
            position: index + 1,
        }));
        render(Saw, { track: Track.of(whole), place: 1, onjump: vi.fn() });
        expect(screen.getAllByRole('row').length).toBeLessThan(60);
        expect(screen.getByRole('table').getAttribute('aria-rowcount')).toBe('5001');
    });

    it('stays at the moment when told late of the scroll before', async () => {
        const laidOut: (() => void)[] = [];
        vi.stubGlobal(
            'ResizeObserver',
            class {
                constructor(told: () => void) {
                    laidOut.push(told);
                }
                observe(): void {}
                unobserve(): void {}
                disconnect(): void {}
            },
        );
        const whole = record(null, true);
        whole.entries = Array.from({ length: 5000 }, (_, index) => ({
            ...(whole.entries[index % 9] as (typeof whole.entries)[0]),
            position: index + 1,
        }));
        const track = Track.of(whole);
        const { rerender } = render(Saw, { track, place: 1000, onjump: vi.fn() });
        const list = screen.getByRole('group', { name: 'Events by seats' });
        const drawn = (at: number): boolean => screen.queryByRole('button', { name: `To ${at}` }) !== null;
        laidOut.at(-1)?.();
        expect(list.scrollTop).toBeGreaterThan(0);
        await rerender({ place: 2000 });
        await fireEvent.scroll(list);
        expect(drawn(2000)).toBe(true);
        list.scrollTop = 0;
        await fireEvent.scroll(list);
        expect([drawn(1), drawn(2000)]).toEqual([true, false]);
        vi.unstubAllGlobals();
    });
});
