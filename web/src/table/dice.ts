/** A roll as the record tells it: `2d6+3 = [4, 2]+3 = 9`. */
export interface Roll {
    die: number;
    faces: number[];
    rest: string;
    total: number;
}

const TOLD = /(\d*)d(\d+)([^=]*)=\s*\[([\d,\s]+)\]\s*([^=]*)=\s*(-?\d+)/;

/** The dice in a text, null where there are none. */
export function read(text: string): Roll | null {
    const found = TOLD.exec(text);
    if (found === null) return null;
    const faces = (found[4] ?? '').split(',').map(Number);
    if (faces.some(Number.isNaN)) return null;
    return { die: Number(found[2]), faces, rest: (found[5] ?? '').trim(), total: Number(found[6]) };
}
