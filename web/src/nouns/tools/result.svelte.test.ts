import { mount, tick, unmount } from 'svelte';
import { afterEach, expect, it } from 'vitest';
import type { InvokeAnswer } from '../../lib/types';
import Result from './Result.svelte';
import type { Run } from './run.svelte';

let shown: object | null = null;

async function draw(answer: Partial<InvokeAnswer>) {
  const whole = { success: true, content: [], data: 4, error: null, problem: null, meta: {}, ...answer };
  const run = { tool: { name: 'write' }, answer: whole, dry: false, failure: null } as unknown as Run;
  shown = mount(Result, { target: document.body, props: { run, id: 'r' } });
  await tick();
  return document.body.textContent.replace(/\s+/g, ' ');
}

afterEach(async () => {
  if (shown) await unmount(shown);
  shown = null;
  document.body.replaceChildren();
});

const edited = [{ name: 'path', from: 'a.txt', to: 'b.txt' }];

it('says who changed what before it ran, also where it failed', async () => {
  const told = 'Edited and approved by mara. This is what ran: Path b.txt was a.txt';
  expect(await draw({ meta: { approved_by: 'mara', edited } })).toContain(told);
  if (shown) await unmount(shown);
  expect(await draw({ success: false, error: 'No.', problem: { kind: 'invalid' }, meta: { approved_by: 'mara', edited } })).toContain(told);
});

it('calls a stopped call stopped', async () => {
  const text = await draw({ success: false, error: 'The call was stopped.', problem: { kind: 'cancelled' } });
  expect(text).toContain('stopped');
  expect([text.includes('failed'), document.querySelector('.bad')]).toEqual([false, null]);
});
