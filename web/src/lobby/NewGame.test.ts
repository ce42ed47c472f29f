import { fireEvent, render, screen, within } from '@testing-library/svelte';
import { beforeEach, expect, test, vi } from 'vitest';
import { Problem } from '../api/client';
import NewGame from './NewGame.svelte';
import type { Host, Offered, Opened, Rulesets, Wanted } from './calls';

const OFFER: Rulesets = {
    rulesets: [
        {
            name: 'mafia',
            layout: 'table',
            pitch: '',
            company: '',
            minutes: null,
            seats: ['narrator'],
            players: { least: 4, most: null, usual: 5 },
            setup: null,
            needs: null,
            options: {
                properties: {
                    max_attempts: { default: 3, minimum: 1, type: 'integer' },
                    night_seconds: { default: 0, minimum: 0, type: 'number' },
                },
            },
            cautions: [{ option: 'night_seconds', value: 0, says: 'Nights tell who is alive.' }],
        },
        {
            name: 'tabletop',
            layout: 'story',
            pitch: '',
            company: '',
            minutes: null,
            seats: [],
            players: { least: 2, most: 20, usual: null },
            setup: {
                description: 'Plays a campaign.',
                properties: {
                    campaign: { description: 'Campaign to play.', place: 'campaigns', type: 'string', option: '' },
                    character: {
                        anyOf: [{ type: 'string' }, { type: 'null' }],
                        default: null,
                        description: 'The character a person plays.',
                        none: 'None (bots only)',
                    },
                    edition: {
                        anyOf: [{ type: 'string' }, { type: 'null' }],
                        default: null,
                        description: 'Leave it.',
                        label: 'Message format',
                        none: 'Latest',
                        option: 'edition',
                    },
                    rounds: { default: 3, description: 'How many rounds.', minimum: 1, type: 'integer' },
                },
            },
            needs: 'campaign',
            options: { properties: { edition: { default: 'current', type: 'string' } } },
            cautions: [],
        },
    ],
    agents: ['house', 'random', 'outside', 'openai:small'],
    places: { campaign: ['ten-past-four', 'alarm'], folder: [] },
};
const OPENED: Opened = { game: 'g1', links: { keeper: 'k', spectator: 'w', seats: {} }, cautions: [] };

const asked: Wanted[] = [];
let answer: () => Promise<Opened>;
const looked: [string, string, Record<string, string>][] = [];
const campaign = (character: string): Promise<Offered> =>
    Promise.resolve({
        seats: ['gm', 'pim', 'tallow', ...(character === '' ? [] : ['human'])],
        people: character === '' ? [] : ['human'],
        choices: { character: ['pim', 'tallow'], edition: ['phase-1', 'current'] },
    });
let there: (character: string) => Promise<Offered>;
const host = {
    open: (wanted: Wanted) => {
        asked.push(structuredClone(wanted));
        return answer();
    },
    place: (...given: [string, string, Record<string, string>]): Promise<Offered> => {
        looked.push(given);
        return there(given[2]['character'] ?? '');
    },
} as unknown as Host;

const opened = vi.fn();
beforeEach(() => {
    asked.length = looked.length = 0;
    opened.mockClear();
    answer = () => Promise.resolve(OPENED);
    there = campaign;
    Element.prototype.scrollIntoView = () => undefined;
    render(NewGame, {
        host,
        offer: OFFER,
        start: { ruleset: null, friends: false, name: '' },
        onopened: opened,
        oncancel: () => undefined,
    });
});

const open = () => fireEvent.click(screen.getByRole('button', { name: 'Create game' }));
const names = () => screen.getAllByLabelText<HTMLInputElement>(/^Name of seat/).map((field) => field.value);

test('as it stands, it opens the first ruleset with the usual number of players, one of them by link', async () => {
    await open();
    await vi.waitFor(() => expect(opened).toHaveBeenCalledOnce());
    const wanted = asked[0] as Wanted;
    expect(wanted.names).toHaveLength(5);
    expect(new Set(wanted.names).size).toBe(5);
    expect(Object.keys(wanted.agents ?? {})).toEqual([...(wanted.names ?? []), 'narrator']);
    expect(Object.values(wanted.agents ?? {})).toEqual(['outside', 'house', 'house', 'house', 'house', 'house']);
    expect(wanted.options).toEqual({});
});

