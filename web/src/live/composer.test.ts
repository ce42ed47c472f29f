import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fireEvent, render, screen } from '@testing-library/svelte';
import { flushSync, tick } from 'svelte';
import { Client, type LinkOpens, type OpenTurn } from '../api/client';
import { Session } from '../record/session.svelte';
import Answer from './Answer.svelte';
import { Composer } from './composer.svelte';

const LINK: LinkOpens = { kind: 'seat', game: 'g', seat: 'Ada', ruleset: 'mafia', claimed: null, again: null };

function turn(number: number, more: Partial<OpenTurn> = {}): OpenTurn {
    const blank = { kind: 'vote', choices: ['Bram', 'Cleo'], attempts_left: 3, deadline: null, claimed_until: null };
    const asked = { ask: 'Whom?', how: '', context: [], enter: null, goes_to: {}, options: [], form: null };
    const rest = { refused: [], prompt: '' };
    return { turn: number, ...blank, ...asked, ...rest, ...more };
}

let posts: { path: string; text: string }[] = [];
let bodies: unknown[] = [];
let answer: () => Response;
let session: Session;
let composer: Composer;

beforeEach(() => {
    history.replaceState({}, '');
    posts = [];
    bodies = [];
    answer = () => Response.json({ accepted: true, repeated: false, seq: 1 });
    vi.stubGlobal('fetch', (path: string, init: RequestInit) => {
        if (init.method !== 'POST') return Promise.resolve(Response.json({ turns: [], over: false }));
        bodies.push(JSON.parse(String(init.body)));
        posts.push({ path, text: (JSON.parse(String(init.body)) as { text: string }).text });
        return Promise.resolve(answer());
    });
    session = new Session(new Client('svs_x'), LINK);
    composer = new Composer(session);
});
afterEach(() => {
    session.close();
    vi.unstubAllGlobals();
});

function sit(): void {
    render(Answer, { session, composer, players: ['Ada', 'Bram', 'Cleo'], now: Date.now });
}

function press(key: string, more: KeyboardEventInit = {}, on: EventTarget = document.body): void {
    on.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more }));
    flushSync();
}

