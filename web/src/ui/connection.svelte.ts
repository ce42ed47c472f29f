/** All that goes wrong has one place: a problem takes the page, the rest is said in a band above it or in passing. */
import { Problem } from '../api/client';
import { clock } from '../api/clock';
import { isOld, runningScript } from '../api/freshness';
import { pause } from '../api/pause';

/** How long a line must be down before anybody is told. */
const UNTOLD_MS = 1_500;
const PROBE_MS = 2_000;
const BACK_MS = 4_000;
const SAID_MS = 5_000;
/** A clock that is out by less troubles nobody. */
const SKEW_MS = 30_000;

export const ENDED = new Problem(401, 'unauthorized', 'This link no longer works', '');

class Connection {
    /** What stands in the place of the page. */
    problem = $state<Problem | null>(null);
    /** The server has not answered for a while. */
    away = $state(false);
    /** It answers again, since a moment ago. */
    back = $state(false);
    /** The server has a newer page. */
    old = $state(false);
    /** By how many milliseconds this machine's clock is ahead, 0 where that troubles nobody. */
    skew = $state(0);
    said = $state<{ id: number; text: string }[]>([]);

    private down = false;
    private telling: ReturnType<typeof setTimeout> | undefined;
    private count = 0;

    /** Put the page of a problem in the place of everything. */
    end(problem: Problem): void {
        this.problem = problem;
    }

    clear(): void {
        this.problem = null;
    }

    /** Each answer of the server, or null where there was none. */
    heard = (answer: Response | null): void => {
        if (answer === null) {
            this.line(false);
            return;
        }
        this.line(true);
        clock.heard(answer);
        const ahead = Math.abs(clock.ahead) < SKEW_MS ? 0 : clock.ahead;
        // The difference wavers by the seconds of answers: what is said does not.
        if (Math.abs(ahead - this.skew) > SKEW_MS || ahead === 0) this.skew = ahead;
        if (answer.status === 401) this.end(ENDED);
    };

    /** The line to the server is up, or down and being tried again by whoever says so. */
    line(up: boolean): void {
        if (up !== this.down) return;
        this.down = !up;
        if (!up) {
            this.telling = setTimeout(() => {
                this.away = true;
                void this.probe();
            }, UNTOLD_MS);
            return;
        }
        clearTimeout(this.telling);
        if (!this.away) return;
        this.away = false;
        this.back = true;
        setTimeout(() => (this.back = false), BACK_MS);
        void this.compare();
    }

    /** Say something in passing. */
    say(text: string): void {
        const id = ++this.count;
        this.said.push({ id, text });
        setTimeout(() => (this.said = this.said.filter((one) => one.id !== id)), SAID_MS);
    }

    /** Look whether the server has a newer page. */
    async compare(): Promise<void> {
        if (await isOld(runningScript())) this.old = true;
    }

    /** Whoever found the line down may not ask again: somebody must. */
    private async probe(): Promise<void> {
        while (this.down) {
            try {
                const answer = await fetch('/health/live', { cache: 'no-store' });
                if (answer.ok) {
                    this.line(true);
                    return;
                }
            } catch {
                // It is still away.
            }
            await pause(PROBE_MS);
        }
    }
}

export const connection = new Connection();
