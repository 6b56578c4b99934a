/** Names in the picture of the graph: short, and only where there is room for them. */
const MOST = 26;
/** The length of the end that is kept: it often tells two apart. */
const END = 8;

/** A name as it stands beside its node; pointed at, it stands whole. */
export function short(name: string): string {
  const letters = Array.from(name);
  return letters.length > MOST
    ? `${letters
        .slice(0, MOST - END - 1)
        .join('')
        .trimEnd()}…${letters.slice(-END).join('').trimStart()}`
    : name;
}

export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** The taken squares of a picture; looked up by squares, since hundreds of names are drawn in each frame. */
export class Taken {
  private squares = new Map<string, Box[]>();
  private static readonly SIDE = 64;

  /** Takes a place that nobody may have. */
  take(box: Box) {
    for (const square of this.under(box)) {
      const here = this.squares.get(square);
      if (here) here.push(box);
      else this.squares.set(square, [box]);
    }
  }

  free(box: Box): boolean {
    return this.under(box).every(
      (square) => !this.squares.get(square)?.some((one) => one.left < box.right && box.left < one.right && one.top < box.bottom && box.top < one.bottom),
    );
  }

  private under({ left, top, right, bottom }: Box): string[] {
    const at = (value: number) => Math.floor(value / Taken.SIDE);
    const made: string[] = [];
    for (let x = at(left); x <= at(right); x += 1) for (let y = at(top); y <= at(bottom); y += 1) made.push(`${x} ${y}`);
    return made;
  }
}
