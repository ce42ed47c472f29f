/** The record in an exported file: entries that several chairs share are stored once. */
import type { Entry, TrackRecord } from './types';

type Head = Omit<TrackRecord, 'entries'>;

interface Stored {
    told: Entry[];
    tracks: Record<string, Head & { entries: [number, number, number | null][] }>;
    first: string;
}

/** The tracks in the text of a file, the one that is shown first before the others. */
export function readFile(text: string): TrackRecord[] {
    const stored = JSON.parse(text) as Stored;
    const names = Object.keys(stored.tracks).sort((a, b) => Number(b === stored.first) - Number(a === stored.first));
    return names.map((name) => {
        const { entries, ...head } = stored.tracks[name] as Stored['tracks'][string];
        const whole = entries.map(([index, seq, position]): Entry => {
            const entry = stored.told[index];
            if (entry === undefined) throw new Error('This replay file is incomplete.');
            return position === null ? { ...entry, seq } : { ...entry, seq, position };
        });
        return { ...head, entries: whole };
    });
}
