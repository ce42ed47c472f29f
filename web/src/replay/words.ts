/** An entry in a few plain words, for where there is one line for it. */
import type { Entry, Run } from '../record/types';
import { displayName } from '../ui/names';

const text = (runs: readonly Run[]): string =>
    runs.map((run) => (typeof run === 'string' ? run : displayName(run.name))).join('');

export function plainly(entry: Entry | undefined): string {
    if (entry === undefined) return '';
    const piece = entry.piece;
    if (piece === null) return entry.name;
    const words = piece.words[0]?.text.slice(0, 200) ?? '';
    const lead = [text(piece.title), text(piece.lead)].filter((part) => part !== '').join(': ');
    return `${lead} ${words}`.replaceAll(/\s+/g, ' ').trim();
}
