import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { clock } from '../api/clock';
import { isOld } from '../api/freshness';
import { connection } from './connection.svelte';

const answer = (status: number, date: Date): Response =>
    new Response(null, { status, headers: { date: date.toUTCString() } });

beforeEach(() => {
    vi.useFakeTimers();
});
afterEach(() => {
    connection.heard(answer(200, new Date()));
    connection.clear();
    vi.unstubAllGlobals();
    vi.useRealTimers();
});

test('a server that does not answer is told of after a while, asked again, and told of when it is back', async () => {
    let up = false;
    const asked = vi.fn(() => (up ? Promise.resolve(new Response('{}')) : Promise.reject(new Error('away'))));
    vi.stubGlobal('fetch', asked);
    connection.heard(null);
    expect(connection.away).toBe(false);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(connection.away).toBe(true);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(asked.mock.calls.length).toBeGreaterThan(2);
    up = true;
    await vi.advanceTimersByTimeAsync(3_000);
    expect([connection.away, connection.back]).toEqual([false, true]);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(connection.back).toBe(false);
});

test('a line that is up again at once is nobody’s news', async () => {
    connection.line(false);
    await vi.advanceTimersByTimeAsync(500);
    connection.line(true);
    await vi.advanceTimersByTimeAsync(5_000);
    expect([connection.away, connection.back]).toEqual([false, false]);
});

test('an answer that a link has ended takes the page', () => {
    connection.heard(answer(401, new Date()));
    expect(connection.problem?.slug).toBe('unauthorized');
});

test('a clock that is far out is told of, and time counts by the server', () => {
    connection.heard(answer(200, new Date(Date.now() - 600_000)));
    expect(Math.round(connection.skew / 60_000)).toBe(10);
    expect(Math.abs(clock.now() - (Date.now() - 600_000))).toBeLessThan(2_000);
    connection.heard(answer(200, new Date()));
    expect(connection.skew).toBe(0);
});

test('a page is old once the server names another script', async () => {
    const page = '<script type="module" src="/assets/index-B2.js"></script>';
    vi.stubGlobal('fetch', () => Promise.resolve(new Response(page)));
    expect(await isOld('/assets/index-A1.js')).toBe(true);
    expect(await isOld('/assets/index-B2.js')).toBe(false);
    expect(await isOld(null)).toBe(false);
    vi.stubGlobal('fetch', () => Promise.reject(new Error('away')));
    expect(await isOld('/assets/index-A1.js')).toBe(false);
});
