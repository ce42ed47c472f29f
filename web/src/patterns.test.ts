// @vitest-environment node
import { describe, expect, it } from 'vitest';
import { differences, around } from './live/diff';
import { blocksOf, blocksOfParts } from './prose/markdown';
import { excerpt, partsOf } from './prose/parts';
import { attacksOf, attacksOn, type Attack } from './testing/attacks';
import { growth } from './testing/growth';
import { made, patterns } from './testing/patterns';

const MANY = 250;
/** What Markdown is made of, spaces and line breaks included. */
const SIGNS = [
    ...' \t\n|-*_`~#>+:[]x1.',
    ...[
        '\r\n',
        '\n\n',
        '  ',
        '--',
        '**',
        '- ',
        '1. ',
        '> ',
        '| ',
        '```',
        '~~~',
        '# ',
        '[ ] ',
        '|--|',
        '\n|',
        ' x\n',
        '\u2028',
    ],
];

function slow(run: (text: string) => unknown, attacks: Iterable<Attack>, long?: number): string | null {
    for (const attack of attacks) {
        const found = growth(run, attack, long);
        if (found !== null) return found;
    }
    return null;
}

describe('the time that a text takes', () => {
    it('is found to grow where it does', () => {
        const before = [
            /^\s*\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?\s*$/,
            /^\s{0,3}(#{1,6})\s+(.*?)\s*#*$/,
            /^(#{1,6}\s|\s*[-*]\s|>\s|```)/m,
            /(\d*)d(\d+)([^=]*)=\s*\[([\d,\s]+)\]\s*([^=]*)=\s*(-?\d+)/,
            /(\d+)\s*(?::|to|–|-)\s*(\d+)/,
            /^(a+)+$/,
            /\s+$/,
        ];
        for (const pattern of before)
            expect(
                slow((text) => pattern.test(text), attacksOn(pattern, MANY)),
                String(pattern),
            ).not.toBeNull();
    });

    it('follows its length for every pattern of the page', () => {
        const all = patterns();
        expect(all.length).toBeGreaterThan(30);
        expect(new Set(all.map((one) => one.where.replace(/.*\./, '').replace(/:.*/, '')))).toEqual(
            new Set(['ts', 'svelte']),
        );
        expect(made()).toEqual([]);
        for (const { where, raw } of all) {
            const end = raw.lastIndexOf('/');
            const pattern = new RegExp(raw.slice(1, end), raw.slice(end + 1).replace('g', ''));
            const every = new RegExp(pattern.source, `${pattern.flags}g`);
            const found = slow((text) => [pattern.test(text), text.replace(every, '')], attacksOn(pattern, MANY));
            expect(found, `${where} ${raw}`).toBeNull();
        }
    });

    it('follows its length for all that reads texts', () => {
        const readers: Record<string, (text: string) => unknown> = {
            blocksOf: (text) => blocksOf(text),
            blocksOfParts: (text) => blocksOfParts(partsOf(text)),
            partsOf: (text) => [partsOf(text), partsOf(text, 100), excerpt(text)],
            differences: (text) => around(differences(text, `${text}x`.slice(text.length / 3))),
        };
        for (const [name, read] of Object.entries(readers))
            expect(slow(read, attacksOf(SIGNS, MANY), 60), name).toBeNull();
    });
});
