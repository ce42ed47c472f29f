/** What agents do and use, in words. */
import type { components } from '../api/schema';
import { displayName } from '../ui/names';

export type Overseen = components['schemas']['Overseen'];
type Agent = components['schemas']['AgentAtWork'];
type Measure = 'tokens' | 'cost' | 'minutes';

/** The share of a limit from which on it is marked. */
const MOST = 0.8;
const MEASURES: readonly Measure[] = ['tokens', 'cost', 'minutes'];

export interface BudgetLine {
    about: string;
    words: string;
    /** Whether most of a limit is used. */
    low: boolean;
}

/** Such as `Executor: runs make test, 2 min`. */
export function agentLine(agent: Agent): string {
    return `${displayName(agent.seat)}: ${agent.step ?? 'at work'}, ${lasting(agent.seconds)}`;
}

function lasting(seconds: number): string {
    const minutes = Math.floor(seconds / 60);
    if (minutes === 0) return `${seconds} s`;
    return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** A line for the game and for each task of which something is limited; none where nothing is. */
export function budgetLines(budget: Overseen['budget']): BudgetLine[] {
    if (budget === null) return [];
    const { limits } = budget;
    return (budget.used ?? []).flatMap((one) => {
        const parts = MEASURES.flatMap((measure) => {
            const limit = one.task === null ? limits[measure] : limits[`task_${measure}`];
            return limit === null ? [] : [{ words: usedOf(measure, one[measure], limit), share: one[measure] / limit }];
        });
        if (parts.length === 0) return [];
        const about = one.task ?? 'Budget';
        return [
            { about, words: parts.map((part) => part.words).join(', '), low: parts.some((part) => part.share >= MOST) },
        ];
    });
}

function usedOf(measure: Measure, used: number, limit: number): string {
    if (measure === 'cost') return `$${used.toFixed(2)} of $${limit}`;
    if (measure === 'tokens') return `${used.toLocaleString('en')} of ${limit.toLocaleString('en')} tokens`;
    return `${used.toFixed(1)} of ${limit} minutes`;
}
