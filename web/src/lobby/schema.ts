/** A form out of a ruleset's own options: each field of the JSON schema as what a person fills in. */
import { choicesOf, list, NOTHING, propertiesOf, resolved, type Property, type Schema } from '../api/shape';

export type Raw = string | boolean | Record<string, string>;

/** What stands for a tick among several. */
export const ON = 'on';

type Common = Pick<Property, 'name' | 'label' | 'about' | 'group' | 'empty' | 'none' | 'usual'>;

export type OptionField = Common &
    (
        | { kind: 'number'; whole: boolean; least: number | null; most: number | null; above: number | null }
        | { kind: 'flag' }
        | { kind: 'choice'; choices: string[] }
        | { kind: 'text'; longest: number | null; lines: boolean }
        | { kind: 'several'; choices: string[]; most: number | null }
        | { kind: 'counts'; names: string[]; least: number; most: number | null }
        | { kind: 'json' }
    );

/** What was made of what was filled in: nothing where it is as usual. */
export type Read = { fault: string } | { value: unknown } | null;

/** The fields of a schema, in its order; those in `but` are filled in elsewhere. */
export function optionFields(schema: Schema, but: readonly string[] = []): OptionField[] {
    return propertiesOf(schema)
        .filter(({ name }) => !but.includes(name))
        .map((property) => field(property, schema));
}

function field({ shapes, shape, choices, ...common }: Property, whole: Schema): OptionField {
    if (shapes.length > 1) return { ...common, kind: 'json' };
    if (choices.length > 0) return { ...common, kind: 'choice', choices };
    switch (shape['type']) {
        case 'integer':
        case 'number':
            return {
                ...common,
                kind: 'number',
                whole: shape['type'] === 'integer',
                least: number(shape['minimum']),
                most: number(shape['maximum']),
                above: number(shape['exclusiveMinimum']),
            };
        case 'boolean':
            return { ...common, kind: 'flag' };
        case 'string':
            return {
                ...common,
                kind: 'text',
                longest: number(shape['maxLength']),
                lines: shape['lines'] === true,
            };
        case 'array': {
            const several = choicesOf(resolved((shape['items'] ?? {}) as Schema, whole));
            if (several.length > 0)
                return { ...common, kind: 'several', choices: several, most: number(shape['maxItems']) };
            break;
        }
        case 'object': {
            const each = resolved((shape['additionalProperties'] ?? {}) as Schema, whole);
            const names = choicesOf(resolved((shape['propertyNames'] ?? {}) as Schema, whole));
            if (each['type'] === 'integer' && names.length > 0)
                return {
                    ...common,
                    kind: 'counts',
                    names,
                    least: number(each['minimum']) ?? 0,
                    most: number(each['maximum']),
                };
        }
    }
    return { ...common, kind: 'json' };
}

function number(given: unknown): number | null {
    return typeof given === 'number' ? given : null;
}

/** What a ruleset's games are opened with besides players and options: one of the server's folders, and choices. */
export interface SetupForm {
    /** The field for the folder, and what the settings call such folders. */
    place: string;
    table: string;
    fields: OptionField[];
    /** Options of the rules that the setup decides. */
    decides: string[];
    makes: Makes | null;
}

/** The field of a setup that brings what the folder does not have: by a name among `known`, or by what is filled in. */
export interface Makes {
    name: string;
    /** The field whose values it adds to. */
    adds: string;
    known: string[];
    fields: OptionField[];
}

function makesOf(schema: Schema, listed: Readonly<Record<string, readonly string[]>>): Makes | null {
    const made = propertiesOf(schema).find(({ shape }) => 'makes' in shape);
    if (made === undefined) return null;
    const items = resolved((made.shape['items'] ?? {}) as Schema, schema);
    const kinds = [...list(items['oneOf']), ...list(items['anyOf'])].map((one) => resolved(one as Schema, schema));
    const fresh = kinds.find((one) => 'properties' in one);
    return {
        name: made.name,
        adds: String(made.shape['makes']),
        known: [...(listed[made.name] ?? [])],
        fields: fresh === undefined ? [] : optionFields(fresh),
    };
}

