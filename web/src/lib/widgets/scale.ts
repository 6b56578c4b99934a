/** The marks of an axis: round numbers around what is shown. */
export function ticks(low: number, high: number, most = 5): number[] {
  if (!(high > low)) return high === low ? [low] : [];
  const rough = (high - low) / Math.max(1, most - 1);
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = unit * ([1, 2, 2.5, 5, 10].find((one) => one * unit >= rough) ?? 10);
  const first = Math.floor(low / step);
  const last = Math.ceil(high / step);
  return Array.from({ length: last - first + 1 }, (_, at) => Number(((first + at) * step).toPrecision(12)));
}

/** Which labels are written where not all have room: evenly, with the first. */
export function spread(count: number, room: number): number[] {
  const every = Math.max(1, Math.ceil(count / Math.max(1, room)));
  return Array.from({ length: Math.ceil(count / every) }, (_, at) => at * every);
}

/** Where the bar of a value begins and how long it is, in parts of the track between the lowest and the highest value; it starts at zero, to either side. */
export function bar(value: number, low: number, high: number): { from: number; size: number } {
  const [least, most] = [Math.min(0, low), Math.max(0, high)];
  const span = most - least;
  if (!(span > 0)) return { from: 0, size: 0 };
  return { from: (Math.min(0, value) - least) / span, size: Math.abs(value) / span };
}

/** From this share on a slice is the whole circle: what is left of it could not be seen. */
export const WHOLE = 0.9999;

export interface Slice {
  /** Which part of the whole; null where there is no value. */
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
