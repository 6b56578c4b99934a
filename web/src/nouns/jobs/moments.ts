/** Moments of jobs in words: how far away, on which day, at what time, in which zone. */
import type { Job } from '../../lib/types';

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** The zone of the browser. */
export const ownZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';

/** The zones there are, for a list to choose from. */
export const zones = (): string[] => {
  const all = Intl.supportedValuesOf('timeZone');
  return all.includes('UTC') ? all : ['UTC', ...all];
};

/** Returns how far away a moment is: `in 3 hours`, `2 days ago`. */
export function away(iso: string, now = Date.now()): string {
  const seconds = Math.round((new Date(iso).getTime() - now) / 1000);
  const unit = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? (['second', 1] as const);
  // What has begun counts whole towards the future: in 59 minutes is not in 0 hours.
  return relative.format(Math.trunc(seconds / unit[1]), unit[0]);
}

/** Returns a moment as the zone's clock shows it: `Mon, 30 Nov 2026, 09:00`. */
export function inZone(iso: string, zone: string): string {
  const form = { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit' } as const;
  const seconds = new Date(iso).getUTCSeconds() === 0 ? {} : ({ second: '2-digit' } as const);
  return new Intl.DateTimeFormat('en-GB', { ...form, ...seconds, timeZone: known(zone) }).format(new Date(iso));
}

/** Returns the zone, or UTC in its place where this browser does not know it. */
export function known(zone: string): string {
  try {
    return new Intl.DateTimeFormat('en-GB', { timeZone: zone }).resolvedOptions().timeZone && zone;
  } catch {
    return 'UTC';
  }
}

/** Returns the next times of a job at intervals, which counts from its next moment and not from now; null of any other. */
export function paced({ when, next_at }: Pick<Job, 'when' | 'next_at'>): string[] | null {
  const every = when.every_seconds;
  if (!every || !next_at) return null;
  const first = Date.parse(next_at);
  return Array.from({ length: 5 }, (_, n) => new Date(first + n * every * 1000).toISOString());
}

/** The zone in which a job's moments are told: its own, else the browser's. */
export const zoneOf = (job: Pick<Job, 'when'>) => job.when.time_zone ?? ownZone();

/** Returns when a job runs next, in words. */
export function next(job: Pick<Job, 'when' | 'enabled' | 'next_at'>, now = Date.now()): string {
  if (!job.enabled) return 'Paused';
  if (job.when.webhook) return 'When its address is called';
  if (!job.next_at) return 'Has no more times';
  const zone = zoneOf(job);
  return `${away(job.next_at, now)}, ${inZone(job.next_at, zone)} ${zone}`;
}
