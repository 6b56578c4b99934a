/** The names of the model of search by meaning, its states and its changes. */
import { bytes, count } from '../../lib/format';
import type { Embeddings, OfferedModel } from '../../lib/types';

type Change = NonNullable<Embeddings['migrating']>;

/** Stands for no model. */
export const NONE = 'none';
export const SOURCES: Record<OfferedModel['source'], string> = { builtin: 'built in', folder: 'from the folder', catalogue: 'to be fetched' };
export const PRESENCE: Record<Embeddings['state'], string> = { loaded: 'in memory', unloaded: 'loaded with the next search', absent: 'none' };

export const called = (name: string | null | undefined) => (!name || name === NONE ? 'Words alone' : name === 'builtin' ? 'The built-in model' : name);

/** Returns the progress of a change, as a part of 1; none where its size is not known. */
export const part = ({ done, total }: Change): number | null => (total > 0 ? Math.min(1, done / total) : null);

/** Returns what is being done, in words. */
export function stage({ stage, done, total }: Change): string {
  const of = (number: (n: number) => string) => (total > 0 ? `${number(done)} of ${number(total)}` : number(done));
  if (stage === 'downloading') return `Fetching its files: ${of(bytes)}.`;
  if (stage === 'embedding') return `Reading everything anew: ${of(count)} texts.`;
  return `Making the indexes: ${of(count)} texts.`;
}
