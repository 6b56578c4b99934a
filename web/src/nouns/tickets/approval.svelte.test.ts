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
  warnings: [],
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

const card = (more: Partial<Ticket>, parameters: object) => {
  tools.all = [{ id: 'builtin:write', name: 'write', aliases: [], parameters } as unknown as Tool];
  const asked = {
    ...ticket,
    id: 't2',
    tool: 'builtin:write',
    asked_as: 'write',
    risk: 'high_write',
    question: 'Write “a.txt”?',
    topic: 'c1',
    always: true,
    ...more,
  } as Ticket;
  const shown = mount(Approval, { target: document.body, props: { ticket: asked, decided: () => {} } });
  flushSync();
  return shown;
};
const file = { type: 'object', properties: { path: { type: 'string' }, content: { type: 'string' } }, required: ['path', 'content'] };
const button = (text: string) => [...document.querySelectorAll('button')].find((one) => one.textContent?.trim().startsWith(text));

it('says how long a cut value is and opens all of it', async () => {
  const content = `${'a line\n'.repeat(100)}the \u202eend`;
  const warnings = ['content holds characters that cannot be seen.', 'The host “xn--pple-43d.com” may look like another one.'];
  const shown = card({ arguments: { path: 'a.txt', content }, warnings }, file);
  expect(document.body.textContent).toContain('708 characters, 101 lines.');
  expect([...document.querySelectorAll('.note.warn li')].map((one) => one.textContent)).toEqual(warnings);
  expect(document.querySelector('.sends')?.textContent).toContain('\\u{202e}');
  button('Show all')?.click();
  flushSync();
  expect(document.querySelector('[aria-label="All of Content"]')?.textContent).toBe(content.replace('\u202e', '\\u{202e}'));
  await unmount(shown);
});

it('offers a yes for the conversation only where the server says what it covers, and says it', async () => {
  const covered = card({ arguments: { path: 'reports/a.txt', content: 'x' }, scope: 'write files in “reports” in this conversation' }, file);
  expect(document.body.textContent).toContain('For this conversation covers: write files in “reports” in this conversation, and nothing else.');
  expect(button('For this conversation')).toBeDefined();
  const path = document.querySelector<HTMLTextAreaElement>('#t2-path') as HTMLTextAreaElement;
  path.value = 'elsewhere/a.txt';
  path.dispatchEvent(new Event('input', { bubbles: true }));
  flushSync();
  expect(button('For this conversation')).toBeUndefined();
  await unmount(covered);
  const once = card({ arguments: { path: 'a.txt', content: 'x' }, scope: null }, file);
  expect(button('For this conversation')).toBeUndefined();
  await unmount(once);
});

it('shows the question in the place of one whose tool was changed, and decides that', async () => {
  const renewed = { ...ticket, id: 't3', tool: 'builtin:write', asked_as: 'write', question: 'Write “a.txt”, and delete the rest?', subject: 'a.txt' };
  const answers = [json(409, { detail: 'It has changed.', ticket: 't3' }), json(200, { ...renewed, arguments: { path: 'a.txt', content: 'x' } })];
  const asked: string[] = [];
  vi.stubGlobal('fetch', async (request: Request) => {
    asked.push(`${request.method} ${new URL(request.url).pathname}`);
    return answers.shift();
  });
  const shown = card({ arguments: { path: 'a.txt', content: 'x' } }, file);
  document.querySelector<HTMLFormElement>('form')?.requestSubmit();
  await vi.waitUntil(() => document.querySelector('h2')?.textContent === renewed.question);
  expect(asked).toEqual(['POST /api/tickets/t2', 'GET /api/tickets/t3']);
  expect(document.querySelector('label[for="t3-typed"]')?.textContent).toBe('Type a.txt to confirm');
  await unmount(shown);
});

it('refuses where Enter is pressed in the reason for a no, and offers no yes beside it', async () => {
  const sent: unknown[] = [];
  vi.stubGlobal('fetch', async (request: Request) => {
    sent.push(JSON.parse(await request.text()));
    return json(200, { state: 'denied', result: null, rule: null });
  });
  const shown = card({ arguments: { path: 'a.txt', content: 'x' } }, file);
  button('Deny with a reason')?.click();
  flushSync();
  const reason = document.querySelector<HTMLInputElement>('#t2-reason') as HTMLInputElement;
  expect([document.activeElement, button('Approve once'), button('Always allow')]).toEqual([reason, undefined, undefined]);
  button('Back')?.click();
  flushSync();
  expect(document.activeElement).toBe(button('Deny with a reason'));
  button('Deny with a reason')?.click();
  flushSync();
  const again = document.querySelector<HTMLInputElement>('#t2-reason') as HTMLInputElement;
  again.value = 'Do not do this';
  again.dispatchEvent(new Event('input', { bubbles: true }));
  document.querySelector<HTMLFormElement>('form')?.requestSubmit();
  await vi.waitUntil(() => sent.length > 0);
  expect(sent).toEqual([{ decision: 'deny', reason: 'Do not do this' }]);
  await unmount(shown);
});

it('says what a rule would let through before it is made, and makes it with the yes', async () => {
  const sent: unknown[] = [];
  vi.stubGlobal('fetch', async (request: Request) => {
    sent.push([new URL(request.url).pathname, JSON.parse(await request.text())]);
    return json(409, { detail: 'You refused this call.' });
  });
  const shown = card({ arguments: { url: 'https://evil.example/x' } }, { type: 'object', properties: { url: { type: 'string' } }, required: ['url'] });
  const told = document.getElementById('t2-always');
  expect(told?.textContent).toContain('later calls to evil.example will not ask.');
  expect(told?.className).not.toContain('sr');
  button('Always allow this')?.click();
  await vi.waitUntil(() => document.querySelector('[role="alert"]') !== null);
  expect(sent).toEqual([['/api/tickets/t2', { decision: 'approve', always: true }]]);
  expect(document.querySelector('[role="alert"]')?.textContent).toContain('Nothing was decided by this');
  await unmount(shown);
});

it('offers no rule where one would not spare the next question', async () => {
  const shown = card({ arguments: { path: 'a.txt' }, always: false }, { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] });
  expect([button('Always allow this'), document.getElementById('t2-always')]).toEqual([undefined, null]);
  expect(button('Approve once')).toBeDefined();
  await unmount(shown);
});
