/** What was handed to the agents of a game, from its receipts: which texts, for which turn, and what that came to. */
import type { components } from '../api/schema';
import { upto, type Track } from '../record/track';

type Schemas = components['schemas'];

/** Where an auditor's receipts and prompts come from. */
export interface Audit {
    receipts(after: number): Promise<Schemas['Receipts']>;
    prompt(seat: string, turn: number): Promise<Schemas['PromptTexts']>;
}

const HANDED_AGAIN = 'core.handed-again.v1';

/** Milliseconds after which what could not be had is asked for again. */
export const PAUSE_MS = 3_000;

/** Whether what went wrong passes by itself, such as a server that is away. */
export const passing = (error: unknown): boolean =>
    error instanceof Error && 'passing' in error && error.passing === true;

/** What an agent had in mind when it answered, as it says itself. */
export interface Mind {
    thoughts: string;
    /** How much it suspects others, less than 0 where it trusts them; the most suspected first. */
    suspicion: [seat: string, much: number][];
}

/** The same, with whose it was, and the place in the full record from which on, with its number. */
export interface Minded {
    mind: Mind;
    agent: string;
    since: number;
    number: number;
}

export interface HandOver {
    number: number;
    seat: string;
    turn: number | null;
    /** Seqs of the seat, both included. */
    first: number;
    last: number;
    by: string;
    agent: string | null;
    how: string | null;
    seconds: number | null;
    promptTokens: number | null;
    replyTokens: number | null;
    cost: number | null;
    mind: Mind | null;
}

const isNumber = (value: unknown): number | null => (typeof value === 'number' ? value : null);
const isText = (value: unknown): string | null => (typeof value === 'string' ? value : null);

function mindOf(given: unknown): Mind | null {
    if (typeof given !== 'object' || given === null) return null;
    const { thoughts, suspicion } = given as Record<string, unknown>;
    const much = Object.entries(suspicion ?? {}).filter((one): one is [string, number] => typeof one[1] === 'number');
    return { thoughts: isText(thoughts) ?? '', suspicion: much.sort((one, other) => other[1] - one[1]) };
}

/** Which hand-over brought a seat's entry first. */
class Brought {
    private readonly bySeq: (HandOver | undefined)[] = [];
    /** All entries up to this one were brought: prompts bring a view from its beginning each time. */
    private whole = 0;

    add(one: HandOver): void {
        for (let seq = Math.max(one.first, this.whole + 1); seq <= one.last; seq++) this.bySeq[seq] ??= one;
        while (this.bySeq[this.whole + 1] !== undefined) this.whole++;
    }

    first(seq: number): HandOver | null {
        return this.bySeq[seq] ?? null;
    }
}

export class HandOvers {
    private readonly bySeat = new Map<string, HandOver[]>();
    private readonly byCall = new Map<string, HandOver>();
    private readonly brought = new Map<string, Brought>();

    /** Take receipts in their order; the texts in them are not kept. */
    add(receipts: readonly Schemas['ReceiptRow'][]): void {
        for (const receipt of receipts) {
            // What was handed over again brought nothing, and its text was shown the first time.
            if (receipt.name === HANDED_AGAIN) continue;
            const data = receipt.data as Record<string, unknown>;
            const call = isText(data['call']) ?? '';
            const first = isNumber(data['from']);
            const last = isNumber(data['to']);
            let found = this.byCall.get(call);
            if (first !== null && last !== null) {
                found = {
                    number: receipt.number,
                    seat: receipt.seat,
                    turn: isNumber(data['turn']),
                    first,
                    last,
                    by: isText(data['by']) ?? '',
                    agent: isText(data['agent']),
                    how: null,
                    seconds: null,
                    promptTokens: null,
                    replyTokens: null,
                    cost: null,
                    mind: null,
                };
                const seats = this.bySeat.get(receipt.seat) ?? [];
                seats.push(found);
                this.bySeat.set(receipt.seat, seats);
                this.byCall.set(call, found);
                const brought = this.brought.get(receipt.seat) ?? new Brought();
                brought.add(found);
                this.brought.set(receipt.seat, brought);
            }
            if (found !== undefined && typeof data['how'] === 'string') {
                found.how = data['how'];
                found.seconds = isNumber(data['seconds']);
                found.promptTokens = isNumber(data['prompt_tokens']);
                found.replyTokens = isNumber(data['reply_tokens']);
                found.cost = isNumber(data['cost']);
                found.mind = mindOf(data['mind']);
            }
        }
    }

