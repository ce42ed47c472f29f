import { fireEvent, render, screen } from '@testing-library/svelte';
import { describe, expect, it, vi } from 'vitest';
import { ALL } from '../record/address';
import Picker from './Picker.svelte';
import { Reader } from './reader.svelte';
import { record } from './sample';
import { TrackStore } from './trackStore.svelte';

function shown() {
    const trackStore = new TrackStore([record(null, true), record('Ada'), record('Cleo'), record(null)]);
    const reader = new Reader(trackStore);
    const pick = vi.fn((chair: string, beside: boolean) => void reader.take(chair, beside));
    const audit = vi.fn();
    render(Picker, { reader, chairs: trackStore.chairs, players: ['Ada', 'Bram', 'Cleo'], full: true, pick, audit });
    return { reader, pick, audit };
}

const button = (name: string) => screen.getByRole('button', { name });

describe('the picker', () => {
    it('offers the chairs whose records there are, and says which is taken', async () => {
        const { reader } = shown();
        expect(screen.getAllByRole('button').map((one) => one.textContent.trim())).toEqual([
            'All seats',
            'Ada',
            'Cleo',
            'Spectator',
            'Auditor',
            'Compare',
        ]);
        expect(button('All seats').getAttribute('aria-pressed')).toBe('true');
        await fireEvent.click(button('Cleo'));
        await Promise.resolve();
        expect(reader.chairs).toEqual(['Cleo']);
    });

    it('takes a second chair after asking for a pair, or with Shift', async () => {
        const { pick } = shown();
        await fireEvent.click(button('Compare'));
        await fireEvent.click(button('Ada'));
        expect(pick).toHaveBeenLastCalledWith('Ada', true);
        await fireEvent.click(button('All seats'), { shiftKey: true });
        expect(pick).toHaveBeenLastCalledWith(ALL, true);
    });
});
