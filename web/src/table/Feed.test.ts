import { render, screen, within } from '@testing-library/svelte';
import { describe, expect, it } from 'vitest';
import { Track } from '../record/track';
import { BLANK, record } from '../replay/sample';
import Feed from './Feed.svelte';

const list = (): HTMLElement => screen.getByRole('list', { name: 'Game log' });
const lines = (): string[] =>
    within(list())
        .getAllByRole('listitem')
        .map((line) => line.textContent?.trim() ?? '');

describe('the feed', () => {
    it('marks its last line where that is the moment, and none at a moment that tells nothing', async () => {
        const track = Track.of(record(null, true));
        const { rerender } = render(Feed, { track, place: 4, tail: 3 });
        expect(lines()).toHaveLength(3);
        expect(lines().at(-1)).toContain('Night 1');
        expect(list().classList.contains('here')).toBe(true);
        await rerender({ place: 5 });
        expect(lines().at(-1)).toContain('Night 1');
        expect(list().classList.contains('here')).toBe(false);
        await rerender({ place: 6 });
        expect(lines().at(-1)).toContain('Day 1');
        expect(list().classList.contains('here')).toBe(true);
    });

    it('tells a ballot: each name in its colour among its words, and counts as bars', () => {
        const track = Track.of(record(null, true));
        track.add({
            name: 'x.y.v1',
            at: '',
            actor: null,
            marks: [],
            piece: {
                ...BLANK,
                kind: 'ballot',
                lead: [{ name: 'Ada' }, ' stands trial, by ', { name: 'Bram' }, ', today.'],
                grid: {
                    header: ['Choice', 'Votes', 'Voters'],
                    rows: [
                        [['yes'], ['2'], [{ name: 'Bram' }, ', ', { name: 'narrator' }]],
                        [['no'], ['1'], [{ name: 'Ada' }]],
                    ],
                },
            },
        });
        render(Feed, { track, place: track.length, tail: 1 });
        expect(lines()[0]).toContain('Ada stands trial, by Bram, today.');
        const named = [...list().querySelectorAll('bdi')].map((one) => [one.textContent, one.classList[0]]);
        expect(named).toEqual([
            ['Ada', 'seat-0'],
            ['Bram', 'seat-1'],
            ['Bram', 'seat-1'],
            ['Narrator', 'seat-office'],
            ['Ada', 'seat-0'],
        ]);
        const bars = [...list().querySelectorAll<HTMLElement>('.bar')];
        expect(bars.map((bar) => [bar.textContent?.trim(), bar.style.getPropertyValue('--part')])).toEqual([
            ['2', '1'],
            ['1', '0.5'],
        ]);
        expect(screen.getAllByRole('cell').at(2)?.textContent?.trim()).toBe('Bram, Narrator');
    });

    it('leaves a table that was told as it is when more comes', async () => {
        const track = Track.of(record(null, true));
        const grid = { header: ['Choice', 'Voters'], rows: [[['yes'], [{ name: 'Ada' }]]] };
        track.add({ name: 'x.y.v1', at: '', actor: null, marks: [], piece: { ...BLANK, kind: 'ballot', grid } });
        const { rerender } = render(Feed, { track, version: 1 });
        const row = screen.getByText('yes').closest('tr');
        track.add({ name: 'x.z.v1', at: '', actor: null, marks: [], piece: { ...BLANK, lead: ['It is late.'] } });
        await rerender({ version: 2 });
        expect(lines().at(-1)).toContain('It is late.');
        expect(screen.getByText('yes').closest('tr')).toBe(row);
    });

    /** Somebody who talks on, behind what the record has; and the place before that. */
    function talk(): { track: Track; before: number } {
        const track = Track.of(record(null, true));
        const before = track.length;
        for (let number = 0; number < 20; number += 1)
            track.add({
                name: 'x.said.v1',
                at: '',
                actor: 'Ada',
                marks: [],
                piece: {
                    ...BLANK,
                    kind: 'speech',
                    who: 'Ada',
                    to: number % 2 === 0 ? ['Bram', 'narrator'] : ['narrator', 'Bram'],
                    words: [{ who: '', text: `Number ${number}.` }],
                },
            });
        return { track, before };
    }

    it('writes the rows of a replay’s tail anew where they stand', async () => {
        const { track, before: first } = talk();
        const { rerender } = render(Feed, { track, place: first + 6, tail: 2 });
        const rows = (): HTMLElement[] => within(list()).getAllByRole('listitem');
        const names = (): Element[] => [...list().querySelectorAll('bdi')];
        const [stood, named] = [rows(), names()];
        const moved: MutationRecord[] = [];
        const watch = new MutationObserver((records) => moved.push(...records));
        watch.observe(list(), { childList: true, subtree: true });
        for (const far of [7, -4, 9]) {
            const before = Number(/\d+/.exec(lines().at(-1) ?? '')?.[0]);
            await rerender({ place: first + 1 + before + far });
            expect(lines().map((line) => /Number \d+/.exec(line)?.[0])).toEqual([
                `Number ${before + far - 1}`,
                `Number ${before + far}`,
            ]);
            moved.push(...watch.takeRecords());
        }
        expect(moved).toEqual([]);
        expect([rows(), names()]).toEqual([stood, named]);
        expect(names().map((name) => name.textContent)).toEqual(['Ada', 'Bram', 'Narrator', 'Ada', 'Narrator', 'Bram']);
        watch.disconnect();
        // By one line, the one that stays keeps its row.
        await rerender({ place: first + 19 });
        expect(lines().map((line) => /Number \d+/.exec(line)?.[0])).toEqual(['Number 17', 'Number 18']);
        expect(rows()).toEqual([stood[1], stood[0]]);
    });

    it('has a row of its own for each line that is read out as it comes', async () => {
        const { track, before } = talk();
        const { rerender } = render(Feed, { track, place: before + 6, tail: 2, live: true });
        const rows = within(list()).getAllByRole('listitem');
        await rerender({ place: before + 7 });
        const [stayed, came] = within(list()).getAllByRole('listitem');
        expect(stayed).toBe(rows[1]);
        expect(rows).not.toContain(came);
        expect(rows[0]?.textContent).toContain('Number 4.');
    });
});
