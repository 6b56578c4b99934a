import { flushSync, mount, unmount } from 'svelte';
import { afterEach, expect, it, vi } from 'vitest';
import Question from './Question.svelte';

const finish = vi.fn();
let shown: object;

function press(given: KeyboardEventInit) {
  const box = document.querySelector('textarea') as HTMLTextAreaElement;
  box.value = 'Why?';
  box.dispatchEvent(new Event('input', { bubbles: true }));
  flushSync();
  return box.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true, ...given }));
}

afterEach(() => unmount(shown));

it('asks by Enter, and leaves a line break to Shift Enter and a word half written to its keyboard', () => {
  shown = mount(Question, { target: document.body, props: { finish } });
  flushSync();
  expect([press({ shiftKey: true }), press({ isComposing: true }), finish.mock.calls]).toEqual([true, true, []]);
  expect([press({}), finish.mock.calls]).toEqual([false, [['Why?']]]);
});
