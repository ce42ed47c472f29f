/** What hosts and keepers ask of the server. */
import type { Client, GameListed, GameShown } from '../api/client';
import type { components } from '../api/schema';

type Schemas = components['schemas'];
export type Rulesets = Schemas['Rulesets'];
export type RulesetLine = Schemas['RulesetLine'];
export type Offered = Schemas['Offered'];
export type GameLines = Schemas['GameLines'];
export type Wanted = Schemas['Wanted'];
export type Opened = Schemas['Opened'];
export type LinkRow = Schemas['LinkRow'];
export type LinkIssued = Schemas['LinkIssued'];
export type LinkKind = LinkRow['kind'];
type Kept = Schemas['Kept'];

/** How a game stands, as people read it. */
export const STATUSES: Readonly<Record<GameListed['status'], string>> = {
    open: 'In progress',
    held: 'On hold',
    over: 'Finished',
    void: 'Aborted',
};

export interface Sought {
    status: string;
    ruleset: string;
    search: string;
}

/** The server gives no more at once. */
const MOST_AT_ONCE = 1000;

function query(given: Record<string, string | number | boolean | null>): string {
    const kept = Object.entries(given).filter(([, value]) => value !== '' && value !== null);
    return kept.length === 0 ? '' : `?${new URLSearchParams(kept.map(([key, value]) => [key, String(value)]))}`;
}

export class Host {
    constructor(private readonly client: Client) {}

    rulesets(): Promise<Rulesets> {
        return this.client.ask('GET', '/v1/rulesets');
    }

    games(sought: Sought, limit: number, after: string | null, signal: AbortSignal): Promise<GameLines> {
        const asked = query({ ...sought, standing: true, limit: Math.min(limit, MOST_AT_ONCE), after });
        return this.client.ask('GET', `/v1/games${asked}`, undefined, signal);
    }

    /** What can be chosen in one of the server's folders, with what was chosen so far. */
    place(ruleset: string, place: string, chosen: Record<string, string>): Promise<Offered> {
        const path = `/v1/rulesets/${encodeURIComponent(ruleset)}/places/${encodeURIComponent(place)}`;
        return this.client.ask('GET', path + query(chosen));
    }

    open(wanted: Wanted): Promise<Opened> {
        return this.client.ask('POST', '/v1/games', wanted);
    }

    /** A new link for the seat that the host took in a game; the older one ends. */
    ownSeat(game: string): Promise<LinkIssued> {
        return this.client.ask('POST', `/v1/games/${encodeURIComponent(game)}/links`, { kind: 'seat' });
    }
}

export class Keeper {
    private readonly path: string;

    constructor(
        private readonly client: Client,
        private readonly game: string,
    ) {
        this.path = `/v1/games/${encodeURIComponent(game)}`;
    }

    rulesets(): Promise<Rulesets> {
        return this.client.ask('GET', '/v1/rulesets');
    }

    shown(): Promise<GameShown> {
        return this.client.game(this.game);
    }

    hold(): Promise<Kept> {
        return this.client.ask('POST', `${this.path}/hold`);
    }

    resume(): Promise<Kept> {
        return this.client.ask('POST', `${this.path}/resume`, { agents: {} });
    }

    fill(seat: string, agent: string): Promise<Kept> {
        return this.client.ask('PUT', `${this.path}/seats/${encodeURIComponent(seat)}`, { agent });
    }

    fork(at: number | null): Promise<Opened> {
        return this.client.ask('POST', `${this.path}/fork`, { at });
    }

    async links(): Promise<LinkRow[]> {
        const answer = await this.client.ask<Schemas['LinkRows']>('GET', `${this.path}/links`);
        return answer.links;
    }

    issue(kind: LinkKind, seat: string | null): Promise<LinkIssued> {
        return this.client.ask('POST', `${this.path}/links`, seat === null ? { kind } : { kind, seat });
    }

    end(number: number): Promise<void> {
        return this.client.ask('DELETE', `${this.path}/links/${number}`);
    }
}
