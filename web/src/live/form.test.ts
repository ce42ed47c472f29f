import { fireEvent, render, screen } from '@testing-library/svelte';
import { describe, expect, it } from 'vitest';
import type { OpenTurn } from '../api/client';
import Fields from './Fields.svelte';
import { blank, formOf, read, saying, wordsOf, type FormField, type Values } from './form';

const turn = (form: OpenTurn['form'], choices: string[] = []): OpenTurn =>
    ({ turn: 1, form, choices }) as unknown as OpenTurn;

const ROLL = {
    type: 'object',
    properties: {
        who: { type: 'string' },
        dc: { anyOf: [{ type: 'integer' }, { type: 'null' }], default: null },
    },
};
const WHOLE = {
    type: 'object',
    $defs: { Roll: ROLL },
    properties: {
        type: { enum: ['ACTION', 'VETO'], type: 'string' },
        words: { type: 'string', description: 'what you say' },
        group: { type: 'array', items: { type: 'string', enum: ['ann', 'bo'] } },
        options: { type: 'array', items: { type: 'string' } },
        rolls: { type: 'array', items: { $ref: '#/$defs/Roll' } },
        change: { anyOf: [{ type: 'integer' }, { type: 'string' }] },
        end: { anyOf: [{ $ref: '#/$defs/Roll' }, { type: 'null' }] },
        heading: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    },
};

const drawn = (form: OpenTurn['form']): FormField[] => {
    const found = formOf(turn(form));
    if (found === null) throw new Error('no form');
    return found;
};

