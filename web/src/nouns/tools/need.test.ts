import { flushSync, mount, unmount } from 'svelte';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { client } from '../../lib/http';
import Need from './Need.svelte';

const hit = (name: string, cosine: number | null) => ({
  id: `builtin:${name}`,
  name,
  description: '',
  score: 1,
  risk: 'read',
  parameters: {},
  why: { words: [], bm25: 0, cosine },
});
let asked: string[];
let page: object;

beforeEach(() => {
  vi.useFakeTimers();
  asked = [];
  vi.spyOn(client, 'POST').mockImplementation(async (_, options) => {
    const { query } = (options as unknown as { body: { query: string } }).body;
    asked.push(query);
    if (query === 'broken') return { error: { title: 'Broken' }, response: new Response(null, { status: 500 }) } as never;
    const results = [hit('far', 0.07), hit('unknown', null)];
    return { data: { results, note: 'Nothing is near this need.', took_ms: 1 }, response: new Response() } as never;
  });
  page = mount(Need, { target: document.body });
});

afterEach(async () => {
  await unmount(page);
  vi.restoreAllMocks();
  vi.useRealTimers();
});

async function type(text: string) {
  const input = document.querySelector('input');
  if (!input) throw new Error('no input');
  input.value = text;
  input.dispatchEvent(new Event('input', { bubbles: true }));
  flushSync();
  await vi.advanceTimersByTimeAsync(1_000);
  flushSync();
}

it('shows how near a tool is, not that it is the best of what does not fit, and the note above', async () => {
  await type('qqq zzz');
  expect([...document.querySelectorAll('.sc')].map((one) => one.textContent)).toEqual(['0.07', '']);
  expect(document.body.textContent).not.toContain('1.00');
  expect(document.querySelector('.note')?.textContent).toContain('Nothing is near this need.');
});

it('asks nothing for an empty need, and forgets what came of the last', async () => {
  await type('   ');
  expect(asked).toEqual([]);
  await type('broken');
  expect(document.body.textContent).toContain('The search failed');
  await type('');
  expect([asked, document.body.textContent?.includes('The search failed')]).toEqual([['broken'], false]);
});
