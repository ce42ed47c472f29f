/** How far the stage has come: what happens in one breath is told at a pace at which it can be read. */
import type { Piece } from '../record/types';

const LEAST_MS = 250;
const MOST_MS = 3_000;
const PER_SIGN_MS = 12;
/** A count is looked at, and a death sinks in, however few its words. */
const WEIGHTY_MS = 2_400;
const WEIGHTY: ReadonlySet<string> = new Set(['ballot', 'death', 'card', 'roll']);
/** What is told without a break takes no longer than this: it is told faster, and at last all at once. */
export const LONGEST_MS = 8_000;

/** How long a piece is read. What is not told, or of no weight, takes no time. */
export function restAfter(piece: Piece | null): number {
    if (piece === null || piece.weight === 0) return 0;
    const signs =
        piece.lead.reduce((sum, run) => sum + (typeof run === 'string' ? run.length : run.name.length), 0) +
        piece.words.reduce((sum, voice) => sum + voice.text.length, 0);
    const least = WEIGHTY.has(piece.kind) ? WEIGHTY_MS : LEAST_MS;
    return Math.min(Math.max(LEAST_MS + signs * PER_SIGN_MS, least), MOST_MS);
}

export class Pace {
    /** The place that is on the stage. */
    place = $state(0);
    private timer: ReturnType<typeof setTimeout> | null = null;
    /** How long the telling has gone on without a break, and when the last rest ends. */
    private spent = 0;
    private until = 0;

    constructor(
        private readonly length: () => number,
        private readonly piece: (place: number) => Piece | null,
        private readonly now: () => number = Date.now,
    ) {}

    /** Go on, unless something is being read. */
    go(): void {
        if (this.timer === null) this.step();
    }

    /** Come to the present at once. */
    jump(): void {
        if (this.timer !== null) clearTimeout(this.timer);
        this.timer = null;
        this.place = this.length();
    }

    close(): void {
        if (this.timer !== null) clearTimeout(this.timer);
    }

    private step(): void {
        this.timer = null;
        const length = this.length();
        // Time in which there was nothing to tell makes room for what comes.
        this.spent = Math.max(0, this.spent - Math.max(0, this.now() - this.until));
        this.until = this.now();
        while (this.place < length) {
            this.place++;
            const rest = restAfter(this.piece(this.place));
            if (rest === 0) continue;
            let ahead = rest;
            for (let place = this.place + 1; place <= length; place++) ahead += restAfter(this.piece(place));
            const wait = rest * Math.min(1, Math.max(0, LONGEST_MS - this.spent) / ahead);
            if (wait < 1) continue;
            this.spent += wait;
            this.until += wait;
            this.timer = setTimeout(() => this.step(), wait);
            return;
        }
    }
}
