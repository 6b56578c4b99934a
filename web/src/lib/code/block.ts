/** A block of code as it stands in a text: the name of its language, its colours, and what one does with it. */
import { copyFrom } from '../clipboard';
import { nameOf, parserOf } from './languages';

type Colour = typeof import('./colour').colour;

let colour: Colour | null = null;

/** Colours code; what that takes is loaded with the first block that has a language. */
export function coloured(node: HTMLElement, info: string) {
  if (colour) return colour(node, info);
  if (parserOf(info))
    void import('./colour').then(
      (found) => (colour = found.colour)(node, info),
      () => null,
    );
}

const WRAP = 'satchel.wrap';

/** Returns whether long lines are wrapped: in all code alike, and kept by this browser. */
function wrapped(): boolean {
  return document.documentElement.dataset['wrap'] !== undefined;
}

function wrap(on: boolean) {
  document.documentElement.toggleAttribute('data-wrap', on);
  for (const button of document.querySelectorAll('[data-wraps]')) button.setAttribute('aria-pressed', String(on));
  try {
    localStorage.setItem(WRAP, on ? 'on' : '');
  } catch {
    // It holds until the page is left.
  }
}

/** Takes up what was chosen before. */
export function recallWrap() {
  try {
    document.documentElement.toggleAttribute('data-wrap', localStorage.getItem(WRAP) === 'on');
  } catch {
    // Nothing can be kept here.
  }
}
recallWrap();

function button(text: string, label: string): HTMLButtonElement {
  const made = document.createElement('button');
  made.type = 'button';
  made.className = 'btn small quiet';
  made.textContent = text;
  made.setAttribute('aria-label', label);
  return made;
}

/** For `{@attach wraps}` on a button: it turns the wrapping of lines on and off. */
export function wraps(node: HTMLElement) {
  node.dataset['wraps'] = '';
  node.setAttribute('aria-pressed', String(wrapped()));
  node.addEventListener('click', () => wrap(!wrapped()));
}

function copies(block: HTMLElement): HTMLButtonElement {
  const made = button('Copy', 'Copy the code');
  const words = { '': 'Copy', copied: 'Copied', press: 'Press Ctrl C' };
  made.addEventListener('click', () => void copyFrom(block.textContent ?? '', made, (state) => (made.textContent = words[state])));
  return made;
}

/** Puts a head over a block: its language, and what copies and wraps it. */
export function headed(block: HTMLElement, info: string) {
  const box = document.createElement('div');
  box.className = 'code-box';
  const head = document.createElement('div');
  head.className = 'row';
  const name = document.createElement('span');
  name.className = 'src cut';
  name.textContent = nameOf(info);
  const deeds = document.createElement('span');
  deeds.className = 'end row tight';
  const lines = button('Wrap', 'Wrap long lines');
  wraps(lines);
  deeds.append(copies(block), lines);
  head.append(name, deeds);
  block.replaceWith(box);
  box.append(head, block);
  const code = block.querySelector('code');
  if (code && info) coloured(code, info);
}
