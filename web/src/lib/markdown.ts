/** Markdown of models and people, as safe elements. */
import { Marked } from 'marked';
import { safe } from './html';

const escape = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const marked = new Marked({
  gfm: true,
  breaks: true,
  async: false,
  // Raw HTML in Markdown is shown as it was written: a model has no need of it, and an attacker has.
  renderer: { html: ({ text }) => escape(text) },
});

export function render(text: string): DocumentFragment {
  const fragment = safe(marked.parse(text) as string);
  for (const block of fragment.children) turn(block);
  for (const table of fragment.querySelectorAll('table')) frame(table);
  for (const block of fragment.querySelectorAll('pre')) {
    block.classList.add('well');
    block.tabIndex = 0;
    copyable(block);
  }
  return fragment;
}

/** Words run the way of their first letter; code always from left to right. */
function turn(block: Element) {
  if (block.tagName !== 'PRE') block.setAttribute('dir', 'auto');
}

/** Code is copied with one click. */
function copyable(block: HTMLElement) {
  const box = document.createElement('div');
  box.className = 'copied';
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'btn small';
  button.textContent = 'Copy';
  button.setAttribute('aria-label', 'Copy the code');
  button.addEventListener('click', async () => {
    await navigator.clipboard?.writeText(block.textContent ?? '');
    button.textContent = 'Copied';
    setTimeout(() => (button.textContent = 'Copy'), 1500);
  });
  block.replaceWith(box);
  box.append(block, button);
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
