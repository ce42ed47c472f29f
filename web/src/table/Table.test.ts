import { render, screen } from '@testing-library/svelte';
import { describe, expect, it } from 'vitest';
import { Track } from '../record/track';
import { BLANK, record } from '../replay/sample';
import Table from './Table.svelte';

const heard = (): (string | undefined)[] =>
    screen.getAllByRole('group').map((seat) => seat.textContent?.replace(/\s+/g, ' ').trim());

describe('the table', () => {
    it('says who speaks at the moment, and nobody who spoke before', async () => {
        const track = Track.of(record(null, true));
        const { rerender } = render(Table, { track, place: 7 });
        expect(heard().filter((seat) => seat?.includes('speaks'))).toEqual([expect.stringMatching(/^Bram/)]);
        await rerender({ track, place: 8 });
        expect(heard().filter((seat) => seat?.includes('speaks'))).toEqual([expect.stringMatching(/^Ada/)]);
    });

    it('has the light where somebody speaks who sits there, else none', async () => {
        const track = Track.of(record(null, true));
        const { container, rerender } = render(Table, { track, place: 7 });
        const light = (): HTMLElement | null => container.querySelector('.halo');
        const seat = (name: string): string | undefined =>
            [...container.querySelectorAll<HTMLElement>('.ring li')].find((one) => one.textContent?.includes(name))
                ?.style.transform;
        expect([light()?.hidden, light()?.style.transform]).toEqual([false, seat('Bram')]);
        await rerender({ track, place: 8 });
        expect([light()?.hidden, light()?.style.transform]).toEqual([false, seat('Ada')]);
        await rerender({ track, place: 4 });
        expect(light()?.hidden).toBe(true);
    });

    it('says who is asked, and draws it', async () => {
        const track = Track.of(record(null, true));
        const before = track.length;
        for (const seats of [['Ada', 'Cleo'], ['Cleo'], []])
            track.add({
                name: 'x.y.v1',
                at: '',
                actor: null,
                piece: null,
                marks: [{ mark: 'awaited', seats, text: '' }],
            });
        const { container, rerender } = render(Table, { track, place: before + 1 });
        const asked = (): (string | undefined)[][] => [
            heard().filter((seat) => seat?.includes('to act')),
            [...container.querySelectorAll('.asked')].map((one) => one.textContent?.replace(/\s+/g, ' ').trim()),
        ];
        expect(asked()).toEqual(Array(2).fill([expect.stringMatching(/^Ada/), expect.stringMatching(/^Cleo/)]));
        await rerender({ place: before + 2 });
        expect(asked()).toEqual(Array(2).fill([expect.stringMatching(/^Cleo/)]));
        await rerender({ place: before + 3 });
        expect(asked()).toEqual([[], []]);
    });

    it('shows what a seat has left at the moment, from when it was first told', async () => {
        const track = Track.of(record(null, true));
        const { rerender } = render(Table, { track, place: 9, version: 0 });
        expect(heard().join()).not.toContain('hit-points');
        for (const value of [9, 4])
            track.add({
                name: 'x.y.v1',
                at: '',
                actor: null,
                piece: BLANK,
                marks: [{ mark: 'resource', seat: 'Ada', name: 'hit-points', value, most: 9 }],
            });
        for (const [place, left] of [
            [11, '4/9'],
            [10, '9/9'],
        ] as const) {
            await rerender({ track, place, version: 1 });
            expect(heard().filter((seat) => seat?.includes('hit-points'))).toEqual([
                expect.stringMatching(RegExp(`^Ada.+hit-points ${left}`)),
            ]);
        }
    });
});
