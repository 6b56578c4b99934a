import { flushSync, mount, unmount } from 'svelte';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import Export from './Export.svelte';
import { filterOf } from './log.svelte';

let shown: object;
beforeEach(() => vi.useFakeTimers({ now: Date.parse('2026-11-23T12:00:00Z') }));
afterEach(async () => {
  vi.useRealTimers();
  await unmount(shown);
});

it('is of the last hour when it is asked for, however long the page has been open', () => {
  shown = mount(Export, { target: document.body, props: { filter: filterOf(new URLSearchParams('within=hour')) } });
  flushSync();
  const link = document.querySelector('a') as HTMLAnchorElement;
  expect(new URL(link.href).searchParams.get('from')).toBe('2026-11-23T11:00:00.000Z');
  vi.setSystemTime(Date.parse('2026-11-23T15:00:00Z'));
  let asked = '';
  document.addEventListener('click', (event) => (event.preventDefault(), (asked = link.href)), { once: true });
  link.click();
  expect(new URL(asked).searchParams.get('from')).toBe('2026-11-23T14:00:00.000Z');
});
