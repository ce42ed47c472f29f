/**
 * Texts that may take a pattern, or a function, more time than their length accounts for: parts that are repeated, each
 * for itself, one after another or in turn, with something behind them that does not fit.
 */
import { RegExpParser, type AST } from '@eslint-community/regexpp';

/** A text of about that many characters; the same kind of text for every length. */
export type Attack = (length: number) => string;

const COMMON = [...' \t\n\u2028\u00a0aAzé0_-.,:;!"\'`*#>|<=/()[]{}~\\’”'];
const ENDS = ['', 'x', '\0', '!', '\n', '\u2028x', ' x', '\nx', '#', '|'];

/** Attacks on a pattern that follow what it is made of. */
export function* attacksOn(pattern: RegExp, many: number): Generator<Attack> {
    const tree = new RegExpParser().parseLiteral(pattern.toString()).pattern;
    const spaces = pattern.source.includes('\\s') ? [' ', '\n', '\t'] : [];
    const signs = [...new Set([...(pattern.source.match(/[^\\]/gs) ?? [' ']), ...spaces])];
    const pool = [...new Set([...COMMON, ...signs])];
    for (let number = 0; number < many; number++) {
        const seed = number * 7919 + pattern.source.length;
        const sample = (random: Random, each: number): string =>
            new Sampler(random, pool, pattern.flags.replace(/[gy]/g, ''), each).of(tree);
        yield attack(seed, pool, signs, sample);
    }
}

/** Attacks on what reads texts, of such parts as mean something there. */
export function* attacksOf(parts: readonly string[], many: number): Generator<Attack> {
    for (let number = 0; number < many; number++)
        yield attack(number * 7919 + 1, parts, parts, (random, each) => {
            const [one, other] = [random.of(parts), random.of(parts)];
            return one.repeat(Math.ceil(each / one.length)) + other + one.repeat(Math.ceil(each / one.length));
        });
}

type Sample = (random: Random, each: number) => string;

function attack(seed: number, pool: readonly string[], signs: readonly string[], sample: Sample): Attack {
    const plan = new Random(seed);
    const kind = Math.floor(plan.next() * 5);
    const share = plan.next();
    const favourite = plan.next() < 0.3 ? ' ' : plan.of(plan.next() < 0.6 ? signs : pool);
    const [first, second] = [plan.of(signs), plan.of(signs)];
    const end = plan.of(ENDS);
    const repeated = (text: string, length: number): string => text.repeat(Math.ceil(length / text.length));
    return (length) => {
        const random = new Random(seed + 1);
        const beginning = (text: string): string => text.slice(0, Math.floor(text.length * share) + 1) || favourite;
        switch (kind) {
            case 0: {
                const text = sample(random, length / 2);
                return text.slice(0, text.length - Math.floor(share * 8)) + end;
            }
            case 1:
                return repeated(beginning(sample(random, 1)), length) + end;
            case 2:
                return (share < 0.3 ? '' : beginning(sample(random, 1))) + repeated(favourite, length) + end;
            case 3:
                return (
                    first + repeated(favourite, length / 2) + second + second + repeated(favourite, length / 2) + end
                );
            default: {
                const turn = beginning(sample(random, 1)) + favourite;
                return repeated(turn, length / 2) + first + repeated(favourite, length / 2) + end;
            }
        }
    };
}

/** The same numbers for the same seed. */
class Random {
    constructor(private state: number) {}

    next(): number {
        this.state = (this.state * 1_664_525 + 1_013_904_223) >>> 0;
        return this.state / 2 ** 32;
    }

    of<T>(items: readonly T[]): T {
        return items[Math.floor(this.next() * items.length)] as T;
    }
}

/** Texts that a pattern takes, or nearly; what may be repeated without end is repeated for `each` characters. */
class Sampler {
    private readonly favourite: string;
    constructor(
        private readonly random: Random,
        private readonly pool: readonly string[],
        private readonly flags: string,
        private readonly each: number,
    ) {
        this.favourite = random.next() < 0.3 ? ' ' : random.of(pool);
    }

    of(node: AST.Node): string {
        switch (node.type) {
            case 'Pattern':
            case 'Group':
            case 'CapturingGroup':
                return this.random
                    .of(node.alternatives)
                    .elements.map((element) => this.of(element))
                    .join('');
            case 'Character':
                return String.fromCodePoint(node.value);
            case 'CharacterClass':
            case 'CharacterSet':
                return this.one(new RegExp(`^${node.raw}$`, this.flags));
            case 'Quantifier': {
                const one = this.of(node.element);
                if (node.max === Number.POSITIVE_INFINITY && this.random.next() < 0.7)
                    return one.repeat(Math.ceil(this.each / Math.max(1, one.length)));
                return one.repeat(Math.min(node.max, node.min + (this.random.next() < 0.5 ? 1 : 0)));
            }
            default:
                return '';
        }
    }

    private one(taken: RegExp): string {
        if (taken.test(this.favourite) && this.random.next() < 0.85) return this.favourite;
        return this.random.of(this.pool.filter((sign) => taken.test(sign))) ?? '';
    }
}
