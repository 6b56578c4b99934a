/** A flow in layers: what comes after something stands below or right of it, and lines cross as little as is quickly found. */

export interface FlowNode {
  id: string;
  name: string;
  /** The person or the means, below the name. */
  note: string;
  /** Whether it is elsewhere: drawn as an outline. */
  faint?: boolean;
}

export interface FlowEdge {
  from: string;
  to: string;
  label: string;
}

export type Direction = 'right' | 'down';

export interface Placed extends FlowNode {
  x: number;
  y: number;
  layer: number;
}

export interface Drawn {
  nodes: Placed[];
  edges: { from: string; to: string; label: string; path: string; at: [number, number] }[];
  width: number;
  height: number;
}

export const BOX = { width: 168, height: 56 };
const GAP = { layer: 56, side: 20 };
const MARGIN = 8;

/** A place in a layer: a node's own, or one a long line goes through. */
interface Slot {
  id: string;
  layer: number;
  order: number;
  at: number;
  real: boolean;
  up: Slot[];
  down: Slot[];
}

/** The layer of each: one more than the last of those it comes after. A line that would close a circle does not count. */
function layers(nodes: readonly FlowNode[], edges: readonly FlowEdge[]): { of: Map<string, number>; forward: FlowEdge[] } {
  const after = new Map<string, FlowEdge[]>(nodes.map((node) => [node.id, []]));
  for (const edge of edges) after.get(edge.from)?.push(edge);
  const state = new Map<string, 'open' | 'done'>();
  const forward: FlowEdge[] = [];
  const order: string[] = [];
  const visit = (id: string) => {
    state.set(id, 'open');
    for (const edge of after.get(id) ?? []) {
      if (state.get(edge.to) === 'open') continue;
      forward.push(edge);
      if (!state.has(edge.to)) visit(edge.to);
    }
    state.set(id, 'done');
    order.unshift(id);
  };
  for (const node of nodes) if (!state.has(node.id)) visit(node.id);
  const of = new Map<string, number>(nodes.map((node) => [node.id, 0]));
  for (const id of order) for (const edge of forward) if (edge.from === id) of.set(edge.to, Math.max(of.get(edge.to) ?? 0, (of.get(id) ?? 0) + 1));
  return { of, forward };
}

/** The slots, layer by layer, with one in each layer that a line passes. */
function slots(nodes: readonly FlowNode[], of: Map<string, number>, forward: readonly FlowEdge[]) {
  const rows: Slot[][] = [];
  const make = (id: string, layer: number, real: boolean): Slot => {
    const row = (rows[layer] ??= []);
    const slot: Slot = { id, layer, order: row.length, at: 0, real, up: [], down: [] };
    row.push(slot);
    return slot;
  };
  const own = new Map(nodes.map((node) => [node.id, make(node.id, of.get(node.id) ?? 0, true)]));
  const ways = new Map<FlowEdge, Slot[]>();
  for (const edge of forward) {
    const [from, to] = [own.get(edge.from), own.get(edge.to)];
    if (!from || !to) continue;
    const way = [from];
    for (let layer = from.layer + 1; layer < to.layer; layer += 1) way.push(make('', layer, false));
    way.push(to);
    way.slice(1).forEach((slot, at) => {
      const before = way[at];
      if (!before) return;
      slot.up.push(before);
      before.down.push(slot);
    });
    ways.set(edge, way);
  }
  return { rows: rows.map((row) => row ?? []), ways };
}

const mean = (all: readonly Slot[], value: (slot: Slot) => number, or: number) =>
  all.length ? all.reduce((sum, one) => sum + value(one), 0) / all.length : or;

/** Orders each layer by where its neighbours stand, to and fro. */
function untangle(rows: Slot[][]) {
  for (let round = 0; round < 8; round += 1) {
    const down = round % 2 === 0;
    for (const row of down ? rows : [...rows].reverse()) {
      const wanted = new Map(row.map((slot) => [slot, mean(down ? slot.up : slot.down, (one) => one.order, slot.order)]));
      row.sort((a, b) => (wanted.get(a) ?? 0) - (wanted.get(b) ?? 0) || a.order - b.order);
      row.forEach((slot, at) => (slot.order = at));
    }
  }
}

/** Puts each as near to the middle of its neighbours as those beside it allow. */
function spread(rows: Slot[][], size: number) {
  const room = (slot: Slot) => (slot.real ? size : size / 4);
  const apart = (a: Slot, b: Slot) => (room(a) + room(b)) / 2 + GAP.side;
  for (const row of rows) row.forEach((slot, at) => (slot.at = at === 0 ? 0 : (row[at - 1]?.at ?? 0) + apart(row[at - 1] ?? slot, slot)));
  for (let round = 0; round < 10; round += 1) {
    const down = round % 2 === 0;
    for (const row of down ? rows : [...rows].reverse()) {
      const want = row.map((slot) => mean(down ? slot.up : slot.down, (one) => one.at, slot.at));
      row.forEach((slot, at) => {
        const before = row[at - 1];
        slot.at = Math.max(want[at] ?? slot.at, before ? before.at + apart(before, slot) : -Infinity);
      });
      // What was pushed to one side only is brought back as a whole.
      const off = row.reduce((sum, slot, at) => sum + (want[at] ?? slot.at) - slot.at, 0) / Math.max(1, row.length);
      for (const slot of row) slot.at += off;
    }
  }
}

