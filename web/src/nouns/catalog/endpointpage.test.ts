import { mount, unmount } from 'svelte';
import { afterEach, expect, it, vi } from 'vitest';
import type { System } from '../../lib/types';
import EndpointPage from './EndpointPage.svelte';

afterEach(() => vi.unstubAllGlobals());

it('shows what cannot be seen of an endpoint that waits by its number', async () => {
  const hidden = '\u{e0041}';
  const endpoint = {
    id: 'e',
    name: `Get${hidden}`,
    method: 'GET',
    path: `/w${hidden}`,
    operation: { protocol: 'rest' },
    description: `Weather${hidden}`,
    when_to_use: `Always${hidden}`,
    effective_risk: 'read',
    tool: 'catalog:books.get',
    tokens: 10,
    schema: { description: `Schema${hidden}` },
    waiting: { by: 'ann', tool: 'create_system_endpoint', at: '2026-05-03T12:00:00Z' },
  };
  vi.stubGlobal('fetch', async () => new Response(JSON.stringify(endpoint), { headers: { 'content-type': 'application/json' } }));
  const system = { id: 's', name: 'Books', status: 'active' } as unknown as System;
  const page = mount(EndpointPage, { target: document.body, props: { system, id: 'e' } });
  await vi.waitFor(() => expect(document.body.textContent).toContain('Weather'));
  const text = document.body.textContent ?? '';
  for (const shown of ['Get', '/w', 'Weather', 'Always', 'Schema']) expect(text).toContain(`${shown}\\u{e0041}`);
  expect(text).not.toContain(hidden);
  await unmount(page);
});
