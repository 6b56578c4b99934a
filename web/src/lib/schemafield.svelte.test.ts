import { flushSync, mount, tick, unmount } from 'svelte';
import { afterEach, expect, it } from 'vitest';
import { read, type Drafts } from './draft';
import type { Schema } from './schema';
import SchemaForm from './SchemaForm.svelte';

/** Two that are needed, and eight more. */
const long: Schema = {
  type: 'object',
  required: ['url', 'to'],
  properties: Object.fromEntries(['url', 'to', ...Array.from({ length: 8 }, (_, n) => `a${n + 1}`)].map((name) => [name, { type: 'string' }])),
};

const yesOrNo: Schema = {
  type: 'object',
  required: ['must'],
  properties: { plain: { type: 'boolean' }, usual: { type: ['boolean', 'null'], default: true }, must: { type: 'boolean' } },
};

const lines: Schema = {
  type: 'object',
  properties: {
    csv: { type: 'string', default: 'a,b' },
    when: { type: 'string', format: 'date-time' },
    api_key: { type: 'string' },
    limit: { type: 'integer' },
  },
};
let schema = lines;
let form: object;

function open(given: Drafts) {
  const target = document.body.appendChild(document.createElement('form'));
  const props = $state({ schema, drafts: given, id: 'f' });
  form = mount(SchemaForm, { target, props });
  flushSync();
  return props;
}
const field = (name: string) => document.getElementById(`f-${name}`) as HTMLInputElement | HTMLTextAreaElement;

afterEach(async () => {
  schema = lines;
  await unmount(form);
  document.body.replaceChildren();
});

it('keeps the line breaks of any text, in a field of one line that grows', () => {
  const props = open({ csv: '' });
  const csv = field('csv') as HTMLTextAreaElement;
  expect([csv.tagName, csv.rows, csv.placeholder]).toEqual(['TEXTAREA', 1, 'a,b']);
  expect(document.querySelector('label[for="f-csv"]')?.textContent).toContain('csv');
  csv.value = 'a,b\n1,2';
  csv.dispatchEvent(new Event('input', { bubbles: true }));
  flushSync();
  expect([props.drafts['csv'], csv.value, csv.rows, csv === field('csv')]).toEqual(['a,b\n1,2', 'a,b\n1,2', 2, true]);
});

it('has one line for what is one: a date, a secret, a number', () => {
  open({});
  expect(['when', 'api_key', 'limit'].map((name) => field(name).tagName)).toEqual(['INPUT', 'INPUT', 'INPUT']);
});

it('draws a yes or no that may be left out as three states, and one with a default as it is', () => {
  schema = yesOrNo;
  const props = open({});
  expect(field('plain').value).toBe('');
  expect([...(field('plain') as unknown as HTMLSelectElement).options].map((one) => one.text)).toEqual(['Not set', 'Yes', 'No']);
  expect([(field('usual') as HTMLInputElement).type, (field('usual') as HTMLInputElement).checked]).toEqual(['checkbox', true]);
  expect((field('must') as HTMLInputElement).type).toBe('checkbox');
  const plain = field('plain') as unknown as HTMLSelectElement;
  plain.value = 'false';
  plain.dispatchEvent(new Event('change', { bubbles: true }));
  flushSync();
  expect(read(schema, props.drafts).value).toEqual({ plain: false, must: false });
  expect(read(schema, {}).value).toEqual({ must: false });
});

it('folds what is optional in a long form, and opens it where something is filled in', async () => {
  schema = long;
  const props = open({});
  const details = () => document.querySelector('details');
  expect([...document.querySelectorAll('.schema-grid')].map((one) => one.querySelectorAll('.field').length)).toEqual([2, 8]);
  expect([details()?.open, details()?.querySelector('summary .meta')?.textContent]).toEqual([false, 'a1, a2, a3, a4, a5, a6, a7, a8']);
  props.drafts['a7'] = 'x';
  flushSync();
  await tick();
  expect(details()?.open).toBe(true);
});
