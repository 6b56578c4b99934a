import { flushSync, mount, unmount } from 'svelte';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { session } from '../../lib/session.svelte';
import type { Me } from '../../lib/types';
import Settings from './Settings.svelte';

let page: object;

beforeEach(() => {
  // Nothing is laid out here.
  Element.prototype.scrollIntoView = () => undefined;
  vi.stubGlobal('CSS', { escape: (name: string) => name });
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  session.me = { id: 'u', permissions: ['*'] } as unknown as Me;
});
afterEach(async () => {
  await unmount(page);
  document.body.replaceChildren();
  session.me = null;
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

it('keeps its list of sections where one of them fails', async () => {
  // A finding that is none: the section that draws it throws.
  const answers: Record<string, unknown> = { '/api/doctor': { checks: [null] }, '/api/settings': {} };
  vi.stubGlobal('fetch', async (request: Request) => Response.json(answers[new URL(request.url).pathname] ?? []));
  page = mount(Settings, { target: document.body, props: { parts: ['health'] } });
  flushSync();
  await vi.waitFor(() => expect(document.querySelector('[role="alert"]')?.textContent).toContain('This page failed'));
  expect(document.querySelector('nav a[aria-current="page"]')?.textContent).toBe('Health');
});