    get seats(): string[] {
        return [...this.bySeat.keys()];
    }

    /** The hand-overs of a seat that were for a turn, in order. */
    turns(seat: string): HandOver[] {
        return (this.bySeat.get(seat) ?? []).filter((one) => one.turn !== null);
    }

    /** The calls of a seat's agent, up to what the seat had seen, that say what it had in mind. */
    minded(seat: string, seq: number): (HandOver & { mind: Mind })[] {
        const calls = this.bySeat.get(seat) ?? [];
        return calls.filter((one): one is HandOver & { mind: Mind } => one.mind !== null && one.last <= seq);
    }

    /** The hand-over that brought an entry to a seat first. */
    broughtBy(seat: string, seq: number): HandOver | null {
        return this.brought.get(seat)?.first(seq) ?? null;
    }

    /** Tokens and cost of all calls of a seat; null where no call says. */
    total(seat: string): { prompt: number | null; reply: number | null; cost: number | null } {
        const sum = (pick: (one: HandOver) => number | null): number | null =>
            (this.bySeat.get(seat) ?? []).reduce<number | null>((whole, one) => {
                const part = pick(one);
                return part === null ? whole : (whole ?? 0) + part;
            }, null);
        return {
            prompt: sum((one) => one.promptTokens),
            reply: sum((one) => one.replyTokens),
            cost: sum((one) => one.cost),
        };
    }
}

/** The positions of what each seat has seen, from the audiences of the full record: the seq is the place in the list. */
export class Seqs {
    private readonly positions = new Map<string, number[]>();
    private taken = 0;

    constructor(private readonly track: Track) {}

    private upToNow(): void {
        for (; this.taken < this.track.length; this.taken++) {
            const audience = this.track.entries[this.taken]?.audience;
            const seats = audience === 'everyone' ? this.track.seats : (audience ?? []);
            for (const seat of seats) {
                const list = this.positions.get(seat) ?? [];
                list.push(this.track.positionOf(this.taken + 1));
                this.positions.set(seat, list);
            }
        }
    }

    /** How many entries a seat had at a position. */
    seq(seat: string, position: number): number {
        this.upToNow();
        return upto(this.positions.get(seat) ?? [], position);
    }

    /** The position of a seat's entry, null where there is none. */
    position(seat: string, seq: number): number | null {
        this.upToNow();
        return this.positions.get(seat)?.[seq - 1] ?? null;
    }
}

/** A text with what is new in it against an older one: the lines between those that both begin and end with. */
export function fresh(text: string, older: string | undefined): { before: string; fresh: string; after: string } {
    if (older === undefined) return { before: '', fresh: text, after: '' };
    if (older === text) return { before: text, fresh: '', after: '' };
    const [now, then] = [text.split('\n'), older.split('\n')];
    let head = 0;
    while (head < now.length && head < then.length && now[head] === then[head]) head++;
    let tail = 0;
    while (tail < now.length - head && tail < then.length - head && now.at(-1 - tail) === then.at(-1 - tail)) tail++;
    const join = (from: number, to: number): string =>
        now
            .slice(from, to)
            .map((line, index) => line + (from + index < now.length - 1 ? '\n' : ''))
            .join('');
    return { before: join(0, head), fresh: join(head, now.length - tail), after: join(now.length - tail, now.length) };
}
