/** The pages: where they are, what they are called, who may open them. Navigation, palette and keys read this. */
import type { Component } from 'svelte';
import type { IconName } from './lib/icons';

// Each page states the parts of the address it takes.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Page = () => Promise<{ default: Component<any> }>;

export interface Place {
  path: string;
  name: string;
  icon: IconName;
  group: 'Work' | 'Build' | 'Govern';
  /** The second key after G. */
  key: string;
  /** Hidden from who lacks this. */
  needs?: string;
}

export const places: readonly Place[] = [
  { path: '/chat', name: 'Chat', icon: 'chat', group: 'Work', key: 'c' },
  { path: '/inbox', name: 'Inbox', icon: 'inbox', group: 'Work', key: 'i' },
  { path: '/memory', name: 'Memory', icon: 'memory', group: 'Work', key: 'm' },
  { path: '/tools', name: 'Tools', icon: 'tool', group: 'Build', key: 't' },
  { path: '/scripts', name: 'Scripts', icon: 'script', group: 'Build', key: 'r', needs: 'scripts:write' },
  { path: '/agents', name: 'Agents', icon: 'agent', group: 'Build', key: 'n' },
  { path: '/skills', name: 'Skills', icon: 'file', group: 'Build', key: 'f' },
  { path: '/knowledge', name: 'Knowledge', icon: 'book', group: 'Build', key: 'k', needs: 'knowledge:read' },
  { path: '/catalog', name: 'Catalog', icon: 'plug', group: 'Build', key: 'l', needs: 'catalog:read' },
  { path: '/processes', name: 'Processes', icon: 'flow', group: 'Build', key: 'p', needs: 'processes:read' },
  { path: '/connect', name: 'Connect', icon: 'link', group: 'Build', key: 'x' },
  { path: '/jobs', name: 'Jobs', icon: 'history', group: 'Build', key: 'j', needs: 'jobs:manage' },
  { path: '/policies', name: 'Policies', icon: 'lock', group: 'Govern', key: 'y' },
  { path: '/audit', name: 'Audit', icon: 'shield', group: 'Govern', key: 'a', needs: 'audit:read' },
  { path: '/outbound', name: 'Outbound', icon: 'globe', group: 'Govern', key: 'o', needs: 'audit:read' },
  { path: '/usage', name: 'Usage', icon: 'chart', group: 'Govern', key: 'e' },
  { path: '/users', name: 'Users', icon: 'users', group: 'Govern', key: 'u' },
  { path: '/settings', name: 'Settings', icon: 'gear', group: 'Govern', key: 's' },
];

/** Pages inside those: the palette finds them, too, and Settings lists its own. */
export const inner: readonly (Pick<Place, 'path' | 'name' | 'needs'> & { of: string })[] = [
  { of: 'Memory', path: '/memory/outside', name: 'From outside' },
  { of: 'Tools', path: '/tools/costs', name: 'Token costs' },
  { of: 'Tools', path: '/tools/collisions', name: 'Collisions' },
  { of: 'Tools', path: '/tools/evaluation', name: 'Evaluation', needs: 'settings:manage' },
  { of: 'Knowledge', path: '/knowledge/documents', name: 'Documents', needs: 'knowledge:read' },
  { of: 'Knowledge', path: '/knowledge/graph', name: 'Graph', needs: 'knowledge:read' },
  { of: 'Knowledge', path: '/knowledge/files', name: 'Files from outside', needs: 'knowledge:read' },
  { of: 'Catalog', path: '/catalog/import', name: 'Import an API', needs: 'catalog:write' },
  { of: 'Catalog', path: '/catalog/new', name: 'New system', needs: 'catalog:write' },
  { of: 'Processes', path: '/processes/import', name: 'Import processes', needs: 'processes:write' },
  { of: 'Processes', path: '/processes/propose', name: 'Propose processes', needs: 'processes:write' },
  { of: 'Processes', path: '/processes/new', name: 'New process', needs: 'processes:write' },
  { of: 'Agents', path: '/agents/runs', name: 'Runs' },
  { of: 'Agents', path: '/agents/new', name: 'New agent', needs: 'agents:run' },
  { of: 'Skills', path: '/skills/new', name: 'New skill', needs: 'agents:run' },
  { of: 'Connect', path: '/connect/claude-code', name: 'Connect Claude Code' },
  { of: 'Connect', path: '/connect/codex', name: 'Connect Codex' },
  { of: 'Connect', path: '/connect/cursor', name: 'Connect Cursor' },
  { of: 'Connect', path: '/connect/vscode', name: 'Connect VS Code' },
  { of: 'Connect', path: '/connect/open-webui', name: 'Connect Open WebUI' },
  { of: 'Connect', path: '/connect/librechat', name: 'Connect LibreChat' },
  { of: 'Connect', path: '/connect/openai', name: 'Connect OpenAI SDK' },
  { of: 'Connect', path: '/connect/anthropic', name: 'Connect Anthropic SDK' },
  { of: 'Connect', path: '/connect/curl', name: 'Connect curl' },
  { of: 'Connect', path: '/connect/other', name: 'Connect another client' },
  { of: 'Jobs', path: '/jobs/new', name: 'New job', needs: 'jobs:manage' },
  { of: 'Policies', path: '/policies/rules', name: 'Rules' },
  { of: 'Users', path: '/users/roles', name: 'Roles', needs: 'users:manage' },
  { of: 'Users', path: '/users/keys', name: 'API keys' },
  { of: 'Users', path: '/users/sessions', name: 'Sessions' },
  { of: 'Users', path: '/users/account', name: 'Your account' },
  { of: 'Settings', path: '/settings/health', name: 'Health', needs: 'settings:manage' },
  { of: 'Settings', path: '/settings/models', name: 'Models', needs: 'settings:manage' },
  { of: 'Settings', path: '/settings/media', name: 'Media', needs: 'settings:manage' },
  { of: 'Settings', path: '/settings/meaning', name: 'Meaning', needs: 'settings:manage' },
  { of: 'Settings', path: '/settings/indexes', name: 'Indexes', needs: 'settings:manage' },
  { of: 'Settings', path: '/settings/tools', name: 'Tools', needs: 'settings:manage' },
  { of: 'Settings', path: '/settings/commands', name: 'Commands and files', needs: 'settings:manage' },
  { of: 'Settings', path: '/settings/knowledge', name: 'Knowledge and memory', needs: 'settings:manage' },
  { of: 'Settings', path: '/settings/outbound', name: 'Outbound and web', needs: 'settings:manage' },
  { of: 'Settings', path: '/settings/limits', name: 'Limits', needs: 'settings:manage' },
  { of: 'Settings', path: '/settings/backup', name: 'Backup', needs: 'settings:manage' },
  { of: 'Settings', path: '/settings/vault', name: 'Vault', needs: 'settings:manage' },
  { of: 'Settings', path: '/settings/appearance', name: 'Appearance' },
];

