/** The place where we are: path, query and the place on the page, kept in the address bar. */
import { untrack } from 'svelte';
import { leaving, returned, watch } from './scroll';

const read = () => ({ path: location.pathname, query: new URLSearchParams(location.search), hash: new URLSearchParams(location.hash.slice(1)) });

export const route = $state(read());

/** Counts the pages that were opened. */
let moves = 0;

function arrive() {
  if (location.pathname !== untrack(() => route.path)) moves += 1;
  Object.assign(route, read());
}

export function go(to: string, { replace = false } = {}) {
  if (!replace) leaving();
  if (replace) history.replaceState(history.state, '', to);
  else history.pushState({ from: location.pathname }, '', to);
  arrive();
}

/** Changes what the address asks for and nothing else of it; what is empty is left out. */
export function ask(changes: Record<string, string>) {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value) query.set(name, value);
    else query.delete(name);
  }
  const search = query.size > 0 ? `?${query}` : '';
  if (search !== location.search) go(location.pathname + search + location.hash, { replace: true });
}

/** The page this one was opened from. */
export const cameFrom = (): string | null => (history.state as { from?: string } | null)?.from ?? null;

/** A `go` for when an answer is there: it leaves alone who has opened another page meanwhile. */
export function later(): typeof go {
  const now = moves;
  return (to, options) => {
    if (moves === now) go(to, options);
  };
}

/** Turns clicks on links of our own into navigation without loading the page. */
export function listen() {
  for (const event of ['popstate', 'hashchange']) addEventListener(event, arrive);
  addEventListener('popstate', returned);
  watch();
  document.addEventListener('click', (event) => {
    const link = (event.target as Element | null)?.closest?.('a');
    const own = link?.origin === location.origin && !link.target && !link.hasAttribute('download');
    if (!link || !own || event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
    if (/^\/(api|metrics|healthz)\b/.test(link.pathname)) return;
    event.preventDefault();
    if (link.href !== location.href) go(link.pathname + link.search + link.hash);
  });
}

/** The first entry whose pattern fits, with what its groups caught; an address that cannot be read fits none. */
export function match<T>(routes: readonly (readonly [RegExp, T])[], path: string): { page: T; parts: string[] } | null {
  for (const [pattern, page] of routes) {
    const found = pattern.exec(path);
    if (!found) continue;
    try {
      return { page, parts: found.slice(1).map((part) => decodeURIComponent(part ?? '')) };
    } catch {
      return null;
    }
  }
  return null;
}
