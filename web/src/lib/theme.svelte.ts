/** Light, dark, or what the system says. Kept in this browser. */
export type Theme = 'system' | 'light' | 'dark';

const KEY = 'satchel.theme';

function stored(): Theme {
  try {
    const text = localStorage.getItem(KEY);
    return text === 'light' || text === 'dark' ? text : 'system';
  } catch {
    return 'system';
  }
}

export const theme = $state({ chosen: stored() });

export function choose(next: Theme) {
  theme.chosen = next;
  if (next === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = next;
  try {
    if (next === 'system') localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, next);
  } catch {
    // Storage is blocked: the choice holds until the page is closed.
  }
}

export function toggle() {
  const dark = theme.chosen === 'system' ? matchMedia('(prefers-color-scheme: dark)').matches : theme.chosen === 'dark';
  choose(dark ? 'light' : 'dark');
}
