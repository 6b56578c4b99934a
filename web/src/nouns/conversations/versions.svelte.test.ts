import { flushSync, mount, unmount } from 'svelte';
import { afterEach, expect, it, vi } from 'vitest';
import type { Message } from '../../lib/types';
import { blank } from './apply';
import { Talk } from './talk.svelte';
import Versions from './Versions.svelte';

const question: Message = { ...blank('q', 'b', 'user', 'Which colour?'), former: 1 };

let shown: object;
afterEach(async () => {
  await unmount(shown);
  document.body.replaceChildren();
  vi.unstubAllGlobals();
});

it('goes to the earlier answer and back, and keeps the focus where there is none', async () => {
  vi.stubGlobal('fetch', async () => Response.json({ messages: [blank('a', 'a', 'assistant', 'Blue.')] }));
  const talk = new Talk();
  talk.id = 'c';
  shown = mount(Versions, { target: document.body, props: { talk, question } });
  flushSync();
  const button = (name: string) => document.querySelector<HTMLButtonElement>(`[aria-label="${name}"]`) as HTMLButtonElement;
  const told = () => document.querySelector('[role="status"] .sr')?.textContent;
  expect([told(), button('Later answer').getAttribute('aria-disabled')]).toEqual(['Answer 2 of 2', 'true']);
  button('Earlier answer').focus();
  button('Earlier answer').click();
  await vi.waitFor(() => expect(told()).toBe('Answer 1 of 2'));
  expect([button('Earlier answer').getAttribute('aria-disabled'), document.activeElement]).toEqual(['true', button('Earlier answer')]);
  expect(talk.versions.shown(question)?.messages.map((one) => one.text)).toEqual(['Blue.']);
  button('Later answer').click();
  await vi.waitFor(() => expect(told()).toBe('Answer 2 of 2'));
  expect(talk.versions.shown(question)).toBe(null);
});
