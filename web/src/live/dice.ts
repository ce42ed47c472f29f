/** A roll as it is written, `1d20+5 = [8]+5 = 13`, cut into what falls and what is added. */

export type Term =
    | { kind: 'die'; sides: number; face: number; dropped: boolean }
    | { kind: 'number'; text: string }
    | { kind: 'sign'; text: string };

export interface Rolled {
    /** What stands before and behind the roll in the sentence. */
    before: string;
    after: string;
    expression: string;
    terms: Term[];
    total: number;
}

const ROLL = /(\d*d\d[^=]*?)\s*=\s*([^=]*?\[[^=]*)\s*=\s*(-?\d+)/i;
const TERM = /\[([^\]]*)\]|([+\-−])|(\d+)/g;

/** The roll in a sentence, null where there is none to be read. */
export function rolledIn(sentence: string): Rolled | null {
    const found = ROLL.exec(sentence);
    if (found === null) return null;
    const [whole, expression = '', shown = '', total = '0'] = found;
    const sides = [...expression.matchAll(/d(\d+)/gi)].map((one) => Number(one[1]));
    let group = 0;
    const terms: Term[] = [];
    for (const [, dice, sign, number] of shown.matchAll(TERM)) {
        if (dice !== undefined) {
            const faces = dice.split(/[,\s]+/).filter((one) => one !== '');
            for (const [place, face] of faces.entries()) {
                if (place > 0) terms.push({ kind: 'sign', text: '+' });
                const value = Number(/\d+/.exec(face)?.[0] ?? 0);
                terms.push({ kind: 'die', sides: sides[group] ?? 0, face: value, dropped: !/^\d+$/.test(face) });
            }
            group++;
        } else if (sign !== undefined) terms.push({ kind: 'sign', text: sign === '-' ? '−' : sign });
        else if (number !== undefined) terms.push({ kind: 'number', text: number });
    }
    return {
        before: sentence.slice(0, found.index),
        after: sentence.slice(found.index + whole.length),
        expression: expression.trim(),
        terms,
        total: Number(total),
    };
}
