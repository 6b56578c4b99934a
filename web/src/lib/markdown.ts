/** Markdown of models and people, as safe elements. */
import { Marked, type MarkedExtension, type Token } from 'marked';
import { headed } from './code/block';
import { Footnotes } from './footnotes';
import { safe } from './html';
import { place } from './maths/place';
import { Formulas, mayHold, type Formula } from './maths/tex';

const escape = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** The mark before a task in place of an input, which no text may bring along. */
const TICK = { true: '\u2611', false: '\u2610' } as const;

const OPTIONS: MarkedExtension = { gfm: true, breaks: true, async: false };
const renderer = {
  // Raw HTML in Markdown is shown as it was written: a model has no need of it, and an attacker has.
  html: ({ text }: { text: string }) => escape(text),
  checkbox: ({ checked }: { checked: boolean }) => `${TICK[`${checked}`]} `,
};
const plain = new Marked(OPTIONS, { renderer });

export function render(text: string): DocumentFragment {
  const { html, languages, notes, formulas } = read(text);
  const fragment = safe(html);
  for (const block of fragment.children) turn(block);
  for (const table of fragment.querySelectorAll('table')) frame(table);
  for (const item of fragment.querySelectorAll('li')) tick(item);
  if (notes) for (const call of fragment.querySelectorAll('sup')) call.title = notes.text(call.textContent ?? '');
  place(fragment, formulas);
  fragment.querySelectorAll('pre').forEach((block, at) => {
    block.classList.add('well');
    block.tabIndex = 0;
    headed(block, languages[at] ?? '');
  });
  return fragment;
}

interface Read {
  /** Nobody has made it safe yet. */
  html: string;
  /** Of each block of code, in order. */
  languages: string[];
  notes: Footnotes | null;
  /** Those of the places that are kept for them. */
  formulas: readonly Formula[];
}

function read(text: string): Read {
  const notes = text.includes('[^') ? new Footnotes() : null;
  const maths = mayHold(text) ? new Formulas() : null;
  const simple = maths ? new Marked(OPTIONS, { renderer }, maths.extension) : plain;
  const marked = notes ? new Marked(OPTIONS, { renderer }, ...(maths ? [maths.extension] : []), notes.extension) : simple;
  const tokens = marked.lexer(text);
  const languages: string[] = [];
  marked.walkTokens(tokens, (token: Token) => void (token.type === 'code' && languages.push((token['lang'] as string | undefined) ?? '')));
  const html = marked.parser(tokens);
  const listed = notes?.list();
  return { html: listed ? `${html}<hr>${simple.parse(listed) as string}` : html, languages, notes, formulas: maths?.all ?? [] };
}

/** Words run the way of their first letter; code always from left to right. */
function turn(block: Element) {
  if (block.tagName !== 'PRE') block.setAttribute('dir', 'auto');
}

/** A task shows its box, ticked or not, in place of a list's point. */
function tick(item: HTMLLIElement) {
  const first = document.createTreeWalker(item, NodeFilter.SHOW_TEXT).nextNode() as Text | null;
  const done = first?.data.startsWith(TICK.true);
  if (!first || !(done || first.data.startsWith(TICK.false))) return;
  item.classList.add('task');
  const box = document.createElement('span');
  box.className = 'tick';
  box.setAttribute('role', 'img');
  box.setAttribute('aria-label', done ? 'Done:' : 'Open:');
  box.textContent = first.data.slice(0, 1);
  first.data = first.data.slice(1);
  first.before(box);
}

/** Wide tables scroll by themselves. */
function frame(table: HTMLTableElement) {
  const region = document.createElement('div');
  region.className = 'scroll';
  region.tabIndex = 0;
  region.setAttribute('role', 'region');
  region.setAttribute('aria-label', 'Table');
  table.replaceWith(region);
  region.append(table);
}
