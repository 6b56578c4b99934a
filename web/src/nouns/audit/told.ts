/** An entry in the words of its row: what was done to what, without the ids only a machine reads. */
import { approver, edited } from '../../lib/edited';
import { brief, sentence } from '../../lib/format';
import type { Entry } from '../../lib/types';

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const SHORT: Record<string, string> = { api: 'API', cli: 'CLI', mcp: 'MCP', openai: 'OpenAI', anthropic: 'Anthropic' };

/** An entry point as people write it. */
export const door = (name: string) => SHORT[name] ?? name;
export const doorTitle = (name: string) => SHORT[name] ?? sentence(name);

function plain(value: unknown): unknown {
  if (typeof value === 'string') return ID.test(value) ? null : value;
  if (Array.isArray(value)) return value.map(plain);
  return value && typeof value === 'object' ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, plain(one)])) : value;
}

/** Returns the object of an entry: the name of it, a conversation's title, or the arguments in short. */
export function about(entry: Pick<Entry, 'arguments' | 'event_type' | 'topic'>, titles: ReadonlyMap<string, string>, limit: number): string {
  if (entry.event_type === 'chat_turn') return brief((entry.topic && titles.get(entry.topic)) || '', limit);
  const given = entry.arguments;
  const named = given && typeof given === 'object' ? (given as Record<string, unknown>) : {};
  return brief(named['name'] ?? named['title'] ?? plain(given), limit);
}

/** Returns what came of it, and who had a word in it. */
export function outcome(entry: Pick<Entry, 'action' | 'approved_by' | 'edited' | 'error' | 'outcome' | 'user'>): string {
  if (entry.outcome === 'waiting') return 'Asked';
  if (entry.action === 'refuse') return `Refused by ${entry.user}`;
  const approved = entry.approved_by ? `, ${entry.edited?.length ? 'edited and approved' : 'approved'} by ${approver(entry.approved_by)}` : '';
  return `${sentence(entry.outcome)}${approved}`;
}

/** Returns who approved a call, with what they changed; empty where nobody was asked. */
export function approval(entry: Pick<Entry, 'approved_by' | 'edited'>): string {
  if (!entry.approved_by) return '';
  const changes = edited(entry).map(({ name, was, now }) => `${name} ${was === null ? 'was not given' : `was ${was}`}, is ${now ?? 'left out'}`);
  return changes.length > 0 ? `Edited and approved by ${approver(entry.approved_by)}: ${changes.join('; ')}` : `Approved by ${approver(entry.approved_by)}`;
}
