/** What the palette offers for a text: actions and pages from here, tools and conversations from the server's search. */
import { client, ok } from './lib/http';
import type { IconName } from './lib/icons';
import { overlays } from './lib/overlays.svelte';
import { go } from './lib/router.svelte';
import { session } from './lib/session.svelte';
import { toggle } from './lib/theme.svelte';
import { tools } from './lib/tools.svelte';
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

/** Tools and conversations for a text, best first. */
export async function far(text: string, signal: AbortSignal): Promise<Option[]> {
  const plain = text.trim();
  if (plain.startsWith('>')) return [];
  await tools.load().catch(() => null);
  const { results } = await ok(client.GET('/api/search', { params: { query: { q: plain, limit: 12 } }, signal }));
  return results.flatMap((hit): Option[] => {
    if (hit.type === 'conversation') {
      return [{ group: 'Conversations', name: hit.name, detail: '', icon: 'chat', run: open(`/chat/${hit.id}`) }];
    }
    if (hit.type !== 'tool') return [];
    const tool = tools.named(hit.id) ?? tools.named(hit.name);
    const risk = tool ? { risk: tool.risk } : {};
    return [{ group: 'Tools', name: hit.name, detail: tool?.description ?? hit.id, icon: 'tool', ...risk, run: open(`/tools/${tool?.name ?? hit.name}`) }];
  });
}
