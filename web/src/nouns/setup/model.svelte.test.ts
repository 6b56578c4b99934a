import { flushSync, mount, unmount } from 'svelte';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import Model from './Model.svelte';

// Only browsers know what an address without a host is of; the client takes the class when it is loaded.
vi.hoisted(() => {
  globalThis.Request = class extends Request {
    constructor(input: string | URL | Request, init?: RequestInit) {
      super(typeof input === 'string' ? new URL(input, 'http://127.0.0.1/') : input, init);
    }
  };
});

let page: object;
let saved: unknown[] = [];
const done = vi.fn();

/** The answers of a Satchel without a model, whose test of one finds this. */
function serve(found: object) {
  saved = [];
  vi.stubGlobal('fetch', async (request: Request) => {
    const path = new URL(request.url).pathname;
    if (path === '/api/providers/test') return Response.json(found);
    if (path !== '/api/providers' || request.method === 'GET') return Response.json([]);
    const body = await request.json();
    saved.push(body);
    return Response.json(body, { status: 201 });
  });
}

const radio = (value: string) => document.querySelector<HTMLInputElement>(`input[type="radio"][value="${value}"]`);
const form = () => document.querySelector<HTMLFormElement>('form[aria-label="Provider"]');
const field = (name: string) => form()?.elements.namedItem(name) as HTMLInputElement;
const isShown = () => form()?.closest('[hidden]') === null;

async function open(found: object) {
  serve(found);
  page = mount(Model, { target: document.body, props: { done } });
  await vi.waitFor(() => expect(radio('other')?.checked).toBe(true));
}
function fill(name: string, text: string) {
  field(name).value = text;
  field(name).dispatchEvent(new Event('input', { bubbles: true }));
  flushSync();
}
function choose(value: string) {
  radio(value)?.click();
  flushSync();
}

beforeEach(() => {
  Element.prototype.scrollIntoView = () => undefined;
  vi.stubGlobal('CSS', { escape: (name: string) => name });
  done.mockReset();
});
afterEach(async () => {
  await unmount(page);
  document.body.replaceChildren();
  vi.unstubAllGlobals();
});

it('keeps what was filled in while another choice is looked at', async () => {
  await open({});
  fill('base_url', 'http://127.0.0.1:9/v1');
  fill('model', 'house-1');
  choose('none');
  expect(isShown()).toBe(false);
  choose('other');
  expect([isShown(), field('base_url').value, field('model').value]).toEqual([true, 'http://127.0.0.1:9/v1', 'house-1']);
});

it('saves a provider in use that has no list of models and answers', async () => {
  await open({ ok: true, message: 'It answers.', field: null, models: null });
  fill('base_url', 'http://127.0.0.1:9/v1');
  fill('model', 'house-1');
  form()?.requestSubmit();
  await vi.waitFor(() => expect(done).toHaveBeenCalledWith('house-1'));
  expect(saved).toMatchObject([{ base_url: 'http://127.0.0.1:9/v1', model: 'house-1', enabled: true }]);
});

it('asks for the name of a model where the server lists none', async () => {
  await open({ ok: true, message: 'It has no list of models.', field: null, models: null });
  [...document.querySelectorAll('button')].find((one) => one.textContent === 'Show models')?.click();
  await vi.waitFor(() => expect(form()?.textContent).toContain('This server lists no models. Write the name'));
});
