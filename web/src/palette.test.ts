import { flushSync, mount, unmount } from 'svelte';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { client } from './lib/http';
import Palette from './Palette.svelte';
import { go, route } from './lib/router.svelte';
import type { Agent, Job, System } from './lib/types';
import { agents } from './nouns/agents/agents.svelte';
import { catalog } from './nouns/catalog/catalog.svelte';
import { jobs } from './nouns/jobs/jobs.svelte';
import { best, ordered, sections, steady, identity, tells, type Option } from './palette.svelte';

const option = (group: Option['group'], name: string): Option => ({ group, name, detail: '', icon: 'tool', run: () => {} });
const hit = (name: string) => ({
  id: `builtin:${name}`,
  name,
  description: `What ${name} does`,
  score: 1,
  risk: 'read',
  why: { words: [], bm25: 0, cosine: name === 'nonsense' ? 0.2 : 0.5 },
  parameters: {},
});

it('searches by meaning for words, and where few names fit', () => {
  expect([tells('combine pdf files', 20), tells('calcul', 1)]).toEqual([true, true]);
  expect([tells('files', 12), tells('', 0), tells('ab', 0), tells('> new one', 0), tells('#how long', 0)]).toEqual([false, false, false, false, false]);
});

it('shows what was found by meaning last, at most five, and no tool twice', () => {
  const meanings = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => option('By meaning', name));
  const all = ordered([option('Documents', 'D'), option('Tools', 'b')], [option('Pages', 'D'), option('Scripts', 'c')], meanings);
  expect(all.map(({ group, name }) => `${group} ${name}`)).toEqual([
    'Tools b',
    'Pages D',
    'Scripts c',
    'Documents D',
    'By meaning a',
    'By meaning d',
    'By meaning e',
    'By meaning f',
    'By meaning g',
  ]);
});

it('opens what begins as was typed before what has it somewhere', () => {
  const all = [option('Tools', 'list_outbox'), option('Tools', 'outline'), option('Pages', 'Outbound'), option('Pages', 'Outbox')];
  expect(['outb', 'outbox', 'out', 'list', 'box'].map((text) => best(all, text)?.name)).toEqual([
    'Outbound',
    'Outbox',
    'outline',
    'list_outbox',
    'list_outbox',
  ]);
});

/** The names the server finds for a text: without words, what is opened most. */
const NAMES: Record<string, string> = { '': 'exec', sett: 'set_theme', calc: 'calculator', in: 'index_put' };

let palette: object;
let asked: string[];

beforeEach(() => {
  vi.useFakeTimers();
  asked = [];
  // Answers as the server does: no name fits, and the need of a text finds one tool named by its first word.
  const answer = (data: unknown) => ({ data, response: new Response() }) as never;
  vi.spyOn(client, 'GET').mockImplementation(async (path, options) => {
    if (path !== '/api/search') return answer([]);
    const { q } = (options as unknown as { params: { query: { q: string } } }).params.query;
    const name = NAMES[q];
    return answer({ results: name ? [{ type: 'tool', id: `builtin:${name}`, name }] : [] });
  });
  vi.spyOn(client, 'POST').mockImplementation(async (path, options) => {
    if (path !== '/api/tools/find') throw new Error(`asked for ${path}`);
    const { query } = (options as unknown as { body: { query: string } }).body;
    asked.push(query);
    if (query.includes('broken')) return { error: { title: 'Broken' }, response: new Response(null, { status: 500 }) } as never;
    return answer({ results: [hit(query.split(' ')[0] ?? '')], took_ms: 1 });
  });
  // The document of the tests knows no open dialog.
  HTMLDialogElement.prototype.showModal = function () {
    this.open = true;
  };
  HTMLDialogElement.prototype.close = () => {};
  palette = mount(Palette, { target: document.body });
});

afterEach(async () => {
  await unmount(palette);
  vi.restoreAllMocks();
  vi.useRealTimers();
});

function type(text: string) {
  const input = document.querySelector('input');
  if (!input) throw new Error('no input');
  input.value = text;
  input.dispatchEvent(new Event('input', { bubbles: true }));
  flushSync();
}
const meanings = () => [...document.querySelectorAll('[role="group"][aria-label="By meaning"] [role="option"] b')].map((one) => one.textContent);

it('offers tools by meaning once the typing rests, and asks only for the last text', async () => {
  type('combine pdf');
  await vi.advanceTimersByTimeAsync(100);
  type('merge pdf files');
  await vi.advanceTimersByTimeAsync(1_000);
  await vi.waitFor(() => expect(meanings()).toEqual(['merge']));
  expect(asked).toEqual(['merge pdf files']);
  type('');
  expect(meanings()).toEqual([]);
});

