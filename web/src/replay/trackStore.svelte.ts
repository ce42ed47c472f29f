/** The tracks that there are: folded when first asked for, fetched where they lie elsewhere, and one that may grow. */
import { ALL, PUBLIC } from '../record/address';
import { Track } from '../record/track';
import type { Chair, TrackRecord } from '../record/types';

/** A track that grows while the game is played; a session is one. */
export interface Live {
    readonly track: Track;
    /** How many entries it has, told to whoever reads it. */
    readonly length: number;
    readonly over: boolean;
    readonly record: Omit<TrackRecord, 'entries'> | null;
}

/** What a chair is called where chairs are named: a seat's name, or what is no seat's. */
export function nameOf(chair: Chair): string {
    return chair.full ? ALL : (chair.seat ?? PUBLIC);
}

export class TrackStore {
    /** The chair that the link opens, or the file begins with. */
    readonly first: string;
    /** Counts the records that were fetched. */
    private fetched = $state(0);
    private readonly records = new Map<string, TrackRecord>();
    private readonly tracks = new Map<string, Track>();
    private readonly asked = new Map<string, Promise<void>>();
    /** Chairs whose answer is on its way, and older than what was told since. */
    private readonly older = new Set<string>();

    constructor(
        records: Iterable<TrackRecord>,
        private readonly load?: (chair: string) => Promise<TrackRecord>,
        private readonly live?: Live,
    ) {
        for (const record of records) this.records.set(nameOf(record.chair), record);
        this.first = live === undefined ? ([...this.records.keys()][0] ?? PUBLIC) : nameOf(live.track.chair);
    }

    private get head(): Omit<TrackRecord, 'entries'> | undefined {
        return this.live?.record ?? this.records.get(this.first);
    }

    private grows(chair: string): boolean {
        return this.live !== undefined && chair === this.first;
    }

    /** The track of a chair, null where it is not here yet. */
    track(chair: string): Track | null {
        void this.fetched;
        if (this.live !== undefined && this.grows(chair)) return this.live.track;
        const folded = this.tracks.get(chair);
        if (folded !== undefined) return folded;
        const record = this.records.get(chair);
        if (record === undefined) return null;
        const track = Track.of(record);
        this.tracks.set(chair, track);
        return track;
    }

    /** Counts what the track of a chair gained. */
    version(chair: string): number {
        return this.live !== undefined && this.grows(chair) ? this.live.length : 0;
    }

    get title(): string {
        return this.head?.title ?? '';
    }

    get over(): boolean {
        return this.live?.over ?? this.head?.over ?? true;
    }

    /** Whether the full record is among the tracks. */
    get full(): boolean {
        return this.has(ALL);
    }

    /** Whether the game goes on, and the tracks with it. */
    get running(): boolean {
        return this.live !== undefined && !this.live.over;
    }

    /** Every chair that one may take: the full record, the seats, the public. */
    get chairs(): string[] {
        void this.fetched;
        return [ALL, ...(this.head?.seats ?? []), PUBLIC].filter((chair) => this.has(chair));
    }

    has(chair: string): boolean {
        if (chair === this.first || this.records.has(chair)) return true;
        if (this.load === undefined || this.head?.chair.full !== true) return false;
        return chair === PUBLIC || this.head.chairs.includes(chair);
    }

    /** Have the track of a chair here, anew where the game goes on. Rejects where it cannot be fetched. */
    async fetch(chair: string, anew = this.running): Promise<void> {
        const load = this.load;
        if (load === undefined || this.grows(chair)) return;
        if (!anew && this.track(chair) !== null) return;
        let asked = this.asked.get(chair);
        if (asked === undefined) {
            asked = load(chair)
                .then((record) => {
                    this.records.set(chair, record);
                    this.tracks.delete(chair);
                    this.fetched++;
                })
                .finally(() => {
                    this.asked.delete(chair);
                    if (this.older.delete(chair)) void this.fetch(chair, true).catch(() => undefined);
                });
            this.asked.set(chair, asked);
        } else if (anew) this.older.add(chair);
        await asked;
    }
}
