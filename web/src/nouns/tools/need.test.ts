import { flushSync, mount, unmount } from 'svelte';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { client } from '../../lib/http';
import Need from './Need.svelte';

const hit = (name: string, score: number, cosine: number | null) => ({
  id: `builtin:${name}`,
  name,
  description: '',
  score,
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
    // What was learned lifts the second by meaning to the first place.
    const results = query === 'qqq zzz' ? [] : [hit('helped', 1, 0.07), hit('near', 0.61, 0.4), hit('unknown', 0.2, null)];
    return { data: { results, note: results.length ? null : 'Nothing is near this need.', took_ms: 1 }, response: new Response() } as never;
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

it('shows the number that gives the order', async () => {
  await type('which invoices are too old');
  expect([...document.querySelectorAll('.sc')].map((one) => one.textContent)).toEqual(['1.00', '0.61', '0.20']);
});

it('says that nothing fits, and then lists nothing', async () => {
  await type('qqq zzz');
  expect(document.querySelectorAll('.hit')).toHaveLength(0);
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
