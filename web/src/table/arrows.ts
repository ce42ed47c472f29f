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

const bend = line<Point>()
    .x((point) => point.x)
    .y((point) => point.y)
    .curve(curveBasis);
const point = line<Point>()
    .x((one) => one.x)
    .y((one) => one.y);

/** An arrow for each vote against or for another seat. `gap` is left free round a face. */
export function arrows(
    votes: readonly Vote[],
    places: ReadonlyMap<string, Point>,
    centre: Point,
    gap: number,
): Arrow[] {
    const drawn: Arrow[] = [];
    for (const vote of votes) {
        const from = places.get(vote.of);
        const to = vote.for === null ? undefined : places.get(vote.for);
        if (from === undefined || to === undefined || vote.for === null || from === to) continue;
        const half = { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 };
        const middle = { x: half.x + (centre.x - half.x) * PULL, y: half.y + (centre.y - half.y) * PULL };
        const start = toward(from, middle, gap);
        const end = toward(to, middle, gap + 3);
        const path = bend([start, middle, end]);
        const left = turned(end, middle, 9, 0.42);
        const right = turned(end, middle, 9, -0.42);
        const head = point([left, end, right]);
        if (path !== null && head !== null) drawn.push({ of: vote.of, to: vote.for, path, head });
    }
    return drawn;
}

function toward(from: Point, to: Point, by: number): Point {
    const far = Math.hypot(to.x - from.x, to.y - from.y) || 1;
    const part = Math.min(by / far, 0.45);
    return { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part };
}

/** The point so far from `from` in the direction of `to`, turned by an angle. */
function turned(from: Point, to: Point, far: number, angle: number): Point {
    const way = Math.atan2(to.y - from.y, to.x - from.x) + angle;
    return { x: from.x + Math.cos(way) * far, y: from.y + Math.sin(way) * far };
}
