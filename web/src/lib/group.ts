/** Items by what they have in common, in the order in which each group is met first. `Map.groupBy` is younger than the oldest Node and browsers this is built for. */
export function grouped<Item, Key>(items: Iterable<Item>, key: (item: Item) => Key): Map<Key, Item[]> {
  const made = new Map<Key, Item[]>();
  for (const item of items) {
    const name = key(item);
    const group = made.get(name);
    if (group) group.push(item);
    else made.set(name, [item]);
  }
  return made;
}
