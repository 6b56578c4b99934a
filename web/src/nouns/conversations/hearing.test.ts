import { expect, it } from 'vitest';
import type { Message, Step } from '../../lib/types';
import { awaited } from './hearing';

const step = (state: Step['state'], of?: string, run = 'r1') => ({ state, session: of ? { run, conversation: 'c', agent: 'reader', state: of } : undefined });
const messages = (...steps: object[]) => [{ steps }] as unknown as Message[];

it('looks after sessions that no call here waits for', () => {
  expect(awaited(messages(step('done', 'running'), step('done', 'waiting', 'r2')))).toEqual(['r1', 'r2']);
});

it('leaves alone those that are over, that a call waits for, and calls without one', () => {
  expect(awaited(messages(step('done', 'done'), step('running', 'running'), step('done')))).toEqual([]);
});
