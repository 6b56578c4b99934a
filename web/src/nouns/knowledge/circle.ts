/** Returns the place where a new node begins: on a spiral, so that no two lie on each other. */
export function circular(at: number): { x: number; y: number } {
  const angle = at * 2.399963;
  const radius = 4 * Math.sqrt(at + 1);
  return { x: radius * Math.cos(angle), y: radius * Math.sin(angle) };
}
