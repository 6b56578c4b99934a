/** The options the palette offers for a text: actions and pages at once, and what the server finds by name and habit, and by meaning. */
import { moment, visible } from './lib/format';
import { grouped } from './lib/group';
import { client, ok } from './lib/http';
import type { IconName } from './lib/icons';
import { overlays } from './lib/overlays.svelte';
import { go } from './lib/router.svelte';
import { session } from './lib/session.svelte';
import { toggle } from './lib/theme.svelte';
import { tools } from './lib/tools.svelte';
import type { Thing, User } from './lib/types';
import { about, agents } from './nouns/agents/agents.svelte';
import { catalog, STATUS } from './nouns/catalog/catalog.svelte';
import { jobs } from './nouns/jobs/jobs.svelte';
import { processes } from './nouns/processes/processes.svelte';
import { shelf } from './nouns/scripts/shelf.svelte';
import { inner, places } from './places';

/** The groups as they are shown: a system before its many tools. */
export const ORDER = [
  'Systems',
  'Tools',
  'Pages',
  'Scripts',
  'Processes',
  'Agents',
  'Jobs',
  'Users',
  'Documents',
  'Conversations',
  'Actions',
  'By meaning',
] as const;

export interface Option {
  group: (typeof ORDER)[number];
  name: string;
  detail: string;
  icon: IconName;
  risk?: string;
  /** The id of what the server knows: two of one name are two. */
  id?: string;
  run: () => void;
}

/** Returns the key that makes an option the same one when the list is made anew. */
export const identity = ({ group, name, detail, id }: Option) => `${group} ${id ?? `${name} ${detail}`}`;

const open = (path: string) => () => go(path);

