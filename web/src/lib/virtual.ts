/** The rows of a long list that are drawn: those in view, and those that must stay. */
export type Drawn<Item> = { kind: 'gap'; key: string; height: number } | { kind: 'row'; key: string; item: Item; at: number };

/** Whether two draw the same. */
export const alike = <Item>(a: Drawn<Item>, b: Drawn<Item>): boolean =>
  a.kind === 'gap' ? b.kind === 'gap' && a.height === b.height : b.kind === 'row' && a.item === b.item && a.at === b.at;

/** Returns the place where each row begins, and at last where all end, in px. */
export function offsets(heights: Iterable<number>): number[] {
  const made = [0];
  let end = 0;
  for (const height of heights) made.push((end += height));
  return made;
}

/** The first row that ends below `y`. */
export function rowAt(starts: readonly number[], y: number): number {
  let [low, high] = [0, Math.max(0, starts.length - 2)];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((starts[middle + 1] ?? 0) > y) high = middle;
    else low = middle + 1;
  }
  return low;
}

export interface View {
  top: number;
  bottom: number;
}

/** The rows of a view and the rows that stay, with the empty space between them. */
export function draw<Item>(items: readonly Item[], starts: readonly number[], view: View, stay: readonly number[], key: (item: Item) => string): Drawn<Item>[] {
  if (items.length === 0) return [];
  const [first, last] = [rowAt(starts, view.top), rowAt(starts, view.bottom)];
  const shown = new Set(stay.filter((at) => at >= 0 && at < items.length));
  for (let at = first; at <= last; at += 1) shown.add(at);
  const made: Drawn<Item>[] = [];
  let next = 0;
  const gap = (to: number) => {
    const height = (starts[to] ?? 0) - (starts[next] ?? 0);
    if (to > next) made.push({ kind: 'gap', key: `gap-${made.length}`, height });
  };
  for (const at of [...shown].sort((a, b) => a - b)) {
    gap(at);
    const item = items[at] as Item;
    made.push({ kind: 'row', key: key(item), item, at });
    next = at + 1;
  }
  gap(items.length);
  return made;
}
