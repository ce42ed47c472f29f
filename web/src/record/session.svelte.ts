/**
 * A live game from one chair: its whole track, then the stream; a seat's open turns, and what it sends.
 *
 * There is one long connection a tab, the stream. It carries what opens and closes turns as well, so that turns are
 * asked for when something changed, and no request waits for one: browsers have six connections to a server in all.
 */
import { Problem, type Client, type LinkOpens, type OpenTurn } from '../api/client';
import { pause } from '../api/pause';
import { follow, type End } from '../api/stream';
import { Outbox, type Fate } from '../live/outbox.svelte';
import { Kept } from './kept';
import { Track } from './track';
import type { Entry, Mark, Piece, TrackRecord } from './types';

/** More than any seq: the stream brings the entries, and the turns are asked for alone. */
const NO_ENTRIES = 1_000_000_000;
const PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 8_000;
/** How long after a limit the server is asked what became of the turn. */
const AFTER_LIMIT_MS = 700;
/** A turn whose limit is long over is asked for no more often than this. */
const LEAST_PAUSE_MS = 3_000;

/** The kinds of pieces and marks that this page knows: every one of the server's document. */
const KINDS: Readonly<Record<Piece['kind'], true>> = {
    line: true,
    heading: true,
    speech: true,
    narration: true,
    call: true,
    document: true,
    ballot: true,
    list: true,
    roll: true,
    card: true,
    death: true,
    ending: true,
    hold: true,
    warning: true,
    reply: true,
};
const MARKS: Readonly<Record<Mark['mark'], true>> = {
    seats: true,
    awaited: true,
    phase: true,
    out: true,
    fact: true,
    claim: true,
    mention: true,
    vote: true,
    thought: true,
    notes: true,
    task: true,
    resource: true,
    group: true,
};

/** What became of the last text that was sent for a turn, or unasked (0). */
export interface Verdict {
    how: Fate['how'];
    message: string;
    text: string;
}

export class Session {
    readonly seat: string | null;
    readonly game: string;
    readonly kept: Kept;
    readonly outbox: Outbox;
    /** Null until the game has been read. */
    record = $state.raw<Omit<TrackRecord, 'entries'> | null>(null);
    track = new Track({ seat: null, full: false });
    /** How many entries the track has: whoever reads it is told of each that comes. */
    length = $state(0);
    /** How many it had when the page was opened: those are no news. */
    first = $state(0);
    turns = $state.raw<readonly OpenTurn[]>([]);
    /** By turn: how much of the record there was when it was asked. What it refers to has been told by then. */
    since: Readonly<Record<number, number>> = {};
    line = $state<'up' | 'down'>('up');
    over = $state(false);
    /** Why there will be nothing more, if it is not that the game is over. */
    ended = $state.raw<Problem | null>(null);
    /** The server tells of things that this page does not know: a newer page would. */
    newer = $state(false);
    /** By the turn, 0 for what was said unasked. */
    verdicts = $state.raw<Readonly<Record<number, Verdict>>>({});

    private readonly closing = new AbortController();
    private asking = false;
    private askAgain = false;
    private limit: ReturnType<typeof setTimeout> | null = null;

    constructor(
        private readonly client: Client,
        private readonly link: LinkOpens,
        /** The time by the server's clock, in ms. */
        private readonly now: () => number = Date.now,
    ) {
        if (link.game === null) throw new Error('This link does not open a game.');
        this.game = link.game;
        this.seat = link.seat;
        this.kept = new Kept(`live ${link.game} ${link.seat ?? ''}`);
        const { signal } = this.closing;
        this.outbox = new Outbox(
            client,
            this.game,
            this.kept,
            (fate) => this.fared(fate),
            (it) => this.end(it),
            signal,
        );
    }

    get picture() {
        return this.track.at(this.length);
    }

    /** Read the game and follow it until it is over, the link is ended or the session closed. */
    async start(): Promise<void> {
        const { signal } = this.closing;
        const record = await this.patiently(() => this.client.replay(this.game));
        if (record === null) return;
        const { entries, ...head } = record;
        this.track = new Track(record.chair);
        this.track.seats = record.seats;
        this.track.offices = record.offices;
        for (const entry of entries) this.take(entry);
        this.record = head;
        this.length = this.first = this.track.length;
        this.over = record.over;
        if (this.seat !== null) {
            if (this.link.claimed === null) void this.patiently(() => this.client.claim());
            this.outbox.resume();
            if (!this.over) void this.askTurns();
        }
        if (this.over) return;
        await follow(
            `/v1/games/${encodeURIComponent(this.game)}/stream`,
            this.client.headers,
            this.track.length,
            {
                entry: (entry) => this.heard(entry),
                line: (up) => this.lineIs(up),
                end: (why) => this.streamEnded(why),
            },
            signal,
        );
    }

