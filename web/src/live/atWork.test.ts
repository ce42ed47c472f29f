import { describe, expect, it } from 'vitest';
import { agentLine, budgetLines } from './atWork';

const LIMITS = { tokens: null, cost: 5, minutes: null, task_tokens: 1000, task_cost: null, task_minutes: null };

describe('agents at work', () => {
    it('are told with what they do and for how long', () => {
        const agent = { seat: 'executor', turn: 2, task: 'one', step: 'runs make test', seconds: 130 };
        expect(agentLine(agent)).toBe('Executor: runs make test, 2 min');
        expect(agentLine({ ...agent, step: null, seconds: 12 })).toBe('Executor: at work, 12 s');
        expect(agentLine({ ...agent, seconds: 7500 })).toBe('Executor: runs make test, 2 h 5 min');
    });

    it('have a budget that is marked from 80 % on', () => {
        const used = [
            { task: null, tokens: 2000, cost: 3.99, minutes: 1, calls: 3, silent: 0, uncounted: [] },
            { task: 'one', tokens: 800, cost: 4, minutes: 1, calls: 3, silent: 0, uncounted: [] },
        ];
        expect(budgetLines({ limits: LIMITS, used })).toEqual([
            { about: 'Budget', words: '$3.99 of $5', low: false },
            { about: 'one', words: '800 of 1,000 tokens', low: true },
        ]);
        expect(budgetLines({ limits: { ...LIMITS, task_tokens: null }, used: used.slice(1) })).toEqual([]);
        expect(budgetLines({ limits: LIMITS, used: null })).toEqual([]);
        expect(budgetLines(null)).toEqual([]);
    });
});
