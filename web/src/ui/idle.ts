/**
 * Calls once nothing has been done for a while. One timer serves many steps: to set and to clear one at each would cost
 * more than most of what a step does.
 */
export class Idle {
    private since = 0;
    private timer: ReturnType<typeof setTimeout> | undefined;

    /** `then` is called `ms` milliseconds after the last `stir`. */
    constructor(
        private readonly ms: number,
        private readonly then: () => void,
    ) {}

    stir(): void {
        this.since = performance.now();
        this.timer ??= setTimeout(this.look, this.ms);
    }

    /** Call no more, whatever was done. */
    end(): void {
        clearTimeout(this.timer);
        this.timer = undefined;
    }

    private readonly look = (): void => {
        const left = this.since + this.ms - performance.now();
        this.timer = left > 0 ? setTimeout(this.look, left) : undefined;
        if (left <= 0) this.then();
    };
}
