/** The form of a turn: each field of its JSON schema as what a person fills in. Where one cannot be drawn, there is none. */
import type { OpenTurn } from '../api/client';
import { choicesOf, list, propertiesOf, resolved, type Property, type Schema } from '../api/shape';

export type Value = string | string[] | Values | Values[] | null;
export interface Values {
    [name: string]: Value;
}

const FAR = 1000;

type Common = Pick<Property, 'name' | 'label' | 'about' | 'empty'>;

export type FormField = Common &
    /** What looks like a number is one where `numbers` may be given. */
    (
        | { kind: 'words'; numbers: boolean }
        | { kind: 'choice'; choices: string[] }
        /** A text a line. */
        | { kind: 'lines' }
        | { kind: 'several'; choices: string[] }
        | { kind: 'part'; fields: FormField[] }
        | { kind: 'parts'; fields: FormField[] }
        /** Parts of several kinds, in order; the first field of each kind has a name that no other has. */
        | { kind: 'steps'; steps: FormField[][] }
    );

/** The fields of a turn's form; null where it is answered by a choice, in words, or by a form that cannot be drawn. */
export function formOf(turn: OpenTurn): FormField[] | null {
    if (turn.form === null || turn.choices.length > 0) return null;
    return fieldsOf(turn.form, turn.form);
}

function fieldsOf(schema: Schema, whole: Schema): FormField[] | null {
    const fields = propertiesOf(schema, whole).map((property) => fieldOf(property, whole));
    return fields.every((field) => field !== null) && fields.length > 0 ? fields : null;
}

function fieldOf({ shapes, shape, choices, name, label, about, empty }: Property, whole: Schema): FormField | null {
    const common: Common = { name, label, about, empty };
    const types = shapes.map((one) => one['type']);
    if (shapes.length > 1) {
        const simple = types.every((type) => type === 'string' || type === 'integer');
        return simple ? { ...common, kind: 'words', numbers: types.includes('integer') } : null;
    }
    switch (shape['type']) {
        case 'string':
            return choices.length > 0
                ? { ...common, kind: 'choice', choices }
                : { ...common, kind: 'words', numbers: false };
        case 'integer':
            return { ...common, about: ranged(about, shape), kind: 'words', numbers: true };
        case 'boolean':
            return { ...common, kind: 'choice', choices: ['yes', 'no'] };
        case 'object': {
            const fields = fieldsOf(shape, whole);
            return fields === null ? null : { ...common, kind: 'part', fields };
        }
        case 'array': {
            const each = resolved((shape['items'] ?? {}) as Schema, whole);
            const fields = each['type'] === 'object' ? fieldsOf(each, whole) : null;
            if (fields !== null) return { ...common, kind: 'parts', fields };
            const kinds = list(each['anyOf']).map((one) => fieldsOf(resolved(one as Schema, whole), whole));
            const steps = kinds.filter((one) => one !== null);
            if (steps.length > 0 && steps.length === kinds.length) return { ...common, kind: 'steps', steps };
            if (each['type'] !== 'string') return null;
            const names = choicesOf(each);
            return names.length > 0 ? { ...common, kind: 'several', choices: names } : { ...common, kind: 'lines' };
        }
    }
    return null;
}

/** What is said of a number, with its least and greatest value where those are near enough to mean something. */
function ranged(about: string, shape: Schema): string {
    const [least, most] = [shape['minimum'], shape['maximum']];
    if (typeof least !== 'number' || typeof most !== 'number' || most - least > FAR) return about;
    return [about, least < most ? `${least} to ${most}.` : `${least}.`].filter((part) => part !== '').join(' ');
}

/** A form with nothing filled in. */
export function blank(fields: readonly FormField[]): Values {
    return Object.fromEntries(fields.map((field) => [field.name, untouched(field)]));
}

function untouched(field: FormField): Value {
    switch (field.kind) {
        case 'choice':
            return field.empty ? '' : (field.choices[0] ?? '');
        case 'several':
        case 'parts':
        case 'steps':
            return [];
        case 'part':
            return field.empty ? null : blank(field.fields);
        default:
            return '';
    }
}

/** The fields of a step, by the name that only its kind has. */
export function stepOf(steps: readonly FormField[][], values: Values): FormField[] {
    return steps.find((fields) => (fields[0]?.name ?? '') in values) ?? [];
}

/** What is sent of what was filled in. */
export function read(fields: readonly FormField[], values: Values): Record<string, unknown> {
    return Object.fromEntries(
        fields.map((field) => [field.name, given(field, values[field.name] ?? untouched(field))]),
    );
}

function given(field: FormField, value: Value): unknown {
    switch (field.kind) {
        case 'lines':
            return String(value)
                .split('\n')
                .map((line) => line.trim())
                .filter((line) => line !== '');
        case 'several':
            return value;
        case 'part':
            return value === null ? null : read(field.fields, value as Values);
        case 'parts':
            return (value as Values[]).map((one) => read(field.fields, one));
        case 'steps':
            return (value as Values[]).map((one) => read(stepOf(field.steps, one), one));
        default: {
            const text = String(value).trim();
            if (text === '' && field.empty) return null;
            const number = field.kind === 'words' && field.numbers;
            return number && /^[+-]?\d+$/.test(text) ? Number(text) : text;
        }
    }
}

/** What was written, in short; empty where nothing was. What is chosen beforehand says nothing, unless there is nothing
 * but choices. */
export function saying(fields: readonly FormField[], values: Values): string {
    const choosing = fields.every((field) => field.kind === 'choice');
    const parts = fields.flatMap((field) => {
        const value = values[field.name] ?? untouched(field);
        switch (field.kind) {
            case 'choice':
                return choosing || value !== untouched(field) ? [String(value)] : [];
            case 'part':
                return value === null ? [] : [saying(field.fields, value as Values)];
            case 'parts':
                return (value as Values[]).map((one) => saying(field.fields, one));
            case 'steps':
                return (value as Values[]).map((one) => saying(stepOf(field.steps, one), one));
            default:
                return Array.isArray(value) ? (value as string[]) : [String(value).trim()];
        }
    });
    return parts.filter((part) => part !== '').join('; ');
}

/** The first field for words that a form has: what was typed ahead goes into it, and so does what is typed elsewhere. */
export function wordsOf(fields: readonly FormField[]): string | null {
    return fields.find((field) => field.kind === 'words' && !field.numbers)?.name ?? null;
}
