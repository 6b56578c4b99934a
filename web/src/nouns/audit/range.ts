/** Stretches of time the audit is looked at in. */
const HOUR = 3_600_000;

/** The last hour, day, … as they stand in the address, and what they are called. */
export const PERIODS = [
  ['', 'All time', 0],
  ['hour', 'Last hour', HOUR],
  ['day', 'Last day', 24 * HOUR],
  ['week', 'Last week', 7 * 24 * HOUR],
  ['month', 'Last 30 days', 30 * 24 * HOUR],
] as const;

export interface Range {
  within: string;
  from: string;
  to: string;
}

/** Returns what a chosen stretch is now: moments for the server, either of them empty where it is open. */
export function moments(range: Range, now = Date.now()): { from?: string; to?: string } {
  const length = PERIODS.find(([name]) => name === range.within)?.[2];
  if (range.within && length) return { from: new Date(now - length).toISOString() };
  const iso = (text: string) => (text && !Number.isNaN(Date.parse(text)) ? new Date(text).toISOString() : '');
  const [from, to] = [iso(range.from), iso(range.to)];
  return { ...(from ? { from } : {}), ...(to ? { to } : {}) };
}

/** Returns whether a stretch has ended, so that nothing new can fall into it. */
export function isOver(range: Range, now = Date.now()): boolean {
  const { to } = moments(range, now);
  return to !== undefined && Date.parse(to) <= now;
}

/** A moment as a field for date and time holds it, in the time of this place. */
export function local(iso: string): string {
  const date = new Date(iso);
  if (!iso || Number.isNaN(date.getTime())) return '';
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
