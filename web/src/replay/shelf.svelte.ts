/** The tracks that there are: folded when first asked for, fetched where they lie elsewhere, and one that may grow. */
import { PUBLIC } from '../record/address';
import { Track } from '../record/track';
import type { TrackRecord } from '../record/types';

/** A track that grows while the game is played; `version` counts what it gained. */
export interface Live {
    readonly track: Track;
    readonly version: number;
    readonly over: boolean;
    readonly title: string;
}

export class Shelf {
    /** Counts the records that were fetched. */
    private fetched = $state(0);
    private readonly records: Map<string, TrackRecord>;
    private readonly tracks = new Map<string, Track>();
    private readonly asked = new Map<string, Promise<void>>();

    constructor(
        records: ReadonlyMap<string, TrackRecord>,
        readonly first: string,
        private readonly load: ((chair: string) => Promise<TrackRecord>) | undefined,
        private readonly live: Live | undefined,
    ) {
        this.records = new Map(records);
    }

    /** The track of a chair, null where it is not here yet. */
    track(chair: string): Track | null {
        void this.fetched;
        if (this.live !== undefined && chair === this.first) return this.live.track;
        const folded = this.tracks.get(chair);
        if (folded !== undefined) return folded;
        const record = this.records.get(chair);
        if (record === undefined) return null;
        const track = Track.of(record);
        this.tracks.set(chair, track);
        return track;
    }

    version(chair: string): number {
        return this.live !== undefined && chair === this.first ? this.live.version : 0;
    }

    get title(): string {
        return this.live?.title ?? this.records.get(this.first)?.title ?? '';
    }

    get over(): boolean {
        return this.live?.over ?? this.records.get(this.first)?.over ?? true;
    }

    /** Every chair that one may take: the full record, the seats, the public. */
    get chairs(): string[] {
        void this.fetched;
        const first = this.records.get(this.first);
        const named = first === undefined ? [] : first.seats;
        const all = [this.first, '', ...named, PUBLIC];
        return [...new Set(all)].filter((chair) => this.has(chair));
    }

    has(chair: string): boolean {
        if (chair === this.first || this.records.has(chair)) return true;
        const first = this.records.get(this.first);
        if (this.load === undefined || first === undefined || !first.chair.full) return false;
        return chair === PUBLIC || first.chairs.includes(chair);
    }

    /** Have the track of a chair here. Rejects where it cannot be fetched; may be asked again then. */
    async fetch(chair: string): Promise<void> {
        if (this.track(chair) !== null || this.load === undefined) return;
        let asked = this.asked.get(chair);
        if (asked === undefined) {
            asked = this.load(chair).then((record) => {
                this.records.set(chair, record);
                this.fetched++;
            });
            this.asked.set(chair, asked);
            void asked.catch(() => this.asked.delete(chair));
        }
        await asked;
    }
}
