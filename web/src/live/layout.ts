/** How a game is set on the page: round a table, as a story to be read, or as work on a board. */
export type Layout = 'table' | 'story' | 'work';

const LAYOUTS: ReadonlyMap<string, Layout> = new Map([
    ['tabletop', 'story'],
    ['delegation', 'work'],
]);

/** Rulesets that the page does not know play round a table. */
export function layoutOf(ruleset: string): Layout {
    return LAYOUTS.get(ruleset) ?? 'table';
}
