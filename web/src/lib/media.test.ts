import { expect, it } from 'vitest';
import { kindOf, typeOf } from './media';

it('knows what is shown and what is played by its ending', () => {
  expect(['a/b.PNG', 'talk.mp3', 'page.svg', 'notes.txt', 'none'].map(kindOf)).toEqual(['image', 'audio', null, null, null]);
  expect(typeOf('x.opus')).toBe('audio/ogg');
});
