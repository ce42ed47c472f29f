import type { Attachment } from 'svelte/attachments';

/**
 * Marks the whole page with a class while an element stands in it, for styles of what lies around that element. `:has()` at
 * the root would be asked again with every change below, which costs a step of the replay a quarter of a millisecond.
 */
export function framed(name: string): Attachment {
    return () => {
        document.documentElement.classList.add(name);
        return () => document.documentElement.classList.remove(name);
    };
}
