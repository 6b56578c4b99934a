/** The list's order: folders first, then what is new, then what is older. */
import type { Conversation } from '../../lib/types';

export interface Group {
  name: string;
  folder: boolean;
  items: Conversation[];
}

const DAY = 86_400_000;

export function groups(all: readonly Conversation[], now = Date.now()): Group[] {
  const newest = [...all].sort((a, b) => b.updated_at.localeCompare(a.updated_at));
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  const made = new Map<string, Group>();
  const put = (name: string, folder: boolean, one: Conversation) => {
    const key = `${folder}${name}`;
    if (!made.has(key)) made.set(key, { name, folder, items: [] });
    made.get(key)?.items.push(one);
  };
  for (const one of newest) {
    const at = Date.parse(one.updated_at);
    if (one.folder) put(one.folder, true, one);
    else if (at >= midnight) put('Today', false, one);
    else if (at >= midnight - 7 * DAY) put('Last 7 days', false, one);
    else put('Earlier', false, one);
  }
  const rank = (group: Group) => (group.folder ? 0 : group.name === 'Today' ? 1 : group.name === 'Earlier' ? 3 : 2);
  return [...made.values()].sort((a, b) => rank(a) - rank(b) || (a.folder ? a.name.localeCompare(b.name) : 0));
}