/** The form of a setup; `places` are the server's folders, `listed` the values of fields that can be listed by now. */
export function setupForm(
    schema: Schema,
    places: readonly string[],
    listed: Readonly<Record<string, readonly string[]>>,
): SetupForm {
    const given = Object.entries((schema['properties'] ?? {}) as Record<string, Schema>);
    const place = given.find(([, one]) => 'place' in one);
    const makes = makesOf(schema, listed);
    const fields = optionFields(schema, makes === null ? [] : [makes.name]).map((field): OptionField => {
        if (field.name === place?.[0])
            return { ...field, kind: 'choice', choices: [...places], usual: places[0] ?? null };
        const values = listed[field.name] ?? [];
        return values.length === 0 ? field : { ...field, kind: 'choice', choices: [...values] };
    });
    return {
        place: place?.[0] ?? '',
        table: String(place?.[1]['place'] ?? ''),
        fields,
        makes,
        decides: given.map(([, one]) => String(one['option'] ?? '')).filter((name) => name !== ''),
    };
}

/** What a field holds before anybody touches it. */
export function initial(field: OptionField): Raw {
    switch (field.kind) {
        case 'flag':
            return field.usual === true;
        case 'counts': {
            const usual = (field.usual ?? {}) as Record<string, number>;
            return Object.fromEntries(field.names.map((name) => [name, name in usual ? String(usual[name]) : '']));
        }
        case 'several': {
            const usual = list(field.usual);
            return Object.fromEntries(field.choices.map((one) => [one, usual.includes(one) ? ON : '']));
        }
        case 'json':
            return field.usual === null ? '' : JSON.stringify(field.usual);
        default:
            return field.usual === null ? '' : String(field.usual);
    }
}

/** What was filled in, as the server takes it. */
export function read(field: OptionField, raw: Raw): Read {
    if (JSON.stringify(raw) === JSON.stringify(initial(field))) return null;
    switch (field.kind) {
        case 'flag':
            return { value: raw === true };
        case 'choice':
            return { value: raw === '' && field.empty ? null : raw };
        case 'text': {
            const text = String(raw);
            if (text === '' && field.empty) return { value: null };
            if (field.longest !== null && text.length > field.longest)
                return { fault: `Use at most ${field.longest} characters.` };
            return { value: text };
        }
        case 'number':
            return field.empty && String(raw).trim() === '' ? { value: null } : numeral(String(raw), field);
        case 'counts': {
            const value: Record<string, number> = {};
            for (const [name, text] of Object.entries(raw as Record<string, string>)) {
                if (text.trim() === '') continue;
                const one = numeral(text, { whole: true, least: field.least, most: field.most, above: null });
                if ('fault' in one) return { fault: `${name}: ${one.fault}` };
                value[name] = one.value;
            }
            return Object.keys(value).length === 0 ? null : { value };
        }
        case 'several': {
            const picked = raw as Record<string, string>;
            return { value: field.choices.filter((one) => picked[one] === ON) };
        }
        case 'json':
            if (String(raw).trim() === '') return null;
            try {
                return { value: JSON.parse(String(raw)) as unknown };
            } catch {
                return { fault: 'Enter valid JSON. A list looks like ["a", "b"], names with values like {"a": 1}.' };
            }
    }
}

/** Whether an option stands at that value, as it is filled in or left. */
export function standsAt(
    fields: readonly OptionField[],
    raw: Readonly<Record<string, Raw>>,
    option: string,
    value: unknown,
): boolean {
    const field = fields.find((one) => one.name === option);
    if (field === undefined) return false;
    const given = read(field, raw[option] ?? initial(field));
    if (given !== null && 'fault' in given) return false;
    return (given === null ? field.usual : given.value) === value;
}

interface Bounds {
    whole: boolean;
    least: number | null;
    most: number | null;
    above: number | null;
}

function numeral(text: string, { whole, least, most, above }: Bounds): { fault: string } | { value: number } {
    const value = Number(text.trim());
    if (text.trim() === '' || !Number.isFinite(value)) return { fault: 'Enter a number.' };
    if (whole && !Number.isInteger(value)) return { fault: 'Enter a whole number.' };
    if (least !== null && value < least) return { fault: `Must be at least ${least}.` };
    if (above !== null && value <= above) return { fault: `Must be more than ${above}.` };
    if (most !== null && value > most) return { fault: `Must be at most ${most}.` };
    return { value };
}

/** The bounds of a field in words, and what it is if left alone. */
export function hint(field: OptionField): string {
    const parts: string[] = [];
    if (field.kind === 'number') {
        if (field.least !== null && field.most !== null && field.most < 100_000)
            parts.push(`${field.least} to ${field.most}.`);
        else if (field.least !== null && field.least > 0) parts.push(`At least ${field.least}.`);
    }
    const optional = field.empty && field.usual === null && field.kind !== 'choice';
    if (optional && field.none !== NOTHING) parts.push(`If empty: ${field.none}.`);
    else if (optional && !/\bempty\b/i.test(field.about)) parts.push('Optional.');
    if (field.kind === 'json') parts.push('Enter JSON.');
    return parts.join(' ');
}
