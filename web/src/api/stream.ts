/** A chair's stream: server-sent events by fetch, taken up again behind the last one whenever the line breaks. */
import { createParser } from 'eventsource-parser';
import type { Entry } from '../record/types';
import { pause } from './pause';

export type End = 'over' | 'link-ended' | 'refused';

export interface Heard {
    entry: (entry: Entry) => void;
    /** The line is up, or it is down and being tried again. */
    line: (up: boolean) => void;
    end: (why: End) => void;
}

/** Silence after which a line counts as dead: three heartbeats. */
const SILENCE_MS = 45_000;
const LONGEST_PAUSE_MS = 8_000;
/** The network is lost, or there again: a line that was there before is dead, and nobody says so. */
const NETWORK = ['offline', 'online'] as const;

/** Follow a stream until it ends or `signal` says so; every entry is heard once and in order. */
export async function follow(
    path: string,
    headers: Record<string, string>,
    after: number,
    heard: Heard,
    signal: AbortSignal,
    silence = SILENCE_MS,
): Promise<void> {
    let last = after;
    let wait = 250;
    while (!signal.aborted) {
        const attempt = new AbortController();
        const stop = () => attempt.abort();
        signal.addEventListener('abort', stop);
        for (const change of NETWORK) addEventListener(change, stop);
        let watch = setTimeout(stop, silence);
        const alive = () => {
            clearTimeout(watch);
            watch = setTimeout(stop, silence);
        };
        let end: End | null = null;
        try {
            const answer = await fetch(path, {
                headers: { ...headers, 'last-event-id': String(last) },
                signal: attempt.signal,
                cache: 'no-store',
            });
            if (!answer.ok || answer.body === null) {
                if (answer.status !== 429 && answer.status < 500) {
                    heard.end(answer.status === 401 ? 'link-ended' : 'refused');
                    return;
                }
                throw new Error(String(answer.status));
            }
            heard.line(true);
            wait = 250;
            const parser = createParser({
                onEvent(event) {
                    if (event.event === 'end') {
                        end = (JSON.parse(event.data) as { why: End }).why;
                    } else if (event.event === 'entry' && event.id !== undefined && Number(event.id) > last) {
                        last = Number(event.id);
                        heard.entry(JSON.parse(event.data) as Entry);
                    }
                },
            });
            const decoder = new TextDecoder();
            const reader = answer.body.getReader();
            for (;;) {
                const { done, value } = await reader.read();
                if (done) break;
                alive();
                parser.feed(decoder.decode(value, { stream: true }));
                if (end !== null) {
                    heard.end(end);
                    return;
                }
            }
        } catch {
            // A broken line is taken up again below, whatever broke it.
        } finally {
            clearTimeout(watch);
            signal.removeEventListener('abort', stop);
            for (const change of NETWORK) removeEventListener(change, stop);
            attempt.abort();
        }
        if (signal.aborted) return;
        heard.line(false);
        await pause(wait * (0.75 + Math.random() / 2));
        wait = Math.min(wait * 2, LONGEST_PAUSE_MS);
    }
}
