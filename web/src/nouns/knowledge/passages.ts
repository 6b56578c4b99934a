/** Passages as pieces of text: what fits the question is marked. Places are counted in characters, as the server counts them. */
import { sentence } from '../../lib/format';
import type { Passage } from '../../lib/types';
import { answering } from '../conversations/excerpt';

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

/** About as many characters as a preview shows, how many it shows before what fits, and how far in that may stand unless it begins there. */
const SHOWN = 360;
const LEAD = 60;
const NEAR = 160;

/** A passage from where most of the question's words stand together: its preview shows what fits, not how it begins. */
export function preview(text: string, spans: readonly (readonly number[])[]): Piece[] {
  const letters = Array.from(text);
  const at = densest(letters, spans);
  const before = letters.slice(0, at);
  if (at <= NEAR && before.filter((letter) => letter === '\n').length < 3) return pieces(text, spans);
  // Begins with the line, or a few words earlier.
  const lead = before.slice(-LEAD);
  const line = lead.lastIndexOf('\n');
  const word = lead.findIndex((letter) => /\s/.test(letter));
  const start = at - lead.length + (line >= 0 ? line : word) + 1;
  const moved = spans.map(([from = 0, to = 0]) => [from - start + 1, to - start + 1]);
  return pieces(
    `…${letters.slice(start).join('')}`,
    moved.filter(([, to = 0]) => to > 1).map(([from = 0, to = 0]) => [Math.max(1, from), to]),
  );
}

/** Returns the place where the preview with the most different words begins, then the one with the most. */
function densest(letters: readonly string[], spans: readonly (readonly number[])[]): number {
  const known = spans.map(([from = 0, to = 0]) => ({ from, to, word: letters.slice(from, to).join('').toLowerCase() })).sort((a, b) => a.from - b.from);
  let [best, most] = [0, 0];
  for (const { from } of known) {
    const inside = known.filter((one) => one.from >= from && one.to <= from + SHOWN - LEAD);
    const worth = new Set(inside.map((one) => one.word)).size * letters.length + inside.length;
    if (worth > most) [best, most] = [from, worth];
  }
  return best;
}

/** Returns the address at which a passage is opened, and the sentence of it that is marked there. */
export function address(document: string, chunk?: number | null, sentence = ''): string {
  const hash = chunk == null ? '' : `#chunk=${chunk}${sentence && `&sentence=${encodeURIComponent(sentence)}`}`;
  return `/knowledge/documents/${document}${hash}`;
}

/** Returns the address at which a passage that was found is opened, at the sentence that holds most of what fits. */
export function opened({ document_id, chunk_id, text, spans }: Passage): string {
  const fits = pieces(text, spans).flatMap((piece) => (piece.hit ? [piece.text] : []));
  return address(document_id, chunk_id, answering(text, fits.join(' ')));
}

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
  [...chunks]
    .sort((a, b) => a.start - b.start)
    .forEach((cut, n) => {
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

/** A segment with a sentence of it. */
export interface Marked {
  key: string;
  pieces: Piece[];
}

/**
 * Returns the place of a sentence in the passage that was opened, or in the one before, which has the text where the
 * two overlap; null where it is in neither.
 */
export function marked(all: readonly Segment[], key: string | null, sentence: string): Marked | null {
  const at = all.findIndex((one) => one.key === key);
  const words = sentence.split(/\s+/).filter(Boolean);
  if (at < 0 || words.length === 0) return null;
  // Lines may be broken elsewhere than in what was quoted.
  const wanted = new RegExp(words.map((word) => word.replace(/[^\p{L}\p{N}]/gu, '\\$&')).join('\\s+'));
  for (const segment of all.slice(Math.max(0, at - 1), at + 1).reverse()) {
    const found = wanted.exec(segment.text);
    if (!found) continue;
    const [start, end] = [found.index, found.index + found[0].length];
    const cut = [segment.text.slice(0, start), found[0], segment.text.slice(end)].map((text, n) => ({ text, hit: n === 1 }));
    return { key: segment.key, pieces: cut.filter((piece) => piece.text) };
  }
  return null;
}

/** The nearness from which a meaning speaks for a passage by itself, as for tools. */
const FAR = 0.25;

/** Returns whether neither a word nor the meaning speaks for any of these: they only came before what fits even less. */
export function isFar(results: readonly { explain?: Passage['explain'] }[]): boolean {
  return results.length > 0 && results.every(({ explain }) => explain?.terms.length === 0 && explain.cosine != null && explain.cosine < FAR);
}

const KINDS: Record<string, string> = { pdf: 'PDF', docx: 'Word', xlsx: 'Excel', pptx: 'PowerPoint', html: 'HTML', csv: 'CSV', json: 'JSON' };
const MIMES: Record<string, string> = {
  plain: 'text',
  'vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
};

/** Returns the kind of a document, in the words of people; before it is read its media type says so. */
export function kindOf({ kind, mime }: { kind?: string | null; mime: string }): string {
  const type = mime.split(';')[0]?.split('/')[1] ?? mime;
  const name = kind ?? MIMES[type] ?? type;
  return KINDS[name] ?? sentence(name);
}
