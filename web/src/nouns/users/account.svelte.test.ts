import { flushSync, mount, unmount } from 'svelte';
import { afterEach, expect, it, vi } from 'vitest';
import Account from './Account.svelte';

let shown: object;
afterEach(async () => {
  await unmount(shown);
  document.body.replaceChildren();
  vi.unstubAllGlobals();
});

const field = (of: string) => document.querySelector<HTMLInputElement>(of) as HTMLInputElement;

function type(of: string, text: string) {
  field(of).value = text;
  field(of).dispatchEvent(new Event('input', { bubbles: true }));
}

async function change() {
  type('#old', 'correct horse');
  type('#new', 'another password');
  document.querySelector('form')?.requestSubmit();
  await vi.waitFor(() => expect(document.querySelector('[role="status"]')).not.toBe(null));
  return document.querySelector('[role="status"]')?.textContent;
}

it('revokes keys with a new password, unless they are to be kept', async () => {
  const asked: unknown[] = [];
  vi.stubGlobal('fetch', async (request: Request) => {
    asked.push(await request.json());
    return new Response(null, { status: 204 });
  });
  shown = mount(Account, { target: document.body });
  flushSync();
  expect(await change()).toContain('your API keys are revoked');
  field('[type="checkbox"]').click();
  flushSync();
  await change();
  await vi.waitFor(() => expect(document.querySelector('[role="status"]')?.textContent).toContain('Your API keys still work'));
  expect(asked).toEqual([
    { current: 'correct horse', new: 'another password', keep_keys: false },
    { current: 'correct horse', new: 'another password', keep_keys: true },
  ]);
});
