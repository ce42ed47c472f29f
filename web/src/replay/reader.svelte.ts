/**
 * Who looks at a game: from which chair or chairs, and at which moment.
 *
 * The moment is a place in one track, the *base*: that of the chair, or with two chairs the full record where it is at
 * hand. Chairs that know positions are at the same moment by position; a chair that does not is alone.
 */
import { ALL, readMoment, type Moment } from '../record/address';
import type { Track } from '../record/track';
import type { TrackStore } from './trackStore.svelte';

/** Factors of the pace at which a game is played. */
export const SPEEDS = [0.5, 1, 2, 4, 8] as const;

const LEAST_MS = 900;
const MOST_MS = 7_000;
const LETTER_MS = 28;

export class Reader {
    /** One chair or two. */
    chairs = $state.raw<readonly string[]>([]);
    /** The moment: a place in the base track. */
    place = $state(1);
    /** Every entry is stepped through, told or not. */
    everything = $state(false);
    playing = $state(false);
    speed = $state<(typeof SPEEDS)[number]>(1);
    /** The next chair that is picked comes beside the first. */
    pairing = $state(false);
    /** The place goes along with a track that grows. */
    follows = $state(false);
    private position: number | null = null;
    /** Counts what was wished for: a record that comes late seats nobody who has wished for another chair since. */
    private wish = 0;

    constructor(private readonly trackStore: TrackStore) {
        this.chairs = [trackStore.first];
        this.follows = trackStore.running;
        if (this.follows) this.place = Math.max(1, this.length);
    }

    get baseChair(): string {
        const [first = this.trackStore.first] = this.chairs;
        return this.chairs.length > 1 && this.trackStore.full && this.trackStore.track(ALL) !== null ? ALL : first;
    }

    get base(): Track | null {
        return this.trackStore.track(this.baseChair);
    }

    get version(): number {
        return this.trackStore.version(this.baseChair);
    }

    /** The last place there is. */
    get length(): number {
        void this.version;
        return this.base?.length ?? 0;
    }

    /** Where a chair is at this moment, in its own track. */
    placeOf(chair: string): number {
        const place = Math.min(this.place, Math.max(1, this.length));
        if (chair === this.baseChair) return place;
        const [base, track] = [this.base, this.trackStore.track(chair)];
        if (base === null || track === null) return 1;
        return track.placeOf(base.positionOf(place));
    }

    go(place: number): void {
        const last = this.length;
        this.place = Math.max(1, Math.min(place, last));
        this.position = this.base?.positionOf(this.place) ?? null;
        this.follows = this.trackStore.running && this.place === last;
    }

    /** Go to the moment of an entry of one of the chairs, by its place there. */
    goIn(chair: string, place: number): void {
        const [base, track] = [this.base, this.trackStore.track(chair)];
        if (base === null || track === null) return;
        this.go(track === base ? place : base.placeOf(track.positionOf(place)));
    }

    /** The number of the moment, as links and lines have it. */
    get number(): number {
        return this.base?.numberOf(this.place) ?? this.place;
    }

    /** The next place at which one of the chairs is told something, or the one before; null at an end. */
    stepFrom(place: number, by: 1 | -1): number | null {
        const base = this.base;
        if (base === null) return null;
        const inside = (one: number): number | null => (one >= 1 && one <= this.length && one !== place ? one : null);
        if (this.everything) return inside(place + by);
        let found: number | null = null;
        for (const chair of this.chairs) {
            const track = this.trackStore.track(chair);
            if (track === null) continue;
            const at = track === base ? place : track.placeOf(base.positionOf(place));
            const told = track.toldUpto(at);
            const here = track === base || track.positionOf(at) === base.positionOf(place);
            // Going back from behind an entry leads to that entry, from the entry itself to the one before it.
            const index = by === 1 ? told : told - (here && track.told[told - 1] === at ? 2 : 1);
            const there = track.told[index];
            if (there === undefined) continue;
            const one = track === base ? there : base.placeOf(track.positionOf(there));
            if (found === null || (by === 1 ? one < found : one > found)) found = one;
        }
        return found === null ? inside(by === 1 ? this.length : 1) : inside(found);
    }

    step(by: 1 | -1): boolean {
        const next = this.stepFrom(this.place, by);
        if (next !== null) this.go(next);
        return next !== null;
    }

    highlight(by: 1 | -1): void {
        this.jump(this.base?.moments.map((moment) => moment.place) ?? [], by);
    }

    phase(by: 1 | -1): void {
        this.jump(this.base?.phases.map((phase) => phase.place) ?? [], by);
    }

    private jump(places: readonly number[], by: 1 | -1): void {
        const next = by === 1 ? places.find((one) => one > this.place) : places.findLast((one) => one < this.place);
        if (next !== undefined) this.go(next);
    }

    /** Sit down in a chair: beside the first one where a pair is wanted. Rejects where its record cannot be had. */
    async take(chair: string, beside = this.pairing): Promise<void> {
        if (!this.trackStore.has(chair)) return;
        if (!(await this.here([chair]))) return;
        const [first = this.trackStore.first, second] = this.chairs;
        this.pairing = false;
        if (beside && chair !== first) this.sit([first, chair]);
        else if (beside && second !== undefined) this.sit([first]);
        else this.sit([chair]);
    }

    /** Have the records of chairs here. False where something else was wished for meanwhile; rejects where it was not. */
    private async here(chairs: readonly string[]): Promise<boolean> {
        const wish = ++this.wish;
        try {
            await Promise.all(chairs.map((chair) => this.trackStore.fetch(chair)));
        } catch (error) {
            if (wish === this.wish) throw error;
        }
        return wish === this.wish;
    }

    /** Whether two chairs can be looked at: both must know their positions. */
    get canPair(): boolean {
        return this.trackStore.chairs.length > 2;
    }

    pair(): void {
        if (this.chairs.length > 1) {
            this.pairing = false;
            this.sit(this.chairs.slice(0, 1));
        } else this.pairing = this.canPair && !this.pairing;
    }

    private sit(chairs: string[]): void {
        const position = this.position ?? this.base?.positionOf(this.place) ?? null;
        this.chairs = chairs;
        const base = this.base;
        if (base === null) return;
        if (position !== null && this.trackStore.full) this.place = Math.max(1, base.placeOf(position));
        this.position = position;
        if (this.follows) this.go(this.length);
    }

    /** How long the entry of this moment is left standing while the game plays. */
    get pause(): number {
        let letters = 0;
        for (const chair of this.chairs) {
            const piece = this.trackStore.track(chair)?.entries[this.placeOf(chair) - 1]?.piece;
            letters = Math.max(letters, piece?.words.reduce((sum, voice) => sum + voice.text.length, 0) ?? 0);
        }
        return Math.min(MOST_MS, LEAST_MS + letters * LETTER_MS) / this.speed;
    }

    /** The moment as the address says it. */
    get moment(): Moment {
        const plain = this.chairs.length === 1 && this.chairs[0] === this.trackStore.first;
        return { at: this.number, as: plain ? [] : [...this.chairs] };
    }

    /** Go where the address says, as far as it can be done. */
    async open(hash: string): Promise<void> {
        const { at, as } = readMoment(hash);
        const chairs = [...new Set(as)].filter((chair) => this.trackStore.has(chair)).slice(0, 2);
        const wanted = chairs.length > 0 ? chairs : [this.trackStore.first];
        if (!(await this.here(wanted))) return;
        this.sit(wanted);
        const base = this.base;
        if (at !== null && base !== null) this.go(base.chair.full ? base.placeOf(at) : at);
    }
}
