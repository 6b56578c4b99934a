import { afterEach, expect, it } from 'vitest';
import { drawer } from './drawer';

afterEach(() => document.body.replaceChildren());
const escape = () => {
  const event = new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, cancelable: true });
  (document.activeElement ?? document.body).dispatchEvent(event);
  return event.defaultPrevented;
};

it('a drawer takes the focus and Esc, and gives the focus back', () => {
  document.body.innerHTML = '<button>open</button><aside tabindex="-1" style="position: fixed"><input></aside>';
  const [opener, aside] = [document.querySelector('button'), document.querySelector('aside')];
  opener?.focus();
  let closed = 0;
  const undo = aside ? drawer(true, () => (closed += 1))(aside) : undefined;
  expect(document.activeElement).toBe(aside);
  document.querySelector('input')?.focus();
  expect([escape(), closed]).toEqual([true, 1]);
  undo?.();
  expect(document.activeElement).toBe(opener);
  expect([escape(), closed]).toEqual([false, 1]);
});

it('what stands beside the page keeps neither focus nor Esc', () => {
  document.body.innerHTML = '<button>open</button><aside tabindex="-1"></aside>';
  document.querySelector('button')?.focus();
  const aside = document.querySelector('aside');
  expect(aside && drawer(true, () => {})(aside)).toBeUndefined();
  expect(document.activeElement?.textContent).toBe('open');
});
