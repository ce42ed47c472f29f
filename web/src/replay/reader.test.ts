import { describe, expect, it, vi } from 'vitest';
import { ALL } from '../record/address';
import { Track } from '../record/track';
import type { TrackRecord } from '../record/types';
import { Reader } from './reader.svelte';
import { TrackStore, type Live } from './trackStore.svelte';
import { record } from './sample';

const everything = () =>
    new TrackStore([
        record(null, true),
        record(null),
        ...['narrator', 'Ada', 'Bram', 'Cleo'].map((seat) => record(seat)),
    ]);

describe('a reader', () => {
    it('steps from one thing told to the next, and over what only the server needs', () => {
        const reader = new Reader(everything());
        reader.go(4);
        reader.step(1);
        expect(reader.place).toBe(6);
        reader.step(-1);
        expect(reader.place).toBe(4);
        reader.everything = true;
        reader.step(1);
        expect(reader.place).toBe(5);
    });

    it('stops at both ends', () => {
        const reader = new Reader(everything());
        expect(reader.step(-1)).toBe(false);
        reader.go(99);
        expect(reader.place).toBe(9);
        expect(reader.step(1)).toBe(false);
    });

    it('counts a seat’s own seq in its chair, and keeps the moment from chair to chair', async () => {
        const reader = new Reader(everything());
        reader.go(7);
        await reader.take('Cleo');
        expect([reader.place, reader.number]).toEqual([4, 4]);
        expect(reader.moment).toEqual({ at: 4, as: ['Cleo'] });
        await reader.take(ALL);
        expect(reader.number).toBe(7);
    });

    it('shows two chairs at the same position, and steps where either is told something', async () => {
        const reader = new Reader(everything());
        await reader.take('Ada');
        await reader.take('Bram', true);
        expect(reader.chairs).toEqual(['Ada', 'Bram']);
        reader.go(1);
        reader.step(1);
        expect(reader.number).toBe(2);
        expect([reader.placeOf('Ada'), reader.placeOf('Bram')]).toEqual([2, 1]);
        reader.step(1);
        expect([reader.placeOf('Ada'), reader.placeOf('Bram')]).toEqual([2, 2]);
        reader.step(-1);
        expect(reader.number).toBe(2);
        expect(reader.moment).toEqual({ at: 2, as: ['Ada', 'Bram'] });
    });

    it('opens a link to a moment and two chairs, and passes over chairs that there are not', async () => {
        const reader = new Reader(everything());
        await reader.open('#at=7&as=Ada&as=Nobody&as=Cleo');
        expect([reader.chairs, reader.number]).toEqual([['Ada', 'Cleo'], 7]);
        await reader.open('#at=3&as=Bram');
        expect([reader.chairs, reader.place]).toEqual([['Bram'], 3]);
    });

    it('jumps to highlights and phases', () => {
        const reader = new Reader(everything());
        reader.highlight(1);
        expect(reader.place).toBe(7);
        reader.highlight(1);
        expect(reader.place).toBe(9);
        reader.phase(-1);
        expect(reader.place).toBe(6);
        reader.phase(1);
        expect(reader.place).toBe(6);
    });

    it('has one chair where there is one record', async () => {
        const reader = new Reader(new TrackStore([record('Ada')]));
        expect(reader.canPair).toBe(false);
        await reader.take('Bram');
        reader.pair();
        expect([reader.chairs, reader.pairing]).toEqual([['Ada'], false]);
        expect(reader.number).toBe(1);
    });

    it('fetches another chair once, and again after a failure', async () => {
        const load = vi.fn(async (chair: string) => record(chair));
        load.mockRejectedValueOnce(new Error('away'));
        const trackStore = new TrackStore([record(null, true)], load);
        const reader = new Reader(trackStore);
        await expect(reader.take('Cleo')).rejects.toThrow('away');
        expect(reader.chairs).toEqual([ALL]);
        await reader.take('Cleo');
        await reader.take(ALL);
        await reader.take('Cleo');
        expect(load).toHaveBeenCalledTimes(2);
        expect(trackStore.chairs).toEqual([ALL, 'narrator', 'Ada', 'Bram', 'Cleo', '']);
    });
});

describe('records that come late', () => {
    /** A trackStore whose records come when they are told to, or not at all. */
    function slow(live?: Live) {
        const asked: { chair: string; come: () => void; fail: () => void }[] = [];
        const load = (chair: string): Promise<TrackRecord> =>
            new Promise((come, fail) =>
                asked.push({ chair, come: () => come(record(chair)), fail: () => fail(new Error('away')) }),
            );
        return { asked, trackStore: new TrackStore([record(null, true)], load, live) };
    }

    it('seat nobody who has wished for another chair since', async () => {
        const { asked, trackStore } = slow();
        const reader = new Reader(trackStore);
        const ada = reader.take('Ada');
        const bram = reader.take('Bram');
        asked[1]?.come();
        await bram;
        asked[0]?.come();
        await ada;
        expect(reader.chairs).toEqual(['Bram']);
        const cleo = reader.open('#as=Cleo');
        await reader.take(ALL);
        asked[2]?.fail();
        await cleo;
        expect(reader.chairs).toEqual([ALL]);
    });

    it('are asked for once more where news came meanwhile', async () => {
        const { asked, trackStore } = slow({
            track: new Track({ seat: null, full: true }),
            length: 0,
            over: false,
            record: record(null, true),
        });
        const first = trackStore.fetch('Ada');
        const second = trackStore.fetch('Ada');
        expect(asked).toHaveLength(1);
        asked[0]?.come();
        await Promise.all([first, second]);
        await vi.waitFor(() => expect(asked).toHaveLength(2));
        asked[1]?.come();
        await vi.waitFor(() => expect(trackStore.track('Ada')).not.toBeNull());
        await Promise.resolve();
        expect(asked).toHaveLength(2);
    });
});

describe('a reader of a game that goes on', () => {
    function growing() {
        const { entries, ...head } = record(null, true);
        const track = new Track({ seat: null, full: true });
        const live = { track, length: 0, over: false, record: head };
        const grow = () => {
            const entry = entries[track.length];
            if (entry === undefined) throw new Error('nothing more');
            track.add(entry);
            live.length = track.length;
        };
        for (let times = 0; times < 4; times++) grow();
        return { live, grow };
    }

    it('is at its end and stays there, until one steps back', async () => {
        const { live, grow } = growing();
        const reader = new Reader(new TrackStore([], undefined, live));
        await reader.open('');
        expect([reader.place, reader.follows]).toEqual([4, true]);
        grow();
        expect(reader.length).toBe(5);
        reader.go(3);
        expect(reader.follows).toBe(false);
        reader.go(reader.length);
        expect(reader.follows).toBe(true);
    });

    it('asks for another chair anew, and keeps its end', async () => {
        const { live } = growing();
        const load = vi.fn(async (chair: string) => record(chair));
        const trackStore = new TrackStore([], load, live);
        const reader = new Reader(trackStore);
        await reader.take('Cleo');
        expect([reader.place, reader.follows]).toEqual([6, true]);
        await trackStore.fetch('Cleo');
        expect(load).toHaveBeenCalledTimes(2);
    });
});
