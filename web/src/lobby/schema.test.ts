import { describe, expect, test } from 'vitest';
import { hint, initial, optionFields, read, type OptionField } from './schema';

/** As pydantic writes the options of a ruleset. */
const SCHEMA = {
    $defs: { Pace: { enum: ['slow', 'quick'], type: 'string' } },
    properties: {
        max_attempts: {
            default: 3,
            minimum: 1,
            maximum: 100,
            type: 'integer',
            description: 'attempts per turn (M-019)',
        },
        turn_seconds: {
            anyOf: [{ exclusiveMinimum: 0, maximum: 1000, type: 'number' }, { type: 'null' }],
            default: null,
        },
        repeat: { default: true, type: 'boolean' },
        floor: { default: 'narrator', enum: ['narrator', 'bids'], type: 'string' },
        pace: { $ref: '#/$defs/Pace', default: 'slow' },
        style: { default: 'hybrid', type: 'string', maxLength: 8 },
        role_counts: {
            anyOf: [
                {
                    additionalProperties: { minimum: 0, maximum: 9, type: 'integer' },
                    propertyNames: { enum: ['Mafia', 'Doctor'] },
                    type: 'object',
                },
                { type: 'null' },
            ],
            default: null,
        },
        skills: { additionalProperties: { items: { type: 'string' }, type: 'array' }, type: 'object' },
        campaign: { type: 'string', default: '' },
    },
    type: 'object',
};

const fields = optionFields(SCHEMA, ['campaign']);
const named = (name: string): OptionField => {
    const found = fields.find((one) => one.name === name);
    if (found === undefined) throw new Error(name);
    return found;
};

describe('the form of a schema', () => {
    test('has a field for each option, of its kind, and none for what is chosen elsewhere', () => {
        expect(fields.map((one) => [one.name, one.kind])).toEqual([
            ['max_attempts', 'number'],
            ['turn_seconds', 'number'],
            ['repeat', 'flag'],
            ['floor', 'choice'],
            ['pace', 'choice'],
            ['style', 'text'],
            ['role_counts', 'counts'],
            ['skills', 'json'],
        ]);
    });

    test('words an option for people', () => {
        const field = named('max_attempts');
        expect([field.label, field.about, hint(field)]).toEqual(['Max attempts', 'Attempts per turn.', '1 to 100.']);
        expect(hint(named('turn_seconds'))).toBe('Optional.');
    });

    test('sends nothing of what is as usual', () => {
        for (const field of fields) expect(read(field, initial(field)), field.name).toBeNull();
    });

    test.each([
        ['max_attempts', '5', { value: 5 }],
        ['max_attempts', '0', { fault: 'Must be at least 1.' }],
        ['max_attempts', '101', { fault: 'Must be at most 100.' }],
        ['max_attempts', '2.5', { fault: 'Enter a whole number.' }],
        ['max_attempts', '', { fault: 'Enter a number.' }],
        ['max_attempts', 'many', { fault: 'Enter a number.' }],
        ['turn_seconds', '0.5', { value: 0.5 }],
        ['turn_seconds', '0', { fault: 'Must be more than 0.' }],
        ['repeat', false, { value: false }],
        ['floor', 'bids', { value: 'bids' }],
        ['pace', 'quick', { value: 'quick' }],
        ['style', 'quoted', { value: 'quoted' }],
        ['style', 'much too long', { fault: 'Use at most 8 characters.' }],
        ['role_counts', { Mafia: '2', Doctor: '' }, { value: { Mafia: 2 } }],
        ['role_counts', { Mafia: '2', Doctor: '10' }, { fault: 'Doctor: Must be at most 9.' }],
        ['skills', '{"executor": ["latex"]}', { value: { executor: ['latex'] } }],
    ])('reads %s from %j', (name, raw, told) => {
        expect(read(named(name), raw)).toEqual(told);
    });

    test('says of what is no JSON how it looks', () => {
        expect(read(named('skills'), '{executor}')).toMatchObject({ fault: expect.stringContaining('JSON') });
    });
});
