/** Spans of time and moments in words. */

const STEPS = [
    [86_400_000, 'day'],
    [3_600_000, 'hour'],
    [60_000, 'minute'],
    [1_000, 'second'],
] as const;

/** A span of milliseconds in its largest unit. */
export function inWords(ms: number): string {
    for (const [length, name] of STEPS) {
        const count = Math.round(ms / length);
        if (count >= 1 && ms >= length * 0.95) return `${count} ${name}${count === 1 ? '' : 's'}`;
    }
    return 'a moment';
}
