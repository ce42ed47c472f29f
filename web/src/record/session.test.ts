import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Client, type LinkOpens, type OpenTurn } from '../api/client';
import { Session } from './session.svelte';
import type { Entry } from './types';

const LINK: LinkOpens = { kind: 'seat', game: 'g', seat: 'Ada', ruleset: 'mafia', claimed: null, again: null };

/** A server as far as a session asks it: a track that grows, open turns, and a stream that may break. */
class FakeServer {
    entries: Entry[] = [];
    turns: Partial<OpenTurn>[] = [];
    asked: { method: string; path: string; body: string; key: string | null }[] = [];
    /** What the next posts answer, in order: a status, or null for no answer at all. */
    answers: (null | [number, unknown])[] = [];
    streams: ReadableStreamDefaultController<Uint8Array>[] = [];
    status = 200;

    constructor(...names: string[]) {
        for (const name of names) this.entries.push(this.entry(name));
    }

    entry(name: string, more: Partial<Entry> = {}): Entry {
        const seq = this.entries.length + 1;
        return { seq, name, at: '', actor: null, piece: null, marks: [], ...more };
    }

    /** Something happens, and everybody who listens hears it. */
    happens(name: string, more: Partial<Entry> = {}): void {
        const entry = this.entry(name, more);
        this.entries.push(entry);
        this.tell(entry);
    }

    tell(entry: Entry): void {
        const frame = `event: entry\nid: ${entry.seq}\ndata: ${JSON.stringify(entry)}\n\n`;
        for (const stream of this.streams) stream.enqueue(new TextEncoder().encode(frame));
    }

    end(why: string): void {
        const frame = `event: end\ndata: ${JSON.stringify({ why })}\n\n`;
        for (const stream of this.streams) stream.enqueue(new TextEncoder().encode(frame));
    }

    cut(): void {
        for (const stream of this.streams.splice(0)) stream.error(new TypeError('network'));
    }

    readonly fetch = (path: string, init: RequestInit = {}): Promise<Response> => {
        const headers = new Headers(init.headers);
        const method = init.method ?? 'GET';
        this.asked.push({ method, path, body: String(init.body ?? ''), key: headers.get('idempotency-key') });
        if (this.status !== 200) return Promise.resolve(json(this.status, { type: '/problems/unauthorized' }));
        if (path.endsWith('/stream')) return Promise.resolve(this.stream(headers, init.signal ?? null));
        if (path.endsWith('/replay')) return Promise.resolve(json(200, this.replay()));
        if (path.includes('/turns?'))
            return Promise.resolve(json(200, { turns: this.turns, entries: [], over: false }));
        if (method === 'POST' && !path.endsWith('/claim')) {
            const answer = this.answers.shift();
            if (answer === null) return Promise.reject(new TypeError('network'));
            return Promise.resolve(answer === undefined ? json(200, { accepted: true, seq: 1 }) : json(...answer));
        }
        return Promise.resolve(json(200, LINK));
    };

    private replay(): unknown {
        const head = { game: 'g', ruleset: 'mafia', title: 'A game', chair: { seat: 'Ada', full: false } };
        return {
            ...head,
            chairs: [],
            over: false,
            seats: ['Ada', 'Bram'],
            offices: [],
            orders: [],
            entries: [...this.entries],
        };
    }

    private stream(headers: Headers, signal: AbortSignal | null): Response {
        const after = Number(headers.get('last-event-id'));
        const body = new ReadableStream<Uint8Array>({
            start: (controller) => {
                this.streams.push(controller);
                signal?.addEventListener(
                    'abort',
                    () => (this.streams = this.streams.filter((one) => one !== controller)),
                );
                for (const entry of this.entries.slice(after)) this.tell(entry);
            },
        });
        return new Response(body, { status: 200 });
    }

    posts(): string[] {
        return this.asked.filter((one) => one.method === 'POST' && !one.path.endsWith('/claim')).map((one) => one.body);
    }
}

function json(status: number, body: unknown): Response {
    return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });
}

const sessions: Session[] = [];

function sit(server: FakeServer): Session {
    vi.stubGlobal('fetch', server.fetch);
    const session = new Session(new Client('svs_x'), LINK);
    sessions.push(session);
    void session.start();
    return session;
}

const TURN = { turn: 4, kind: 'vote', choices: ['Bram'], deadline: null, refused: [], attempts_left: 3 };

beforeEach(() => history.replaceState({ token: 'svs_x' }, ''));
afterEach(() => {
    for (const session of sessions.splice(0)) session.close();
    vi.unstubAllGlobals();
});

