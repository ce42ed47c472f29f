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
    /** Whether there is no room for words in the middle. */
    narrow: boolean;
}

const NARROW = 520;
const CAPTION = 40;
const SAMPLES = 360;

/** The ring for so many seats in a width of so many pixels. */
export function ring(count: number, width: number): Ring {
    const narrow = width < NARROW;
    const crowd = Math.max(0, count - 8);
    const height = narrow
        ? Math.round(Math.min(width * 0.92, 430) + crowd * 16)
        : Math.round(Math.min(Math.max(330, width * 0.56), 460) + crowd * 9);
    const largest = narrow ? 48 : 58;
    const edge = narrow ? 40 : 64;
    const reach = { x: width / 2 - edge, y: (height - CAPTION - largest) / 2 - 6 };
    const spacing = count > 0 ? circumference(reach) / count : largest * 2;
    const face = Math.round(Math.max(26, Math.min(largest, spacing * 0.56)));
    const centre = { x: width / 2, y: (height - CAPTION) / 2 };
    return {
        width,
        height,
        centre,
        reach,
        face,
        room: Math.round(Math.max(face + 8, Math.min(narrow ? 92 : 132, spacing * (narrow ? 1.1 : 1.25)))),
        seats: round(count, centre, reach),
        narrow,
    };
}

function circumference({ x, y }: Point): number {
    return Math.PI * (3 * (x + y) - Math.sqrt((3 * x + y) * (x + 3 * y)));
}

/** Points at equal distances along an ellipse, clockwise from its foot. */
function round(count: number, centre: Point, reach: Point): Point[] {
    const at = (sample: number): Point => {
        const angle = Math.PI / 2 + (sample / SAMPLES) * 2 * Math.PI;
        return { x: centre.x + reach.x * Math.cos(angle), y: centre.y + reach.y * Math.sin(angle) };
    };
    const lengths = [0];
    for (let sample = 1; sample <= SAMPLES; sample++) {
        const [from, to] = [at(sample - 1), at(sample)];
        lengths.push((lengths[sample - 1] as number) + Math.hypot(to.x - from.x, to.y - from.y));
    }
    const whole = lengths[SAMPLES] as number;
    const points: Point[] = [];
    let sample = 0;
    for (let seat = 0; seat < count; seat++) {
        const wanted = (whole * seat) / count;
        while ((lengths[sample] as number) < wanted) sample++;
        points.push(at(sample));
    }
    return points;
}

/** The seats in the order in which they sit round the table: the own one first, where there is one. */
export function seated(players: readonly string[], own: string | null): string[] {
    const first = own === null ? -1 : players.indexOf(own);
    return first <= 0 ? [...players] : [...players.slice(first), ...players.slice(0, first)];
}