it('offers no tool that is near to nothing', async () => {
  type('nonsense blorfgnak');
  await vi.advanceTimersByTimeAsync(1_000);
  await vi.waitFor(() => expect(document.body.textContent).toContain('Nothing fits'));
  expect(asked).toEqual(['nonsense blorfgnak']);
});

it('finds a system by its name', async () => {
  catalog.systems = [{ id: 's1', name: 'Routewise', status: 'active' } as System];
  type('routew');
  await vi.waitFor(() => expect(document.querySelector('[role="group"][aria-label="Systems"] b')?.textContent).toBe('Routewise'));
  catalog.systems = null;
});

it('finds an agent and a job by their names', async () => {
  agents.all = [{ id: 'a1', name: 'travel', description: 'Looks for hotels.' } as Agent];
  jobs.all = [{ id: 'j1', name: 'Hotels of the week', when_words: 'Mondays', enabled: true } as Job];
  const found = (group: string) => document.querySelector(`[role="group"][aria-label="${group}"] b`)?.textContent;
  type('hotels');
  await vi.waitFor(() => expect([found('Agents'), found('Jobs')]).toEqual(['travel', 'Hotels of the week']));
  agents.all = jobs.all = null;
});

it('is silent where the search by meaning fails', async () => {
  type('broken pdf files');
  await vi.advanceTimersByTimeAsync(1_000);
  await vi.waitFor(() => expect(document.body.textContent).toContain('Nothing fits'));
  expect([asked, document.querySelector('[role="alert"]')]).toEqual([['broken pdf files'], null]);
});

const rows = () =>
  [...document.querySelectorAll('[role="option"]')].map(
    (one) => `${one.querySelector('b')?.textContent}${one.ariaSelected === 'true' || one.getAttribute('aria-selected') === 'true' ? ' <' : ''}`,
  );
const enter = () => (document.querySelector('input')?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true })), flushSync());

it('opens what was typed although the habits of another text are still there', async () => {
  go('/audit');
  await vi.advanceTimersByTimeAsync(100);
  await vi.waitFor(() => expect(rows()).toContain('exec <'));
  type('inbox');
  expect(rows()[0]).toBe('Inbox <');
  enter();
  expect(route.path).toBe('/inbox');
});

it('waits with an early Enter for what is called as was typed', async () => {
  go('/audit');
  await vi.advanceTimersByTimeAsync(100);
  type('calc');
  enter();
  expect(route.path).toBe('/audit');
  await vi.advanceTimersByTimeAsync(100);
  await vi.waitFor(() => expect(route.path).toBe('/tools/calculator'));
});

it('keeps the chosen row where it is when more is found', async () => {
  await vi.advanceTimersByTimeAsync(100);
  type('in');
  expect(rows()[0]).toBe('Inbox <');
  await vi.advanceTimersByTimeAsync(100);
  await vi.waitFor(() => expect(rows()).toContain('index_put'));
  expect(rows()[0]).toBe('Inbox <');
});

it('places what comes later below the chosen row, its own group first', () => {
  const [page, more, tool, talk] = [option('Pages', 'Inbox'), option('Pages', 'Indexes'), option('Tools', 'index_put'), option('Conversations', 'Invoices')];
  const all = ordered([tool, talk], [page, more], []);
  const now = steady(all, [identity(page)], identity(page));
  expect(now.map(({ name }) => name)).toEqual(['Inbox', 'Indexes', 'index_put', 'Invoices']);
  expect(sections(now).map(({ group, options }) => `${group} ${options.length}`)).toEqual(['Pages 2', 'Tools 1', 'Conversations 1']);
});

it('tells conversations of one title apart by when they were last spoken in', async () => {
  vi.mocked(client.GET).mockImplementation((async (path: string) => ({
    response: new Response(),
    data:
      path === '/api/search'
        ? { results: ['a', 'b'].map((id) => ({ type: 'conversation', id, name: 'Twins' })) }
        : path === '/api/conversations'
          ? [{ id: 'a', updated_at: '2026-01-02T03:04:05Z' }]
          : [],
  })) as never);
  type('twins');
  await vi.advanceTimersByTimeAsync(100);
  await vi.waitFor(() => expect([...document.querySelectorAll('[aria-label="Conversations"] .meta')].map((one) => !!one.textContent)).toEqual([true, false]));
});
