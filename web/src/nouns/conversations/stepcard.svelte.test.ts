import { mount, tick, unmount } from 'svelte';
import { afterEach, expect, it } from 'vitest';
import { opened } from '../../lib/opened.svelte';
import type { Step } from '../../lib/types';
import StepCard from './StepCard.svelte';

let card: object | null = null;

async function draw(more: object, tab = '') {
  const step = {
    call_id: 'c1',
    tool: 'builtin:write',
    asked_as: 'write',
    arguments: { path: 'b.txt' },
    asked_arguments: null,
    approved_by: null,
    edited: [],
    risk: 'high_write',
    state: 'done',
    success: true,
    output: null,
    model_text: null,
    ticket: null,
    duration_ms: 3,
    ...more,
  } as unknown as Step;
  if (tab) opened.set('step-c1', tab);
  card = mount(StepCard, { target: document.body, props: { step } });
  await tick();
}

afterEach(async () => {
  opened.delete('step-c1');
  await tick();
  if (card) await unmount(card);
  card = null;
  document.body.replaceChildren();
});

const tags = () => [...document.querySelectorAll('summary .tag')];

it('says on a phone too that the arguments were changed', async () => {
  await draw({ approved_by: 'mara', edited: [{ name: 'path', from: 'a.txt', to: 'b.txt' }] }, 'input');
  const [tag] = tags();
  expect([tag?.textContent, tag?.classList.contains('wide-only')]).toEqual(['edited by mara', false]);
  expect([...(tag?.querySelectorAll('.wide-only') ?? [])].map((one) => one.textContent)).toEqual([' by mara']);
  expect(document.querySelector('.panel')?.textContent).toContain('Edited and approved by mara. This is what ran:');
});

it('tells of what still runs that it does', async () => {
  await draw({ state: 'running', success: null, approved_by: 'mara', edited: [{ name: 'path', from: 'a.txt', to: 'b.txt' }] }, 'input');
  expect(document.querySelector('summary')?.textContent).toContain('Running');
  expect(document.querySelector('.panel')?.textContent).toContain('This is what runs:');
});

it.each([
  ['cancelled', { output: { error: 'It was stopped.' }, success: false }, 'stopped', 'note', 'It was stopped.'],
  ['skipped', { success: null }, 'not run', 'note', 'It was not run: the answer had ended before its turn came.'],
  ['uncertain', { success: null, output: { error: 'It may have.' } }, 'uncertain: it may have taken effect', 'note warn', 'It may have.'],
])('of a call that was %s it says so, and not that it failed', async (state, more, word, tone, told) => {
  await draw({ state, ...more }, 'output');
  const note = document.querySelector('.panel .note');
  expect(tags().map((one) => one.textContent)).toEqual([word]);
  expect([note?.className.replace(/\s*svelte-\w+/, '').trim(), note?.textContent?.trim()]).toEqual([tone, told]);
});

it('says of what failed that it did', async () => {
  await draw({ success: false, output: { error: 'No.' } }, 'output');
  expect(tags().map((one) => one.className)).toEqual([expect.stringContaining('bad')]);
  expect(document.querySelector('.panel .note.bad')?.textContent).toContain('write did not work');
});