describe('a session', () => {
    it('reads the track, takes the seat up, and hears what comes, each entry once', async () => {
        const server = new FakeServer('a', 'b');
        const session = sit(server);
        await vi.waitFor(() => expect(server.streams).toHaveLength(1));
        expect(session.length).toBe(2);
        expect(server.asked.some((one) => one.path === '/v1/link/claim')).toBe(true);
        server.happens('c');
        server.tell(server.entries[1] as Entry);
        server.happens('d');
        await vi.waitFor(() => expect(session.length).toBe(4));
        expect(session.track.entries.map((entry) => entry.name)).toEqual(['a', 'b', 'c', 'd']);
    });

    it('comes back behind the last entry when the line breaks, and says that it was down', async () => {
        const server = new FakeServer('a');
        const session = sit(server);
        await vi.waitFor(() => expect(server.streams).toHaveLength(1));
        server.cut();
        await vi.waitFor(() => expect(session.line).toBe('down'));
        server.entries.push(server.entry('b'));
        await vi.waitFor(() => expect(session.length).toBe(2), { timeout: 20_000 });
        expect(session.line).toBe('up');
        server.happens('c');
        await vi.waitFor(() => expect(session.track.entries.map((entry) => entry.name)).toEqual(['a', 'b', 'c']));
    });

    it('asks for its turns when the stream says that one changed, and for nothing else', async () => {
        const server = new FakeServer('a');
        const session = sit(server);
        await vi.waitFor(() => expect(server.streams).toHaveLength(1));
        const turns = () => server.asked.filter((one) => one.path.includes('/turns?')).length;
        await vi.waitFor(() => expect(turns()).toBe(1));
        server.happens('mafia.speech-given.v1');
        server.turns = [TURN];
        server.happens('core.turn-opened.v1');
        await vi.waitFor(() => expect(session.turns).toHaveLength(1));
        expect(turns()).toBe(2);
    });

    it('sends an answer again with the same key until it is answered', async () => {
        const server = new FakeServer('a');
        server.turns = [TURN];
        server.answers = [null, [503, { type: '/problems/unavailable', title: '', detail: '' }]];
        const session = sit(server);
        await vi.waitFor(() => expect(session.turns).toHaveLength(1));
        session.send(4, 'Bram');
        session.send(4, 'Bram twice');
        expect(session.outbox.of(4)?.text).toBe('Bram');
        await vi.waitFor(() => expect(session.verdicts[4]?.how).toBe('taken'), { timeout: 20_000 });
        expect(server.posts()).toEqual(Array(3).fill('{"text":"Bram"}'));
        expect(new Set(server.asked.filter((one) => one.key !== null).map((one) => one.key)).size).toBe(1);
        expect(session.outbox.of(4)).toBeNull();
    });

    it('keeps over a reload what was under way, with its key', async () => {
        const server = new FakeServer('a');
        server.turns = [TURN];
        server.answers = Array(50).fill(null);
        const before = sit(server);
        await vi.waitFor(() => expect(before.turns).toHaveLength(1));
        before.send(4, 'Bram');
        await vi.waitFor(() => expect(server.posts()).toHaveLength(1));
        before.close();
        const { key } = server.asked.find((one) => one.key !== null) ?? {};
        server.answers = [];
        server.asked = [];
        expect(history.state).toMatchObject({ token: 'svs_x' });
        const after = sit(server);
        await vi.waitFor(() => expect(after.verdicts[4]?.how).toBe('taken'));
        expect(server.asked.find((one) => one.key !== null)?.key).toBe(key);
        expect(history.state['live g Ada'].outbox).toEqual([]);
    });

    it('says why a text was refused, and lets it be sent anew under another key', async () => {
        const server = new FakeServer('a');
        server.turns = [TURN];
        server.answers = [[422, { type: '/problems/refused', title: 'Refused', detail: 'No such choice.' }]];
        const session = sit(server);
        await vi.waitFor(() => expect(session.turns).toHaveLength(1));
        session.send(4, 'Zoe');
        await vi.waitFor(() =>
            expect(session.verdicts[4]).toMatchObject({ how: 'refused', message: 'No such choice.' }),
        );
        session.send(4, 'Bram');
        await vi.waitFor(() => expect(session.verdicts[4]?.how).toBe('taken'));
        expect(new Set(server.asked.filter((one) => one.key !== null).map((one) => one.key)).size).toBe(2);
    });

    it('lets go of a turn that was closed meanwhile', async () => {
        const server = new FakeServer('a');
        server.turns = [TURN];
        server.answers = [[409, { type: '/problems/closed', title: 'Closed', detail: 'Turn 4 is not open.' }]];
        const session = sit(server);
        await vi.waitFor(() => expect(session.turns).toHaveLength(1));
        server.turns = [];
        session.send(4, 'Bram');
        await vi.waitFor(() => expect(session.verdicts[4]).toMatchObject({ how: 'closed', text: 'Bram' }));
        expect(session.turns).toEqual([]);
    });

    it('ends with the game, and with the link', async () => {
        const server = new FakeServer('a');
        const session = sit(server);
        await vi.waitFor(() => expect(server.streams).toHaveLength(1));
        server.end('over');
        await vi.waitFor(() => expect(session.over).toBe(true));
        expect(session.ended).toBeNull();

        const other = new FakeServer('a');
        const gone = sit(other);
        await vi.waitFor(() => expect(other.streams).toHaveLength(1));
        other.status = 401;
        other.end('link-ended');
        await vi.waitFor(() => expect(gone.ended?.status).toBe(401));
    });

    it('takes what it does not know from a newer server, and says so', async () => {
        const server = new FakeServer('a');
        const session = sit(server);
        await vi.waitFor(() => expect(server.streams).toHaveLength(1));
        server.happens('x', { marks: [{ mark: 'weather', text: 'rain' } as never] });
        await vi.waitFor(() => expect(session.length).toBe(2));
        expect(session.newer).toBe(true);
        server.happens('y', { marks: undefined as never });
        await vi.waitFor(() => expect(session.length).toBe(3));
    });

    it('asks what became of a turn once its limit has passed, by the server’s clock', async () => {
        const server = new FakeServer('a');
        const ahead = 3_600_000;
        server.turns = [{ ...TURN, deadline: new Date(Date.now() - ahead + 400).toISOString() }];
        vi.stubGlobal('fetch', server.fetch);
        const session = new Session(new Client('svs_x'), LINK, () => Date.now() - ahead);
        sessions.push(session);
        void session.start();
        await vi.waitFor(() => expect(session.turns).toHaveLength(1));
        server.turns = [];
        await vi.waitFor(() => expect(session.turns).toHaveLength(0), { timeout: 20_000 });
    });
});
