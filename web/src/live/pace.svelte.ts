/** How far the stage has come: what happens in one breath is told at a pace at which it can be read. */
import type { Piece } from '../record/types';

const LEAST_MS = 250;
const MOST_MS = 3_000;
const PER_SIGN_MS = 12;
/** A count is looked at, and a death sinks in, however few its words. */
const WEIGHTY_MS = 2_400;
const WEIGHTY: ReadonlySet<string> = new Set(['ballot', 'death', 'card', 'roll']);
/** With more to tell than this, it goes twice as fast. */
const MANY = 16;

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

    constructor(
        private readonly length: () => number,
        private readonly piece: (place: number) => Piece | null,
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
        while (this.place < length) {
            this.place++;
            const rest = restAfter(this.piece(this.place));
            if (rest > 0) {
                const speed = length - this.place > MANY ? 2 : 1;
                this.timer = setTimeout(() => this.step(), rest / speed);
                return;
            }
        }
    }
}
