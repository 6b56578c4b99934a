/** The changes of a person to a call's arguments, as they are shown: each value about the place where it differs. */
import type { components } from './api';

export interface Change {
  name: string;
  /** The value asked for, in short; null where it was not given. */
  was: string | null;
  /** The value that ran, in short; null where it was left out. */
  now: string | null;
}

/** Most characters that are shown of a value. */
const LONGEST = 400;
/** The number of characters shown before the first that differs, where it stands far down. */
const BEFORE = 40;

/** The changes as they are told: two values that differ never look the same. */
export function edited(of: { edited?: readonly components['schemas']['Edit'][] | null | undefined }): Change[] {
  return (of.edited ?? []).map(({ name, from, to }) => {
    const [was, now] = [text(from), text(to)];
    if (was === null || now === null) return { name, was: was && cut(was, 0), now: now && cut(now, 0) };
    const skipped = skip(was, now);
    const told = spaced(was) === spaced(now) ? marked : (value: string) => value;
    return { name, was: told(cut(was, skipped)), now: told(cut(now, skipped)) };
  });
}

function text(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (value === '') return '(empty)';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Returns the number of characters both begin with and neither shows, so that what differs is seen. */
function skip(was: string, now: string): number {
  const [a, b] = [[...was], [...now]];
  const differs = a.findIndex((one, at) => one !== b[at]);
  const same = differs < 0 ? a.length : differs;
  return same > LONGEST / 2 && Math.max(a.length, b.length) > LONGEST ? same - BEFORE : 0;
}

function cut(value: string, skipped: number): string {
  const all = [...value];
  const shown = all.slice(skipped, skipped + LONGEST).join('');
  return `${skipped > 0 ? `(after ${skipped} characters) …` : ''}${shown}${all.length > skipped + LONGEST ? '…' : ''}`;
}

const spaced = (value: string) => value.replace(/\s+/g, ' ').trim();

/** A text whose spaces, tabs and line breaks are seen: where only they differ, they are what was changed. */
function marked(value: string): string {
  const marks: Record<string, string> = { ' ': '·', '\t': '→', '\n': '⏎\n' };
  return value.replace(/\s/g, (one) => marks[one] ?? `\\u{${one.charCodeAt(0).toString(16)}}`);
}

/** Whoever let a call through, as it is told: a person's name, or a rule of somebody's. */
export const approver = (by: string) => by.replace(/^rule \S+ of /, 'a rule of ');
