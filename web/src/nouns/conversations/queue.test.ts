import { afterEach, expect, it, vi } from 'vitest';
import type { QueuedMessage } from '../../lib/types';
import { change, sendNow, unsaid, withdraw } from './queue';

const waiting = (id: string, text = id): QueuedMessage => ({ id, text, attachments: [], when: 'next', created_at: '2026-11-27T00:00:00Z' });
const holder = () => ({
  id: 'c',
  queued: [waiting('a'), waiting('b')] as readonly QueuedMessage[],
  failure: null as unknown,
  refresh: vi.fn(async () => undefined),
  follow: vi.fn(),
});
const answering = (answer: () => Response) => {
  const asked = vi.fn(async (request: Request) => (void request, answer()));
  vi.stubGlobal('fetch', asked);
  return asked;
};
afterEach(() => vi.unstubAllGlobals());

it('leaves out what was said meanwhile', () => {
  expect(unsaid([waiting('a'), waiting('b')], [{ id: 'a' }]).map((one) => one.id)).toEqual(['b']);
});

it('changes, withdraws and sends what waits', async () => {
  const one = holder();
  answering(() => Response.json(waiting('a', 'other')));
  expect(await change(one, 'a', { content: 'other' })).toBe(true);
  answering(() => new Response(null, { status: 204 }));
  expect(await withdraw(one, 'b')).toBe(true);
  expect(one.queued.map(({ text }) => text)).toEqual(['other']);
  expect(await sendNow(one, 'a')).toBe(true);
  expect([one.refresh.mock.calls.length, one.follow.mock.calls.length]).toEqual([1, 1]);
});

it('reads the conversation again where a message does not wait any more, and says so', async () => {
  const one = holder();
  answering(() => Response.json({ title: 'Not found', status: 404, detail: 'This message does not wait any more.' }, { status: 404 }));
  expect(await change(one, 'a', { content: 'x' })).toBe(false);
  expect([one.refresh.mock.calls.length, String(one.failure)]).toEqual([1, expect.stringContaining('does not wait any more')]);
});
