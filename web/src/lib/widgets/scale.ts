/** Values nearer to each other than this part of them are one value: binary fractions tell no more. */
const SAME = 1e-9;

/**
 * Between which values an axis runs. It begins at zero unless that would flatten what is told; what is filled stands on
 * zero, and so do values that are all the same.
 */
export function extent(values: readonly number[], filled = false): [low: number, high: number] {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  if (!Number.isFinite(least) || !Number.isFinite(most) || (least === 0 && most === 0)) return [0, 1];
  if (most - least <= SAME * Math.max(Math.abs(least), Math.abs(most))) return [Math.min(0, least), Math.max(0, most)];
  return [!filled && least > 0.5 * most && least > 0 ? least : Math.min(0, least), filled ? Math.max(0, most) : most];
}

/** The marks of an axis: round numbers around what is shown, each only once. */
export function ticks(low: number, high: number, most = 5): number[] {
  if (!(high > low) || !Number.isFinite(high - low)) return high === low ? [low] : [];
  const rough = (high - low) / Math.max(1, most - 1);
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = unit * ([1, 2, 2.5, 5, 10].find((one) => one * unit >= rough) ?? 10);
  const first = Math.floor(low / step);
  const last = Math.ceil(high / step);
  return [...new Set(Array.from({ length: last - first + 1 }, (_, at) => Number(((first + at) * step).toPrecision(12))))];
}

/** The marks as they are written: with as many decimals as tell them apart. */
export function written(marks: readonly number[]): string[] {
  const step = Math.abs((marks[1] ?? 1) - (marks[0] ?? 0)) || 1;
  const numbers = new Intl.NumberFormat('en-US', { maximumFractionDigits: Math.min(15, Math.max(2, 1 - Math.floor(Math.log10(step)))) });
  return marks.map((one) => (Math.abs(one) >= 1e15 ? one.toExponential() : numbers.format(one)));
}

export interface Label {
  at: number;
  text: string;
  anchor: 'start' | 'middle' | 'end';
}

/** Returns the greatest width of a text in the letters of an axis, in px. */
const wide = (text: string) => Array.from(text).reduce((sum, letter) => sum + (letter > '\u2e80' ? 11.5 : 6.6), 0);
const APART = 10;

/** Returns which labels are written where not all have room: evenly, with the first, and none over another or over the edge. */
export function legible(labels: readonly string[], x: (at: number) => number, room: number, most = 16): Label[] {
  const placed = labels.map((whole, at): Label & { from: number; to: number } => {
    const text = whole.length > most ? `${whole.slice(0, most - 1)}…` : whole;
    const [size, middle] = [wide(text), x(at)];
    const anchor = middle - size / 2 < 0 || at === 0 ? 'start' : middle + size / 2 > room ? 'end' : 'middle';
    const from = middle - (anchor === 'start' ? 0 : anchor === 'end' ? size : size / 2);
    return { at, text, anchor, from, to: from + size };
  });
  for (let every = 1; every < placed.length; every += 1) {
    const some = placed.filter((_, at) => at % every === 0);
    if (some.every((one, at) => at === 0 || one.from >= (some[at - 1]?.to ?? 0) + APART)) return some.map(({ at, text, anchor }) => ({ at, text, anchor }));
  }
  return placed.slice(0, 1).map(({ at, text, anchor }) => ({ at, text, anchor }));
}

/** Returns where the bar of a value begins and how long it is, in parts of the track between the lowest and the highest value; it starts at zero, to either side. */
export function bar(value: number, low: number, high: number): { from: number; size: number } {
  const [least, most] = [Math.min(0, low), Math.max(0, high)];
  const span = most - least;
  if (!(span > 0)) return { from: 0, size: 0 };
  return { from: (Math.min(0, value) - least) / span, size: Math.abs(value) / span };
}

/** From this share on a slice is the whole circle: what is left of it could not be seen. */
export const WHOLE = 0.9999;

export interface Slice {
  /** The share of the whole; null where there is no value. */
  share: number | null;
  /** Its outline around 0 0; empty where nothing or all is drawn. */
  path: string;
}

/** The slices of a pie of this radius, clockwise from the top. */
export function slices(values: readonly (number | null)[], radius: number): Slice[] {
  const whole = values.reduce<number>((sum, value) => sum + (value ?? 0), 0);
  const point = (part: number) => `${(radius * Math.sin(2 * Math.PI * part)).toFixed(2)} ${(-radius * Math.cos(2 * Math.PI * part)).toFixed(2)}`;
  let from = 0;
  return values.map((value) => {
    if (value === null || !(whole > 0)) return { share: null, path: '' };
    const [share, start] = [value / whole, from];
    from += share;
    const path = share > 0 && share < WHOLE ? `M0 0L${point(start)}A${radius} ${radius} 0 ${share > 0.5 ? 1 : 0} 1 ${point(from)}Z` : '';
    return { share, path };
  });
}

/** The runs of values without a gap, each by its first and last place. */
export function stretches(values: readonly (number | null)[]): [number, number][] {
  const made: [number, number][] = [];
  values.forEach((value, at) => {
    const last = made.at(-1);
    if (value === null) return;
    if (last && last[1] === at - 1) last[1] = at;
    else made.push([at, at]);
  });
  return made;
}
