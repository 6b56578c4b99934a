/** Citations in an answer: `[2]` in its text, or `[1, 2]` or `【2】` as some models write it, becomes a chip that shows the passage and opens the document there, or the page. */
import type { Citation } from '../../lib/types';
import { address, place } from '../knowledge/passages';

const MARK = /\[(\d{1,3}(?:\s*,\s*\d{1,3})*)\]|【(\d{1,3}(?:\s*,\s*\d{1,3})*)(?:†[^【】]{0,80})?】/g;
/** A table holds names as they are, `list[1]`: there, a number that touches a word is none of ours. */
const WORD = /[\p{L}\p{N}_]$/u;
const MOST = 420;

/** Makes chips of the numbers that stand for one of these passages; all others stay text. */
export function cite(root: ParentNode & Node, citations: readonly Citation[]) {
  if (citations.length === 0) return;
  const known = new Map(citations.map((one) => [one.number, one]));
  const texts: Text[] = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode as Text;
    if (!text.parentElement?.closest('pre, code, a')) texts.push(text);
  }
  for (const text of texts) split(text, known);
}

function split(text: Text, known: ReadonlyMap<number, Citation>) {
  const made: (string | Node)[] = [];
  let at = 0;
  const tabular = !!text.parentElement?.closest('table');
  for (const mark of text.data.matchAll(MARK)) {
    const before = text.data.slice(at, mark.index);
    const citations = (mark[1] ?? mark[2] ?? '').split(',').map((number) => known.get(Number(number)));
    if (!citations.every((one) => one !== undefined) || (tabular && WORD.test(before))) continue;
    made.push(before, ...citations.map(chip));
    at = mark.index + mark[0].length;
  }
  if (made.length > 0) text.replaceWith(...made, text.data.slice(at));
}

let count = 0;

/** Where a citation leads: a page of the web opens beside the console, a document inside it. */
export function source({ url, document_id, chunk_id, heading, page }: Citation): { link: Record<string, string>; where: string; opens: string } {
  if (url && /^https?:/.test(url)) {
    return { link: { href: url, target: '_blank', rel: 'noopener noreferrer nofollow' }, where: new URL(url).host, opens: 'Opens the page that was fetched' };
  }
  const href = document_id && chunk_id ? address(document_id, chunk_id) : '/knowledge';
  return { link: { href }, where: place(heading, page), opens: 'Opens the document at this passage' };
}

function chip(citation: Citation): HTMLElement {
  const holder = element('span', 'cw');
  const link = element('a', 'cite', String(citation.number));
  const passage = element('span', 'passage');
  count += 1;
  passage.id = `passage-${count}`;
  passage.setAttribute('role', 'tooltip');
  for (const [name, value] of Object.entries(source(citation).link)) link.setAttribute(name, value);
  link.setAttribute('aria-label', `Source ${citation.number}: ${[citation.title, source(citation).where].filter(Boolean).join(', ')}`);
  link.setAttribute('aria-describedby', passage.id);
  passage.append(head(citation), said(citation), ...(citation.url ? [] : [score(citation)]), element('span', 'meta', source(citation).opens));
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

function said({ text }: Citation): HTMLElement {
  const letters = Array.from(text);
  return element('span', 'said', letters.length > MOST ? `${letters.slice(0, MOST).join('')}…` : text || 'The document was deleted.');
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

/** How far the passage keeps from the edges of the thread, and begins before its chip. */
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
  passage.classList.toggle('below', !sheet && top - room.top < passage.offsetHeight + EDGE);
}
