/** The game's own words as nodes, with the names of seats in their colours: a ballot has dozens, drawn within one step. */
import type { Run } from '../record/types';
import { colourOf } from './faces';

/** The words and names in their order. */
export function nodesOf(runs: readonly Run[], players: readonly string[]): (string | HTMLElement)[] {
    return runs.map((run) => {
        if (typeof run === 'string') return run;
        const name = document.createElement('bdi');
        name.className = colourOf(run.name, players);
        name.textContent = run.name;
        return name;
    });
}
