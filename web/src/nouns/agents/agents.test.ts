import { expect, test } from 'vitest';
import type { Agent } from '../../lib/types';
import { about, agents, called, draftOf, shifted, tried } from './agents.svelte';

const agent = (given: Partial<Agent>): Agent => ({
  id: 'a',
  name: 'reader',
  version: 1,
  built_in: false,
  may_change: true,
  created_at: '',
  updated_at: '',
  tools: true,
  owner: 'ada',
  ...given,
});

test('an @ at the beginning of a message offers the agents whose names begin so', () => {
  const all = [agent({ name: 'Reader' }), agent({ name: 'rhymer' }), agent({ name: 'clerk' })];
  const names = (text: string) => called(text, all).map((one) => one.name);
  expect(names('@')).toEqual(['Reader', 'rhymer', 'clerk']);
  expect(names(' @r')).toEqual(['Reader', 'rhymer']);
  expect(names('@reader what')).toEqual([]);
  expect(names('mail @r')).toEqual([]);
});

test('two agents of one name are told apart by their owners', () => {
  const [own, shared, other] = [agent({}), agent({ id: 'b', owner: 'olaf' }), agent({ id: 'c', name: 'clerk' })];
  agents.all = [own, shared, other];
  expect([own, shared, other].map((one) => agents.label(one))).toEqual(['reader (ada)', 'reader (olaf)', 'clerk']);
  agents.all = null;
});

test('a draft without a name can be tried', () => {
  expect([tried(draftOf({ name: ' ' })).name, tried(draftOf({ name: 'clerk' })).name]).toEqual(['draft', 'clerk']);
});

test('what the server adds is no part of a draft', () => {
  const draft = draftOf(agent({ allow: ['read'], max_risk: 'read' }));
  expect(draft).toEqual({
    name: 'reader',
    description: '',
    instructions: '',
    models: [],
    allow: ['read'],
    deny: [],
    collections: [],
    shared_with: [],
    tools: true,
    budget: {},
    max_risk: 'read',
  });
});

test('an entry moves within its list and not out of it', () => {
  expect(shifted(['a', 'b', 'c'], 2, -1)).toEqual(['a', 'c', 'b']);
  expect(shifted(['a', 'b'], 0, -1)).toEqual(['a', 'b']);
  expect(shifted(['a', 'b'], 1, 1)).toEqual(['a', 'b']);
});

test('a line says whose an agent is', () => {
  expect(about(agent({}))).toBe('ada');
  expect(about(agent({ tools: false, shared_with: ['*'] }))).toBe('Specialist, Shared by ada');
  expect(about(agent({ built_in: true, owner: null, shared_with: ['*'] }))).toBe('Built in');
});
