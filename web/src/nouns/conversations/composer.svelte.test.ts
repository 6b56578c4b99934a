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
  return { end: () => ((talk.state = 'idle'), flushSync()) };
}
const box = () => document.querySelector('textarea') as HTMLTextAreaElement;
const status = () => [...document.querySelectorAll('[role="status"]')].map((one) => one.textContent).join('');

afterEach(async () => {
  await unmount(shown);
  vi.clearAllMocks();
});

it('says why a message is not sent while an answer is written, and keeps it', () => {
  const { end } = composer('running', 'And then?');
  expect([status(), box().value, send.mock.calls]).toEqual(['It is still answering: stop it, or wait. Your text stays here.', 'And then?', []]);
  end();
  expect([status(), box().value]).toEqual(['', 'And then?']);
});

it('says what is waited for where a person has to decide', () => {
  composer('waiting', 'And then?');
  expect(status()).toContain('waiting for your decision');
});

it('runs a command meanwhile, and sends a message once nothing is answered', async () => {
  composer('running', '/stop');
  expect([run.mock.calls, status()]).toEqual([[['stop', '']], '']);
  await unmount(shown);
  composer('idle', 'Hello');
  expect(send.mock.calls).toEqual([['Hello', [], '']]);
});
