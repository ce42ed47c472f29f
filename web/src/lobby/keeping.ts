/** The links of a game as its keeper reads them. */
import type { LinkKind, LinkRow } from './calls';
import { displayName } from '../ui/names';
import type { HandedLink } from './handed.svelte';

export const KINDS: Record<LinkKind, { name: string; about: string; opens: string }> = {
    seat: { name: 'Seat', about: 'Plays this seat', opens: 'Take this seat' },
    spectator: { name: 'Spectator', about: 'Sees only what is public', opens: 'Watch' },
    keeper: {
        name: 'Keeper',
        about: 'Manages the game: put it on hold, change players, create links',
        opens: 'Manage game',
    },
    auditor: { name: 'Auditor', about: 'Sees every seat and every secret. Not for players.', opens: 'Open full log' },
};

export function handedLink(kind: LinkKind, seat: string | null, link: string): HandedLink {
    const { name, about, opens } = KINDS[kind];
    return {
        name: seat === null ? name : displayName(seat),
        about,
        opens,
        link,
        seat,
        icon: kind === 'keeper' ? 'key' : 'eye',
    };
}

/** The links in force, seats first in seating order, then the others. */
export function inForce(rows: readonly LinkRow[], seats: readonly string[]): LinkRow[] {
    const order = (row: LinkRow) =>
        row.seat === null ? seats.length + Object.keys(KINDS).indexOf(row.kind) : seats.indexOf(row.seat);
    return rows.filter((row) => row.ended === null).sort((one, other) => order(one) - order(other));
}

const seatTold = (name: string): string =>
    `The keeper made a new link for ${name}'s seat. It shows what ${name} sees and can answer for ${name}.`;

/** What shows secrets of a running game: what everyone is told of it, and what it asks of the keeper first. */
export interface Peek {
    title: string;
    told: string;
    does: string;
}

export const peekAt = {
    copy: {
        title: 'Fork this game?',
        told: 'The keeper copied this game. The copy shows all its secrets.',
        does: 'Fork it and tell everyone',
    },
    auditor: {
        title: 'Create an auditor link?',
        told: "The keeper made an auditor's link. It shows all secrets of this game.",
        does: 'Create the link and tell everyone',
    },
    seat: (seat: string) => ({
        title: `Create a new link for ${displayName(seat)}?`,
        told: seatTold(displayName(seat)),
        does: 'Create the link and tell everyone',
    }),
};