test('an agent is taken up with a click and put to seats with clicks, until Escape puts it back', async () => {
    const [, second, third] = names() as [string, string, string];
    await fireEvent.click(screen.getByRole('button', { name: 'small' }));
    await fireEvent.click(screen.getByRole('button', { name: `Assign small to ${second}` }));
    await fireEvent.click(screen.getByRole('button', { name: 'Assign small to Narrator' }));
    await fireEvent.keyDown(window, { key: 'Escape' });
    expect(screen.queryByRole('button', { name: `Assign small to ${third}` })).toBeNull();
    await fireEvent.change(screen.getByLabelText(`Player type for ${third}`), { target: { value: 'random' } });
    await open();
    expect(asked[0]?.agents).toMatchObject({
        [second]: 'openai:small',
        narrator: 'openai:small',
        [third]: 'random',
    });
});

test('an agent is dragged to a seat', async () => {
    const [, second] = names() as [string, string];
    const seat = screen.getByLabelText(`Player type for ${second}`).closest('li') as HTMLElement;
    const carried = { getData: () => 'random' };
    await fireEvent.drop(seat, { dataTransfer: carried });
    await fireEvent.drop(seat, { dataTransfer: { getData: () => 'files:/etc' } });
    await open();
    expect(asked[0]?.agents?.[second]).toBe('random');
});

test('seats are added, taken away and renamed, and none has the name of another', async () => {
    const [first, second] = names() as [string, string];
    await fireEvent.click(screen.getByRole('button', { name: 'Add seat' }));
    expect(names()).toHaveLength(6);
    await fireEvent.click(screen.getByRole('button', { name: `Remove ${second}` }));
    expect(names()).not.toContain(second);
    const field = screen.getByLabelText('Name of seat 2');
    await fireEvent.input(field, { target: { value: first.toUpperCase() } });
    expect(screen.getAllByText('This name is already taken.')).not.toHaveLength(0);
    await open();
    expect(asked).toEqual([]);
    await fireEvent.input(field, { target: { value: 'Zoë' } });
    await open();
    expect(asked[0]?.names).toContain('Zoë');
});

test('what is filled in wrongly is said at its field, and nothing is sent', async () => {
    await fireEvent.input(screen.getByLabelText('Max attempts'), { target: { value: '0' } });
    await open();
    expect(asked).toEqual([]);
    const field = screen.getByLabelText('Max attempts');
    expect(field.getAttribute('aria-invalid')).toBe('true');
    const about = document.getElementById(field.getAttribute('aria-describedby') ?? '') as HTMLElement;
    expect(within(about).getByRole('alert').textContent).toBe('Must be at least 1.');
});

test("the server's refusal is said at the field that it names", async () => {
    const words = "The rule 'max_attempts' does not take that value: Not that.";
    answer = () => Promise.reject(new Problem(422, 'invalid', 'Not understood', words));
    await fireEvent.input(screen.getByLabelText('Max attempts'), { target: { value: '9' } });
    await open();
    await screen.findByText('Not that.');
    expect(screen.getByLabelText('Max attempts').getAttribute('aria-invalid')).toBe('true');
    expect(opened).not.toHaveBeenCalled();
});

test('what names no field is said beside the button', async () => {
    answer = () => Promise.reject(new Problem(503, 'unavailable', 'Unavailable', 'Come back.'));
    await open();
    await screen.findByText('Come back.');
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Create game' }).disabled).toBe(false);
});

test('a campaign says who sits there, and whose part a person may play', async () => {
    await fireEvent.click(screen.getByRole('radio', { name: /^Tabletop/ }));
    await screen.findByLabelText('Player type for GM');
    expect(screen.getByRole('radio', { name: /2 to 20 seats, plays a campaign/ })).toBeTruthy();
    expect(screen.queryByLabelText('Message format')?.tagName).toBe('SELECT');
    expect(screen.queryByLabelText('Edition')).toBeNull();
    // One sits at the table unless one says otherwise, as the first character that there is.
    expect(screen.getByRole<HTMLInputElement>('radio', { name: 'Pim' }).checked).toBe(true);
    await fireEvent.click(screen.getByRole('radio', { name: 'Tallow' }));
    expect(await screen.findByText(/^You are Tallow\./)).toBeTruthy();
    const human = await screen.findByLabelText<HTMLSelectElement>('Player type for Human');
    expect(human.value).toBe('outside');
    expect(looked.at(-1)).toEqual(['tabletop', 'ten-past-four', { character: 'tallow' }]);
    await open();
    expect(asked[0]?.setup).toEqual({ campaign: 'ten-past-four', character: 'tallow' });
    expect(asked[0]?.own).toBe('human');
    await fireEvent.click(screen.getByRole('radio', { name: /^Nobody/ }));
    await vi.waitFor(() => expect(screen.queryByLabelText('Player type for Human')).toBeNull());
    await open();
    expect(asked[1]?.setup).toEqual({ campaign: 'ten-past-four' });
    expect(asked[1]).not.toHaveProperty('own');
    expect(asked[0]).not.toHaveProperty('names');
});

