import { expect, test } from 'vitest';
import type { Message, Step } from '../../lib/types';
import { blocks, callsOf } from './blocks';

const step = (tool: string, more: Partial<Step> = {}) =>
  ({ call_id: tool, tool, asked_as: tool, arguments: { a: 1 }, state: 'done', success: true, ...more }) as Step;
const message = (id: string, turn_id: string, role: Message['role'], text: string, steps: Step[] = []) =>
  ({ id, turn_id, role, text, steps, error: null }) as unknown as Message;

test('the end of an answer knows the steps of its own turn', () => {
  const made = blocks([
    message('1', 'a', 'user', 'ask'),
    message('2', 'a', 'assistant', '', [step('builtin:read')]),
    message('3', 'a', 'assistant', 'done'),
    message('4', 'b', 'user', 'more'),
    message('5', 'b', 'assistant', 'nothing to do'),
  ]);
  const said = made.flatMap((one) => (one.kind === 'say' ? [callsOf(one.steps)] : []));
  expect(said).toEqual([[{ tool: 'read', params: { a: 1 } }], []]);
});

test('what failed, waits or only looked for tools is not done again', () => {
  expect(callsOf([step('builtin:find_tools'), step('exec', { success: false }), step('write', { state: 'waiting' }), step('script:digest')])).toEqual([
    { tool: 'script:digest', params: { a: 1 } },
  ]);
});

test('a session stands alone among the steps beside it', () => {
  const session = { run: 'r1', conversation: 'c1', agent: 'reader', state: 'running' } as const;
  const steps = [step('builtin:read'), step('builtin:sessions_spawn', { session }), step('builtin:write')];
  const made = blocks([message('1', 'a', 'user', 'ask'), message('2', 'a', 'assistant', '', steps)]);
  expect(made.map((one) => one.kind)).toEqual(['you', 'steps', 'session', 'steps']);
});