function actions(): Option[] {
  const made = (name: string, detail: string, icon: IconName, run: () => void): Option => ({ group: 'Actions', name, detail, icon, run });
  const all = [
    made('New conversation', '', 'plus', open('/chat')),
    made('Switch theme', 'light or dark', 'theme', toggle),
    made('Show the keys', '', 'keyboard', () => (overlays.keys = true)),
    ...(session.can('scripts:write') ? [made('New script', '', 'script', open('/scripts'))] : []),
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

/** Too many to be offered unasked. */
function rooms(): Option[] {
  const seen = inner.filter((one) => !one.needs || session.can(one.needs));
  return seen.map((one) => ({
    group: 'Pages',
    name: one.name,
    detail: one.of,
    icon: places.find((place) => place.name === one.of)?.icon ?? 'right',
    run: open(one.path),
  }));
}

/** Each script, also those that are only drafts. */
function scripts(): Option[] {
  return (shelf.all ?? []).map((one) => ({ group: 'Scripts', name: one.name, detail: one.description, icon: 'script', run: open(`/scripts/${one.name}`) }));
}

/** Each business process the person may see. */
function flows(): Option[] {
  return (processes.all ?? []).map((one) => ({
    group: 'Processes',
    name: one.name,
    detail: one.category ?? '',
    icon: 'flow',
    run: open(`/processes/${one.id}`),
  }));
}

/** Each agent the person may ask. */
function answerers(): Option[] {
  return (agents.all ?? []).map((one) => ({
    group: 'Agents',
    name: one.name,
    detail: one.description || about(one),
    icon: 'agent',
    id: `agent ${one.id}`,
    run: open(`/agents/${one.id}`),
  }));
}

/** Each job of the person; its runs stand on its page. */
function clockwork(): Option[] {
  return (jobs.all ?? []).map((one) => ({
    group: 'Jobs',
    name: visible(one.name),
    detail: one.enabled ? one.when_words : 'Paused',
    icon: 'history',
    id: `job ${one.id}`,
    run: open(`/jobs/${one.id}`),
  }));
}

/** Each connected system. */
function systems(): Option[] {
  return (catalog.systems ?? []).map((one) => ({
    group: 'Systems',
    name: one.name,
    detail: STATUS[one.status][0],
    icon: 'plug',
    run: open(`/catalog/${one.id}`),
  }));
}

let people = $state.raw<User[]>([]);
/** The time they were read: others may have been added since. */
let asked = 0;

async function meet(signal: AbortSignal) {
  if (Date.now() - asked < 60_000 || !session.can('users:manage')) return;
  people = await ok(client.GET('/api/users', { signal })).then(
    (all) => ((asked = Date.now()), all),
    () => people,
  );
}

/** Everybody who may sign in. */
function users(): Option[] {
  return people.map((one) => ({ group: 'Users', name: one.username, detail: one.role, icon: 'users', run: open('/users') }));
}

const fits = (option: Option, text: string) => `${option.name} ${option.detail}`.toLowerCase().includes(text);

/** The text that names are compared with: without the mark that asks for actions or documents alone. */
const wanted = (text: string) =>
  text
    .trim()
    .toLowerCase()
    .replace(/^[>#]\s*/, '');

/** Returns what was found for one text, as far as it holds for what is typed now: an answer that is late is none to another text. */
export function still(found: { text: string; options: readonly Option[] }, text: string): readonly Option[] {
  if (found.text === text) return found.options;
  const plain = wanted(text);
  if (!plain || found.text.trim().startsWith('#') !== text.trim().startsWith('#') || text.trim().startsWith('>')) return [];
  return found.options.filter((option) => fits(option, plain));
}

/** Returns whether an option is called by what was typed: another that is still looked for will hardly be meant. */
export const named = (option: Option, text: string) => option.name.toLowerCase().startsWith(wanted(text));

/** Returns the option Enter opens where nobody has chosen: the one that is called as was typed, else one that begins so, else the first. */
export function best(options: readonly Option[], text: string): Option | undefined {
  const plain = wanted(text);
  return options.find((option) => option.name.toLowerCase() === plain) ?? options.find((option) => named(option, text)) ?? options[0];
}

/** The options with those down to the chosen one where they stood: what comes later comes below, and nothing moves under a hand that is about to choose. */
export function steady(options: readonly Option[], stood: readonly string[], chosen: string): Option[] {
  const end = stood.indexOf(chosen);
  const known = new Map(options.map((option) => [identity(option), option]));
  const pinned = known.get(chosen);
  if (end < 0 || !pinned) return [...options];
  const head = stood.slice(0, end + 1).flatMap((key) => known.get(key) ?? []);
  const placed = new Set(head);
  const rest = options.filter((option) => !placed.has(option));
  return [...head, ...rest.filter((option) => option.group === pinned.group), ...rest.filter((option) => option.group !== pinned.group)];
}

/** Options that follow each other in one group, under one heading. */
export function sections(options: readonly Option[]): { group: string; key: string; options: Option[] }[] {
  const made: { group: string; key: string; options: Option[] }[] = [];
  for (const option of options) {
    const last = made.at(-1);
    if (last?.group === option.group) last.options.push(option);
    else made.push({ group: option.group, key: `${option.group} ${made.filter((one) => one.group === option.group).length}`, options: [option] });
  }
  return made;
}

/** Options that need no server. */
export function near(text: string): Option[] {
  const plain = text.trim().toLowerCase();
  if (plain.startsWith('>')) return actions().filter((option) => fits(option, plain.slice(1).trim()));
  if (plain.startsWith('#')) return [];
  if (!plain) return [...pages(), ...actions()].slice(0, 12);
  return [...pages(), ...rooms(), ...scripts(), ...flows(), ...answerers(), ...clockwork(), ...systems(), ...users(), ...actions()].filter((option) =>
    fits(option, plain),
  );
}

const ICONS: Record<Thing['type'], IconName> = { tool: 'tool', page: 'right', document: 'file', conversation: 'chat', agent: 'agent' };
const GROUPS: Record<Thing['type'], Option['group']> = { tool: 'Tools', page: 'Pages', document: 'Documents', conversation: 'Conversations', agent: 'Agents' };

type Named = Pick<Thing, 'type' | 'id' | 'name'>;

/** Returns the address at which a thing is opened. */
function address({ type, id, name }: Named): string {
  if (type === 'page') return id;
  if (type === 'document') return `/knowledge/documents/${id}`;
  if (type === 'agent') return `/agents/${id}`;
  return type === 'conversation' ? `/chat/${id}` : `/tools/${name}`;
}

function offered(thing: Named): Option {
  const { type, id, name } = thing;
  const tool = type === 'tool' ? tools.named(id) : undefined;
  const place = type === 'page' ? places.find((one) => one.path === id) : undefined;
  // What is opened often comes first the next time.
  const run = () => {
    void client.POST('/api/search/used', { body: { type, id } }).catch(() => null);
    go(address(thing));
  };
  const detail = tool?.description ?? (place ? `G ${place.key.toUpperCase()}` : '');
  return {
    group: GROUPS[type],
    name: name || 'New conversation',
    id: `${type} ${id}`,
    detail,
    icon: place?.icon ?? ICONS[type],
    ...(tool ? { risk: tool.risk } : {}),
    run,
  };
}

/** Returns what the server finds for a text by name and habit, best first; `#` asks for documents alone. */
export async function far(text: string, signal: AbortSignal): Promise<Option[]> {
  const plain = text.trim();
  if (plain.startsWith('>')) return [];
  const only = plain.startsWith('#');
  if (!shelf.all && session.can('scripts:write')) void shelf.load().catch(() => null);
  if (!processes.all && session.can('processes:read')) await processes.load();
  if (!catalog.systems && session.can('catalog:read')) await catalog.load();
  if (!agents.all) await agents.load();
  if (!jobs.all && session.can('jobs:manage')) await jobs.load();
  await meet(signal);
  const q = only ? plain.slice(1).trim() : plain;
  const [found] = await Promise.all([ok(client.GET('/api/search', { params: { query: { q, limit: only ? 50 : 20 } }, signal })), tools.load()]);
  return apart(
    found.results.filter((thing) => !only || thing.type === 'document'),
    signal,
  );
}

/** Conversations of one title are told apart by when they were last spoken in. */
async function apart(things: Thing[], signal: AbortSignal): Promise<Option[]> {
  const said = new Map<string, string>();
  const talks = grouped(
    things.filter((thing) => thing.type === 'conversation'),
    (thing) => thing.name,
  );
  for (const [search, same] of talks) {
    if (same.length < 2) continue;
    const found = await ok(client.GET('/api/conversations', { params: { query: search ? { search } : {} }, signal })).catch(() => []);
    for (const one of found) said.set(one.id, moment(one.updated_at));
  }
  return things.map((thing) => ({ ...offered(thing), ...(said.has(thing.id) ? { detail: said.get(thing.id) ?? '' } : {}) }));
}

/** Fewer than these found by name: what was typed may be no name. */
const FEW = 3;
/** The number of tools offered by meaning. */
const MEANT = 5;
/** A tool without a word in common that is less near than this does not fit. */
const NEAR = 0.25;

/** Returns whether a text is worth a search by meaning: it has words, or few names fit. `>` and `#` ask for something else. */
export function tells(text: string, fitting: number): boolean {
  const plain = text.trim();
  if (plain.length < 3 || /^[>#]/.test(plain)) return false;
  return /\s/.test(plain) || fitting < FEW;
}

/** The tools whose purpose is near a need in one's own words, best first. */
export async function meant(text: string, signal: AbortSignal): Promise<Option[]> {
  const found = await ok(client.POST('/api/tools/find', { body: { query: text.trim(), limit: MEANT + FEW }, signal }));
  const near = found.results.filter(({ why }) => why.words.length > 0 || !!why.past || (why.cosine ?? 0) >= NEAR);
  return near.map(({ id, name, description, risk }) => ({ ...offered({ type: 'tool', id, name }), group: 'By meaning', detail: description, risk }));
}

/** All there is to choose from, in order and each once: what a search by meaning adds is not shown already. */
export function ordered(found: readonly Option[], local: readonly Option[], meanings: readonly Option[]): Option[] {
  const known = new Set(found.map((option) => `${option.group} ${option.name}`));
  const all = [...found, ...local.filter((option) => !known.has(`${option.group} ${option.name}`))];
  const tools = new Set(all.filter((option) => option.group === 'Tools' || option.group === 'Scripts').map((option) => option.name));
  const more = [...all, ...meanings.filter((option) => !tools.has(option.name)).slice(0, MEANT)];
  return ORDER.flatMap((group) => more.filter((option) => option.group === group));
}
