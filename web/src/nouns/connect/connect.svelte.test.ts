import { flushSync, mount, unmount } from 'svelte';
import { afterEach, expect, it, vi } from 'vitest';
import Connect from './Connect.svelte';

let shown: object;
afterEach(async () => {
  await unmount(shown);
  document.body.replaceChildren();
  vi.unstubAllGlobals();
});

const KEY = 'sk_satchel_made-here';
const INFO = {
  id: 'k1',
  user: 'u',
  name: 'Codex',
  permissions: ['*'],
  personal: true,
  approves: false,
  exposure: null,
  selected: [],
  created_at: '2026-11-28T09:00:00Z',
};

/** A server with keys; the requests that were made of it. */
function serve(listed: () => unknown) {
  const asked: [string, unknown][] = [];
  vi.stubGlobal('fetch', async (request: Request) => {
    if (request.method === 'GET') return request.url.includes('/api/keys') ? Response.json(listed()) : Response.json([]);
    asked.push([`${request.method} ${new URL(request.url).pathname}`, request.method === 'POST' ? await request.json() : null]);
    return request.method === 'POST' ? Response.json({ ...INFO, key: KEY }, { status: 201 }) : new Response(null, { status: 204 });
  });
  return asked;
}

const button = (name: string) => [...document.querySelectorAll('button')].find((one) => (one.ariaLabel ?? one.textContent)?.trim() === name);
const text = () => document.body.textContent ?? '';

async function press(name: string) {
  await vi.waitFor(() => expect(button(name)).toBeDefined());
  button(name)?.click();
  flushSync();
}

it('makes a key, shows it in the lines alone, and takes it out of them once it is ended', async () => {
  const asked = serve(() => []);
  shown = mount(Connect, { target: document.body, props: { parts: ['cursor'] } });
  await press('Make a key for Cursor');
  await vi.waitFor(() => expect(text()).toContain(`Bearer ${KEY}`));
  expect(asked).toEqual([['POST /api/keys', { name: 'Cursor', personal: true, approves: false, exposure: null, selected: [] }]]);
  expect(text()).toContain('Waiting for its first call …');
  expect(text().split(KEY).length).toBe(2);
  await press('End the key Codex');
  await press('End it for good');
  await vi.waitFor(() => expect(text()).not.toContain(KEY));
  expect(asked.at(-1)?.[0]).toBe('DELETE /api/keys/k1');
  expect(text()).toContain('Its key has ended: it is refused.');
  expect(button('Make a key for Cursor')).toBeDefined();
});

it('asks for no exposure where a client is given models', async () => {
  const asked = serve(() => []);
  shown = mount(Connect, { target: document.body, props: { parts: ['anthropic'] } });
  await press('Make a key for Anthropic SDK');
  await vi.waitFor(() => expect(text()).toContain(KEY));
  expect(document.querySelector('#key-exposure')).toBe(null);
  expect(asked[0]?.[1]).toMatchObject({ name: 'Anthropic SDK', approves: false, exposure: null });
});

it('says that there is no such client', async () => {
  serve(() => [INFO]);
  shown = mount(Connect, { target: document.body, props: { parts: ['nobody'] } });
  await vi.waitFor(() => expect(text()).toContain('none noted'));
  expect(text()).toContain("There is no client 'nobody' here.");
});
