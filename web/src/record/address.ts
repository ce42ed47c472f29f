/** The address: `/games/ID#TOKEN` as a link is given, `#at=57&as=Ada` as one moves about. */

const TOKEN = /^sv[a-z]_[\w-]+$/;

export interface Moment {
    at: number | null;
    as: string[];
}

/** What the page keeps in the history's state, which a reload keeps and nobody else sees. */
interface Kept {
    token?: unknown;
    theme?: unknown;
}

/** Take the token out of the address and keep it in the history's state. */
export function takeToken(): string | null {
    const fragment = readToken(location.hash);
    if (fragment !== null) {
        keep({ token: fragment }, location.pathname);
        return fragment;
    }
    const { token } = kept();
    return typeof token === 'string' ? token : null;
}

/** The token that a fragment is, null where it is something else. */
export function readToken(hash: string): string | null {
    const fragment = hash.replace(/^#/, '').trim();
    return TOKEN.test(fragment) ? fragment : null;
}

export function kept(): Kept {
    return (history.state as Kept | null) ?? {};
}

/** Keep something beside what is kept already. */
export function keep(more: Kept, address?: string): void {
    history.replaceState({ ...kept(), ...more }, '', address);
}

export function gameOf(path: string): string | null {
    const found = /^\/games\/([^/]+)$/.exec(path);
    if (found?.[1] === undefined) return null;
    try {
        return decodeURIComponent(found[1]);
    } catch {
        return found[1];
    }
}

/** Where a chair is named: what everybody saw, and the full record. */
export const PUBLIC = '';
export const ALL = '*';

export function readMoment(hash: string): Moment {
    const given = new URLSearchParams(hash.replace(/^#/, ''));
    const at = Number(given.get('at') ?? Number.NaN);
    return { at: Number.isInteger(at) && at > 0 ? at : null, as: given.getAll('as') };
}

/** Write the moment into the address without a new entry in the history. */
export function writeMoment(moment: Moment): void {
    const given = new URLSearchParams();
    if (moment.at !== null) given.set('at', String(moment.at));
    for (const seat of moment.as) given.append('as', seat);
    history.replaceState(history.state, '', `${location.pathname}${location.search}#${given.toString()}`);
}
