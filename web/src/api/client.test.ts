import { afterEach, describe, expect, it, vi } from 'vitest';
import { Client } from './client';

afterEach(() => void vi.unstubAllGlobals());

describe('how far a client has seen', () => {
    it('goes with every request, and never back', async () => {
        const told = ['7', '5', null, '9'];
        const sent: (string | null)[] = [];
        vi.stubGlobal('fetch', (_path: string, init: RequestInit) => {
            sent.push(new Headers(init.headers).get('sottovoce-seen'));
            const seen = told.shift() ?? null;
            return Promise.resolve(new Response('{}', { headers: seen === null ? {} : { 'sottovoce-seen': seen } }));
        });
        const client = new Client('svs_x');
        for (let count = 0; count < 5; count++) await client.link();
        expect(sent).toEqual([null, '7', '7', '7', '9']);
    });
});
