/** What a party's knowledge lists: its places and its open threads, as far as this chair reads them. */

const PLACES = 'places';
const OPEN = 'open';

export interface Knowledge {
    places: string[];
    open: string[];
}

/** The list items below the headings `## Places` and `## Open`. */
export function knowledgeIn(text: string): Knowledge {
    const found: Knowledge = { places: [], open: [] };
    let within: string[] | null = null;
    for (const line of text.split('\n')) {
        const heading = /^#{1,6} (.*)$/.exec(line);
        if (heading !== null) {
            const title = (heading[1] ?? '').trim().toLowerCase();
            within = title === PLACES ? found.places : title === OPEN ? found.open : null;
        } else if (within !== null && /^[-*+] \S/.test(line)) {
            within.push(line.slice(2).trim());
        }
    }
    return found;
}

/** What is listed in one and the other, each once. */
export function together(one: readonly string[], other: readonly string[]): string[] {
    const known = new Map([...one, ...other].map((text) => [(text.split(/[:,]/)[0] ?? text).toLowerCase(), text]));
    return [...known.values()];
}