describe('the form of a turn', () => {
    it('has a field for each of the schema', () => {
        expect(drawn(WHOLE).map((field) => [field.name, field.kind, field.empty])).toEqual([
            ['type', 'choice', false],
            ['words', 'words', false],
            ['group', 'several', false],
            ['options', 'lines', false],
            ['rolls', 'parts', false],
            ['change', 'words', false],
            ['end', 'part', true],
            ['heading', 'words', true],
        ]);
        expect(drawn(WHOLE)[1]).toMatchObject({ label: 'Words', about: 'What you say.' });
    });

    it('is none where a choice answers, where there is none, and where one could not be drawn', () => {
        expect(formOf(turn(WHOLE, ['accept']))).toBeNull();
        expect(formOf(turn(null))).toBeNull();
        expect(formOf(turn({ type: 'object', properties: { odd: { type: 'array', items: {} } } }))).toBeNull();
    });

    it('is read as the server wants it', () => {
        const fields = drawn(WHOLE);
        expect(read(fields, blank(fields))).toEqual({
            type: 'ACTION',
            words: '',
            group: [],
            options: [],
            rolls: [],
            change: '',
            end: null,
            heading: null,
        });
        const filled: Values = {
            ...blank(fields),
            words: ' I bow. ',
            options: 'one\n\n two ',
            rolls: [{ who: 'ann', dc: ' 12 ' }],
            change: '-3',
            end: { who: '', dc: '' },
            heading: '',
        };
        expect(read(fields, filled)).toMatchObject({
            words: 'I bow.',
            options: ['one', 'two'],
            rolls: [{ who: 'ann', dc: 12 }],
            change: -3,
            end: { who: '', dc: null },
        });
    });

    it('says in short what was written, and nothing of what was chosen beforehand', () => {
        const fields = drawn(WHOLE);
        expect(saying(fields, blank(fields))).toBe('');
        expect(saying(fields, { ...blank(fields), words: 'I bow.', rolls: [{ who: 'ann', dc: '' }] })).toBe(
            'I bow.; ann',
        );
    });

    it('can be sent with a choice alone, if it is not the one chosen beforehand', () => {
        const call = { enum: ['bid', 'doubt'], type: 'string', default: 'bid' };
        const count = { anyOf: [{ type: 'integer', minimum: 1, maximum: 10 }, { type: 'null' }], default: null };
        const fields = drawn({ properties: { call, count } });
        expect(fields[1]).toMatchObject({ about: '1 to 10.' });
        expect(saying(fields, blank(fields))).toBe('');
        expect(saying(fields, { ...blank(fields), call: 'doubt' })).toBe('doubt');
        expect(read(fields, { ...blank(fields), call: 'doubt' })).toEqual({ call: 'doubt', count: null });
    });

    it('says what is chosen beforehand where it has nothing but choices', () => {
        const fields = drawn({
            properties: { card: { enum: ['ace', 'king'], type: 'string' }, open: { type: 'boolean' } },
        });
        expect(saying(fields, blank(fields))).toBe('ace; yes');
        expect(read(fields, blank(fields))).toEqual({ card: 'ace', open: 'yes' });
    });

    it('has one place for what was typed ahead: its first field for words', () => {
        expect(wordsOf(drawn(WHOLE))).toBe('words');
        expect(wordsOf(drawn({ properties: { type: WHOLE.properties.type, words: { type: 'string' } } }))).toBe(
            'words',
        );
    });

    it('is filled in, part by part', async () => {
        const fields = drawn(WHOLE);
        let values = blank(fields);
        const { rerender } = render(Fields, {
            fields,
            values,
            seats: [],
            onchange: (changed: Values) => (values = changed),
        });
        const draw = () => rerender({ fields, values });
        await fireEvent.input(screen.getByLabelText('Words'), { target: { value: 'I bow.' } });
        await draw();
        await fireEvent.change(screen.getByLabelText('Type'), { target: { value: 'VETO' } });
        await draw();
        await fireEvent.click(screen.getByLabelText('bo'));
        await draw();
        await fireEvent.click(screen.getByRole('button', { name: 'Add to rolls' }));
        await draw();
        await fireEvent.input(screen.getByLabelText('Who'), { target: { value: 'ann' } });
        await draw();
        expect(read(fields, values)).toMatchObject({
            type: 'VETO',
            words: 'I bow.',
            group: ['bo'],
            rolls: [{ who: 'ann', dc: null }],
        });
        await fireEvent.click(screen.getByRole('button', { name: 'Remove' }));
        expect(values['rolls']).toEqual([]);
    });

    it('draws steps of several kinds, each sent with the fields of its kind', async () => {
        const told = {
            type: 'object',
            properties: {
                narrative: { type: 'string' },
                to: { type: 'array', items: { enum: ['bo'], type: 'string' } },
            },
        };
        const rolled = { type: 'object', properties: { roll: { type: 'string' }, dc: { type: 'integer' } } };
        const steps = { type: 'array', items: { anyOf: [{ $ref: '#/$defs/Told' }, { $ref: '#/$defs/Rolled' }] } };
        const fields = drawn({ $defs: { Told: told, Rolled: rolled }, properties: { steps } });
        let values = blank(fields);
        expect(values).toEqual({ steps: [] });
        const { rerender } = render(Fields, {
            fields,
            values,
            seats: [],
            onchange: (changed: Values) => (values = changed),
        });
        const draw = () => rerender({ fields, values });
        await fireEvent.click(screen.getByRole('button', { name: 'Add roll' }));
        await draw();
        await fireEvent.click(screen.getByRole('button', { name: 'Add narrative' }));
        await draw();
        await fireEvent.input(screen.getByLabelText('Dc'), { target: { value: '12' } });
        await draw();
        await fireEvent.input(screen.getByLabelText('Narrative'), { target: { value: 'Fog.' } });
        await draw();
        expect(read(fields, values)).toEqual({
            steps: [
                { roll: '', dc: 12 },
                { narrative: 'Fog.', to: [] },
            ],
        });
        expect(saying(fields, values)).toBe('12; Fog.');
        const [first] = screen.getAllByRole('button', { name: 'Remove' });
        await fireEvent.click(first as HTMLElement);
        expect(values).toEqual({ steps: [{ narrative: 'Fog.', to: [] }] });
    });

    it('draws no steps of which one cannot be drawn', () => {
        const steps = { type: 'array', items: { anyOf: [{ type: 'object', properties: { a: { type: 'array' } } }] } };
        expect(formOf(turn({ properties: { steps } }))).toBeNull();
    });
});
