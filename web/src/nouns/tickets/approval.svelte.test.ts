import { flushSync, mount, tick, unmount } from 'svelte';
import { afterEach, expect, it, vi } from 'vitest';
import { tools } from '../../lib/tools.svelte';
import type { Ticket, Tool } from '../../lib/types';
import Approval from './Approval.svelte';

const ticket = {
  id: 't1',
  tool: 'builtin:document',
  asked_as: 'document',
  arguments: { document_id: 'a' },
  risk: 'destructive',
  question: 'Delete “Holiday 29”?',
  subject: 'Holiday 29',
  reason: 'It is destructive.',
  expires_at: new Date(Date.now() + 60_000).toISOString(),
} as unknown as Ticket;
const parameters = { type: 'object', properties: { document_id: { type: 'string' } }, required: ['document_id'] };

const json = (status: number, body: unknown) => new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });

afterEach(() => vi.unstubAllGlobals());

it('names what edited arguments destroy before it is destroyed', async () => {
  const sent: Record<string, unknown>[] = [];
  const named = { detail: 'These arguments ask something else.', question: 'Delete “Wages”?', subject: 'Wages', risk: 'destructive' };
  const answers = [json(409, named), json(200, { state: 'done', result: null })];
  vi.stubGlobal('fetch', async (request: Request) => {
    sent.push(JSON.parse(await request.text()) as Record<string, unknown>);
    return answers.shift();
  });
  tools.all = [{ id: 'builtin:document', name: 'document', aliases: [], parameters } as unknown as Tool];
  const asked: string[] = [];
  const card = mount(Approval, { target: document.body, props: { ticket, decided: (_: string, __: unknown, question: string) => asked.push(question) } });
  flushSync();
  const find = <T extends HTMLElement>(selector: string) => document.querySelector<T>(selector);
  const type = (selector: string, text: string) => {
    const input = find<HTMLInputElement>(selector) as HTMLInputElement;
    input.value = text;
    input.dispatchEvent(new Event('input', { bubbles: true }));
    flushSync();
  };
  const submit = async (until: () => boolean) => {
    find<HTMLFormElement>('form')?.requestSubmit();
    await vi.waitUntil(until);
    await tick();
  };

  expect(find('label[for="t1-typed"]')?.textContent).toBe('Type Holiday 29 to confirm');
  type('#t1-document_id', 'b');
  expect([find('h2')?.textContent, find('#t1-typed')]).toEqual(['Run document with these changes?', null]);
  await submit(() => find('#t1-typed') !== null);
  expect([find('h2')?.textContent, find('label[for="t1-typed"]')?.textContent]).toEqual(['Delete “Wages”?', 'Type Wages to confirm']);
  find<HTMLFormElement>('form')?.requestSubmit();
  type('#t1-typed', 'Wages');
  await submit(() => asked.length > 0);
  expect(asked).toEqual(['Delete “Wages”?']);
  const said = { decision: 'approve', params: { document_id: 'b' } };
  expect(sent).toEqual([
    { ...said, question: 'Run document with these changes?' },
    { ...said, question: 'Delete “Wages”?' },
  ]);
  await unmount(card);
});
