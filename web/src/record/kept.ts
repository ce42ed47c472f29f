/** What a reload keeps: a part of the history's state of this page. Nothing is stored anywhere else. */

type State = Record<string, unknown>;

/** How often the state is written at most: browsers refuse a page that writes it at every key. */
const PAUSE_MS = 400;

/** Values by their names, kept over a reload. They must be plain: they are copied. */
export class Kept {
    private readonly values: State;
    private timer: ReturnType<typeof setTimeout> | null = null;

    /** `room` names the part of the state that is this one's. */
    constructor(private readonly room: string) {
        const state = history.state as State | null;
        const found = state?.[room];
        this.values = typeof found === 'object' && found !== null ? { ...(found as State) } : {};
        // When a reload has come to hiding the page, what is written is lost already.
        addEventListener('beforeunload', this.write);
        addEventListener('pagehide', this.write);
    }

    get(name: string): unknown {
        return this.values[name];
    }

    set(name: string, value: unknown): void {
        this.values[name] = value;
        this.timer ??= setTimeout(this.write, PAUSE_MS);
    }

    /** Write now what was set. */
    readonly write = (): void => {
        if (this.timer !== null) clearTimeout(this.timer);
        this.timer = null;
        history.replaceState({ ...(history.state as State | null), [this.room]: this.values }, '', location.href);
    };

    close(): void {
        if (this.timer !== null) this.write();
        removeEventListener('beforeunload', this.write);
        removeEventListener('pagehide', this.write);
    }
}