describe('the answer', () => {
    it('is a choice by its number and then Enter', async () => {
        session.turns = [turn(3)];
        sit();
        press('2');
        expect(screen.getByRole('button', { name: /Cleo/, pressed: true })).toBeTruthy();
        expect(posts).toEqual([]);
        press('Enter');
        await vi.waitFor(() => expect(posts).toEqual([{ path: '/v1/games/g/turns/3', text: 'Cleo' }]));
    });

    it('shows a seat by its name, and sends it as it is called', async () => {
        session.track.seats = ['pim-tallow', 'gm'];
        session.turns = [turn(3, { choices: ['pim-tallow', 'wait-here'] })];
        sit();
        expect(screen.getByRole('button', { name: /wait-here/ })).toBeTruthy();
        screen.getByRole('button', { name: /Pim Tallow/ }).click();
        await tick();
        screen.getByRole('button', { name: 'Send: Pim Tallow' }).click();
        await vi.waitFor(() => expect(posts.map((one) => one.text)).toEqual(['pim-tallow']));
        await screen.findByText('Pim Tallow', { selector: 'q bdi' });
    });

    it('goes by buttons alone, and a choice can be let go of', async () => {
        session.turns = [turn(3)];
        sit();
        screen.getByRole('button', { name: /Bram/ }).click();
        await tick();
        screen.getByRole('button', { name: /1.*Bram/ }).click();
        await tick();
        expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Send' }).disabled).toBe(true);
        screen.getByRole('button', { name: /Bram/ }).click();
        await tick();
        screen.getByRole('button', { name: /Send: Bram/ }).click();
        await vi.waitFor(() => expect(posts.map((one) => one.text)).toEqual(['Bram']));
    });

    it('leaves keys alone that are pressed in a field or with another', () => {
        session.turns = [turn(3)];
        sit();
        press('1', {}, screen.getByRole('textbox'));
        press('1', { ctrlKey: true });
        expect(composer.taken).toBeNull();
    });

    it('is what was typed; the field is cleared once it is taken', async () => {
        session.turns = [turn(3, { choices: [] })];
        sit();
        composer.draft = 'It was Bram.';
        flushSync();
        press('Enter', { shiftKey: true }, screen.getByRole('textbox'));
        expect(posts).toEqual([]);
        press('Enter', {}, screen.getByRole('textbox'));
        await vi.waitFor(() => expect(session.verdicts[3]?.how).toBe('taken'));
        composer.settle();
        expect(composer.draft).toBe('');
    });

    it('keeps what was typed where it was refused, says why, and keeps what is typed meanwhile', async () => {
        answer = () =>
            Response.json({ type: '/problems/refused', title: '', status: 422, detail: 'No.' }, { status: 422 });
        session.turns = [turn(3, { choices: [] })];
        sit();
        composer.draft = 'Zoe did it.';
        composer.send();
        await vi.waitFor(() => expect(screen.getByRole('alert').textContent).toContain('No.'));
        composer.settle();
        expect(composer.draft).toBe('Zoe did it.');

        session.turns = [turn(4, { choices: [] })];
        answer = () => Response.json({ accepted: true, repeated: false, seq: 1 });
        composer.send();
        composer.draft = 'And another thing';
        await vi.waitFor(() => expect(session.verdicts[4]?.how).toBe('taken'));
        composer.settle();
        expect(composer.draft).toBe('And another thing');
    });

    it('tells the refusals of before a reload', () => {
        session.turns = [turn(3, { refused: ['Name one of them.'], attempts_left: 1 })];
        sit();
        expect(screen.getByRole('alert').textContent).toContain('Name one of them.');
        expect(screen.getByText('last attempt')).toBeTruthy();
    });

    it('waits for a turn with what was typed ahead', async () => {
        sit();
        composer.draft = 'I was asleep.';
        flushSync();
        press('Enter', {}, screen.getByRole('textbox'));
        expect(posts).toEqual([]);
        session.turns = [turn(9, { choices: [] })];
        await tick();
        press('Enter', {}, screen.getByRole('textbox'));
        await vi.waitFor(() => expect(posts).toEqual([{ path: '/v1/games/g/turns/9', text: 'I was asleep.' }]));
    });

    it('is to the turn that was picked, and its choice is no other’s', () => {
        session.turns = [turn(3), turn(5, { choices: ['accept', 'Bram'] })];
        composer.take({ text: 'Bram', answer: 'Bram' });
        composer.pick(5);
        expect(composer.turn?.turn).toBe(5);
        expect(composer.taken).toBeNull();
        composer.pick(3);
        expect(composer.taken?.answer).toBe('Bram');
        session.turns = [turn(5)];
        expect(composer.turn?.turn).toBe(5);
    });

    it('shows markup as the text that it is', () => {
        const evil = '<img src=x onerror="alert(1)"><script>alert(1)</script>';
        session.turns = [turn(3, { ask: evil, choices: [evil, '‮evil'], context: [evil], refused: [evil] })];
        sit();
        expect(document.querySelector('img, script')).toBeNull();
        expect(screen.getAllByText(evil, { exact: false }).length).toBeGreaterThan(3);
    });

    it('is filled in field by field where the turn has a form, or written in its tags', async () => {
        const form = {
            type: 'object',
            properties: { type: { type: 'string', enum: ['ACTION', 'VETO'] }, words: { type: 'string' } },
        };
        composer.draft = 'I bow';
        session.turns = [turn(3, { choices: [], form, enter: 'pass' })];
        sit();
        composer.move();
        flushSync();
        const words = screen.getByLabelText<HTMLTextAreaElement>('Words');
        expect([words.value, composer.draft]).toEqual(['I bow', '']);
        press('Enter', {}, words);
        expect(bodies).toEqual([]);
        press('Enter', { ctrlKey: true }, words);
        await vi.waitFor(() => expect(bodies).toEqual([{ fields: { type: 'ACTION', words: 'I bow' } }]));
        await vi.waitFor(() => expect(screen.getByText('I bow')).toBeTruthy());

        session.turns = [turn(4, { choices: [], form, enter: 'pass' })];
        flushSync();
        expect(screen.getByRole('button', { name: 'pass' })).toBeTruthy();
        await fireEvent.click(screen.getByRole('button', { name: 'Write raw text' }));
        composer.draft = '[PLAYER_TO_GM]';
        press('Enter', {}, screen.getByLabelText('Your answer'));
        await vi.waitFor(() => expect(bodies[1]).toEqual({ text: '[PLAYER_TO_GM]' }));
    });
});
