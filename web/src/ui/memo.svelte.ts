import { untrack } from 'svelte';

/**
 * A value that its readers hear of only when it is another. Behind what is derived of the moment everything is asked at each
 * step whether it has changed; where many hang on what seldom does, that costs more than to find it out once.
 */
export class Memo<T> {
    private kept: T = $state.raw() as T;

    /** To be made while a component begins, of what it derives. */
    constructor(value: () => T) {
        this.kept = untrack(value);
        $effect.pre(() => {
            this.kept = value();
        });
    }

    get now(): T {
        return this.kept;
    }
}