test('a field that lists no values is filled in by hand, and a fault is said at it', async () => {
    await fireEvent.click(screen.getByRole('radio', { name: /^Tabletop/ }));
    const rounds = await screen.findByLabelText('Rounds');
    await fireEvent.input(rounds, { target: { value: '0' } });
    await open();
    expect(asked).toEqual([]);
    expect(screen.getByText('Must be at least 1.')).toBeTruthy();
    await fireEvent.input(rounds, { target: { value: '5' } });
    await open();
    expect(asked[0]?.setup).toEqual({ campaign: 'ten-past-four', character: 'pim', rounds: 5 });
});

test('another folder begins with nothing chosen, and a folder that cannot be used says why', async () => {
    await fireEvent.click(screen.getByRole('radio', { name: /^Tabletop/ }));
    await fireEvent.click(await screen.findByRole('radio', { name: 'Tallow' }));
    there = () => Promise.reject(new Problem(422, 'invalid', 'Not understood', 'alarm is empty.'));
    await fireEvent.change(screen.getByLabelText('Campaign'), { target: { value: 'alarm' } });
    expect(looked.at(-1)).toEqual(['tabletop', 'alarm', {}]);
    await screen.findByText('alarm is empty.');
    expect(screen.getByLabelText('Campaign').getAttribute('aria-invalid')).toBe('true');
    expect(screen.queryByRole('radio', { name: 'Tallow' })).toBeNull();
});

test('an answer that comes after something else was chosen is none, nor is a refusal', async () => {
    const late: { answers: (found: Offered) => void; refuses: (error: Problem) => void }[] = [];
    there = () => new Promise((answers, refuses) => late.push({ answers, refuses }));
    await fireEvent.click(screen.getByRole('radio', { name: /^Tabletop/ }));
    late[0]?.answers(await campaign(''));
    await vi.waitFor(() => expect(late).toHaveLength(2));
    late[1]?.answers(await campaign('pim'));
    await fireEvent.click(await screen.findByRole('radio', { name: 'Tallow' }));
    await fireEvent.click(screen.getByRole('radio', { name: /^Nobody/ }));
    late[3]?.answers(await campaign(''));
    late[2]?.answers(await campaign('tallow'));
    await vi.waitFor(() => expect(screen.queryByLabelText('Player type for Human')).toBeNull());
    await screen.findByLabelText('Player type for GM');
    await fireEvent.click(screen.getByRole('radio', { name: 'Tallow' }));
    await fireEvent.click(screen.getByRole('radio', { name: /^Mafia/ }));
    late[4]?.refuses(new Problem(422, 'invalid', 'Not understood', 'Too late.'));
    await open();
    expect(asked[0]?.names).toHaveLength(5);
    expect(screen.queryByText('Too late.')).toBeNull();
});

test('a seat is moved by its handle, and keeps the focus', async () => {
    const before = names();
    const handle = () => screen.getByRole('button', { name: new RegExp(`^Move ${before[0] ?? ''}, `) });
    handle().focus();
    await fireEvent.keyDown(handle(), { key: 'ArrowRight' });
    expect(names()).toEqual([before[1], before[0], ...before.slice(2)]);
    await vi.waitFor(() => expect(document.activeElement).toBe(handle()));
    expect(screen.getByText(`${before[0] ?? ''} is seat 2 of 5.`)).toBeTruthy();
    await fireEvent.keyDown(handle(), { key: 'End' });
    expect(names()).toEqual([...before.slice(1), before[0]]);
    await fireEvent.keyDown(handle(), { key: 'ArrowDown' });
    expect(names().at(-1)).toBe(before[0]);
    await fireEvent.keyDown(handle(), { key: 'Home' });
    expect(names()).toEqual(before);
    await open();
    expect(asked[0]?.names).toEqual(before);
});

test('a ruleset cautions whoever has players come from outside, as long as the option stands so', async () => {
    const CAUTION = 'Nights tell who is alive.';
    expect(screen.getByText(CAUTION)).toBeTruthy();
    await fireEvent.input(screen.getByLabelText('Night seconds'), { target: { value: '60' } });
    expect(screen.queryByText(CAUTION)).toBeNull();
    await fireEvent.input(screen.getByLabelText('Night seconds'), { target: { value: '0' } });
    expect(screen.getByText(CAUTION)).toBeTruthy();
    for (const seat of screen.getAllByLabelText(/^Player type for /))
        await fireEvent.change(seat, { target: { value: 'house' } });
    expect(screen.queryByText(CAUTION)).toBeNull();
});
