/** A roll as the record tells it: `2d6+3 = [4, 2]+3 = 9`. */
export interface Roll {
    die: number;
    faces: number[];
    rest: string;
    total: number;
}

const TOLD = /d(\d{1,9})[^=[\]]{0,40}= ?\[([\d, ]{1,600})\] ?([^=[\]]{0,40})= ?(-?\d{1,9})/;

/** The dice in a text, null where there are none. */
export function read(text: string): Roll | null {
    const found = TOLD.exec(text);
    if (found === null) return null;
    const faces = (found[2] ?? '').split(',').map(Number);
    if (faces.some(Number.isNaN)) return null;
    return { die: Number(found[1]), faces, rest: (found[3] ?? '').trim(), total: Number(found[4]) };
}
