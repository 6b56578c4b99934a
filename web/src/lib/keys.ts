/** The keyboard, as design/README.md lists it. Single keys rest while somebody types. */
import { places } from '../places';
import { overlays, running } from './overlays.svelte';
import { go } from './router.svelte';
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

/** J and K walk what the page marks as its list. */
function step(by: number) {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')].filter((row) => row.offsetParent);
  if (rows.length === 0) return;
  const at = rows.indexOf(document.activeElement as HTMLElement);
  const next = at < 0 ? (by > 0 ? 0 : rows.length - 1) : Math.min(rows.length - 1, Math.max(0, at + by));
  rows[next]?.focus();
}

function copyLink() {
  const link = document.activeElement?.closest('a') ?? document.activeElement?.querySelector('a');
  if (link) void navigator.clipboard?.writeText(link.href);
}
