import { flushSync, mount, unmount } from 'svelte';
import { afterEach, expect, it } from 'vitest';
import type { SystemDetail } from '../../lib/types';
import SystemForm from './SystemForm.svelte';

// The oldest browsers this is built for know no `URL.parse`.
Reflect.deleteProperty(URL, 'parse');

let shown: object;
afterEach(() => unmount(shown));

it('says that credentials are forgotten where the address is moved to another host, and only there', () => {
  const system = {
    id: 's',
    name: 'Desk',
    description: '',
    base_url: 'https://desk.example.org/api',
    tags: [],
    auth: { type: 'none' },
    retries: 2,
    timeout_s: 30,
    secrets: [{ set: true }],
  } as unknown as SystemDetail;
  shown = mount(SystemForm, { target: document.body, props: { system, done: () => undefined, cancel: () => undefined } });
  flushSync();
  const address = document.querySelector('input[placeholder^="https"]') as HTMLInputElement;
  const told = (url: string) => {
    address.value = url;
    address.dispatchEvent(new Event('input', { bubbles: true }));
    flushSync();
    return document.body.textContent?.includes('Another host');
  };
  expect([told('https://desk.example.org/v2'), told('https://elsewhere.example.org/api'), told('not an address')]).toEqual([false, true, true]);
});
