/** Calls of the server's interface, with a token that lives in memory alone. */
import { ALL, PUBLIC } from '../record/address';
import type { TrackRecord } from '../record/types';
import type { components } from './schema';

type Schemas = components['schemas'];
export type LinkOpens = Schemas['LinkOpens'];
export type GameListed = Schemas['GameListed'];
export type GameShown = Schemas['GameShown'];
export type Inbox = Schemas['Inbox'];
export type OpenTurn = Schemas['OpenTurn'];
/** What is written into a file to share. */
export type Share = 'open' | 'own' | 'everybody';

/** An answer that is a problem document (RFC 9457), or no answer at all (status 0). */
export class Problem extends Error {
    constructor(
        readonly status: number,
        readonly slug: string,
        readonly title: string,
        readonly detail: string,
    ) {
        super(detail);
    }

    /** Whether trying again may help: the server is away, stopping, or asks to wait. */
    get passing(): boolean {
        return this.status === 0 || this.status === 429 || this.status === 503;
    }
}

const AWAY = new Problem(0, 'away', 'Can’t reach the server', 'Can’t reach the server. Reconnecting…');

/** In which both sides say how many entries the chair has: no server answers with less than was seen. */
const SEEN = 'sottovoce-seen';

export class Client {
    private seen = 0;

    /** `heard` gets each answer as it comes, null where there was none. */
    constructor(
        readonly token: string,
        private readonly heard: (answer: Response | null) => void = () => undefined,
    ) {}

    /** The headers that every request carries. */
    get headers(): Record<string, string> {
        const authorization = `Bearer ${this.token}`;
        return this.seen > 0 ? { authorization, [SEEN]: String(this.seen) } : { authorization };
    }

    /** Raises Problem; AbortError where `signal` says so. */
    async ask<T>(method: string, path: string, body?: unknown, signal?: AbortSignal, key?: string): Promise<T> {
        const answer = await this.send(method, path, body, signal, key);
        if (answer.status === 204) return undefined as T;
        try {
            return (await answer.json()) as T;
        } catch (error) {
            // The line broke within the answer: nobody knows what it said.
            if (signal?.aborted === true) throw error;
            this.heard(null);
            throw AWAY;
        }
    }

    /** The answer as it is, to a request that was not refused. */
    private async send(method: string, path: string, body?: unknown, signal?: AbortSignal, key?: string) {
        const headers = this.headers;
        if (body !== undefined) headers['content-type'] = 'application/json';
        if (key !== undefined) headers['idempotency-key'] = key;
        let answer: Response;
        try {
            answer = await fetch(path, {
                method,
                headers,
                body: body === undefined ? null : JSON.stringify(body),
                signal: signal ?? null,
                cache: 'no-store',
                redirect: 'error',
            });
        } catch (error) {
            if (signal?.aborted === true) throw error;
            this.heard(null);
            throw AWAY;
        }
        // A proxy answers for a server that does not.
        const there = answer.status !== 502 && answer.status !== 504;
        this.heard(there ? answer : null);
        if (!there) throw AWAY;
        this.seen = Math.max(this.seen, Number(answer.headers.get(SEEN) ?? 0));
        if (!answer.ok) throw await problem(answer);
        return answer;
    }

    link(): Promise<LinkOpens> {
        return this.ask('GET', '/v1/link');
    }

    /** Say that the seat is taken up. */
    claim(): Promise<LinkOpens> {
        return this.ask('POST', '/v1/link/claim');
    }

    /** The seat's open turns, and the entries after `since`. */
    turns(game: string, since: number): Promise<Inbox> {
        return this.ask('GET', `/v1/games/${encodeURIComponent(game)}/turns?since=${since}`);
    }

    /** The paths of the documents that the seat may read. */
    async documents(game: string): Promise<string[]> {
        const path = `/v1/games/${encodeURIComponent(game)}/documents`;
        const told = await this.ask<Schemas['Documents']>('GET', path);
        return told.documents.map((document) => document.path);
    }

    /** A document's text, whatever its kind: bytes that are no text show as such. */
    async document(game: string, path: string): Promise<string> {
        const within = path.split('/').map(encodeURIComponent).join('/');
        return this.text(`/v1/games/${encodeURIComponent(game)}/documents/${within}`);
    }

    private async text(path: string): Promise<string> {
        const answer = await this.send('GET', path);
        try {
            return await answer.text();
        } catch {
            this.heard(null);
            throw AWAY;
        }
    }

    game(game: string): Promise<GameShown> {
        return this.ask('GET', `/v1/games/${encodeURIComponent(game)}`);
    }

    /** What agents do and use, as far as one may know it. */
    agents(game: string): Promise<Schemas['Overseen']> {
        return this.ask('GET', `/v1/games/${encodeURIComponent(game)}/agents`);
    }

    receipts(game: string, after: number): Promise<Schemas['Receipts']> {
        return this.ask('GET', `/v1/games/${encodeURIComponent(game)}/receipts?after=${after}`);
    }

    prompt(game: string, seat: string, turn: number): Promise<Schemas['PromptTexts']> {
        const asked = `seat=${encodeURIComponent(seat)}&turn=${turn}`;
        return this.ask('GET', `/v1/games/${encodeURIComponent(game)}/audit/prompt?${asked}`);
    }

    /**
     * A whole track: one’s own, or that of a seat or what everybody saw, for auditors and once chairs are open. All that
     * the open chairs saw is for seats.
     */
    replay(game: string, chair?: string): Promise<TrackRecord> {
        const asked =
            chair === undefined
                ? ''
                : chair === ALL
                  ? '?open=true'
                  : chair === PUBLIC
                    ? '?everybody=true'
                    : `?as=${encodeURIComponent(chair)}`;
        return this.ask('GET', `/v1/games/${encodeURIComponent(game)}/replay${asked}`);
    }

    /** The game as one file. */
    file(game: string, share: Share): Promise<string> {
        const more = share === 'own' ? '' : `&${share}=true`;
        return this.text(`/v1/games/${encodeURIComponent(game)}/transcript?format=html${more}`);
    }

    /** Play a finished game again: the new game, and one’s link to it. */
    again(game: string): Promise<Schemas['PlayedAgain']> {
        return this.ask('POST', `/v1/games/${encodeURIComponent(game)}/again`);
    }
}

async function problem(answer: Response): Promise<Problem> {
    try {
        const told = (await answer.json()) as { type: string; title: string; detail: string };
        return new Problem(answer.status, told.type.split('/').at(-1) ?? '', told.title, told.detail);
    } catch {
        return new Problem(answer.status, 'http', 'Unexpected answer', 'The server sent an unexpected response.');
    }
}
