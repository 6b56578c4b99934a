import { expect, it } from 'vitest';
import { choiceName, hostOf, moved, usualName } from './provider';

it('calls the second provider of a kind by its host', () => {
  expect(usualName('openai', '', [])).toBe('OpenAI-compatible');
  expect(usualName('openai', 'http://127.0.0.1:18101/v1', ['OpenAI-compatible'])).toBe('OpenAI-compatible at 127.0.0.1:18101');
  expect(usualName('openai', 'no address', ['OpenAI-compatible'])).toBe('OpenAI-compatible');
  expect(hostOf('nothing')).toBe('');
});

it('tells two providers of one model apart', () => {
  expect(choiceName({ model: 'm', name: 'House' })).toBe('m, House');
  expect(choiceName({ model: 'm', name: 'm' })).toBe('m');
});

it('moves a provider within the list and not beyond it', () => {
  expect(moved(['a', 'b', 'c'], 'c', 0)).toEqual(['c', 'a', 'b']);
  expect(moved(['a', 'b', 'c'], 'a', 1)).toEqual(['b', 'a', 'c']);
  expect(moved(['a', 'b', 'c'], 'a', -1)).toEqual(['a', 'b', 'c']);
  expect(moved(['a', 'b', 'c'], 'c', 9)).toEqual(['a', 'b', 'c']);
});
