/** The list of games as it stands, looked at again and again for as long as somebody looks. */
import { Problem, type GameListed } from '../api/client';
import type { Host, Sought } from './calls';

const PAGE = 25;
const AGAIN_MS = 4_000;
const LONGEST_MS = 30_000;

export class GameList {
    games = $state.raw<GameListed[]>([]);
    /** Whether anything was heard yet of what is sought now. */
    known = $state(false);
    more = $state(false);
    problem = $state<Problem | null>(null);
    private asked = PAGE;
    private sought: Sought = { status: '', ruleset: '', search: '' };
    private asking: AbortController | null = null;
    private timer: ReturnType<typeof setTimeout> | undefined;
    private pause = AGAIN_MS;
    private closed = false;

    constructor(private readonly host: Host) {}

    /** Seek other games. What is shown stays until the answer is there. */
    seek(sought: Sought): void {
        this.sought = { ...sought };
        this.asked = PAGE;
        this.known = false;
        void this.look();
    }

    older(): void {
        this.asked += PAGE;
        void this.look();
    }

    close(): void {
        this.closed = true;
        clearTimeout(this.timer);
        this.asking?.abort();
    }

    async look(): Promise<void> {
        clearTimeout(this.timer);
        this.asking?.abort();
        const asking = new AbortController();
        this.asking = asking;
        const { asked } = this;
        const begun = performance.now();
        try {
            const found = await this.host.games(this.sought, asked, null, asking.signal);
            if (asking.signal.aborted) return;
            this.games = found.games;
            this.more = found.next !== null;
            this.known = true;
            this.problem = null;
            // A server that takes long is asked seldom.
            this.pause = Math.max(AGAIN_MS, 10 * (performance.now() - begun));
        } catch (error) {
            if (asking.signal.aborted) return;
            this.problem = error instanceof Problem && !error.passing ? error : null;
            this.pause *= 1.5;
        }
        if (!this.closed) this.timer = setTimeout(() => this.again(), Math.min(this.pause, LONGEST_MS));
    }

    /** Nobody looks at a page that is hidden. */
    private again(): void {
        if (!document.hidden) {
            void this.look();
            return;
        }
        document.addEventListener('visibilitychange', () => !this.closed && void this.look(), { once: true });
    }
}
