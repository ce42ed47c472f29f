/** The record in an exported file: entries that several chairs share are stored once. */
import type { Entry, TrackRecord } from './types';

type Head = Omit<TrackRecord, 'entries'>;

interface Stored {
    told: Entry[];
    tracks: Record<string, Head & { entries: [number, number, number | null][] }>;
    first: string;
}

export function readFile(text: string): { tracks: Map<string, TrackRecord>; first: string } {
    const stored = JSON.parse(text) as Stored;
    const tracks = new Map<string, TrackRecord>();
    for (const [name, { entries, ...head }] of Object.entries(stored.tracks)) {
        const whole = entries.map(([index, seq, position]): Entry => {
            const entry = stored.told[index];
            if (entry === undefined) throw new Error('the file is not whole');
            return position === null ? { ...entry, seq } : { ...entry, seq, position };
        });
        tracks.set(name, { ...head, entries: whole });
    }
    return { tracks, first: stored.first };
}
