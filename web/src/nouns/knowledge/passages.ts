/** Passages as pieces of text: what fits the question is marked. Places are counted in characters, as the server counts them. */
export interface Piece {
  text: string;
  hit: boolean;
}

/** A text cut at its spans, which may touch or overlap. */
export function pieces(text: string, spans: readonly (readonly number[])[]): Piece[] {
  const letters = Array.from(text);
  const hit = new Uint8Array(letters.length);
  for (const [start = 0, end = 0] of spans) hit.fill(1, Math.max(0, start), Math.max(0, end));
  const made: Piece[] = [];
  letters.forEach((letter, at) => {
    const last = made.at(-1);
    if (last && last.hit === (hit[at] === 1)) last.text += letter;
    else made.push({ text: letter, hit: hit[at] === 1 });
  });
  return made;
}

/** Where a passage is opened. */
export const address = (document: string, chunk?: number | null) => `/knowledge/documents/${document}${chunk == null ? '' : `#chunk=${chunk}`}`;

/** "§ Holds, page 4", as far as it is known. */
export function place(heading: string, page?: number | null): string {
  const last = heading.split(' › ').at(-1)?.trim();
  return [last && `§ ${last}`, page != null && `page ${page}`].filter(Boolean).join(', ');
}

export interface Segment {
  key: string;
  text: string;
  /** The passage it is; none between passages. */
  chunk: number | null;
  ordinal: number;
  page: number | null;
  heading: string;
  /** A page begins here. */
  opens: boolean;
}

interface Cut {
  id: number;
  start: number;
  end: number;
  page?: number | null;
}

/** A document's text in order: its passages, and what lies between them. Where two overlap, the first has the text. */
export function segments(text: string, chunks: readonly Cut[], headings: ReadonlyMap<number, string>): Segment[] {
  const letters = Array.from(text);
  const made: Segment[] = [];
  let [at, page] = [0, null as number | null];
  const between = (to: number) => {
    const gap = letters.slice(at, to).join('');
    if (gap.trim()) made.push({ key: `gap-${at}`, text: gap.trim(), chunk: null, ordinal: 0, page, heading: '', opens: false });
    at = Math.max(at, to);
  };
  [...chunks].sort((a, b) => a.start - b.start).forEach((cut, n) => {
    between(cut.start);
    const opens = cut.page != null && cut.page !== page;
    page = cut.page ?? page;
    const own = letters.slice(at, cut.end).join('').trim();
    made.push({ key: String(cut.id), text: own, chunk: cut.id, ordinal: n + 1, page: cut.page ?? null, heading: headings.get(cut.id) ?? '', opens });
    at = Math.max(at, cut.end);
  });
  between(letters.length);
  return made;
}
