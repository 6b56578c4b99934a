/** Lists cut where they would be too large to be sent at once. */

/** Portions of at most `most` bytes as JSON, in order; what is larger goes alone. There is one at least. */
export function portions<T>(all: T[], most: number): T[][] {
  const cut: T[][] = [[]];
  let held = 0;
  for (const one of all) {
    const size = new TextEncoder().encode(JSON.stringify(one)).length + 1;
    if (held > 0 && held + size > most) {
      cut.push([]);
      held = 0;
    }
    cut.at(-1)?.push(one);
    held += size;
  }
  return cut;
}
