import { flushSync, mount, unmount } from 'svelte';
import { afterEach, expect, it, vi } from 'vitest';
import { session } from '../../lib/session.svelte';
import type { Endpoint, Me, System } from '../../lib/types';
import Try from './Try.svelte';

let shown: Record<string, unknown> | undefined;
let sent = 0;
/** The form of a call with this risk, sent once by who holds these permissions; how often it went out. */
function call(effective_risk: string, permissions: string[]): number {
  sent = 0;
  session.me = { id: 'u', permissions } as unknown as Me;
  vi.stubGlobal('fetch', () => ((sent += 1), Promise.resolve(Response.json({ ok: true, body: null, duration_ms: 1, attempts: 1 }))));
  const endpoint = { id: 'e', name: 'cancel', method: 'DELETE', path: '/x', effective_risk, schema: { type: 'object', properties: {} } } as unknown as Endpoint;
  shown = mount(Try, { target: document.body, props: { endpoint, system: { name: 'Desk', status: 'draft' } as System } });
  flushSync();
  document.querySelector<HTMLFormElement>('form')?.requestSubmit();
  flushSync();
  return sent;
}
const press = (name: string) => {
  [...document.querySelectorAll('button')].find((one) => one.textContent?.includes(name))?.click();
  flushSync();
};
afterEach(() => {
  if (shown) void unmount(shown);
  document.body.replaceChildren();
  session.me = null;
  vi.unstubAllGlobals();
});

it('asks nothing before what only reads', () => {
  expect(call('read', ['*'])).toBe(1);
  expect(document.body.textContent).not.toContain('Type cancel to confirm');
});

it('asks about a high write, unless everything is held', () => {
  expect(call('high_write', ['settings:manage'])).toBe(0);
  press('Call it once');
  expect(sent).toBe(1);
  if (shown) void unmount(shown);
  document.body.replaceChildren();
  expect(call('high_write', ['*'])).toBe(1);
});

it('makes a destructive call once its name was typed, whoever asks', async () => {
  expect(call('destructive', ['*'])).toBe(0);
  expect(document.body.textContent).toContain('Nothing has been sent yet.');
  press('Call cancel once');
  await vi.waitFor(() => expect(document.querySelector('.btn.danger')?.getAttribute('aria-busy')).toBe('false'));
  expect(sent).toBe(0);
  const typed = document.querySelector<HTMLInputElement>('input');
  if (typed) typed.value = 'cancel';
  typed?.dispatchEvent(new Event('input', { bubbles: true }));
  flushSync();
  press('Call cancel once');
  expect(sent).toBe(1);
});
