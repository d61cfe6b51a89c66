import { randomOf } from '../random.ts';
import type { Room } from './rooms.ts';

/**
 * Draws the architecture as a house: rooms on floors, with arrows from each room to the rooms that
 * it imports. Leaves out an arrow if a chain of other arrows implies it. The same rooms always
 * produce the same picture.
 */

interface Point {
  readonly x: number;
  readonly y: number;
}

interface Arrow {
  readonly from: Room;
  readonly to: Room;
}

/** The center of each box, by room. */
type Places = Map<Room, Point>;

export const HOUSE = 'media/architecture.svg';

const WIDTH = 960;
const FLOOR = 92;
const TOP = 36;
const BOX = { width: 192, height: 40 };
/**
 * `box`: the minimum distance from an arrow to a box that it passes. `arrow`: the minimum distance
 * between two arrows that pass a box on the same side.
 */
const GAP = { box: 8, arrow: 4 };
/**
 * Arrows stay between these x coordinates when they pass boxes. `left` leaves space for the floor
 * numbers.
 */
const SIDES = { left: 78, right: WIDTH - 16 };
/** The possible x coordinates of a box's center. */
const COLUMNS = Array.from({ length: 13 }, (_, column) => 184 + column * 55);

const LEGEND =
  'An arrow leads from a room to a room that it imports. Imports that a chain of arrows implies aren’t drawn.';

/**
 * Colors from the GitHub and VS Code themes. The contrast ratio is at least 4.5:1 for text and 3:1
 * for arrows.
 */
const STYLE = `
  :root { color-scheme: light dark; --back: #ffffff; --floor: #f6f8fa; --text: #1f2328;
    --pale: #59636e; --arrow: #0969da; }
  @media (prefers-color-scheme: dark) {
    :root { --back: #0d1117; --floor: #171d26; --text: #e6edf3; --pale: #9198a1;
      --arrow: #4493f8; }
  }
  text { font: 12px system-ui, -apple-system, 'Segoe UI', sans-serif; fill: var(--pale); }
  .room { font-weight: 600; fill: var(--text); text-anchor: middle; }
  .files { font-size: 11px; text-anchor: middle; }
  .back { fill: var(--back); }
  .floor { fill: var(--floor); }
  .box { fill: var(--back); stroke: var(--arrow); stroke-width: 1.5; }
  .arrow { fill: none; stroke: var(--arrow); stroke-width: 1.5; stroke-linejoin: round; }
  .head { fill: var(--arrow); }
`;

const HEAD =
  '<marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" orient="auto"><path class="head" d="M0 1 L8 4 L0 7 z"/></marker>';

