import { expect, it } from 'vitest';
import type { Message, Step } from '../../lib/types';
import { awaited, isTried } from './hearing';

const step = (state: Step['state'], of?: string, run = 'r1') => ({ state, session: of ? { run, conversation: 'c', agent: 'reader', state: of } : undefined });
const messages = (...steps: object[]) => [{ steps }] as unknown as Message[];

it('looks after sessions that no call here waits for', () => {
  expect(awaited(messages(step('done', 'running'), step('done', 'waiting', 'r2')))).toEqual(['r1', 'r2']);
});

it('leaves alone those that are over, that a call waits for, and calls without one', () => {
  expect(awaited(messages(step('done', 'done'), step('running', 'running'), step('done')))).toEqual([]);
});

it('looks where a message waits behind an answer that came, and nowhere else', () => {
  const queued = [{ id: 'q' }] as never;
  const talk = { state: 'idle', ended: 'done', queued } as const;
  expect(isTried(talk)).toBe(true);
  expect([isTried({ ...talk, ended: 'cancelled' }), isTried({ ...talk, state: 'running' }), isTried({ ...talk, queued: [] })]).toEqual([false, false, false]);
});
