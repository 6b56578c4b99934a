// @vitest-environment node
import { expect, it } from 'vitest';
import type { Step } from '../../lib/types';
import { ending } from './ending';

const step = (more: object) => ({ state: 'done', success: true, output: null, ticket: null, ...more }) as unknown as Step;
const told = (more: object) => {
  const found = ending(step(more));
  return found && [found.text, found.tone, found.told];
};

it('says nothing of what worked or goes on', () => {
  expect([told({}), told({ state: 'running', success: null }), told({ state: 'waiting', success: null })]).toEqual([null, null, null]);
});

it('calls only what failed an error', () => {
  const error = 'The call was stopped before it was done.';
  expect(told({ success: false, output: { error: 'No.' } })).toEqual(['failed', 'bad', '']);
  expect(told({ state: 'cancelled', success: false, output: { error } })).toEqual(['stopped', '', error]);
  expect(told({ state: 'uncertain', success: null })?.slice(0, 2)).toEqual(['uncertain: it may have taken effect', 'warn']);
  expect(told({ success: false, ticket: { state: 'denied' } })?.slice(0, 2)).toEqual(['denied', '']);
});

it('calls what was refused by a policy or an agent refused, not failed', () => {
  const denied = (error: string) => told({ success: false, output: { error, problem: { kind: 'denied' } } });
  const layer = "The policy layer 'global' denies calculator (deny: calculator).";
  expect(denied(layer)).toEqual(['refused by policy global', 'warn', layer]);
  expect(denied('The agent travel may not use exec (deny: exec).')?.[0]).toBe('refused by its agent');
  expect(denied('You may not do this.')?.[0]).toBe('refused');
});

it('tells what never ran from what was stopped, in conversations of earlier versions too', () => {
  const never = ['not run', '', 'It was not run: the answer had ended before its turn came.'];
  expect([told({ state: 'skipped', success: null }), told({ state: 'cancelled', success: false })]).toEqual([never, never]);
  expect(told({ state: 'handed', success: null })?.[0]).toBe('given to the program');
});
