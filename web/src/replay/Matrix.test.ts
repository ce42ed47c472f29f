import { fireEvent, render, screen, within } from '@testing-library/svelte';
import { describe, expect, it, vi } from 'vitest';
import { Track } from '../record/track';
import Matrix from './Matrix.svelte';
import { letter, Lines } from './matrix';
import { record } from './sample';

const row = (says: string) => within(screen.getByText(says).closest('tr') as HTMLElement);

describe('who knows what', () => {
    it('has a row for what has come up by now, in a seat’s chair what that chair has heard of', () => {
        const track = Track.of(record('Cleo'));
        const { rerender } = render(Matrix, { track, place: 3, onjump: vi.fn() });
        expect(screen.queryByRole('table')).toBeNull();
        void rerender({ place: 4 });
        return Promise.resolve().then(() => {
            expect(screen.getByText('Bram is Doctor')).toBeTruthy();
            expect(screen.queryByText('Ada is Mafia')).toBeNull();
        });
    });

    it('says how each seat knows, and leads to where it came to know', async () => {
        const onjump = vi.fn();
        render(Matrix, { track: Track.of(record(null, true)), place: 9, onjump });
        const doctor = row('Bram is Doctor');
        expect(doctor.getByLabelText('Bram saw it at event 3')).toBeTruthy();
        const told = doctor.getByLabelText('Cleo was told, then Ada denied it at event 8');
        await fireEvent.click(told);
        expect(onjump).toHaveBeenCalledWith(8);
        expect(doctor.getByLabelText('Ada was told by Bram at event 7')).toBeTruthy();
    });

    it('sets apart in the full record what was said and is not so', () => {
        render(Matrix, { track: Track.of(record(null, true)), place: 9, onjump: vi.fn() });
        const rows = screen.getAllByRole('row').map((one) => one.querySelector('th')?.textContent);
        expect(rows.slice(1)).toEqual(['Ada is Mafia', 'Bram is Doctor', 'False claims', 'Cleo is Mafia']);
    });

    it('keeps the cells of a row until one of them changes', () => {
        const track = Track.of(record(null, true));
        const lines = new Lines(track, track.players);
        const [, doctor] = track.rows;
        if (doctor === undefined) throw new Error('no row');
        expect(lines.at(doctor, 5)).toBe(lines.at(doctor, 6));
        expect(lines.at(doctor, 6)).not.toBe(lines.at(doctor, 7));
    });

    it('writes those cells of a row anew that change, where they stand', async () => {
        const { rerender } = render(Matrix, { track: Track.of(record(null, true)), place: 6, onjump: vi.fn() });
        const cells = (): (Element | null)[] =>
            row('Bram is Doctor')
                .getAllByRole('cell')
                .map((cell) => cell.firstElementChild);
        const looks = (): (string | undefined)[] => cells().map((cell) => cell?.className);
        const before = [cells(), looks()] as const;
        await rerender({ place: 7 });
        const told = cells();
        expect(looks().filter((look, column) => look !== before[1][column]).length).toBeGreaterThan(0);
        told.forEach((cell, column) => {
            if (cell?.className === before[0][column]?.className) expect(cell).toBe(before[0][column]);
        });
        await rerender({ place: 8 });
        expect(row('Bram is Doctor').getByLabelText('Cleo was told, then Ada denied it at event 8')).toBe(told.at(2));
        await rerender({ place: 6 });
        expect(looks()).toEqual(before[1]);
        expect(
            row('Bram is Doctor')
                .queryAllByRole('button')
                .some((one) => one.dataset['by'] === 'A'),
        ).toBe(false);
    });

    it('has a cell in each row for each column, as columns come and go', async () => {
        const track = Track.of(record(null, true));
        track.add({
            name: 'x.y.v1',
            at: '',
            actor: null,
            piece: null,
            marks: [
                {
                    mark: 'fact',
                    fact: ['saw', 'Ada', 'the mill'],
                    says: 'Ada saw the mill',
                    about: ['Ada'],
                    to: ['Ada'],
                    way: 'saw',
                    label: '',
                },
            ],
        });
        const { rerender } = render(Matrix, { track, place: track.length - 1, onjump: vi.fn() });
        const columns = (): number => document.querySelectorAll('th[scope=col]').length;
        const cells = (): number => row('Bram is Doctor').getAllByRole('cell').length;
        const before = columns();
        expect(cells()).toBe(before);
        await rerender({ place: track.length });
        expect([columns(), cells()]).toEqual([before + 1, before + 1]);
        await rerender({ place: track.length - 1 });
        expect([columns(), cells()]).toEqual([before, before]);
    });

    it('lights the columns of the seats that are looked at', async () => {
        const { rerender } = render(Matrix, {
            track: Track.of(record(null, true)),
            place: 9,
            lit: ['Ada'],
            onjump: vi.fn(),
        });
        const lit = (): boolean[] =>
            row('Bram is Doctor')
                .getAllByRole('cell')
                .map((cell) => cell.classList.contains('lit'));
        expect(lit().slice(0, 3)).toEqual([true, false, false]);
        await rerender({ lit: ['Bram', 'Cleo'] });
        expect(lit().slice(0, 3)).toEqual([false, true, true]);
    });

    it('takes the first letter that a person sees', () => {
        expect(['nora', 'élan', '👩‍🚀x', ''].map(letter)).toEqual(['N', 'É', '👩‍🚀', '?']);
    });
});
