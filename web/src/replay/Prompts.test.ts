import { render, screen, waitFor } from '@testing-library/svelte';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { components } from '../api/schema';
import { Track } from '../record/track';
import { HandOvers, Seqs, type Audit } from './handovers';
import Prompts from './Prompts.svelte';
import { record } from './sample';

type PromptTexts = components['schemas']['PromptTexts'];

const track = Track.of(record(null, true));
const handed = new HandOvers();
handed.add(
    [1, 2, 3, 4].map((turn) => ({
        game: 'g',
        number: turn,
        name: 'core.x.v1',
        at: '',
        seat: 'Bram',
        data: { call: `${turn}`, turn, from: 1, to: turn + 1, by: 'view', agent: 'openai:x' },
        texts: [],
        hash: '',
    })),
);

describe('prompts', () => {
    beforeEach(() => vi.useFakeTimers({ shouldAdvanceTime: true }));
    afterEach(() => vi.useRealTimers());

    it('are asked for again where the server was away', async () => {
        const away = Object.assign(new Error('Waiting for it.'), { passing: true });
        const prompt = vi
            .fn()
            .mockRejectedValueOnce(away)
            .mockResolvedValue({ texts: { one: 'The text.' } });
        const seqs = new Seqs(track);
        const place = track.placeOf(seqs.position('Bram', 2) ?? 0);
        const audit: Audit = { receipts: vi.fn(), prompt };
        render(Prompts, { audit, handed, version: 1, seqs, track, seat: 'Bram', onjump: vi.fn(), place });
        await screen.findByText('Waiting for it.');
        await vi.advanceTimersByTimeAsync(3_100);
        await screen.findByText('The text.');
        expect(screen.queryByText('Waiting for it.')).toBeNull();
    });

    it('are shown at once to whoever takes a step, and at rest to whoever runs', async () => {
        const prompt = vi.fn((_: string, turn: number) =>
            Promise.resolve({ texts: { one: `The text of turn ${turn}.` } } as unknown as PromptTexts),
        );
        const audit: Audit = { receipts: vi.fn(), prompt };
        const seqs = new Seqs(track);
        const of = (seq: number): number => track.placeOf(seqs.position('Bram', seq) ?? 0);
        const given = { audit, handed, version: 1, seqs, track, seat: 'Bram', onjump: vi.fn() };
        const { rerender } = render(Prompts, { ...given, place: of(2) });
        await screen.findByText('The text of turn 1.');
        await vi.advanceTimersByTimeAsync(1000);
        for (const seq of [3, 4, 5]) {
            await rerender({ ...given, place: of(seq) });
            await vi.advanceTimersByTimeAsync(40);
        }
        const asked = (): number[] => prompt.mock.calls.map(([, turn]) => turn);
        expect(asked()).toEqual([1, 2]);
        await vi.advanceTimersByTimeAsync(1000);
        await waitFor(() => screen.getByText('The text of turn 4.'));
        expect(asked()).toEqual([1, 2, 4, 3]);
    });
});
