/** What a person has sent and the server has not answered yet: each text is sent until it is, and taken once. */
import { Problem, type Client } from '../api/client';
import { pause } from '../api/pause';
import type { Kept } from '../record/kept';

/** A text on its way: an answer to a turn, or something said unasked (`turn` null). */
export interface Sending {
    turn: number | null;
    text: string;
    /** What is sent in its place: the fields of the turn's form, of which the text says what was written. */
    fields: Record<string, unknown> | null;
    /** Names this very message to the server, however often it is sent. */
    key: string;
    /** When it was sent, in ms by this clock. */
    at: number;
}

/** How a text fared. `message` is the server's own words. */
export interface Fate {
    sending: Sending;
    how: 'taken' | 'refused' | 'closed' | 'failed';
    message: string;
}

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 8_000;

export class Outbox {
    waiting = $state.raw<readonly Sending[]>([]);

    constructor(
        private readonly client: Client,
        private readonly game: string,
        private readonly kept: Kept,
        private readonly fared: (fate: Fate) => void,
        private readonly ended: (problem: Problem) => void,
        private readonly signal: AbortSignal,
    ) {}

    /** Send again what was under way when the page went. */
    resume(): void {
        const found = this.kept.get('outbox');
        if (!Array.isArray(found)) return;
        this.waiting = (found as Sending[]).map((one) => ({ ...one, fields: one.fields ?? null }));
        for (const sending of this.waiting) void this.deliver(sending);
    }

    /** Send a text. A turn has one text under way at a time. */
    send(turn: number | null, text: string, fields: Record<string, unknown> | null = null): void {
        if (turn !== null && this.of(turn) !== null) return;
        const sending = { turn, text, fields, key: freshKey(), at: Date.now() };
        this.waiting = [...this.waiting, sending];
        this.keep();
        void this.deliver(sending);
    }

    /** What is under way for a turn. */
    of(turn: number | null): Sending | null {
        return this.waiting.find((one) => one.turn === turn) ?? null;
    }

    private async deliver(sending: Sending): Promise<void> {
        const game = `/v1/games/${encodeURIComponent(this.game)}`;
        const path = sending.turn === null ? `${game}/messages` : `${game}/turns/${sending.turn}`;
        const body = sending.fields === null ? { text: sending.text } : { fields: sending.fields };
        let wait = FIRST_PAUSE_MS;
        while (!this.signal.aborted) {
            try {
                await this.client.ask('POST', path, body, this.signal, sending.key);
                this.settle({ sending, how: 'taken', message: '' });
                return;
            } catch (problem) {
                if (this.signal.aborted) return;
                if (!(problem instanceof Problem)) throw problem;
                if (problem.status === 401) {
                    this.ended(problem);
                    return;
                }
                // An answer that was lost may have been taken: the same key finds out, and sends it if it was not.
                if (!problem.passing && problem.status < 500) {
                    const known = problem.slug === 'refused' || problem.slug === 'closed';
                    this.settle({ sending, how: known ? fate(problem.slug) : 'failed', message: problem.detail });
                    return;
                }
            }
            await pause(wait);
            wait = Math.min(wait * 2, LONGEST_PAUSE_MS);
        }
    }

    private settle(fate: Fate): void {
        this.waiting = this.waiting.filter((one) => one !== fate.sending);
        this.keep();
        this.fared(fate);
    }

    private keep(): void {
        this.kept.set('outbox', this.waiting);
        this.kept.write();
    }
}

function fate(slug: string): 'refused' | 'closed' {
    return slug === 'closed' ? 'closed' : 'refused';
}

/** A random name. `crypto.randomUUID` is missing where a page comes without TLS from elsewhere than this machine. */
function freshKey(): string {
    return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
        '',
    );
}
