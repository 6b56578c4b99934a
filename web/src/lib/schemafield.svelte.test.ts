import { flushSync, mount, unmount } from 'svelte';
import { afterEach, expect, it } from 'vitest';
import type { Drafts } from './draft';
import type { Schema } from './schema';
import SchemaForm from './SchemaForm.svelte';

const schema: Schema = {
  type: 'object',
  properties: {
    csv: { type: 'string', default: 'a,b' },
    when: { type: 'string', format: 'date-time' },
    api_key: { type: 'string' },
    limit: { type: 'integer' },
  },
};
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
