import { flushSync, mount, unmount } from 'svelte';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { client } from '../../lib/http';
import Search from './Search.svelte';

let answers: ((results: unknown[]) => void)[];
let page: object;

beforeEach(() => {
  answers = [];
  const answer = (data: unknown) => ({ data, response: new Response() }) as never;
  vi.spyOn(client, 'GET').mockImplementation(async () => answer([]));
  vi.spyOn(client, 'POST').mockImplementation(() => new Promise((done) => answers.push((results) => done(answer({ results, took_ms: 3 })))));
  page = mount(Search, { target: document.body, props: { collection: '', write: false, adding: false, add: () => undefined } });
});

afterEach(async () => {
  await unmount(page);
  vi.restoreAllMocks();
});

function ask(question: string) {
  const field = document.querySelector('input');
  if (!field) throw new Error('nowhere to ask');
  field.value = question;
  field.dispatchEvent(new Event('input', { bubbles: true }));
  flushSync();
}
const found = () => document.querySelector('ol');
const result = { document_id: 'd', chunk_id: 'c', title: 'Holds', text: 'A hold lasts 14 days.', heading: '', page: null, spans: [] };

it('says that it is searching, and that what it shows answers an earlier question', async () => {
  ask('hold');
  expect(document.querySelector('[aria-label="Searching"]')).not.toBeNull();
  await vi.waitFor(() => expect(answers).toHaveLength(1));
  answers[0]?.([result]);
  await vi.waitFor(() => expect(found()?.getAttribute('aria-busy')).toBe('false'));
  expect(document.querySelector('[aria-label="Searching"]')).toBeNull();
  ask('hold days');
  expect(found()?.getAttribute('aria-busy')).toBe('true');
  await vi.waitFor(() => expect(answers).toHaveLength(2));
  answers[1]?.([]);
  await vi.waitFor(() => expect(found()?.getAttribute('aria-busy')).toBe('false'));
});
