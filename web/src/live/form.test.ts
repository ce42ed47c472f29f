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

    it('has one place for what was typed ahead, or none', () => {
        expect(wordsOf(drawn(WHOLE))).toBeNull();
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
});
