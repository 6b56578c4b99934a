import { expect, it } from 'vitest';
import { choiceName, fieldsOf, hostOf, moved, parametersOf, summary, usualName } from './provider';

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

it('sends the parameters that are filled in and no others', () => {
  const fields = { temperature: ' 0,7 ', top_p: '', max_tokens: '2000', reasoning_effort: 'none', instructions: ' Answer in French. ' };
  const sent = { temperature: 0.7, max_tokens: 2000, reasoning_effort: 'none', instructions: 'Answer in French.' };
  expect(parametersOf(fields, 'openai')).toEqual(sent);
  expect(parametersOf(fieldsOf(), 'openai')).toEqual({});
  expect(parametersOf({ ...fieldsOf(), temperature: '0', top_p: '1' }, 'openai')).toEqual({ temperature: 0, top_p: 1 });
});

it('shows what is saved as it was typed', () => {
  const saved = { temperature: 0, max_tokens: 9, reasoning_effort: 'low', instructions: 'Be kind.' } as const;
  expect(parametersOf(fieldsOf(saved), 'ollama')).toEqual(saved);
  expect(summary(fieldsOf(saved))).toBe('temperature 0, at most 9 tokens, reasoning low, instructions');
  expect(summary(fieldsOf())).toBe('as its server has them');
});

it.each([
  ['temperature', '2.1', 'openai'],
  ['temperature', '1.1', 'anthropic'],
  ['temperature', '-1', 'openai'],
  ['temperature', 'warm', 'openai'],
  ['temperature', '1e0', 'openai'],
  ['top_p', '1.1', 'openai'],
  ['max_tokens', '0', 'openai'],
  ['max_tokens', '1.5', 'openai'],
  ['max_tokens', '4294967296', 'openai'],
  ['instructions', 'é'.repeat(8_001), 'openai'],
] as const)('refuses the %s %s of %s at its field', (field, typed, kind) => {
  const fields = { ...fieldsOf(), [field]: typed };
  expect(() => parametersOf(fields, kind)).toThrow(expect.objectContaining({ body: { field } }));
});
