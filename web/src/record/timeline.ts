/** Values that hold from a place of a track on until the next one does. Asked in O(log n), never refolded. */
export class Timeline<T> {
    private readonly places: number[] = [];
    private readonly values: T[] = [];

    /** Let the value hold from the place on; places only grow. */
    set(place: number, value: T): void {
        if (this.places.at(-1) === place) {
            this.values[this.values.length - 1] = value;
            return;
        }
        this.places.push(place);
        this.values.push(value);
    }

    /** The value that holds at the place, undefined before the first. */
    at(place: number): T | undefined {
        return this.values[this.before(place) - 1];
    }

    /** The place from which on the value at `place` holds, 0 before the first. */
    since(place: number): number {
        return this.places[this.before(place) - 1] ?? 0;
    }

    /** All values up to and with the place, oldest first. */
    upto(place: number): T[] {
        return this.values.slice(0, this.before(place));
    }

    get last(): T | undefined {
        return this.values.at(-1);
    }

    /** Every place at which a value begins to hold. */
    get changes(): readonly number[] {
        return this.places;
    }

    private before(place: number): number {
        let low = 0;
        let high = this.places.length;
        while (low < high) {
            const middle = (low + high) >> 1;
            if ((this.places[middle] as number) <= place) low = middle + 1;
            else high = middle;
        }
        return low;
    }
}