export const groups = ['Work', 'Build', 'Govern'] as const;

export const routes: readonly (readonly [RegExp, Page])[] = [
  [/^\/(?:chat(?:\/([^/]+))?)?$/, () => import('./nouns/conversations/Chat.svelte')],
  [/^\/inbox$/, () => import('./nouns/tickets/Inbox.svelte')],
  [/^\/memory$/, () => import('./nouns/memories/Memories.svelte')],
  [/^\/memory\/outside$/, () => import('./nouns/memories/Outside.svelte')],
  [/^\/knowledge(?:\/(documents|graph|files))?$/, () => import('./nouns/knowledge/Knowledge.svelte')],
  [/^\/knowledge\/documents\/([^/]+)$/, () => import('./nouns/knowledge/DocumentPage.svelte')],
  [/^\/tools(?:\/(costs|collisions|evaluation))?$/, () => import('./nouns/tools/Library.svelte')],
  [/^\/tools\/([^/]+)$/, () => import('./nouns/tools/ToolPage.svelte')],
  [/^\/scripts(?:\/([^/]+))?$/, () => import('./nouns/scripts/Scripts.svelte')],
  [/^\/catalog(?:\/([^/]+))?(?:\/([^/]+))?$/, () => import('./nouns/catalog/Catalog.svelte')],
  [/^\/agents\/runs$/, () => import('./nouns/agents/Runs.svelte')],
  [/^\/agents(?:\/([^/]+))?$/, () => import('./nouns/agents/Agents.svelte')],
  [/^\/skills(?:\/([^/]+))?$/, () => import('./nouns/skills/Skills.svelte')],
  [/^\/processes(?:\/([^/]+))?$/, () => import('./nouns/processes/Processes.svelte')],
  [/^\/connect(?:\/([^/]+))?$/, () => import('./nouns/connect/Connect.svelte')],
  [/^\/jobs(?:\/([^/]+))?$/, () => import('./nouns/jobs/Jobs.svelte')],
  [/^\/audit(?:\/(\d+))?$/, () => import('./nouns/audit/Audit.svelte')],
  [/^\/policies(?:\/(layers|rules))?$/, () => import('./nouns/policies/Policies.svelte')],
  [/^\/outbound$/, () => import('./nouns/egress/Outbound.svelte')],
  [/^\/usage$/, () => import('./nouns/usage/Usage.svelte')],
  [/^\/users(?:\/([^/]+))?$/, () => import('./nouns/users/Users.svelte')],
  [/^\/settings(?:\/([^/]+))?$/, () => import('./nouns/settings/Settings.svelte')],
];
