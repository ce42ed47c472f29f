/** Where seats sit: round an ellipse, the first at its foot and the others clockwise, each as far from the next. */
export interface Point {
    x: number;
    y: number;
}

export interface Ring {
    width: number;
    height: number;
    centre: Point;
    /** Half the ring's width and height. */
    reach: Point;
    /** The size of a face. */
    face: number;
    /** The room that a seat has for what stands below its face. */
    room: number;
    seats: Point[];
    /** A phone's width. */
    narrow: boolean;
    /** The size of the table between the seats. */
    wood: Point;
}

const NARROW = 520;
const CAPTION = 40;
/** As wide as what stands below a face is taken to be, and as high. */
const WORDS = { x: 58, y: 36 };
const SAMPLES = 240;
const SMALLEST = 30;
const TALLEST = 1_100;

/** The ring for so many seats in a width of so many pixels; where the screen is high too, it is larger. */
export function ring(count: number, width: number, screen = 0): Ring {
    const narrow = width < NARROW;
    const edge = narrow ? 40 : 64;
    const high = Math.max(480, screen * 0.48);
    let height = Math.round(narrow ? Math.min(width * 0.98, 430) : Math.min(Math.max(340, width * 0.585), high));
    let face = narrow ? 48 : Math.round(58 * Math.min(Math.max(1, height / 480), 1.25));
    let reach = { x: width / 2 - edge, y: 0 };
    // Where many sit, faces are smaller first, and then the table longer.
    for (;;) {
        reach = { x: reach.x, y: (height - CAPTION - face) / 2 - 6 };
        const size = seatSize(face, narrow);
        if (count < 2 || (turns(reach, size) >= count && apart(round(count, reach, size), face))) break;
        if (height >= TALLEST) break;
        if (face > SMALLEST) face -= 2;
        else height += 16;
    }
    const centre = { x: width / 2, y: (height - CAPTION) / 2 };
    const size = seatSize(face, narrow);
    const crowded = turns(reach, size) < count * 1.5;
    return {
        width,
        height,
        centre,
        reach,
        face,
        room: Math.round(crowded ? size.x * 1.3 : narrow ? 92 : 132),
        seats: round(count, reach, size).map((at) => ({ x: centre.x + at.x, y: centre.y + at.y })),
        narrow,
        wood: {
            x: Math.max(60, (reach.x - face / 2 - (narrow ? 24 : 56)) * 2),
            y: Math.max(50, (reach.y - face / 2 - (narrow ? 44 : 27)) * 2),
        },
    };
}

/** The room that a seat takes with what stands below its face. */
function seatSize(face: number, narrow: boolean): Point {
    return narrow ? { x: face + 22, y: face + 27 } : { x: face + 34, y: face + 36 };
}

/** Points along an ellipse from its foot, clockwise, with how far round each is, counted in seats. */
function walk(reach: Point, size: Point): { at: Point; far: number }[] {
    const steps = [];
    let far = 0;
    let last = { x: 0, y: reach.y };
    for (let sample = 0; sample <= SAMPLES; sample++) {
        const angle = Math.PI / 2 + (sample / SAMPLES) * 2 * Math.PI;
        const at = { x: reach.x * Math.cos(angle), y: reach.y * Math.sin(angle) };
        far += Math.hypot((at.x - last.x) / size.x, (at.y - last.y) / size.y);
        steps.push({ at, far });
        last = at;
    }
    return steps;
}

/** How many seats there is room for. */
function turns(reach: Point, size: Point): number {
    return walk(reach, size).at(-1)?.far ?? 0;
}

/** Whether no face lies on the words of the next one, nor words on words. */
function apart(seats: readonly Point[], face: number): boolean {
    return seats.every((one, number) => {
        const next = seats[(number + 1) % seats.length] ?? one;
        const [upper, lower] = one.y <= next.y ? [one, next] : [next, one];
        return Math.abs(lower.x - upper.x) >= (face + WORDS.x) / 2 + 2 || lower.y - upper.y >= face + WORDS.y + 2;
    });
}

/** Places for seats round the middle, each as many seats from the next. */
function round(count: number, reach: Point, size: Point): Point[] {
    const steps = walk(reach, size);
    const whole = steps.at(-1)?.far ?? 0;
    const points: Point[] = [];
    let step = 0;
    for (let seat = 0; seat < count; seat++) {
        while ((steps[step]?.far ?? whole) < (whole * seat) / count - 1e-9) step++;
        const at = steps[step]?.at ?? { x: 0, y: 0 };
        points.push(at);
    }
    return points;
}

/** The seats in the order in which they sit round the table: the own one first, where there is one. */
export function seated(players: readonly string[], own: string | null): string[] {
    const first = own === null ? -1 : players.indexOf(own);
    return first <= 0 ? [...players] : [...players.slice(first), ...players.slice(0, first)];
}