    close(): void {
        this.closing.abort();
        this.kept.close();
        if (this.limit !== null) clearTimeout(this.limit);
    }

    /** Send a text: to an open turn, or unasked where `turn` is null; or in its place the fields of the turn's form. */
    send(turn: number | null, text: string, fields: Record<string, unknown> | null = null): void {
        this.forget(turn);
        this.outbox.send(turn, text, fields);
    }

    /** Let go of what became of the last text for a turn. */
    forget(turn: number | null): void {
        const kept = Object.entries(this.verdicts).filter(([number]) => Number(number) !== (turn ?? 0));
        this.verdicts = Object.fromEntries(kept);
    }

    private take(entry: Entry): void {
        const marks = ((entry as Partial<Entry>).marks ?? []).filter((mark: Mark) => Object.hasOwn(MARKS, mark.mark));
        const unknown = marks.length < (entry.marks ?? []).length;
        const piece = entry.piece ?? null;
        if (unknown || (piece !== null && !Object.hasOwn(KINDS, piece.kind))) this.newer = true;
        this.track.add({ ...entry, piece, marks });
    }

    private heard(entry: Entry): void {
        const place = entry.seq ?? entry.position ?? this.track.length + 1;
        if (place <= this.track.length) return;
        this.take(entry);
        this.length = this.track.length;
        if (entry.piece?.kind === 'ending') this.over = true;
        if (this.seat !== null && entry.name.startsWith('core.')) void this.askTurns();
    }

    private lineIs(up: boolean): void {
        const back = up && this.line === 'down';
        this.line = up ? 'up' : 'down';
        if (back && this.seat !== null) void this.askTurns();
    }

    private streamEnded(why: End): void {
        if (why === 'over') {
            this.over = true;
            this.turns = [];
        } else {
            // The server says it in its own words.
            void this.patiently(() => this.client.link());
        }
    }

    /** Ask which turns are open. Asked again meanwhile, it asks once more. */
    private async askTurns(): Promise<void> {
        this.askAgain = true;
        if (this.asking) return;
        this.asking = true;
        try {
            while (this.askAgain && !this.over && !this.closing.signal.aborted) {
                this.askAgain = false;
                const inbox = await this.patiently(() => this.client.turns(this.game, NO_ENTRIES));
                if (inbox === null) return;
                // What was on its way while something changed is older than that: a turn that was just answered.
                if (!this.askAgain) {
                    const upTo = Math.max(inbox.seq, this.track.length);
                    const since = inbox.turns.map((one) => [one.turn, this.since[one.turn] ?? upTo] as const);
                    this.since = Object.fromEntries(since);
                    this.turns = inbox.turns;
                }
                this.over = this.over || inbox.over;
            }
        } finally {
            this.asking = false;
        }
        this.watchLimits();
    }

    /** Look again once the first limit has passed: what came of it is told by the stream, if it stands. */
    private watchLimits(): void {
        if (this.limit !== null) clearTimeout(this.limit);
        this.limit = null;
        const limits = this.turns.flatMap((turn) => (turn.deadline === null ? [] : [Date.parse(turn.deadline)]));
        if (limits.length === 0) return;
        const ahead = Math.min(...limits) - this.now();
        const left = ahead > 0 ? ahead + AFTER_LIMIT_MS : LEAST_PAUSE_MS;
        this.limit = setTimeout(() => void this.askTurns(), Math.min(left, 0x7fff_ffff));
    }

    private fared({ sending, how, message }: Fate): void {
        this.verdicts = { ...this.verdicts, [sending.turn ?? 0]: { how, message, text: sending.text } };
        if (how === 'taken' || how === 'closed') this.turns = this.turns.filter((one) => one.turn !== sending.turn);
        if (!this.over) void this.askTurns();
    }

    private end(problem: Problem): void {
        this.ended = problem;
        this.closing.abort();
    }

    /** The answer of a call that is made until it gets one; null where the session is at its end. */
    private async patiently<T>(call: () => Promise<T>): Promise<T | null> {
        let wait = PAUSE_MS;
        while (!this.closing.signal.aborted) {
            try {
                return await call();
            } catch (problem) {
                if (!(problem instanceof Problem)) throw problem;
                if (!problem.passing && problem.status < 500) {
                    this.end(problem);
                    return null;
                }
            }
            await pause(wait);
            wait = Math.min(wait * 2, LONGEST_PAUSE_MS);
        }
        return null;
    }
}
