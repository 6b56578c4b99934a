import { flushSync, mount, unmount } from 'svelte';
import { afterEach, expect, it, vi } from 'vitest';
import { session } from '../../lib/session.svelte';
import type { Settings } from '../../lib/types';
import Policies from './Policies.svelte';

const settings = () => ({ tools_enabled: true, disabled_tools: [], chat: { exposure: 'all', selected: [], tool_token_budget: 1 } }) as unknown as Settings;

afterEach(() => {
  vi.unstubAllGlobals();
  session.health = null;
});

it('asks before all tools are stopped, and changes nothing that the page saves', async () => {
  const sent: unknown[] = [];
  vi.stubGlobal('fetch', async (request: Request) => {
    if (request.method === 'PUT') sent.push(JSON.parse(await request.text()));
    return Response.json({ tools: sent.length === 0 });
  });
  session.health = { tools: true } as NonNullable<typeof session.health>;
  const edited = $state(settings());
  const page = mount(Policies, { target: document.body, props: { settings: edited } });
  flushSync();
  const press = (name: string) => {
    const button = [...document.querySelectorAll('button')].find((one) => one.textContent === name);
    expect(button, name).toBeDefined();
    button?.click();
    flushSync();
  };
  expect(document.querySelector('.state')?.textContent).toBe('Tools run');
  press('Stop all tools');
  press('Keep');
  press('Stop all tools');
  expect(sent).toEqual([]);
  press('Stop all tools now');
  await vi.waitFor(() => expect(document.querySelector('.state')?.textContent).toBe('No tool runs'));
  expect(sent).toEqual([{ tools_enabled: false }]);
  expect(edited).toEqual(settings());
  await unmount(page);
});
