import { flushSync, mount, unmount } from 'svelte';
import { afterEach, expect, it } from 'vitest';
import Choice from './Choice.svelte';
import Switch from './Switch.svelte';

let control: object;
let answer: (refusal?: Error) => void = () => {};
const asked: unknown[] = [];
const set = (wanted: unknown) => {
  asked.push(wanted);
  return new Promise<void>((done, fail) => (answer = (refusal) => (refusal ? fail(refusal) : done())));
};
const settled = async () => {
  for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
  flushSync();
};

afterEach(async () => {
  await unmount(control);
  document.body.replaceChildren();
  asked.length = 0;
});

it('a switch that is refused goes back and says why', async () => {
  const props = $state({ on: true, label: 'echo on', set });
  control = mount(Switch, { target: document.body, props });
  const box = document.querySelector('input') as HTMLInputElement;
  box.click();
  expect(box.checked).toBe(false);
  box.click();
  expect(asked).toEqual([false]);
  answer(new Error('The server answered 503. Try again.'));
  await settled();
  expect(box.checked).toBe(true);
  expect(document.querySelector('[role=alert]')?.textContent).toBe('The server answered 503. Try again.');

  box.click();
  props.on = false;
  answer();
  await settled();
  expect(box.checked).toBe(false);
  expect(document.querySelector('[role=alert]')).toBeNull();
});

it('a choice that is refused goes back and tells who asks', async () => {
  const told: string[] = [];
  const props = $state({ value: 'operator', label: 'Role', options: ['operator', 'reader'], set, refused: (why: string) => void told.push(why) });
  control = mount(Choice, { target: document.body, props });
  const box = document.querySelector('select') as HTMLSelectElement;
  box.value = 'reader';
  box.dispatchEvent(new Event('change', { bubbles: true }));
  answer(new Error('no'));
  await settled();
  expect(box.value).toBe('operator');
  expect(told).toEqual(['', 'no']);
});
