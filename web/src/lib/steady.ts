/** Lists that are made anew on every change, so that only what says something new is drawn again. */

/**
 * The list as it is now, with the objects it held before wherever they say the same; the very list where nothing is new.
 * A key belongs to one object of a list.
 */
export function steady<Item>(
  before: readonly Item[],
  now: readonly Item[],
  key: (item: Item, at: number) => unknown,
  same: (a: Item, b: Item) => boolean,
): readonly Item[] {
  const known = new Map(before.map((item, at) => [key(item, at), item]));
  const made = now.map((item, at) => {
    const was = known.get(key(item, at));
    return was !== undefined && same(was, item) ? was : item;
  });
  return made.length === before.length && made.every((item, at) => item === before[at]) ? before : made;
}
