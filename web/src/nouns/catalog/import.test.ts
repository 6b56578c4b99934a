import { flushSync, mount, tick, unmount } from 'svelte';
import { afterEach, expect, test, vi } from 'vitest';
import { drafts } from '../../lib/kept.svelte';
import Import from './Import.svelte';

const preview = {
  format: 'openapi',
  title: 'Desk',
  description: '',
  base_url: null,
  auth: { kind: 'none' },
  warnings: ['Twice', 'Twice'],
  operations: [],
  removed: [],
  tokens: 0,
};
let shown: Record<string, unknown> | undefined;
const operation = (key: string, more = {}) => ({
  operation: { key, name: key, method: 'GET', path: `/${key}`, description: 'x', risk: 'read', ...more },
  tokens: 5,
  change: 'added',
  differs: [],
  kept: [],
});

/** The wizard after a document was given, where the server answers this. */
async function read(answer: () => Response) {
  vi.stubGlobal('fetch', () => Promise.resolve(answer()));
  shown = mount(Import, { target: document.body });
  const text = document.querySelector('textarea');
  if (!text) throw new Error('no field');
  text.value = 'openapi: 3.1.0';
  text.dispatchEvent(new Event('input', { bubbles: true }));
  document.querySelector('form')?.dispatchEvent(new Event('submit', { bubbles: true, cancelable: true }));
  flushSync();
  expect(document.body.textContent).toContain('Reading');
  await vi.waitFor(() => expect(document.body.textContent).not.toContain('Reading'));
  await tick();
}
afterEach(() => {
  drafts.clear();
  if (shown) void unmount(shown);
  shown = undefined;
  document.body.replaceChildren();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});
const alert = () => document.querySelector('[role=alert]')?.textContent;

test('what is in a document is shown, also where it warns twice of the same', async () => {
  await read(() => Response.json(preview));
  expect([document.querySelector('h2')?.textContent?.trim(), document.querySelectorAll('.note.warn').length]).toEqual(['Import Desk', 2]);
});

test('a document that cannot be shown leaves a message and a way back', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {});
  await read(() => Response.json({ ...preview, removed: null }));
  expect(alert()).toContain('The document was read, but what is in it could not be shown');
  document.querySelector<HTMLButtonElement>('[role=alert] button')?.click();
  flushSync();
  expect(document.querySelector('form button.primary')?.textContent).toContain('Show what is in it');
});

test('what was chosen is back after a reload, and operations without a tag stand by themselves', async () => {
  const found = { ...preview, warnings: [], operations: [operation('a', { group: 'First' }), operation('b'), operation('c', { risk: 'high_write' })] };
  await read(() => Response.json(found));
  expect([...document.querySelectorAll('tr.group')].map((one) => one.textContent?.trim())).toEqual(['First, 1 of 1', 'Without a tag, 1 of 2']);
  document.querySelector<HTMLInputElement>('input[aria-label=a]')?.click();
  document.querySelector<HTMLInputElement>('input[aria-label=c]')?.click();
  const name = document.querySelector<HTMLInputElement>('#import-name');
  if (!name) throw new Error('no name');
  name.value = 'My desk';
  name.dispatchEvent(new Event('input', { bubbles: true }));
  flushSync();
  if (shown) void unmount(shown);
  document.body.replaceChildren();
  shown = mount(Import, { target: document.body });
  await vi.waitFor(() => expect(document.body.textContent).toContain('What you had chosen is back.'));
  const ticked = () => [...document.querySelectorAll<HTMLInputElement>('td .check')].map((one) => one.checked);
  expect([document.querySelector<HTMLInputElement>('#import-name')?.value, ticked()]).toEqual(['My desk', [false, true, true]]);
  document.querySelector<HTMLButtonElement>('[role=status] button')?.click();
  flushSync();
  expect([document.querySelector<HTMLInputElement>('#import-name')?.value, ticked()]).toEqual(['Desk', [true, true, false]]);
});

test('an answer that is none leaves a message beside the document', async () => {
  await read(() => new Response('<html>', { headers: { 'content-type': 'application/json' } }));
  expect(alert()).toMatch(/The document could not be read.*JSON/);
  expect(document.querySelector('textarea')?.value).toBe('openapi: 3.1.0');
});

test('a file that cannot be opened is told of', async () => {
  shown = mount(Import, { target: document.body });
  const input = document.querySelector<HTMLInputElement>('input[type=file]');
  const file = { name: 'desk.yaml', text: () => Promise.reject(new DOMException('gone', 'NotReadableError')) };
  Object.defineProperty(input, 'files', { value: [file] });
  input?.dispatchEvent(new Event('change', { bubbles: true }));
  await vi.waitFor(() => expect(alert()).toContain("'desk.yaml' could not be opened"));
});
