import { flushSync, mount, unmount } from 'svelte';
import { afterEach, expect, it, vi } from 'vitest';
import Composer from './Composer.svelte';
import type { Talk } from './talk.svelte';

const send = vi.fn(async () => true);
const run = vi.fn(async () => true);
let shown: object;

/** The composer beside a turn that stands like this, with a message typed and sent by Enter. */
function composer(state: Talk['state'], text: string) {
  const talk = $state({ state, id: 'c1', stop: () => undefined });
  const props = $state({ talk: talk as unknown as Talk, offline: false, providers: [], send, run, text, place: 'chat c1' });
  shown = mount(Composer, { target: document.body, props });
  flushSync();
  box().dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }));
  flushSync();
}
const box = () => document.querySelector('textarea') as HTMLTextAreaElement;

afterEach(async () => {
  await unmount(shown);
  vi.clearAllMocks();
});

it('lets a message wait for the answer that is under way, also where that waits for a person', async () => {
  composer('running', 'And then?');
  expect(send.mock.calls).toEqual([['And then?', [], '', 'next']]);
  expect(document.querySelector('button.primary')?.getAttribute('aria-label')).toBe('Send after this answer');
  await unmount(shown);
  send.mockClear();
  composer('waiting', 'And then?');
  expect(send.mock.calls).toEqual([['And then?', [], '', 'next']]);
});

it('sends a message into the answer that is under way', async () => {
  composer('running', '');
  box().value = 'In metres.';
  box().dispatchEvent(new Event('input', { bubbles: true }));
  flushSync();
  [...document.querySelectorAll('button')].find((one) => one.textContent?.includes('Send into this answer'))?.click();
  expect(send.mock.calls).toEqual([['In metres.', [], '', 'now']]);
});

it('runs a command meanwhile, and sends a message once nothing is answered', async () => {
  composer('running', '/stop');
  expect(run.mock.calls).toEqual([['stop', '']]);
  await unmount(shown);
  composer('idle', 'Hello');
  expect(send.mock.calls).toEqual([['Hello', [], '', undefined]]);
});
