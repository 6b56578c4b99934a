import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { drafts } from './kept.svelte';
import { session } from './session.svelte';

const replace = vi.fn();
let status = 204;

beforeEach(() => {
  replace.mockClear();
  vi.stubGlobal('location', { ...location, replace });
  vi.stubGlobal('fetch', () =>
    status
      ? Promise.resolve(status === 204 ? new Response(null, { status }) : Response.json({ detail: 'Too busy.' }, { status }))
      : Promise.reject(new TypeError()),
  );
  drafts.keep('form', 'typed');
});
afterEach(() => vi.unstubAllGlobals());

it('keeps what was typed, and says so, where signing out fails', async () => {
  for (status of [500, 0]) {
    await session.leave();
    expect([drafts.text('form'), session.signOutFailure, replace.mock.calls]).toEqual(['typed', expect.any(Error), []]);
  }
});

it('leaves nothing of what was typed once somebody is signed out, or was already', async () => {
  for (status of [204, 401]) {
    drafts.keep('form', 'typed');
    await session.leave();
    expect([drafts.text('form'), session.signOutFailure, replace.mock.calls]).toEqual([null, null, [['/']]]);
    replace.mockClear();
  }
});
