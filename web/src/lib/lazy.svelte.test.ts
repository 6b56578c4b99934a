import { flushSync, mount, tick, unmount } from 'svelte';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import Lazy from './Lazy.svelte';
import { go } from './router.svelte';
import { session } from './session.svelte';
import Thrower, { faults } from './Thrower.svelte';

let page: object;
let version = '1.0.0';

const settled = async () => {
  for (let n = 0; n < 10; n += 1) await tick();
  flushSync();
};
const open = async (source: () => Promise<unknown>) => {
  page = mount(Lazy, { target: document.body, props: { page: source as never } });
  await settled();
};
const button = (name: string) => [...document.querySelectorAll('button')].find((one) => one.textContent?.trim() === name);

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  vi.stubGlobal('fetch', async () => new Response(JSON.stringify({ status: 'ok', version, sandbox: 'full', model: true })));
});
afterEach(async () => {
  await unmount(page);
  document.body.replaceChildren();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

it('says what failed where a page throws, and draws it when tried again', async () => {
  faults.message = 'x is not a function.';
  await open(async () => ({ default: Thrower }));
  expect(document.querySelector('[role="alert"]')?.textContent).toContain('x is not a function.');
  expect(document.body.textContent).not.toContain('Loading');
  faults.message = '';
  button('Try again')?.click();
  await settled();
  expect(document.body.textContent).toContain('Drawn after all');
});

it('is drawn again at another address, where what failed at the first may well be whole', async () => {
  go('/tools/x');
  faults.message = 'x is not a function.';
  await open(async () => ({ default: Thrower }));
  expect(document.body.textContent).toContain('This page failed');
  go('/tools/y');
  await settled();
  expect(document.querySelector('[role="alert"]')?.textContent).toContain('x is not a function.');
  faults.message = '';
  await settled();
  expect(document.body.textContent).toContain('This page failed');
  go('/tools/z');
  await settled();
  expect(document.body.textContent).toBe('Drawn after all');
});

it('offers to reload where a part is gone because the server is of another version', async () => {
  await session.look();
  version = '1.1.0';
  await open(() => Promise.reject(new Error('404')));
  await vi.waitFor(() => expect(document.body.textContent).toContain('New version: Satchel 1.1.0'));
  expect(button('Reload')).toBeDefined();
  version = '1.0.0';
});

it('offers to reload, and not to try again in vain, wherever the server answers', async () => {
  await session.look();
  await open(() => Promise.reject(new Error('404')));
  expect(document.body.textContent).toContain('though Satchel answers');
  expect([button('Reload'), button('Try again')]).toEqual([expect.anything(), undefined]);
});

it('asks to check the connection where the server does not answer, and tries again', async () => {
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')));
  let tries = 0;
  await open(() => ((tries += 1), tries === 1 ? Promise.reject(new Error('offline')) : Promise.resolve({ default: Thrower })));
  await vi.waitFor(() => expect(document.body.textContent).toContain('Check the connection'));
  faults.message = '';
  button('Try again')?.click();
  await settled();
  expect(document.body.textContent).toBe('Drawn after all');
});
