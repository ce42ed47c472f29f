/** The form of a turn: each field of its JSON schema as what a person fills in. Where one cannot be drawn, there is none. */
import type { OpenTurn } from '../api/client';

export type Value = string | string[] | Values | Values[] | null;
export interface Values {
    [name: string]: Value;
}

interface Common {
    name: string;
    label: string;
    about: string;
    /** It may be left out, which stands for null. */
    optional: boolean;
}

export type FormField = Common &
    (
        | { kind: 'words'; numbers: boolean }
        | { kind: 'number' }
        | { kind: 'choice'; choices: string[] }
        /** A text a line. */
        | { kind: 'lines' }
        | { kind: 'several'; choices: string[] }
        | { kind: 'part'; fields: FormField[] }
        | { kind: 'parts'; fields: FormField[] }
    );

type Schema = Record<string, unknown>;

/** The fields of a turn's form; null where it is answered by a choice, in words, or by a form that cannot be drawn. */
export function formOf(turn: OpenTurn): FormField[] | null {
    if (turn.form === null || turn.choices.length > 0) return null;
    return fieldsOf(turn.form, turn.form);
}

function fieldsOf(schema: Schema, whole: Schema): FormField[] | null {
    const fields = Object.entries((schema['properties'] ?? {}) as Record<string, Schema>).map(([name, given]) =>
        fieldOf(name, given, whole),
    );
    return fields.every((field) => field !== null) && fields.length > 0 ? fields : null;
}

function fieldOf(name: string, given: Schema, whole: Schema): FormField | null {
    const options = list(given['anyOf']).map((one) => resolved(one as Schema, whole));
    const kept = options.filter((one) => one['type'] !== 'null');
    const shape = resolved(kept.length === 1 ? { ...given, ...kept[0] } : given, whole);
    const words = String(given['description'] ?? '');
    const common: Common = {
        name,
        label: name.replaceAll('_', ' ').replace(/^./, (letter) => letter.toUpperCase()),
        about: words.replace(/^./, (letter) => letter.toUpperCase()),
        optional: kept.length < options.length,
    };
    if (kept.length > 1) {
        const simple = kept.every((one) => one['type'] === 'string' || one['type'] === 'integer');
        return simple ? { ...common, kind: 'words', numbers: kept.some((one) => one['type'] === 'integer') } : null;
    }
    const choices = texts(shape['enum'] ?? ('const' in shape ? [shape['const']] : []));
    switch (shape['type']) {
        case 'string':
            return choices.length > 0
                ? { ...common, kind: 'choice', choices }
                : { ...common, kind: 'words', numbers: false };
        case 'integer':
            return { ...common, kind: 'number' };
        case 'object': {
            const fields = fieldsOf(shape, whole);
            return fields === null ? null : { ...common, kind: 'part', fields };
        }
        case 'array': {
            const each = resolved((shape['items'] ?? {}) as Schema, whole);
            if (each['type'] === 'object') {
                const fields = fieldsOf(each, whole);
                return fields === null ? null : { ...common, kind: 'parts', fields };
            }
            if (each['type'] !== 'string') return null;
            const names = texts(each['enum'] ?? []);
            return names.length > 0 ? { ...common, kind: 'several', choices: names } : { ...common, kind: 'lines' };
        }
    }
    return null;
}

/** A form with nothing filled in. */
export function blank(fields: readonly FormField[]): Values {
    return Object.fromEntries(fields.map((field) => [field.name, empty(field)]));
}

function empty(field: FormField): Value {
    switch (field.kind) {
        case 'choice':
            return field.optional ? '' : (field.choices[0] ?? '');
        case 'several':
        case 'parts':
            return [];
        case 'part':
            return field.optional ? null : blank(field.fields);
        default:
            return '';
    }
}

/** What is sent of what was filled in. */
export function read(fields: readonly FormField[], values: Values): Record<string, unknown> {
    return Object.fromEntries(fields.map((field) => [field.name, given(field, values[field.name] ?? empty(field))]));
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
        default: {
            const text = String(value).trim();
            if (text === '' && field.optional) return null;
            const number = field.kind === 'number' || (field.kind === 'words' && field.numbers);
            return number && /^[+-]?\d+$/.test(text) ? Number(text) : text;
        }
    }
}

/** What was written, in short; empty where nothing was: what is chosen beforehand says nothing. */
export function saying(fields: readonly FormField[], values: Values): string {
    const parts = fields.flatMap((field) => {
        const value = values[field.name] ?? empty(field);
        switch (field.kind) {
            case 'choice':
                return [];
            case 'part':
                return value === null ? [] : [saying(field.fields, value as Values)];
            case 'parts':
                return (value as Values[]).map((one) => saying(field.fields, one));
            default:
                return Array.isArray(value) ? (value as string[]) : [String(value).trim()];
        }
    });
    return parts.filter((part) => part !== '').join('; ');
}

/** The one field for words that a form has, if it has just one: what was typed ahead is meant for it. */
export function wordsOf(fields: readonly FormField[]): string | null {
    const found = fields.filter((field) => field.kind === 'words');
    return found.length === 1 ? (found[0]?.name ?? null) : null;
}

function resolved(given: Schema, whole: Schema): Schema {
    const to = given['$ref'];
    if (typeof to !== 'string') return given;
    const known = (whole['$defs'] ?? {}) as Record<string, Schema>;
    return { ...known[to.slice(to.lastIndexOf('/') + 1)], ...given };
}

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const texts = (value: unknown): string[] => list(value).map(String);
