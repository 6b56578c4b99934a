import { flushSync, mount, tick, unmount } from 'svelte';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { above, press } from './keys';
import Sure from './Sure.svelte';

const key = (name: string) => press(new KeyboardEvent('keydown', { key: name }));
const focused = () => document.activeElement?.textContent?.trim();

beforeEach(() => {
  document.body.innerHTML = '';
  // Nothing is laid out in the tests: everything is taken to be seen.
  Object.defineProperty(HTMLElement.prototype, 'offsetParent', { configurable: true, get: () => document.body });
});
afterEach(() => Reflect.deleteProperty(HTMLElement.prototype, 'offsetParent'));

it('J and K walk what a page marks, or else the rows of its tables', () => {
  document.body.innerHTML = '<main><table><tbody><tr class="group"><td>g</td></tr><tr><td>a</td></tr><tr><td>b</td></tr></tbody></table></main>';
  key('j');
  expect(focused()).toBe('a');
  key('j');
  key('j');
  expect(focused()).toBe('b');
  key('k');
  expect(focused()).toBe('a');
  document.querySelector('main')?.insertAdjacentHTML('beforeend', '<a href="/x" data-row>marked</a>');
  key('j');
  expect(focused()).toBe('marked');
});

it('Esc leads from a page to the list it stands in', () => {
  expect(['/tools/echo', '/catalog/s1/e1', '/catalog/s1', '/processes/p', '/knowledge/documents/d'].map(above)).toEqual([
    '/tools',
    '/catalog/s1',
    '/catalog',
    '/processes',
    '/knowledge/documents',
  ]);
  expect(['/tools', '/tools/costs', '/chat/1', '/settings/limits'].map(above)).toEqual([null, null, null, null]);
});

it('a question before deleting keeps the focus, and gives it back', async () => {
  const control = mount(Sure, { target: document.body, props: { label: 'Delete x', sure: 'Delete for good', run: () => {} } });
  flushSync();
  const trash = document.querySelector('button');
  trash?.focus();
  trash?.click();
  await tick();
  expect(focused()).toBe('Keep');
  document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
  await tick();
  expect(document.activeElement?.getAttribute('aria-label')).toBe('Delete x');
  await unmount(control);
});
