/** The keyboard, as design/README.md lists it. Single keys rest while somebody types. */
import { places } from '../places';
import { copyFrom } from './clipboard';
import { overlays, running } from './overlays.svelte';
import { cameFrom, go } from './router.svelte';
import { session } from './session.svelte';

export const table: readonly (readonly [string[], string])[] = [
  [['Ctrl', 'K'], 'search or run anything; > for actions, # for documents'],
  [['/'], "focus the page's search"],
  [['G', `then ${places.map((place) => place.key.toUpperCase()).join(' ')}`], places.map((place) => place.name).join(', ')],
  [['J', 'K'], 'move in a list'],
  [['Enter', 'Esc'], 'open, back'],
  [['Ctrl', 'Enter'], 'run, send, approve the focused card'],
  [['Shift', 'Esc'], 'stop the run'],
  [['E'], 'expand a step'],
  [['L'], "copy the focused row's link"],
  [['F8'], 'the next problem of a script'],
  [['?'], 'this list'],
];

let leader = 0;

/** The editor stands in a shadow root: the page itself is told of its host alone. */
function typing(event: KeyboardEvent): boolean {
  const target = event.composedPath()[0] ?? event.target;
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) && !isMark(target);
}

function isMark(target: HTMLElement): boolean {
  return target instanceof HTMLInputElement && /^(checkbox|radio)$/.test(target.type);
}

/** Returns whether a key sends the text it is pressed in: Shift Enter breaks the line, and an Enter that ends a composed word is part of it. */
export const sends = (event: KeyboardEvent): boolean => event.key === 'Enter' && !event.shiftKey && !event.isComposing && !event.ctrlKey && !event.metaKey;

export function press(event: KeyboardEvent) {
  const command = event.ctrlKey || event.metaKey;
  if (command && event.key.toLowerCase() === 'k') {
    event.preventDefault();
    overlays.keys = false;
    overlays.palette = !overlays.palette;
  } else if (command && event.key === 'Enter') {
    submit(event);
  } else if (event.shiftKey && event.key === 'Escape') {
    running.stop?.();
  } else if (!command && !event.altKey && !overlays.palette && !overlays.keys && !typing(event)) {
    single(event);
  }
}

/** Ctrl Enter sends the form it is pressed in; a bare Enter never approves. */
function submit(event: KeyboardEvent) {
  const form = (event.target as Element | null)?.closest('form');
  if (!form || form.hasAttribute('data-own-keys')) return;
  event.preventDefault();
  form.requestSubmit();
}

function single(event: KeyboardEvent) {
  const key = event.key.toLowerCase();
  if (Date.now() - leader < 1200) {
    leader = 0;
    const place = places.find((one) => one.key === key && (!one.needs || session.can(one.needs)));
    if (place) {
      event.preventDefault();
      go(place.path);
    }
    return;
  }
  if (key === 'g') leader = Date.now();
  else if (event.key === '?') overlays.keys = true;
  else if (event.key === '/') focusSearch(event);
  else if (key === 'j' || key === 'k') step(key === 'j' ? 1 : -1);
  else if (event.key === 'Enter') openRow();
  else if (event.key === 'Escape' && !event.shiftKey) leave(event);
  else if (key === 'e') document.activeElement?.closest('details')?.querySelector('summary')?.click();
  else if (key === 'l') copyLink();
}

function focusSearch(event: KeyboardEvent) {
  const search = [...document.querySelectorAll<HTMLInputElement>('[data-search]')].filter((one) => one.offsetParent).at(-1);
  if (!search) return;
  event.preventDefault();
  search.focus();
  search.select();
}

/** Rows of a page that marks none. */
const ROWS = 'main :is(tbody tr:not(.group, .filler), [role="listitem"], .card > .chk)';

/** J and K walk what the page marks as its list, or else the rows of its tables and cards. */
function step(by: number) {
  const seen = (rows: string) => [...document.querySelectorAll<HTMLElement>(rows)].filter((row) => row.offsetParent);
  const marked = seen('[data-row]');
  const rows = marked.length > 0 ? marked : seen(ROWS);
  for (const row of rows) if (row.tabIndex < 0 && !row.hasAttribute('tabindex')) row.tabIndex = -1;
  if (rows.length === 0) return;
  const at = rows.indexOf(document.activeElement as HTMLElement);
  const next = at < 0 ? (by > 0 ? 0 : rows.length - 1) : Math.min(rows.length - 1, Math.max(0, at + by));
  rows[next]?.focus();
}

/** Enter opens the row it stands on: what is itself a link or a button does so unasked. */
function openRow() {
  const row = document.activeElement;
  if (row?.matches(ROWS)) row.querySelector<HTMLElement>('a, summary')?.click();
}

const LISTS = /^\/(tools|scripts|processes|catalog|catalog\/[^/]+|knowledge\/documents)$/;
const VIEWS = /^\/tools\/(costs|collisions|evaluation)$/;

/** Returns where Esc leads from a page that was opened from a list. */
export function above(path: string): string | null {
  const list = path.slice(0, path.lastIndexOf('/'));
  return LISTS.test(list) && !VIEWS.test(path) ? list : null;
}

/** Back to the list: to its place where one comes from it. What floats over the page takes Esc for itself. */
function leave(event: KeyboardEvent) {
  const list = above(location.pathname);
  if (!list || event.defaultPrevented || document.querySelector('dialog[open]')) return;
  if (cameFrom() === list) history.back();
  else go(list);
}

function copyLink() {
  const link = document.activeElement?.closest('a') ?? document.activeElement?.querySelector('a');
  if (link) void copyFrom(link.href, link, said);
}

/** Says what became of it, at the foot of the page: no button was pressed that could say it. */
function said(state: '' | 'copied' | 'press') {
  document.getElementById('key-said')?.remove();
  if (!state) return;
  const note = document.createElement('p');
  note.id = 'key-said';
  note.className = 'key-said';
  note.setAttribute('role', 'status');
  note.textContent = state === 'copied' ? 'Link copied' : 'Press Ctrl C to copy the link';
  document.body.append(note);
}
