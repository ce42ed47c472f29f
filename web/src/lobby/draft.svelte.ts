/** A game before it is opened: what is chosen, who sits there, and what the server says of it. */
import { Problem } from '../api/client';
import { displayName } from '../ui/names';
import type { Host, Offered, RulesetLine, Rulesets, Wanted } from './calls';
import { placed } from './faults';
import { agentWords, freeName, nameFault, OUTSIDE, type Seat } from './roster';
import { initial, optionFields, read, setupForm, standsAt, type OptionField, type Raw } from './schema';

/** How long typing pauses before the server is asked again, in ms. */
const TYPING = 400;
/** More seats than that are for programs to open. */
const MOST = 40;

/** What was chosen before the form was opened. */
export interface Start {
    ruleset: string | null;
    friends: boolean;
    name: string;
}

export const capital = (text: string) => text.replace(/^./, (letter) => letter.toUpperCase());

export class Draft {
    name = $state('');
    seats = $state<Seat[]>([]);
    /** The key of the seat that is one’s own, null for nobody’s. */
    mine = $state<number | null>(null);
    /** Whether whoever opens the game is to sit in it, as far as they said. */
    sits = $state(true);
    raw = $state<Record<string, Raw>>({});
    /** What is filled in of the setup, by the field's name. */
    chosen = $state<Record<string, Raw>>({});
    offered = $state<Offered | null>(null);
    seed = $state('');
    faults = $state(new Map<string, string>());
    /** Whether what is chosen as one’s character decides if a person has a seat. */
    picksWho = $state(false);
    making = $state(false);
    /** What is filled in of what is made, by the field’s name. */
    made = $state<Record<string, Raw>>({});

