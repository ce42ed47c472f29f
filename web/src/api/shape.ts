/** JSON schemas of fields that a person fills in: a ruleset's options, the form of a turn. */

export type Schema = Record<string, unknown>;

/** A field of a schema, with references and what may be null resolved. */
export interface Property {
    name: string;
    label: string;
    about: string;
    /** Where a form shows it. */
    group: string;
    /** It may be null. */
    empty: boolean;
    /** What stands for nothing chosen. */
    none: string;
    usual: unknown;
    /** What else it may be: one shape, or several. */
    shapes: Schema[];
    /** The first of them, with what the schema says of the field itself. */
    shape: Schema;
    /** The texts that alone it may be, if there are such. */
    choices: string[];
}

/** What stands for nothing chosen where a schema does not say. */
export const NOTHING = '–';

/** The fields of a schema, in its order. `whole` has what its references lead to. */
export function propertiesOf(schema: Schema, whole: Schema = schema): Property[] {
    return Object.entries((schema['properties'] ?? {}) as Record<string, Schema>).map(([name, given]) => {
        const options = list(given['anyOf']).map((one) => resolved(one as Schema, whole));
        const shapes = options.filter((one) => one['type'] !== 'null');
        const shape = resolved({ ...given, ...shapes[0] }, whole);
        return {
            name,
            label: text(given['label']) || titled(text(given['title']), name),
            group: text(given['group']),
            // The numbers of rules mean nothing to those who fill it in.
            about: sentence(String(given['description'] ?? '').replace(/ ?\([A-Z]+-\d+(?!\d)[^()]*\)/g, '')),
            empty: shapes.length < options.length,
            none: text(given['none']) || NOTHING,
            usual: given['default'] ?? null,
            shapes: shapes.length === 0 ? [shape] : shapes,
            shape,
            choices: choicesOf(shape),
        };
    });
}

/** A field's title; one that a schema has made of the name alone is no better than the name. */
function titled(title: string, name: string): string {
    const words = name.replaceAll('_', ' ');
    return title === '' || title.toLowerCase() === words ? capital(words.replace(/\bgm\b/g, 'GM')) : title;
}

/** What is said of a field, as a sentence. */
function sentence(text: string): string {
    const words = capital(text.trim());
    return words === '' || /[.!?…]$/.test(words) ? words : `${words}.`;
}

/** The texts that a shape names, if it names texts alone. */
export function choicesOf(shape: Schema): string[] {
    const named = 'const' in shape ? [shape['const']] : list(shape['enum']);
    return named.every((one) => typeof one === 'string') ? named : [];
}

/** Follow a reference within the schema. */
export function resolved(given: Schema, whole: Schema): Schema {
    const reference = given['$ref'];
    if (typeof reference !== 'string') return given;
    const known = (whole['$defs'] ?? {}) as Record<string, Schema>;
    return { ...known[reference.split('/').at(-1) ?? ''], ...given };
}

const text = (given: unknown): string => (typeof given === 'string' ? given : '');
export const list = (given: unknown): unknown[] => (Array.isArray(given) ? given : []);
const capital = (words: string): string => words.replace(/^./, (first) => first.toUpperCase());
