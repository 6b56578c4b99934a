/** The origin of something kept, as people read it. */
import { client, ok } from './http';
import { day } from './format';
import type { FromOutside, Origin } from './types';

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

/** Says that the person has read it, and that it may be used as their own. */
export const vouch = (kept: Pick<FromOutside, 'kind' | 'id' | 'updated_at'>) =>
  ok(client.POST('/api/origins/vouch', { body: { kind: kept.kind, id: kept.id, updated_at: kept.updated_at } }));
