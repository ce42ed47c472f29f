import { describe, expect, it } from 'vitest';
import { choicesOf, propertiesOf } from './shape';

describe('the fields of a schema', () => {
    it('have their words, without the numbers of rules', () => {
        const [field] = propertiesOf({
            properties: { max_days: { type: 'integer', description: 'days (M-012), all' } },
        });
        expect(field).toMatchObject({ name: 'max_days', label: 'Max days', about: 'Days, all.', empty: false });
    });

    it('write GM in capitals', () => {
        const [field] = propertiesOf({ properties: { idle_gm_turns: { type: 'integer' } } });
        expect(field?.label).toBe('Idle GM turns');
    });

    it('end in a full stop, once', () => {
        const fields = propertiesOf({
            properties: { one: { description: 'How many' }, two: { description: 'Any.' }, three: {} },
        });
        expect(fields.map((field) => field.about)).toEqual(['How many.', 'Any.', '']);
    });

    it('are resolved, with what may be null', () => {
        const schema = {
            $defs: { Roll: { type: 'object', properties: { who: { type: 'string' } } } },
            properties: {
                roll: { anyOf: [{ $ref: '#/$defs/Roll' }, { type: 'null' }], default: null },
                either: { anyOf: [{ type: 'integer' }, { type: 'string' }] },
            },
        };
        const [roll, either] = propertiesOf(schema);
        expect(roll).toMatchObject({ empty: true, shape: { type: 'object' }, shapes: [{ type: 'object' }] });
        expect(either?.shapes.map((one) => one['type'])).toEqual(['integer', 'string']);
    });

    it('have choices where they name texts alone', () => {
        expect(choicesOf({ enum: ['a', 'b'] })).toEqual(['a', 'b']);
        expect(choicesOf({ const: 'a' })).toEqual(['a']);
        expect(choicesOf({ enum: ['a', 1] })).toEqual([]);
        expect(choicesOf({ type: 'string' })).toEqual([]);
    });
});
