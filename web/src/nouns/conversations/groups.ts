/** The list's order: folders first, then by when something last happened: today, yesterday, this week, and month by month. */
import type { Conversation } from '../../lib/types';

export interface Group {
  name: string;
  folder: boolean;
  items: Conversation[];
}

const month = new Intl.DateTimeFormat('en-GB', { month: 'long' });
const monthOfYear = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric' });

/** The beginning of a day, so many days before another. */
function before(now: number, days: number): number {
  const date = new Date(now);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() - days).getTime();
}

/** Returns the name a person gives the time of a conversation. */
function when(at: number, now: number): string {
  if (at >= before(now, 0)) return 'Today';
  if (at >= before(now, 1)) return 'Yesterday';
  // Weeks begin on Monday.
  if (at >= before(now, (new Date(now).getDay() + 6) % 7)) return 'This week';
  return (new Date(at).getFullYear() === new Date(now).getFullYear() ? month : monthOfYear).format(at);
}

export function groups(all: readonly Conversation[], now = Date.now()): Group[] {
  const newest = [...all].sort((a, b) => b.updated_at.localeCompare(a.updated_at));
  const made = new Map<string, Group>();
  const put = (name: string, folder: boolean, one: Conversation) => {
    const key = `${folder}${name}`;
    const group = made.get(key) ?? { name, folder, items: [] };
    made.set(key, group);
    group.items.push(one);
  };
  for (const one of newest) put(one.folder || when(Date.parse(one.updated_at), now), !!one.folder, one);
  const [folders, dates] = [[...made.values()].filter((group) => group.folder), [...made.values()].filter((group) => !group.folder)];
  return [...folders.sort((a, b) => a.name.localeCompare(b.name)), ...dates];
}
