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
