import { expect, test } from 'vitest';
import { placed } from './faults';

const OPTIONS = ['max_attempts', 'role_counts'];

test.each([
    ["The rule 'max_attempts' does not take that value: Too small.", 'options.max_attempts', 'Too small.'],
    ['role_counts deals 90 roles to 8 players; make them equal.', 'options.role_counts', /^role_counts deals/],
    ['names.1: String should have at least 1 character.', 'roster', /^String should/],
    ['seed: a seed is a number or a text of printable characters.', 'seed', /^A seed is/],
    ['campaign: a game of tabletop needs one that this server offers.', 'campaign', /^A game/],
    ["character: there is no character 'x'. Choose one of: pim.", 'character', /^There is no character/],
    ["Two seats are named 'Ada' (case ignored); rename one.", 'roster', /^Two seats/],
    ['Mafia is for at least 4 players, not 1.', 'roster', /^Mafia is for/],
    ["The agent 'zzz' may not be chosen here; use one of: house.", 'roster', /^The agent/],
    ['Something else altogether.', '', 'Something else altogether.'],
])('%s belongs to %s', (detail, at, words) => {
    const fault = placed(detail, OPTIONS);
    expect(fault.at).toBe(at);
    expect(fault.words).toMatch(words);
});
