/**
 * Citations in an answer: `[2]` in its text, or `[1, 2]` or `【2】` as some models write it, becomes a chip that shows
 * the passage and opens the document there, or the page.
 */
import type { Citation } from '../../lib/types';
import { address, place } from '../knowledge/passages';
import { answering, excerpt } from './excerpt';

const MARK = /\[(\d{1,3}(?:\s*,\s*\d{1,3})*)\]|【(\d{1,3}(?:\s*,\s*\d{1,3})*)(?:†[^【】]{0,80})?】/g;
/** A table holds names as they are, `list[1]`: there, a number that touches a word is none of ours. */
const WORD = /[\p{L}\p{N}_]$/u;

/** Makes chips of the numbers that stand for one of these passages; all others stay text. */
export function cite(root: ParentNode & Node, citations: readonly Citation[]) {
  if (citations.length === 0) return;
  const known = new Map(citations.map((one) => [one.number, one]));
  const texts: Text[] = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode as Text;
    if (!text.parentElement?.closest('pre, code, a, .math')) texts.push(text);
  }
  // Read before anything is changed: chips hold text of their own.
  const claims = texts.map((text) => [...text.data.matchAll(MARK)].map((mark) => claim(root, text, mark.index)));
  texts.forEach((text, at) => split(text, known, claims[at] ?? []));
}

/** The distance back within which a sentence is looked for, in characters. */
const BACK = 300;

/** The sentence a number stands behind: what its source is to bear out. */
function claim(root: Node, text: Text, end: number): string {
  const range = document.createRange();
  range.setStart(text.parentElement?.closest('p, li, td, th, blockquote') ?? root, 0);
  range.setEnd(text, end);
  const before = range.toString().slice(-BACK).trimEnd();
  const last = /[^.!?\n]*[.!?]*$/.exec(before)?.[0].trim() ?? '';
  return last.length > 12 ? last : before;
}

function split(text: Text, known: ReadonlyMap<number, Citation>, claims: readonly string[]) {
  const made: (string | Node)[] = [];
  let at = 0;
  const tabular = !!text.parentElement?.closest('table');
  for (const [n, mark] of [...text.data.matchAll(MARK)].entries()) {
    const before = text.data.slice(at, mark.index);
    const citations = (mark[1] ?? mark[2] ?? '').split(',').map((number) => known.get(Number(number)));
    if (!citations.every((one) => one !== undefined) || (tabular && WORD.test(before))) continue;
    made.push(before, ...citations.map((one) => chip(one, claims[n] ?? '')));
    at = mark.index + mark[0].length;
  }
  if (made.length > 0) text.replaceWith(...made, text.data.slice(at));
}

let count = 0;

/** Returns the address a citation leads to: a page of the web opens beside the console, a document inside it, at the sentence that bears out what was claimed. */
export function source(
  { url, document_id, chunk_id, heading, page, text }: Citation,
  claimed = '',
): { link: Record<string, string>; where: string; opens: string } {
  if (url && /^https?:/.test(url)) {
    return { link: { href: url, target: '_blank', rel: 'noopener noreferrer nofollow' }, where: new URL(url).host, opens: 'Opens the page that was fetched' };
  }
  const href = document_id && chunk_id ? address(document_id, chunk_id, answering(text, claimed)) : '/knowledge';
  return { link: { href }, where: place(heading, page), opens: 'Opens the document at this passage' };
}

function chip(citation: Citation, claimed: string): HTMLElement {
  const holder = element('span', 'cw');
  const link = element('a', 'cite', String(citation.number));
  const passage = element('span', 'passage');
  count += 1;
  passage.id = `passage-${count}`;
  passage.setAttribute('role', 'tooltip');
  const { link: leads, where, opens } = source(citation, claimed);
  for (const [name, value] of Object.entries(leads)) link.setAttribute(name, value);
  link.setAttribute('aria-label', `Source ${citation.number}: ${[citation.title, where].filter(Boolean).join(', ')}`);
  link.setAttribute('aria-describedby', passage.id);
  passage.append(head(citation), said(citation, claimed), ...(citation.url ? [] : [score(citation)]), element('span', 'meta', opens));
  for (const event of ['mouseenter', 'focusin']) holder.addEventListener(event, () => fit(holder, passage));
  holder.append(link, passage);
  return holder;
}

function element(tag: string, name: string, text = ''): HTMLElement {
  const made = document.createElement(tag);
  made.className = name;
  made.textContent = text;
  return made;
}

function head(citation: Citation): HTMLElement {
  const row = element('span', 'row');
  row.append(element('span', 'strong cut', citation.title), element('span', 'meta end cut', source(citation).where));
  return row;
}

/** Returns what the source says about it: the sentence that answers is marked, in the middle of what stands around it. */
function said({ text }: Citation, claimed: string): HTMLElement {
  const { before, hit, after } = excerpt(text, claimed);
  const made = element('span', 'said', before || (hit ? '' : 'The document was deleted.'));
  if (hit) made.append(element('mark', '', hit), after);
  return made;
}

function score({ score }: Citation): HTMLElement {
  const made = element('span', 'scores');
  const meter = element('span', 'meter');
  const bar = document.createElement('i');
  bar.style.width = `${Math.max(0, Math.min(100, score * 100))}%`;
  meter.append(bar);
  made.append(element('span', '', 'Fits'), meter, element('span', 'num', score.toFixed(2)));
  return made;
}

/** The distance the passage keeps from the edges of the thread, and begins before its chip. */
const EDGE = 12;
const BEFORE = 16;

/** Keeps the passage on the page: the thread scrolls by itself and cuts what hangs over. On a small screen it is a sheet with a place of its own. */
function fit(holder: HTMLElement, passage: HTMLElement) {
  const room = holder.closest('.scroller')?.getBoundingClientRect();
  if (!room) return;
  const { left, top } = holder.getBoundingClientRect();
  const sheet = getComputedStyle(passage).position === 'fixed';
  passage.style.maxWidth = sheet ? '' : `${room.width - 2 * EDGE}px`;
  const most = room.right - passage.offsetWidth - EDGE;
  passage.style.left = sheet ? '' : `${Math.max(room.left + EDGE, Math.min(left - BEFORE, most)) - left}px`;
  const text = passage.querySelector<HTMLElement>('.said');
  const hit = text?.querySelector('mark');
  if (text && hit) text.scrollTop = Math.max(0, hit.offsetTop - text.offsetTop - (text.clientHeight - hit.offsetHeight) / 2);
  passage.classList.toggle('below', !sheet && top - room.top < passage.offsetHeight + EDGE);
}
