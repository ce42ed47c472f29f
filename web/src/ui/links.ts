/** Links as they are pasted and handed on. */
import { readToken } from '../record/address';

/** Where a pasted text leads: here, to another server, or nowhere. */
export type Pasted = { leads: 'here'; address: string } | { leads: 'away'; address: string } | { leads: 'nowhere' };

export function pasted(text: string, origin: string): Pasted {
    let url: URL;
    try {
        url = new URL(text.trim());
    } catch {
        return { leads: 'nowhere' };
    }
    if (!/^https?:$/.test(url.protocol) || readToken(url.hash) === null) return { leads: 'nowhere' };
    return url.origin === origin
        ? { leads: 'here', address: url.pathname + url.hash }
        : { leads: 'away', address: url.href };
}

/** Whether only this machine can open the link. */
export function isLoopback(link: string): boolean {
    const { hostname } = new URL(link);
    return (
        hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '[::1]' || /^127\./.test(hostname)
    );
}
