/** The server's time, as the `Date` of its answers tells it: time limits count by it, whatever this machine's clock says. */

/** A header counts whole seconds, and answers take a while: less than this is no difference. */
const UNSURE_MS = 2_000;

class Clock {
    private offset = 0;

    /** Take in an answer. */
    heard(answer: Response): void {
        const told = Date.parse(answer.headers.get('date') ?? '');
        if (Number.isNaN(told)) return;
        const offset = Date.now() - (told + 500);
        this.offset = Math.abs(offset) < UNSURE_MS ? 0 : offset;
    }

    /** By how many milliseconds this machine's clock is ahead of the server's; negative where it is behind. */
    get ahead(): number {
        return this.offset;
    }

    /** The server's time in milliseconds. */
    now(): number {
        return Date.now() - this.offset;
    }
}

export const clock = new Clock();