/** A line through these points that leaves and arrives along the flow. */
function curve(points: readonly (readonly [number, number])[], direction: Direction): string {
  const n = (value: number) => Math.round(value * 10) / 10;
  return points
    .map(([x, y], at) => {
      const before = points[at - 1];
      if (!before) return `M${n(x)} ${n(y)}`;
      const [bx, by] = before;
      return direction === 'right'
        ? `C${n((bx + x) / 2)} ${n(by)} ${n((bx + x) / 2)} ${n(y)} ${n(x)} ${n(y)}`
        : `C${n(bx)} ${n((by + y) / 2)} ${n(x)} ${n((by + y) / 2)} ${n(x)} ${n(y)}`;
    })
    .join('');
}

/** Places everything. Edges to or from what is no node are left out. */
export function layout(nodes: readonly FlowNode[], edges: readonly FlowEdge[], direction: Direction): Drawn {
  const known = new Set(nodes.map((node) => node.id));
  const drawnEdges = edges.filter((edge) => known.has(edge.from) && known.has(edge.to) && edge.from !== edge.to);
  const { of, forward } = layers(nodes, drawnEdges);
  const { rows, ways } = slots(nodes, of, forward);
  const across = direction === 'right' ? BOX.height : BOX.width;
  const along = direction === 'right' ? BOX.width : BOX.height;
  // Along a line there is room for what stands on it.
  const gap = direction === 'right' ? Math.max(GAP.layer, ...drawnEdges.map((edge) => (edge.label ? 7 * Math.min(24, edge.label.length) + 20 : 0))) : GAP.layer;
  untangle(rows);
  spread(rows, across);
  const all = rows.flat();
  const half = (slot: Slot) => (slot.real ? across / 2 : 0);
  const least = all.length ? Math.min(...all.map((slot) => slot.at - half(slot))) : 0;
  const most = all.length ? Math.max(...all.map((slot) => slot.at + half(slot))) : across;
  const place = (slot: Slot): [number, number] => {
    const side = MARGIN + slot.at - least;
    const way = MARGIN + slot.layer * (along + gap) + along / 2;
    return direction === 'right' ? [way, side] : [side, way];
  };
  const places = new Map(all.filter((slot) => slot.real).map((slot) => [slot.id, slot]));
  const ends = (slot: Slot, sign: 1 | -1): [number, number] => {
    const [x, y] = place(slot);
    return direction === 'right' ? [x + (sign * BOX.width) / 2, y] : [x, y + (sign * BOX.height) / 2];
  };
  // A line passes a layer straight along the flow.
  const through = (slot: Slot): [number, number][] => {
    const [x, y] = place(slot);
    return direction === 'right'
      ? [
          [x - along / 2, y],
          [x + along / 2, y],
        ]
      : [
          [x, y - along / 2],
          [x, y + along / 2],
        ];
  };
  const lines = drawnEdges.map((edge) => {
    const way = ways.get(edge);
    const [from, to] = [places.get(edge.from), places.get(edge.to)];
    if (!from || !to) return { ...edge, path: '', at: [0, 0] as [number, number] };
    const points = way ? [ends(from, 1), ...way.slice(1, -1).flatMap(through), ends(to, -1)] : [ends(from, -1), ends(to, 1)];
    const [[ax, ay], [bx, by]] = [points[0] ?? [0, 0], points[1] ?? [0, 0]] as const;
    return { ...edge, path: curve(points, direction), at: [((ax ?? 0) + (bx ?? 0)) / 2, ((ay ?? 0) + (by ?? 0)) / 2] as [number, number] };
  });
  const placed = nodes.flatMap((node): Placed[] => {
    const slot = places.get(node.id);
    if (!slot) return [];
    const [x, y] = place(slot);
    return [{ ...node, x: x - BOX.width / 2, y: y - BOX.height / 2, layer: slot.layer }];
  });
  const long = Math.max(1, rows.length) * (along + gap) - gap + 2 * MARGIN;
  const wide = most - least + 2 * MARGIN;
  return {
    nodes: placed.sort((a, b) => a.layer - b.layer),
    edges: lines,
    width: direction === 'right' ? long : wide,
    height: direction === 'right' ? wide : long,
  };
}

/** The scale to which a drawing may shrink to be seen whole: its letters stay as large, and in a smaller box they have no room. */
const LEAST = 0.85;

export interface Fitted extends Drawn {
  direction: Direction;
  scale: number;
  /** Whether some of it is out of sight all the same. */
  cramped: boolean;
}

/** A flow as it is seen best in so much room: to the right, a little smaller, or downwards; if both are too wide, the one of which less is cut. */
export function fitted(nodes: readonly FlowNode[], edges: readonly FlowEdge[], room: number): Fitted {
  const tries = (['right', 'down'] as const).map((direction) => {
    const made = layout(nodes, edges, direction);
    return { ...made, direction, scale: Math.min(1, room / made.width), cramped: false };
  });
  const [right, down] = tries as [Fitted, Fitted];
  const best = right.scale >= LEAST || right.scale > down.scale ? right : down;
  return { ...best, scale: Math.max(LEAST, best.scale), cramped: best.scale < LEAST };
}

/** At most two lines of what fits a box. */
export function lines(text: string, most: number): string[] {
  const made = [''];
  for (const word of text.split(/\s+/)) {
    const last = made[made.length - 1] ?? '';
    if (!last || last.length + word.length + 1 <= most) made[made.length - 1] = last ? `${last} ${word}` : word;
    else made.push(word);
  }
  const kept = made.slice(0, 2).map((line) => (line.length > most ? `${line.slice(0, most - 1)}…` : line));
  const second = kept[1];
  return made.length > 2 && second !== undefined ? [kept[0] ?? '', second.length + 2 > most ? `${second.slice(0, most - 1).trimEnd()}…` : `${second} …`] : kept;
}

/** A note below a name, cut to what fits a box. */
export const noted = (note: string) => (note.length > 24 ? `${note.slice(0, 23)}…` : note);
