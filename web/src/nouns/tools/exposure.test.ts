import { expect, it } from 'vitest';
import { exposed } from './exposure';

const costs = { total: 13_000, innate: 2000, budget: 8000 };

it('says what holds under each rule', () => {
  expect(exposed(costs, 'auto')).toBe('Set aside are 8,000, so a model sees the innate ones, 2,000 tokens, and finds the others by need.');
  expect(exposed({ ...costs, total: 8000 }, 'auto')).toBe('They fit in the 8,000 that are set aside, so a model sees them all.');
  expect(exposed(costs, 'all')).toBe('A model sees them all, always.');
  expect(exposed(costs, 'selected')).toBe('A model sees those that the settings select, and others once they are found by need.');
  expect(exposed({ ...costs, total: 1 }, 'discover')).toBe('A model sees the innate ones, 2,000 tokens, and finds the others by need.');
});

it('claims nothing to those who may not read the rule', () => {
  expect(exposed(costs, null)).toBe('Where the settings do not say otherwise, a model sees the innate ones, 2,000 tokens, and finds the others by need.');
});
