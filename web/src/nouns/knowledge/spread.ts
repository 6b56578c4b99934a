/** The passages of a search that stand in the list, and those that stand below one of their document. */
import type { Passage } from '../../lib/types';
import { isFar } from './passages';

/** As many stand in the list, and so many of one document where others have something to say. */
const MOST = 10;
const EACH = 3;

export interface Spread {
  shown: Passage[];
  /** The other passages of a document, below its last one in the list. */
  more: Map<number, Passage[]>;
}

/** The best first. A fourth of one document waits behind others that fit, but not behind those that do not. */
export function spread(results: readonly Passage[]): Spread {
  const seen = new Map<string, number>();
  const rank = results.map((passage) => {
    const before = seen.get(passage.document_id) ?? 0;
    seen.set(passage.document_id, before + 1);
    return before < EACH ? (isFar([passage]) ? 2 : 0) : isFar([passage]) ? 3 : 1;
  });
  const order = results.map((passage, at) => ({ passage, at })).sort((a, b) => (rank[a.at] ?? 0) - (rank[b.at] ?? 0) || a.at - b.at);
  const chosen = new Set(order.slice(0, MOST).map(({ at }) => at));
  const shown = results.filter((_, at) => chosen.has(at));
  const more = new Map<number, Passage[]>();
  results.forEach((passage, at) => {
    if (chosen.has(at)) return;
    const last = shown.findLast((one) => one.document_id === passage.document_id);
    if (last) more.set(last.chunk_id, [...(more.get(last.chunk_id) ?? []), passage]);
  });
  return { shown, more };
}
