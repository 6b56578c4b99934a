import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Desk } from './desk.svelte';
import { forget, keep, keptBase, keptText, unsaved } from './kept.svelte';
import { shelf } from './shelf.svelte';

/** A server that holds one script and refuses what began from another text, as ours does. */
const server = { live: 'v4', draft: null as string | null, version: 4, gone: false, by: 'sam' };
const now = () => (server.gone ? null : (server.draft ?? server.live));
const digest = () => (now() === null ? '' : `digest of ${now()}`);
const view = () => ({
  name: 'lu',
  origin: 'console',
  state: 'live',
  source: server.live,
  draft: server.draft,
  digest: digest(),
  version: server.version,
  versions: [],
  capabilities: [],
  enabled: true,
  updated_by: server.by,
  updated_at: null,
});
const answer = (status: number, body: unknown) => new Response(JSON.stringify(body), { status });

function serve(path: string, { method = 'GET', body }: RequestInit) {
  const asked = typeof body === 'string' ? (JSON.parse(body) as { source: string; base?: string }) : { source: '' };
  if (path === '/api/scripts/check') return answer(200, { problems: [], spec: null, capabilities: [], ms: 1 });
  if (path === '/api/scripts') return answer(200, []);
  if (asked.base !== undefined && asked.base !== digest()) return answer(409, { detail: 'It was changed.', changed: { by: server.by } });
  if (method === 'PUT') Object.assign(server, { draft: asked.source, gone: false });
  if (path.endsWith('/publish')) Object.assign(server, { live: now(), draft: null, version: server.version + 1 });
  return server.gone ? answer(404, { detail: 'There is none.' }) : answer(200, view());
}

async function opened() {
  const desk = new Desk('lu');
  await desk.open();
  return desk;
}

beforeEach(() => {
  forget('lu');
  Object.assign(server, { live: 'v4', draft: null, version: 4, gone: false });
  vi.stubGlobal('fetch', (path: string, init: RequestInit = {}) => Promise.resolve(serve(path, init)));
});
afterEach(() => vi.unstubAllGlobals());

it('saves and publishes what began from the text that is there', async () => {
  const desk = await opened();
  desk.edit('mine');
  expect(await desk.save()).toBe(true);
  desk.edit('mine, better');
  await desk.publish('', []);
  expect([server.live, server.version, desk.changed, desk.dirty, keptText('lu')]).toEqual(['mine, better', 5, false, false, null]);
});

it('puts nothing in the place of a text that nobody here has seen', async () => {
  const desk = await opened();
  desk.edit('mine');
  Object.assign(server, { live: 'theirs', version: 5 });
  expect(await desk.save()).toBe(false);
  expect([server.draft, desk.changed, desk.refused, desk.text, desk.saved, desk.script?.version]).toEqual([null, true, null, 'mine', 'theirs', 5]);
  expect(desk.gate).toContain('until you have chosen');
  expect(await desk.save()).toBe(false);
  // The save that was asked for is done once a person has chosen.
  await desk.keepMine();
  expect([desk.changed, server.draft, desk.dirty]).toEqual([false, 'mine', false]);
});

it('lets a draft of another be looked at and taken', async () => {
  const desk = await opened();
  desk.edit('mine');
  server.draft = 'their draft';
  await desk.publish('', []).catch((refusal: unknown) => desk.overtaken(refusal));
  expect([server.live, desk.changed]).toEqual(['v4', true]);
  desk.useTheirs();
  expect([desk.text, desk.changed, desk.dirty, keptText('lu')]).toEqual(['their draft', false, false, null]);
});

it('keeps the only copy of a draft that somebody saved over', async () => {
  server.draft = 'mine';
  const desk = await opened();
  server.draft = 'theirs';
  await desk.reread();
  expect([desk.text, desk.changed, keptText('lu'), keptBase('lu')]).toEqual(['mine', true, 'mine', 'digest of mine']);
});

it('says where an unsaved text of this browser began from another than there is', async () => {
  keep('lu', 'mine', 'digest of v4');
  expect((await opened()).changed).toBe(false);
  Object.assign(server, { live: 'theirs', version: 5 });
  const desk = await opened();
  expect([desk.text, desk.changed]).toEqual(['mine', true]);
  server.live = 'mine';
  expect([(await opened()).changed, keptText('lu')]).toEqual([false, null]);
  // What older pages kept says nothing of where it began.
  unsaved.keep('lu', 'older');
  expect((await opened()).changed).toBe(false);
});

it('makes a script anew that was deleted meanwhile only where that is said', async () => {
  const desk = await opened();
  desk.edit('mine');
  server.gone = true;
  expect([await desk.save(), desk.changed, desk.script]).toEqual([false, true, null]);
  await desk.keepMine();
  expect(now()).toBe('mine');
});

it('says of no text that it is right before it was checked, and checks it once the server is back', async () => {
  vi.useFakeTimers();
  const desk = await opened();
  await vi.runAllTimersAsync();
  expect([desk.current, desk.refused]).toEqual([true, null]);
  let away = true;
  const answers = (path: string, init: RequestInit = {}) => (away ? Promise.reject(new TypeError('gone')) : Promise.resolve(serve(path, init)));
  vi.stubGlobal('fetch', answers);
  desk.edit('broken {');
  expect(desk.current).toBe(false);
  await vi.advanceTimersByTimeAsync(5000);
  expect([desk.current, desk.refused?.what, desk.gate]).toEqual([false, 'The text was not checked', 'Publishing waits for the check of this text.']);
  away = false;
  await vi.advanceTimersByTimeAsync(10_000);
  expect([desk.current, desk.refused]).toEqual([true, null]);
  desk.close();
  vi.useRealTimers();
});

it('asks the server for no script that began here and is not there', async () => {
  server.gone = true;
  keep('lu', 'mine');
  const asked: string[] = [];
  vi.stubGlobal('fetch', (path: string, init: RequestInit = {}) => (asked.push(path), Promise.resolve(serve(path, init))));
  shelf.all = null;
  const desk = await opened();
  expect([desk.fresh, desk.text, asked.filter((path) => path === '/api/scripts/lu')]).toEqual([true, 'mine', []]);
});

it('offers to replace drafts that an import left alone', async () => {
  const asked: string[] = [];
  vi.stubGlobal('fetch', (path: string) => {
    if (!path.includes('/import')) return Promise.resolve(answer(200, []));
    asked.push(path);
    const held = { saved: [], unchanged: ['a'], refused: [{ name: 'b', problem: 'It has a draft.', draft: true }] };
    return Promise.resolve(
      asked.length === 1
        ? answer(200, held)
        : asked.length === 2
          ? answer(409, { detail: 'It has a draft.', draft: true })
          : answer(200, { saved: ['b'], unchanged: ['a'], refused: [] }),
    );
  });
  await shelf.take([new File([''], 'all.zip'), new File([''], 'b.rhai')]);
  expect([shelf.imported?.unchanged, shelf.imported?.held.map((file) => file.name)]).toEqual([['a'], ['all.zip', 'b.rhai']]);
  await shelf.take(shelf.imported?.held.slice(0, 1) ?? [], true);
  expect([asked[2], shelf.imported?.saved, shelf.imported?.held]).toEqual(['/api/scripts/import?replace=true', ['b'], []]);
});
