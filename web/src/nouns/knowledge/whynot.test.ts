import { flushSync, mount, unmount } from 'svelte';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { client } from '../../lib/http';
import WhyNot from './WhyNot.svelte';

const DOCUMENTS = [
  { id: 'd1', title: 'Holds', collection: 'c1', collection_name: 'Policies' },
  { id: 'd2', title: 'Ladders', collection: 'c2', collection_name: 'Garden' },
];
let asked: unknown[];
let page: object;

beforeEach(() => {
  asked = [];
  const answer = (data: unknown) => ({ data, response: new Response() }) as never;
  vi.spyOn(client, 'GET').mockImplementation(async () => answer(DOCUMENTS));
  vi.spyOn(client, 'POST').mockImplementation(async (path, options) => {
    asked.push([path, (options as unknown as { body: unknown }).body]);
    return answer({ stages: [{ name: 'limit', passed: true, detail: 'It is the 7th of 10.' }] });
  });
  page = mount(WhyNot, { target: document.body, props: { query: 'how long', found: [], limit: 10, collection: 'c1' } });
});

afterEach(async () => {
  await unmount(page);
  vi.restoreAllMocks();
});

async function expected(id: string) {
  await vi.waitFor(() => expect(document.querySelector(`option[value="${id}"]`)).not.toBeNull());
  const select = document.querySelector('select');
  if (!select) throw new Error('nothing to choose from');
  select.value = id;
  select.dispatchEvent(new Event('change', { bubbles: true }));
  flushSync();
}

it('asks about as many results as the search showed, of what it searched', async () => {
  await expected('d1');
  expect(asked).toEqual([['/api/knowledge/why', { query: 'how long', document_id: 'd1', limit: 10, collections: ['c1'] }]]);
  await vi.waitFor(() => expect(document.body.textContent).toContain('It is the 7th of 10.'));
});

it('drops an answer about a document that is no longer meant', async () => {
  let fail = () => {};
  vi.mocked(client.POST).mockImplementationOnce(() => new Promise((_, reject) => (fail = () => reject(new Error('late')))) as never);
  await expected('d1');
  await expected('d2');
  fail();
  await vi.waitFor(() => expect(document.body.textContent).toContain('It is the 7th of 10.'));
  expect(document.querySelector('[role="alert"]')).toBeNull();
});

it('finds a document that is not among the newest hundred by its title', async () => {
  await unmount(page);
  const newest = Array.from({ length: 100 }, (_, n) => ({ id: `n${n}`, title: `New ${n}` }));
  vi.mocked(client.GET).mockImplementation((async (_: string, options: { params: { query: { q?: string } } }) => ({
    response: new Response(),
    data: options.params.query.q === 'hold' ? [{ id: 'old', title: 'Holds of long ago' }] : newest,
  })) as never);
  page = mount(WhyNot, { target: document.body, props: { query: 'how long', found: [], limit: 10, collection: 'c1' } });
  await vi.waitFor(() => expect(document.querySelector('input[type="search"]')).not.toBeNull());
  expect(document.querySelector('option[value="old"]')).toBeNull();
  const box = document.querySelector('input');
  if (!box) throw new Error('no box');
  box.value = 'hold';
  box.dispatchEvent(new Event('input', { bubbles: true }));
  await vi.waitFor(() => expect(asked).toEqual([['/api/knowledge/why', { query: 'how long', document_id: 'old', limit: 10, collections: ['c1'] }]]));
});
