/** A game that is opened with one press: you in a seat, everything else as usual. */
import type { Host, Opened, RulesetLine, Rulesets, Wanted } from './calls';
import { setupForm } from './schema';

/** The folders of a ruleset that needs one, null where it needs none. */
export function placesOf(line: RulesetLine, offer: Rulesets): readonly string[] | null {
    return line.needs === null ? null : (offer.places[line.needs] ?? []);
}

/** The request for the game, with the person in the seat that a person usually plays. Rejects as the server refuses. */
export async function usual(host: Host, line: RulesetLine, offer: Rulesets, name: string): Promise<Wanted> {
    const agent = offer.agents.includes('house') ? 'house' : (offer.agents[0] ?? '');
    const [place] = placesOf(line, offer) ?? [];
    if (line.setup === null || place === undefined) return { ruleset: line.name, agent, own: name };
    const form = setupForm(line.setup, [place], {});
    const chosen: Record<string, string> = {};
    let found = await host.place(line.name, place, chosen);
    // Where nobody has a seat yet, what is chosen first may give one: a character.
    for (const field of form.fields) {
        const [first] = found.choices[field.name] ?? [];
        if (found.people.length > 0 || first === undefined) continue;
        chosen[field.name] = first;
        found = await host.place(line.name, place, chosen);
    }
    const own = found.people[0] ?? null;
    return { ruleset: line.name, agent, own, setup: { [form.place]: place, ...chosen } };
}

/** Go to a link of this server, in this tab. */
export function goTo(link: string): void {
    const url = new URL(link);
    location.assign(url.pathname + url.hash);
}

/** Sit down in the seat that is one’s own in a game just opened. False where there is none. */
export function sitDown(opened: Opened, own: string | null | undefined): boolean {
    const seats = Object.entries(opened.links.seats);
    const link = seats.find(([seat]) => seat.toLowerCase() === own?.toLowerCase())?.[1];
    if (link === undefined) return false;
    goTo(link);
    return true;
}
