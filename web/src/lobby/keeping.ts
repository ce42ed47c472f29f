/** The links of a game as its keeper reads them. */
import type { LinkKind, LinkRow } from './calls';
import type { HandedLink } from './handed.svelte';

export const KINDS: Record<LinkKind, { name: string; about: string; opens: string }> = {
    seat: { name: 'Seat', about: 'Sits down at this seat', opens: 'Sit down here' },
    spectator: { name: 'Looking on', about: 'Sees what everybody sees', opens: 'Watch' },
    keeper: { name: 'Keeping', about: 'Stops the game, fills its seats, issues its links', opens: 'Keep it' },
    auditor: { name: 'Auditing', about: 'Sees everything, of every chair', opens: 'Open the full record' },
};

export function handedLink(kind: LinkKind, seat: string | null, link: string): HandedLink {
    const { name, about, opens } = KINDS[kind];
    return { name: seat ?? name, about, opens, link, seat, icon: kind === 'keeper' ? 'key' : 'eye' };
}

/** The links in force, seats first in seating order, then the others. */
export function inForce(rows: readonly LinkRow[], seats: readonly string[]): LinkRow[] {
    const order = (row: LinkRow) =>
        row.seat === null ? seats.length + Object.keys(KINDS).indexOf(row.kind) : seats.indexOf(row.seat);
    return rows.filter((row) => row.ended === null).sort((one, other) => order(one) - order(other));
}

/** What shows secrets of a running game: what everyone is told of it, and what it asks of the keeper first. */
export interface Peek {
    title: string;
    told: string;
    does: string;
}

export const peekAt = {
    copy: {
        title: 'Copy this game?',
        told: 'The keeper copied this game. The copy shows all its secrets.',
        does: 'Copy it and tell everyone',
    },
    auditor: {
        title: 'Make an auditor’s link?',
        told: "The keeper made an auditor's link. It shows all secrets of this game.",
        does: 'Make the link and tell everyone',
    },
    seat: (seat: string) => ({
        title: `Make a new link for ${seat}?`,
        told: `The keeper made a new link for ${seat}'s seat. It shows what ${seat} sees and can answer for ${seat}.`,
        does: 'Make the link and tell everyone',
    }),
};