export function pictureOf(rooms: readonly Room[]): string {
  const arrows = arrowsOf(rooms);
  const places = arranged(rooms, arrows);
  const floors = floorsOf(rooms);
  const height = TOP + floors.length * FLOOR + 4;
  const passCounts: PassCounts = new Map();
  const drawn = [
    `<text x="24" y="28">${LEGEND}</text>`,
    ...floors.map(floorAt),
    ...arrows.map((one) => lineOf(one, arrows, places, passCounts)),
    ...rooms.map((room) => boxOf(room, placeOf(places, room))),
  ];
  const described = rooms.map(
    (room) => `${room.label} on floor ${room.floor} imports ${room.imports.join(', ') || 'none'}.`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="title description">
<title id="title">The rooms of src and their floors</title>
<desc id="description">${described.join(' ')}</desc>
<style>${STYLE}</style>
<defs>${HEAD}</defs>
<rect class="back" width="${WIDTH}" height="${height}" rx="8"/>
${drawn.join('\n')}
</svg>
`;
}

function arrowsOf(rooms: readonly Room[]): Arrow[] {
  const importsOf = (room: Room) => rooms.filter(({ name }) => room.imports.includes(name));
  const leads = (from: Room, to: Room): boolean =>
    importsOf(from).some((next) => next === to || leads(next, to));
  return rooms.flatMap((from) =>
    importsOf(from)
      .filter((to) => !importsOf(from).some((next) => leads(next, to)))
      .map((to) => ({ from, to })),
  );
}

/**
 * Optimizes several random placements by moving one room at a time to its best place, until the
 * cost no longer decreases. Returns the placement with the lowest cost.
 */
function arranged(rooms: readonly Room[], arrows: readonly Arrow[]): Places {
  const random = randomOf(1);
  const floors = floorsOf(rooms);
  const yOf = ({ floor }: Room) => TOP + (floors.indexOf(floor) + 0.5) * FLOOR;
  const attempts = Array.from({ length: 4 }, () => {
    const places: Places = new Map();
    const costAt = (room: Room, x: number) => {
      places.set(room, { x, y: yOf(room) });
      return costOf(rooms, arrows, places);
    };
    for (const room of rooms) costAt(room, COLUMNS[Math.floor(random() * COLUMNS.length)] ?? 0);
    let cost = costOf(rooms, arrows, places);
    for (let before = cost + 1; cost < before; ) {
      before = cost;
      for (const room of rooms) {
        const best = COLUMNS.map((x) => ({ x, cost: costAt(room, x) })).reduce((one, other) =>
          other.cost < one.cost ? other : one,
        );
        cost = costAt(room, best.x);
      }
    }
    return { places, cost };
  });
  return attempts.reduce((one, other) => (other.cost < one.cost ? other : one)).places;
}

/**
 * Returns the cost of a placement. Overlapping boxes, arrows through boxes, crossing arrows, and
 * the horizontal length of arrows increase the cost.
 */
function costOf(rooms: readonly Room[], arrows: readonly Arrow[], places: Places): number {
  const ends = arrows.map(({ from, to }) => {
    const [start, end] = [placeOf(places, from), placeOf(places, to)];
    return { from, to, start, end };
  });
  let cost = 0;
  for (const one of rooms) {
    const { x, y } = placeOf(places, one);
    for (const other of rooms) {
      const near = Math.abs(placeOf(places, other).x - x) < BOX.width + 10;
      if (other !== one && other.floor === one.floor && near) cost += 5_000;
    }
    for (const { from, to, start, end } of ends) {
      if (one === from || one === to || (y - start.y) * (y - end.y) >= 0) continue;
      const passesAt = start.x + ((y - start.y) / (end.y - start.y)) * (end.x - start.x);
      if (Math.abs(passesAt - x) < BOX.width / 2 + 12) cost += 240;
    }
  }
  for (const [index, { from, to, start, end }] of ends.entries()) {
    cost += Math.abs(start.x - end.x) / 15;
    for (const other of ends.slice(index + 1)) {
      const meet = other.from === from || other.to === to;
      if (!meet && doCross(start, end, other.start, other.end)) cost += 16;
    }
  }
  return cost;
}

function doCross(a: Point, b: Point, c: Point, d: Point): boolean {
  const side = (p: Point, q: Point, r: Point) =>
    (q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x);
  return side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0;
}

function placeOf(places: Places, room: Room): Point {
  return places.get(room) ?? { x: 0, y: 0 };
}

/** Returns the numbers of all floors that have rooms, highest first. */
function floorsOf(rooms: readonly Room[]): number[] {
  return [...new Set(rooms.map(({ floor }) => floor))].sort((one, other) => other - one);
}

function floorAt(floor: number, index: number): string {
  const y = TOP + index * FLOOR;
  return `<rect class="floor" x="12" y="${y + 12}" width="${WIDTH - 24}" height="${FLOOR - 24}" rx="6"/>
<text x="24" y="${y + FLOOR / 2 + 4}">floor ${floor}</text>`;
}

function boxOf(room: Room, { x, y }: Point): string {
  const count = room.files === 1 ? '1 file' : `${room.files} files`;
  return `<rect class="box" x="${x - BOX.width / 2}" y="${y - BOX.height / 2}" width="${BOX.width}" height="${BOX.height}" rx="6"/>
<text class="room" x="${x}" y="${y - 2}">${room.label}</text>
<text class="files" x="${x}" y="${y + 13}">${count}</text>`;
}

/**
 * Draws a line from the lower edge of one box to the upper edge of another, around the boxes
 * between them. Lines that start or end at the same edge are spread out along that edge.
 */
function lineOf(
  arrow: Arrow,
  arrows: readonly Arrow[],
  places: Places,
  passCounts: PassCounts,
): string {
  const endAt = (side: 'from' | 'to') => {
    const { x, y } = placeOf(places, arrow[side]);
    const otherEndOf = (one: Arrow) => placeOf(places, side === 'from' ? one.to : one.from);
    const slopeOf = (one: Arrow) => {
      const other = otherEndOf(one);
      return (other.x - x) / Math.max(1, Math.abs(other.y - y));
    };
    const beside = arrows
      .filter((one) => one[side] === arrow[side])
      .sort(
        (one, other) =>
          // If two arrows point straight down, the longer one goes to the left of the shorter one.
          slopeOf(one) - slopeOf(other) || otherEndOf(other).y - otherEndOf(one).y,
      );
    const share = (beside.indexOf(arrow) + 0.5) / beside.length - 0.5;
    const edge = side === 'from' ? BOX.height / 2 : -BOX.height / 2;
    return { x: Math.round(x + share * (BOX.width - 12)), y: y + edge };
  };
  const points = routed(endAt('from'), endAt('to'), [...places.values()], passCounts);
  const path = points.map(({ x, y }) => `${x},${y}`).join(' ');
  return `<polyline class="arrow" points="${path}" marker-end="url(#head)"/>`;
}

/** A point just outside a box's corner, where arrows that pass the box can bend. */
interface Corner extends Point {
  readonly box: Point;
  readonly side: -1 | 1;
}

/** The number of arrows that pass each box on each side, keyed by the result of `sideOf`. */
type PassCounts = Map<string, number>;

const sideOf = ({ box, side }: Corner) => `${box.x} ${box.y} ${side}`;

/**
 * Returns the shortest path from one point down to another, around the boxes between them. When the
 * path goes around a box, increments the count for that side of the box in `passCounts`.
 */
function routed(
  from: Point,
  to: Point,
  boxes: readonly Point[],
  passCounts: PassCounts,
): readonly Point[] {
  const between = boxes.filter(({ y }) => y - BOX.height / 2 > from.y && y + BOX.height / 2 < to.y);
  const corners = between
    .flatMap((box) => ([-1, 1] as const).flatMap((side) => cornersOf(box, side, passCounts)))
    .filter(({ x }) => x >= SIDES.left && x <= SIDES.right)
    .sort((one, other) => one.y - other.y);
  const shortestPaths = new Map<
    Point,
    { readonly length: number; readonly points: readonly Point[] }
  >([[from, { length: 0, points: [from] }]]);
  for (const next of [...corners, to]) {
    for (const [last, { length, points }] of [...shortestPaths]) {
      if (last.y > next.y || between.some((box) => meets(last, next, box))) continue;
      const total = length + Math.hypot(next.x - last.x, next.y - last.y);
      if (total >= (shortestPaths.get(next)?.length ?? Number.POSITIVE_INFINITY)) continue;
      shortestPaths.set(next, { length: total, points: [...points, next] });
    }
  }
  const shortest = shortestPaths.get(to);
  if (!shortest) throw new Error(`No path leads from ${from.x} ${from.y} to ${to.x} ${to.y}.`);
  const sides = corners.filter((corner) => shortest.points.includes(corner)).map(sideOf);
  for (const side of new Set(sides)) passCounts.set(side, (passCounts.get(side) ?? 0) + 1);
  return shortest.points;
}

function cornersOf(box: Point, side: -1 | 1, passCounts: PassCounts): Corner[] {
  return [-1, 1].map((edge) => {
    const corner = { box, side, x: box.x, y: box.y };
    const gap = GAP.box + GAP.arrow * (passCounts.get(sideOf(corner)) ?? 0);
    return {
      ...corner,
      x: box.x + side * (BOX.width / 2 + gap),
      y: box.y + edge * (BOX.height / 2 + GAP.box),
    };
  });
}

/** True if a line crosses a box, or comes more than 1 pixel closer to it than `GAP.box` allows. */
function meets(start: Point, end: Point, box: Point): boolean {
  const [top, bottom] = [-1, 1].map((edge) => box.y + edge * (BOX.height / 2 + GAP.box - 1));
  const [upper, lower] = [Math.max(start.y, top ?? 0), Math.min(end.y, bottom ?? 0)];
  if (upper >= lower) return false;
  const xAt = (y: number) => start.x + ((y - start.y) / (end.y - start.y)) * (end.x - start.x);
  const near = BOX.width / 2 + GAP.box - 1;
  const [one, other] = [xAt(upper) - box.x, xAt(lower) - box.x];
  return Math.min(one, other) < near && Math.max(one, other) > -near;
}
