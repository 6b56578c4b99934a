/** An entry in the words of its row: what was done to what, without the ids only a machine reads. */
import { brief, sentence } from '../../lib/format';
import type { Entry } from '../../lib/types';

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const SHORT: Record<string, string> = { api: 'API', cli: 'CLI', mcp: 'MCP' };

/** An entry point as people write it. */
export const door = (name: string) => SHORT[name] ?? name;
export const doorTitle = (name: string) => SHORT[name] ?? sentence(name);

function plain(value: unknown): unknown {
  if (typeof value === 'string') return ID.test(value) ? null : value;
  if (Array.isArray(value)) return value.map(plain);
  return value && typeof value === 'object' ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, plain(one)])) : value;
}

/** What it was done to: the name of it, a conversation's title, or the arguments in short. */
export function about(entry: Pick<Entry, 'arguments' | 'event_type' | 'topic'>, titles: ReadonlyMap<string, string>, limit: number): string {
  if (entry.event_type === 'chat_turn') return brief((entry.topic && titles.get(entry.topic)) || '', limit);
  const given = entry.arguments;
  const named = given && typeof given === 'object' ? (given as Record<string, unknown>) : {};
  return brief(named['name'] ?? named['title'] ?? plain(given), limit);
}

/** Entries of a stretch of time: how many, and how many of them went wrong. */
export interface Bin {
  all: number;
  wrong: number;
}

/** The entries shown, oldest first, in stretches of the same length. None where they fall on one moment. */
export function bins(entries: readonly Pick<Entry, 'time' | 'outcome'>[], count: number): Bin[] {
  const times = entries.map((entry) => Date.parse(entry.time));
  const [first, last] = [times.reduce((a, b) => Math.min(a, b), Infinity), times.reduce((a, b) => Math.max(a, b), -Infinity)];
  if (!(last > first)) return [];
  const made: Bin[] = Array.from({ length: count }, () => ({ all: 0, wrong: 0 }));
  entries.forEach((entry, at) => {
    const bin = made[Math.min(count - 1, Math.floor((((times[at] ?? first) - first) / (last - first)) * count))];
    if (!bin) return;
    bin.all += 1;
    if (entry.outcome === 'failure' || entry.outcome === 'refused') bin.wrong += 1;
  });
  return made;
}
