import { flushSync, mount, unmount } from 'svelte';
import { afterEach, expect, test, vi } from 'vitest';
import Markdown from '../Markdown.svelte';

vi.mock('./scale', async (original) => ({
  ...(await original<typeof import('./scale')>()),
  extent: () => {
    throw new Error('broken');
  },
}));

let shown: Record<string, unknown> | undefined;
afterEach(() => {
  if (shown) void unmount(shown);
  document.body.replaceChildren();
  vi.restoreAllMocks();
});

test('a widget that fails is its text, and the words around it stay', () => {
  vi.spyOn(console, 'warn').mockImplementation(() => {});
  const text = 'before\n\n:::widget{type="chart"}\n{"chartType": "line", "labels": ["a", "b"], "datasets": [{"data": [1, 2]}]}\n:::\n\nafter';
  shown = mount(Markdown, { target: document.body, props: { text } });
  flushSync();
  const said = document.body.textContent ?? '';
  expect(['before', 'This could not be drawn', '"chartType": "line"', 'after'].filter((one) => !said.includes(one))).toEqual([]);
});
