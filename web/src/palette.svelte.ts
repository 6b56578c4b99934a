/** What the palette offers for a text: actions, pages, tools, and the conversations that hold it. */
import { client, ok } from './lib/http';
import type { IconName } from './lib/icons';
import { overlays } from './lib/overlays.svelte';
import { go } from './lib/router.svelte';
import { session } from './lib/session.svelte';
import { toggle } from './lib/theme.svelte';
import { tools } from './lib/tools.svelte';
import type { Tool } from './lib/types';
import { places } from './places';

export interface Option {
  group: 'Pages' | 'Tools' | 'Conversations' | 'Actions';
  name: string;
  detail: string;
  icon: IconName;
  risk?: string;
  run: () => void;
}

const open = (path: string) => () => go(path);

function actions(): Option[] {
  const made = (name: string, detail: string, icon: IconName, run: () => void): Option => ({ group: 'Actions', name, detail, icon, run });
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

function pages(): Option[] {
  const seen = places.filter((place) => !place.needs || session.can(place.needs));
  return seen.map((place) => ({ group: 'Pages', name: place.name, detail: `G ${place.key.toUpperCase()}`, icon: place.icon, run: open(place.path) }));
}

const fits = (option: Option, text: string) => `${option.name} ${option.detail}`.toLowerCase().includes(text);

/** Options that need no server. */
export function near(text: string): Option[] {
  const plain = text.trim().toLowerCase();
  if (plain.startsWith('>')) return actions().filter((option) => fits(option, plain.slice(1).trim()));
  const own = [...pages(), ...actions()].filter((option) => fits(option, plain));
  return plain ? own : own.slice(0, 12);
}

/** How well a tool fits: its name first, then its other names, then what it does. */
function rank(tool: Tool, text: string): number {
  if (tool.name.startsWith(text)) return 3;
  if (tool.name.includes(text) || tool.aliases.some((alias) => alias.name.includes(text))) return 2;
  return text.length > 2 && `${tool.description} ${tool.when_to_use}`.toLowerCase().includes(text) ? 1 : 0;
}

function fitting(text: string): Option[] {
  const fit = (tools.all ?? []).map((tool) => ({ tool, score: rank(tool, text) })).filter((one) => one.score > 0);
  return fit
    .sort((a, b) => b.score - a.score || b.tool.stats.calls - a.tool.stats.calls)
    .slice(0, 8)
    .map(({ tool }) => ({ group: 'Tools', name: tool.name, detail: tool.description, icon: 'tool', risk: tool.risk, run: open(`/tools/${tool.name}`) }));
}

/** Tools and conversations for a text, best first. */
export async function far(text: string, signal: AbortSignal): Promise<Option[]> {
  const plain = text.trim().toLowerCase();
  if (plain.startsWith('>')) return [];
  const query = plain ? { search: plain } : {};
  const [talks] = await Promise.all([ok(client.GET('/api/conversations', { params: { query }, signal })), tools.load()]);
  const said = talks.slice(0, 6).map((one): Option => {
    const waits = one.state === 'waiting' ? 'waits for you' : (one.folder ?? '');
    return { group: 'Conversations', name: one.title || 'New conversation', detail: waits, icon: 'chat', run: open(`/chat/${one.id}`) };
  });
  return plain ? [...said, ...fitting(plain)] : said;
}
