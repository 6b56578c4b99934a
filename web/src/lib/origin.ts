/** Where something kept came from, as people read it. */
import { day } from './format';
import type { Origin } from './types';

/** The place in a source: the host of an address, else what follows the tool's name. */
export function place(source: string): string {
  const at = source.indexOf(': ');
  const named = at < 0 ? source : source.slice(at + 2);
  try {
    return new URL(named).host || named;
  } catch {
    return named;
  }
}

/** `from invoices.example, 3 May 2026`. */
export const from = (origin: Origin) => `from ${place(origin.source)}, ${day(origin.at)}`;
