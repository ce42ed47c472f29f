/** Votes as arrows: bent towards the middle of the table, so that none lies on another. */
import { curveBasis, line } from 'd3-shape';
import type { Vote } from '../record/track';
import type { Point } from './ring';

export interface Arrow {
    of: string;
    to: string;
    path: string;
    head: string;
}

/** How far an arrow is drawn towards the middle. */
const PULL = 0.42;
/** How far towards its bend an arrow begins at most. */
const NEAREST = 1;

const bend = line<Point>()
    .x((point) => point.x)
    .y((point) => point.y)
    .curve(curveBasis);
const point = line<Point>()
    .x((one) => one.x)
    .y((one) => one.y);

/** What is left free round the middle of a face: to its sides and above it, and below, where the name stands. */
export interface Clearance {
    side: number;
    below: number;
}

/** An arrow for each vote against or for another seat. */
export function arrows(
    votes: readonly Vote[],
    places: ReadonlyMap<string, Point>,
    centre: Point,
    clear: Clearance,
): Arrow[] {
    const drawn: Arrow[] = [];
    for (const vote of votes) {
        const from = places.get(vote.of);
        const to = vote.for === null ? undefined : places.get(vote.for);
        if (from === undefined || to === undefined || vote.for === null || from === to) continue;
        const half = { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 };
        const middle = { x: half.x + (centre.x - half.x) * PULL, y: half.y + (centre.y - half.y) * PULL };
        const start = toward(from, middle, clear);
        const end = toward(to, middle, { side: clear.side + 3, below: clear.below + 3 });
        const path = bend([start, middle, end]);
        const left = turned(end, middle, 9, 0.42);
        const right = turned(end, middle, 9, -0.42);
        const head = point([left, end, right]);
        if (path !== null && head !== null) drawn.push({ of: vote.of, to: vote.for, path, head });
    }
    return drawn;
}

/** Where the way to a point leaves what is to be free. */
function toward(from: Point, to: Point, clear: Clearance): Point {
    const way = { x: to.x - from.x, y: to.y - from.y };
    const beside = clear.side / (Math.abs(way.x) || 1);
    const beyond = (way.y > 0 ? clear.below : clear.side) / (Math.abs(way.y) || 1);
    // An arrow that begins beside the name and bends back below it would cross it.
    const below = way.y > 0 && Math.abs(way.x) * beyond < 2 * clear.side;
    const part = Math.min(below ? beyond : Math.min(beside, beyond), NEAREST);
    return { x: from.x + way.x * part, y: from.y + way.y * part };
}

/** The point so far from `from` in the direction of `to`, turned by an angle. */
function turned(from: Point, to: Point, far: number, angle: number): Point {
    const way = Math.atan2(to.y - from.y, to.x - from.x) + angle;
    return { x: from.x + Math.cos(way) * far, y: from.y + Math.sin(way) * far };
}
