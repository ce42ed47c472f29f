/** Where in the form a refusal of the server belongs: it names the field, or what it speaks of does. */

export interface Fault {
    /** A field's name, `options.NAME`, `roster`, or nothing for the form as a whole. */
    at: string;
    words: string;
}

const PLACES: readonly [RegExp, string][] = [
    [/^The agent /, 'roster'],
    [/seat|players|named|names? /, 'roster'],
];

/** `options` are the names of the ruleset's options. */
export function placed(detail: string, options: readonly string[]): Fault {
    const rule = /^The rule '([^']+)' does not take that value: (.*)$/s.exec(detail);
    if (rule?.[1] !== undefined && rule[2] !== undefined) return { at: `options.${rule[1]}`, words: rule[2] };
    const option = options.find((name) => detail.startsWith(name) && !/^\w/.test(detail.slice(name.length)));
    if (option !== undefined) return { at: `options.${option}`, words: detail };
    const named = /^([a-z_]+)(?:\.[^.:\s]+)*: (.*)$/s.exec(detail);
    if (named?.[1] !== undefined && named[2] !== undefined) {
        const words = named[2].replace(/^./, (first) => first.toUpperCase());
        const at = ['names', 'players', 'agents', 'agent'].includes(named[1]) ? 'roster' : named[1];
        return { at, words };
    }
    return { at: PLACES.find(([pattern]) => pattern.test(detail))?.[1] ?? '', words: detail };
}
