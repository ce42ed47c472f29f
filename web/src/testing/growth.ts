/** How the time that something takes grows with the length of its text. */
import type { Attack } from './attacks';

const LONGEST = 16_384;
/** A text of twice the length takes twice as long, or four times where each part is looked at for each other. */
const LINEAR = 2.8;

/**
 * What is wrong with the time that it takes, if anything. Begins with short texts, since nothing can stop it, and takes
 * the least of several times, since others share the caches of the machine. Below `long` milliseconds nobody looks twice: give
 * some hundred times what such a text should take.
 */
export function growth(run: (text: string) => unknown, attack: Attack, long = 6): string | null {
    for (let length = 8; length <= LONGEST; length = Math.ceil(length * 1.3)) {
        const [half, whole] = [attack(length / 2), attack(length)];
        const first = took(run, whole);
        if (first < long) continue;
        const again = first > 200 ? 2 : 8;
        const before = least(run, half, 2 * again);
        const after = least(run, whole, again);
        const times = (after / before) * ((2 * half.length) / whole.length);
        if (after < long || times <= LINEAR) continue;
        return `${times.toFixed(1)} times as long for twice of ${half.length} characters (${after.toFixed(0)} ms): ${shown(half)}`;
    }
    return null;
}

function least(run: (text: string) => unknown, text: string, times: number): number {
    return Math.min(...Array.from({ length: times }, () => took(run, text)));
}

/** Milliseconds of the processor, which do not grow where others are at work. */
function took(run: (text: string) => unknown, text: string): number {
    const began = process.threadCpuUsage();
    run(text);
    const used = process.threadCpuUsage(began);
    return (used.user + used.system) / 1000;
}

const shown = (text: string): string => JSON.stringify(`${text.slice(0, 40)}…${text.slice(-20)}`);
