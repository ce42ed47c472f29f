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
        expect(doctor.getByLabelText('Bram saw it, at 3')).toBeTruthy();
        const told = doctor.getByLabelText('Cleo was told, and Ada denied it at 8');
        await fireEvent.click(told);
        expect(onjump).toHaveBeenCalledWith(8);
        expect(doctor.getByLabelText('Ada was told by Bram, at 7')).toBeTruthy();
    });

    it('sets apart in the full record what was said and is not so', () => {
        render(Matrix, { track: Track.of(record(null, true)), place: 9, onjump: vi.fn() });
        const rows = screen.getAllByRole('row').map((one) => one.querySelector('th')?.textContent);
        expect(rows.slice(1)).toEqual(['Ada is Mafia', 'Bram is Doctor', 'Said, and not so', 'Cleo is Mafia']);
    });

    it('keeps the cells of a row until one of them changes', () => {
        const track = Track.of(record(null, true));
        const lines = new Lines(track, track.players);
        const [, doctor] = track.rows;
        if (doctor === undefined) throw new Error('no row');
        expect(lines.at(doctor, 5)).toBe(lines.at(doctor, 6));
        expect(lines.at(doctor, 6)).not.toBe(lines.at(doctor, 7));
    });

    it('takes the first letter that a person sees', () => {
        expect(['nora', 'élan', '👩‍🚀x', ''].map(letter)).toEqual(['N', 'É', '👩‍🚀', '?']);
    });
});
