/** What the palette offers for a text: what the server's launcher finds, ranked by fit and habit, and actions. */
import { client, ok } from './lib/http';
import type { IconName } from './lib/icons';
import { overlays } from './lib/overlays.svelte';
import { go } from './lib/router.svelte';
import { session } from './lib/session.svelte';
import { toggle } from './lib/theme.svelte';
import { tools } from './lib/tools.svelte';
import type { Thing } from './lib/types';
import { places } from './places';

export type Group = 'Tools' | 'Pages' | 'Documents' | 'Conversations' | 'Agents' | 'Actions';

export interface Option {
  /** Its kind and id: no two have the same. */
  key: string;
  group: Group;
  name: string;
  detail: string;
  icon: IconName;
  risk?: string;
  run: () => void;
}

const open = (path: string) => () => go(path);

function actions(): Option[] {
  const made = (name: string, detail: string, icon: IconName, run: () => void): Option => ({ key: `action ${name}`, group: 'Actions', name, detail, icon, run });
  const all = [
    made('New conversation', '', 'plus', open('/chat')),
    made('Switch theme', 'light or dark', 'theme', toggle),
    made('Show the keys', '', 'keyboard', () => (overlays.keys = true)),
    made('Change password', '', 'key', open('/users/account')),
    made('Create an API key', '', 'key', open('/users/keys')),
    made('Sign out', '', 'out', () => void session.leave()),
  ];
  if (session.can('audit:read')) all.push(made('Verify the audit', '', 'shield', open('/audit?verify=now')));
  if (session.can('settings:manage')) {
    all.push(made('Connect a model', '', 'cpu', open('/settings/models')), made('Check health', '', 'check', open('/settings/health')));
  }
  return all;
}

const fits = (option: Option, text: string) => `${option.name} ${option.detail}`.toLowerCase().includes(text);

/** Options that need no server: actions, and before anything is typed the pages too. */
export function near(text: string): Option[] {
  const plain = text.trim().toLowerCase();
  if (plain.startsWith('>')) return actions().filter((option) => fits(option, plain.slice(1).trim()));
  if (plain) return actions().filter((option) => fits(option, plain));
  const seen = places.filter((place) => !place.needs || session.can(place.needs));
  return [...seen.map((place) => page(place.path, place.name)), ...actions()].slice(0, 12);
}

/** Says that something was opened, which ranks it higher; nobody waits for it. */
function opened(type: Thing['type'], id: string, path: string): () => void {
  return () => {
    client.POST('/api/search/used', { body: { type, id } }).catch(() => {});
    go(path);
  };
}

function page(path: string, name: string): Option {
  const place = places.find((one) => one.path === path);
  return { key: `page ${path}`, group: 'Pages', name, detail: place ? `G ${place.key.toUpperCase()}` : '', icon: place?.icon ?? 'right', run: opened('page', path, path) };
}

/** What the launcher found, as the palette shows it. */
function shown({ id, name, type }: Thing): Option {
  const made = (group: Group, icon: IconName, path: string, detail = ''): Option => ({ key: `${type} ${id}`, group, name, detail, icon, run: opened(type, id, path) });
  switch (type) {
    case 'page':
      return page(id, name);
    case 'document':
      return made('Documents', 'file', `/knowledge/${id}`);
    case 'conversation':
      return { ...made('Conversations', 'chat', `/chat/${id}`), name: name || 'New conversation' };
    case 'agent':
      return made('Agents', 'agent', `/agents/${id}`);
    case 'tool': {
      const tool = tools.named(id);
      return { ...made('Tools', 'tool', `/tools/${name}`, tool?.description ?? ''), ...(tool ? { risk: tool.risk } : {}) };
    }
  }
}

/** What fits a text, best first; without one, what is opened most, and the latest conversations. */
export async function far(text: string, signal: AbortSignal): Promise<Option[]> {
  const plain = text.trim();
  if (plain.startsWith('>')) return [];
  const asked = ok(client.GET('/api/search', { params: { query: { q: plain, limit: 20 } }, signal }));
  const latest = plain ? null : ok(client.GET('/api/conversations', { signal }));
  const [found, talks] = await Promise.all([asked, latest, tools.load()]);
  const options = found.results.map(shown);
  const known = new Set(found.results.map((one) => one.id));
  const further = (talks ?? []).filter((one) => !known.has(one.id)).slice(0, 6);
  return [...options, ...further.map((one) => shown({ id: one.id, name: one.title, type: 'conversation', score: 0 }))];
}
