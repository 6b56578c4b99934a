/** The slash commands of the composer. */
import type { IconName } from '../../lib/icons';
import type { Tool } from '../../lib/types';

export interface Command {
  name: string;
  does: string;
  icon: IconName;
  /** Only in a conversation that exists. */
  open?: boolean;
}

export const commands: readonly Command[] = [
  { name: 'new', does: 'a new conversation', icon: 'plus' },
  { name: 'tool', does: 'run a tool by form: /tool name', icon: 'tool' },
  { name: 'find', does: 'find tools for a need: /find need', icon: 'search' },
  { name: 'again', does: 'answer the last message again', icon: 'redo', open: true },
  { name: 'branch', does: 'go on from here in a new conversation', icon: 'branch', open: true },
  { name: 'export', does: 'download as Markdown', icon: 'download', open: true },
  { name: 'rename', does: 'give it another title: /rename title', icon: 'pencil', open: true },
  { name: 'stop', does: 'stop the run', icon: 'stop', open: true },
];

export interface Suggestion {
  text: string;
  name: string;
  does: string;
  icon: IconName;
  /** Enter runs it at once; otherwise it is written into the box. */
  ready: boolean;
}

/** Returns the commands that fit the text typed so far; none where it is no command. */
export function suggest(text: string, tools: readonly Tool[], open: boolean): Suggestion[] {
  const tool = /^\/tool\s+(\S*)$/.exec(text);
  if (tool) {
    const wanted = (tool[1] ?? '').toLowerCase();
    const fit = tools.filter((one) => one.enabled && one.name.includes(wanted));
    return fit.slice(0, 8).map((one) => ({ text: `/tool ${one.name}`, name: one.name, does: one.description, icon: 'tool', ready: true }));
  }
  const start = /^\/(\w*)$/.exec(text);
  if (!start) return [];
  const known = commands.filter((one) => one.name.startsWith(start[1] ?? '') && (open || !one.open));
  return known.map((one) => {
    const more = one.does.includes(': /');
    return { text: more ? `/${one.name} ` : `/${one.name}`, name: `/${one.name}`, does: one.does, icon: one.icon, ready: !more };
  });
}

/** A command and its words; null where the text is a message. */
export function command(text: string): { name: string; words: string } | null {
  const found = /^\/(\w+)(?:\s+(.*))?$/s.exec(text.trim());
  if (!found || !commands.some((one) => one.name === found[1])) return null;
  return { name: found[1] ?? '', words: (found[2] ?? '').trim() };
}
