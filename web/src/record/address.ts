/** The address: `/games/ID#TOKEN` as a link is given, `#at=57&as=Ada` as one moves about. */

const TOKEN = /^sv[a-z]_[\w-]+$/;

export interface Moment {
    at: number | null;
    as: string[];
}

/** Take the token out of the address and keep it in the history's state, which a reload keeps and nobody else sees. */
export function takeToken(): string | null {
    const fragment = decodeURIComponent(location.hash.slice(1));
    if (TOKEN.test(fragment)) {
        history.replaceState({ token: fragment }, '', location.pathname);
        return fragment;
    }
    const kept = history.state as { token?: unknown } | null;
    return typeof kept?.token === 'string' ? kept.token : null;
}

export function gameOf(path: string): string | null {
    const found = /^\/games\/([^/]+)$/.exec(path);
    return found?.[1] === undefined ? null : decodeURIComponent(found[1]);
}

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
