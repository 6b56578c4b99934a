/** The turns found without a model: no conversation holds them, so this tab keeps them. */
import { parse } from '../../lib/json';
import { keepTyped, typedText } from '../../lib/typed.svelte';
import type { OfflineTurn } from './talk.svelte';

/** More of them nobody scrolls back to. */
const MOST = 30;

const place = (id: string | null) => `found ${id ?? 'new'}`;

/** Returns the name under which what is filled into the form of a turn is kept. */
export const formOf = (turn: Pick<OfflineTurn, 'id'>) => `found form ${turn.id}`;

export const keepTurns = (id: string | null, turns: readonly OfflineTurn[]) => keepTyped(place(id), turns.length > 0 ? JSON.stringify(turns.slice(-MOST)) : '');

export function recalled(id: string | null): OfflineTurn[] {
  try {
    return parse(typedText(place(id))) as OfflineTurn[];
  } catch {
    return [];
  }
}

/** Forgets them and what was filled into their forms. */
export function forgetTurns(id: string | null) {
  for (const turn of recalled(id)) keepTyped(formOf(turn), '');
  keepTyped(place(id), '');
}