    readonly ruleset = $derived.by(() => this.offer.rulesets.find((one) => one.name === this.name));
    readonly places = $derived.by(() => this.offer.places[this.ruleset?.needs ?? ''] ?? []);
    /** What its games are opened with besides, null for a ruleset that takes players and options only. */
    readonly setup = $derived.by(() =>
        this.ruleset?.setup == null ? null : setupForm(this.ruleset.setup, this.places, this.offered?.choices ?? {}),
    );
    readonly fields = $derived.by(() =>
        this.ruleset === undefined ? [] : optionFields(this.ruleset.options, this.setup?.decides ?? []),
    );
    readonly own = $derived.by(() => this.seats.find((seat) => seat.key === this.mine) ?? null);
    readonly others = $derived.by(() => this.seats.filter((seat) => seat.key !== this.mine));
    readonly people = $derived(this.others.filter((seat) => seat.agent === OUTSIDE).length);
    /** The one agent that plays all the others, empty where several do. */
    readonly rest = $derived.by(() =>
        new Set(this.others.map((seat) => seat.agent)).size === 1 ? (this.others[0]?.agent ?? '') : '',
    );
    readonly groups = $derived(
        [...new Set(this.fields.map((field) => field.group))].map((group) => ({
            group,
            fields: this.fields.filter((field) => field.group === group),
        })),
    );
    /** A field of the setup by whose values one chooses who one is: a character. */
    readonly whoField = $derived.by(() =>
        this.setup === null
            ? null
            : (this.setup.fields.find((field) => field.name !== this.setup?.place && field.kind === 'choice') ?? null),
    );
    /** What can be made beside what the folder has. */
    readonly makes = $derived(
        this.setup?.makes != null && this.setup.makes.adds === this.whoField?.name ? this.setup.makes : null,
    );
    /** What it is called: by its field, or by the first heading of a text. */
    readonly madeName = $derived(
        String(this.made['name'] ?? '').trim() ||
            (/^# +(.{1,100})$/m.exec(String(this.made['sheet'] ?? ''))?.[1] ?? '').trim(),
    );
    /** Whom one plays, where one’s seat is not called so. */
    readonly character = $derived.by(() =>
        this.picksWho && this.whoField !== null ? String(this.chosen[this.whoField.name] ?? '') || null : null,
    );
    /** What to know before players come from outside, as the options stand. */
    readonly cautions = $derived.by(() =>
        this.seats.some((seat) => seat.agent === OUTSIDE && !this.ruleset?.seats.includes(seat.name))
            ? (this.ruleset?.cautions ?? []).filter((one) => standsAt(this.fields, this.raw, one.option, one.value))
            : [],
    );
    readonly size = $derived.by(() => {
        const given = this.ruleset?.players;
        if (this.setup !== null || given === undefined) return null;
        return { least: given['least'] ?? 1, most: Math.min(MOST, given['most'] ?? MOST) };
    });

    /** The agent that plays a seat of which nothing else is said. */
    readonly first: string;
    /** How often it was asked. What comes after something else was chosen is no answer any more, nor is a refusal. */
    private questions = 0;
    /** Whoever has left the form hears of no answer that comes later. */
    gone = false;
    private typing: ReturnType<typeof setTimeout> | undefined;

    private readonly host: Host;
    private readonly offer: Rulesets;
    private readonly start: Start;

    constructor(host: Host, offer: Rulesets, start: Start) {
        this.host = host;
        this.offer = offer;
        this.start = start;
        this.first = offer.agents.includes('house') ? 'house' : (offer.agents[0] ?? '');
        this.name =
            start.ruleset ?? (offer.rulesets.find((one) => one.setup === null) ?? offer.rulesets[0])?.name ?? '';
    }

    leave(): void {
        this.gone = true;
        clearTimeout(this.typing);
    }

    /** Begin again, for the ruleset that is chosen now. */
    begin(line: RulesetLine | undefined): void {
        this.questions++;
        this.faults = new Map();
        this.offered = null;
        clearTimeout(this.typing);
        this.seats = [];
        this.mine = null;
        this.sits = true;
        this.picksWho = this.making = false;
        this.made = {};
        if (line === undefined) return;
        this.raw = Object.fromEntries(this.fields.map((field) => [field.name, initial(field)]));
        this.chosen = Object.fromEntries((this.setup?.fields ?? []).map((field) => [field.name, initial(field)]));
        if (this.setup !== null) {
            void this.look();
            return;
        }
        const names: string[] = [];
        const count = line.players['usual'] ?? line.players['least'] ?? 2;
        while (names.length < count) names.push(freeName(names));
        this.seats = [
            ...names.map((one, at) => ({ key: at, name: one, agent: this.first, fixed: false })),
            ...line.seats.map((one, at) => ({ key: 1000 + at, name: one, agent: this.first, fixed: true })),
        ];
        const [you] = this.seats;
        if (you !== undefined && this.offer.agents.includes(OUTSIDE)) {
            const called = this.start.name;
            if (called.trim() !== '' && nameFault({ ...you, name: called }, this.seats.slice(1)) === '')
                you.name = called.trim();
            this.sit(you);
        }
        if (this.start.friends && this.offer.agents.includes(OUTSIDE)) this.play(OUTSIDE);
    }

    sit(seat: Seat | null): void {
        const before = this.own;
        this.mine = seat?.key ?? null;
        this.seats = this.seats.map((one) => {
            if (one.key === seat?.key) return { ...one, agent: OUTSIDE };
            return one.key === before?.key ? { ...one, agent: this.rest === '' ? this.first : this.rest } : one;
        });
    }

    play(agent: string): void {
        this.seats = this.seats.map((seat) => (seat.key === this.mine ? seat : { ...seat, agent }));
    }

    /** Nobody’s seat: one only watches. */
    watch(): void {
        this.sits = this.making = false;
        this.sit(null);
        if (this.picksWho && this.whoField !== null) this.choose(this.whoField, '');
    }

    /** Something of the setup was filled in; another folder has other choices. */
    choose(field: OptionField, given: Raw): void {
        const setup = this.setup;
        if (setup === null) return;
        if (field.name === setup.place) {
            const others = setup.fields.filter((one) => one.name !== setup.place);
            this.chosen = Object.fromEntries(others.map((one) => [one.name, initial(one)]));
            this.offered = null;
            this.making = false;
        }
        this.chosen = { ...this.chosen, [field.name]: given };
        clearTimeout(this.typing);
        if (field.kind === 'choice' || field.kind === 'flag') void this.look();
        else this.typing = setTimeout(() => void this.look(), TYPING);
    }

    /** One of those who sit there is chosen, or one who comes along. A press that comes after the choice went does nothing. */
    choosePerson(one: string): void {
        const field = this.whoField;
        if (field === null) return;
        this.sits = true;
        this.making = false;
        this.choose(field, one);
    }

    /** One is made, of what is filled in so far. */
    make(given: Record<string, Raw>): void {
        this.sits = this.making = true;
        this.made = given;
        this.faults = new Map();
        if (this.makes !== null) this.chosen = { ...this.chosen, [this.makes.adds]: this.madeName };
        clearTimeout(this.typing);
        if (this.madeName !== '') this.typing = setTimeout(() => void this.look(), TYPING);
    }

    /** Who comes beside those of the folder. To see who sits there, the name is enough of what is made. */
    private comers(found: Map<string, string>, whole: boolean): unknown[] {
        if (this.makes === null) return [];
        const one = String(this.chosen[this.makes.adds] ?? '');
        if (!this.making) return this.makes.known.includes(one) ? [one] : [];
        if (this.madeName === '') {
            found.set(this.makes.name, 'Give your character a name.');
            return [];
        }
        if (!whole) return [{ name: this.madeName }];
        const fresh: Record<string, unknown> = {};
        for (const field of this.makes.fields) {
            const given = read(field, this.made[field.name] ?? initial(field));
            if (given === null) continue;
            if ('fault' in given) found.set(`made.${field.name}`, given.fault);
            else fresh[field.name] = given.value;
        }
        return [fresh];
    }

    /** What was chosen apart from the folder, as the server takes it; `found` gets what is filled in wrongly. */
    private choices(found = new Map<string, string>(), whole = false): Record<string, unknown> {
        const given: Record<string, unknown> = {};
        for (const field of this.setup?.fields ?? []) {
            if (field.name === this.setup?.place) continue;
            const one = read(field, this.chosen[field.name] ?? initial(field));
            if (one === null) continue;
            if ('fault' in one) found.set(field.name, one.fault);
            else if (one.value !== null) given[field.name] = one.value;
        }
        const more = this.comers(found, whole);
        if (this.makes !== null && more.length > 0) given[this.makes.name] = more;
        return given;
    }

    /** See what the folder has, and who sits there with what was chosen. */
    async look(): Promise<void> {
        const question = ++this.questions;
        const setup = this.setup;
        const place = String(this.chosen[setup?.place ?? ''] ?? '');
        if (setup === null || place === '' || (this.making && this.madeName === '')) return;
        this.faults = new Map();
        const asked = Object.entries(this.choices()).map(([field, value]) => [
            field,
            Array.isArray(value) ? JSON.stringify(value) : String(value),
        ]);
        try {
            const found = await this.host.place(this.name, place, Object.fromEntries(asked) as Record<string, string>);
            if (this.gone || question !== this.questions) return;
            // By default one sits at the table: where that takes a choice, the first one is made.
            const who = setup.fields.find((one) => one.name !== setup.place && one.name in found.choices);
            const [value] = who === undefined ? [] : (found.choices[who.name] ?? []);
            if (
                this.sits &&
                found.people.length === 0 &&
                who !== undefined &&
                value !== undefined &&
                this.chosen[who.name] === ''
            ) {
                await this.takeFirst(who, value);
                return;
            }
            const before = new Map(this.seats.map((seat) => [seat.name, seat.agent]));
            this.offered = found;
            this.seats = found.seats.map((seat, at) => ({
                key: at,
                name: seat,
                agent: before.get(seat) ?? (this.start.friends ? OUTSIDE : this.first),
                fixed: true,
            }));
            const [you] = found.people;
            this.sit((this.sits && this.seats.find((seat) => seat.name === you)) || null);
        } catch (error) {
            if (this.gone || question !== this.questions) return;
            if (this.making && this.makes !== null) {
                this.refused(error, this.makes.name);
                return;
            }
            this.seats = [];
            this.refused(error, setup.place);
        }
    }

    /** Try whether the first of these choices gives somebody a seat; if it does not, it is a choice like any other. */
    private async takeFirst(who: OptionField, value: string): Promise<void> {
        this.picksWho = true;
        this.chosen = { ...this.chosen, [who.name]: value };
        await this.look();
        if (this.gone || this.offered === null || this.offered.people.length > 0 || !this.picksWho) return;
        this.picksWho = this.sits = false;
        this.chosen = { ...this.chosen, [who.name]: '' };
        await this.look();
    }

    /** See who sits there now, if one who is made changed a moment before. */
    async settle(): Promise<void> {
        clearTimeout(this.typing);
        if (this.making) await this.look();
    }

    /** Show a refusal at the field that it names, else at `elsewhere`. */
    refused(error: unknown, elsewhere = ''): void {
        if (!(error instanceof Problem) || error.status !== 422) {
            if (error instanceof Problem) this.faults = new Map([['', error.detail]]);
            else throw error;
            return;
        }
        const fault = placed(
            error.detail,
            this.fields.map((field) => field.name),
        );
        const named = (this.setup?.fields ?? []).map((field) => field.name);
        const shown = ['seed', 'roster', this.makes?.name, ...named].includes(fault.at);
        this.faults = new Map([[shown || fault.at.startsWith('options.') ? fault.at : elsewhere, fault.words]]);
    }

    /** What is to be opened, null where something is filled in wrongly. */
    wanted(): Wanted | null {
        const found = new Map<string, string>();
        const options: Record<string, unknown> = {};
        for (const field of this.fields) {
            const given = read(field, this.raw[field.name] ?? initial(field));
            if (given === null) continue;
            if ('fault' in given) found.set(`options.${field.name}`, given.fault);
            else options[field.name] = given.value;
        }
        const picked = this.choices(found, true);
        const setup = this.setup;
        const place = setup === null ? '' : String(this.chosen[setup.place] ?? '');
        if (setup !== null && place === '') found.set(setup.place, 'Choose a value.');
        if (setup === null && this.seats.some((seat) => !seat.fixed && nameFault(seat, this.seats) !== ''))
            found.set('roster', 'Fix the names first.');
        this.faults = found;
        if (found.size > 0) return null;
        const given: Wanted = {
            ruleset: this.name,
            agent: this.first,
            agents: Object.fromEntries(this.seats.map((seat) => [seat.name.trim(), seat.agent])),
            options,
        };
        if (this.own !== null) given.own = this.own.name.trim();
        if (this.seed.trim() !== '') given.seed = this.seed.trim();
        if (setup === null) given.names = this.seats.filter((seat) => !seat.fixed).map((seat) => seat.name.trim());
        else given.setup = { [setup.place]: place, ...picked };
        return given;
    }

    /** Who sits there, in words. */
    table(): string {
        const who =
            this.own === null
                ? 'Nobody sits here: you only watch.'
                : `You are ${displayName(this.character === null ? this.own.name : this.character)}.`;
        if (this.others.length === 0) return who;
        const count = this.others.length === 1 ? 'one other seat' : `${this.others.length} other seats`;
        if (this.rest === '')
            return `${who} ${capital(count)} ${this.others.length === 1 ? 'has' : 'have'} players of several kinds.`;
        if (this.rest === OUTSIDE) return `${who} You get a link for each of the ${count}.`;
        return `${who} ${this.rest === 'house' ? 'Bots play' : `${agentWords(this.rest).label} plays`} ${count}.`;
    }
}
