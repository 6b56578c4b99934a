import { expect, test } from 'vitest';
import { Fresh, marked } from './attention';

test('the number of what waits stands before the title once', () => {
  expect(marked('Inbox - Satchel', 2)).toBe('(2) Inbox - Satchel');
  expect(marked('(2) Inbox - Satchel', 13)).toBe('(13) Inbox - Satchel');
  expect(marked('(2) Inbox - Satchel', 0)).toBe('Inbox - Satchel');
});

test('what was there at the first look is not new', () => {
  const fresh = new Fresh();
  const one = (id: string) => ({ id, title: '', text: '' });
  expect(fresh.look([one('a')])).toEqual([]);
  expect(fresh.look([one('a'), one('b')])).toEqual([one('b')]);
  expect(fresh.look([one('b')])).toEqual([]);
});
