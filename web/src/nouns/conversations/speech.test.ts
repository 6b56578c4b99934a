import { expect, it } from 'vitest';
import { nameOf } from './speech';

it('names a recording by what it is', () => {
  expect(['audio/webm;codecs=opus', 'audio/ogg', 'audio/mp4', ''].map(nameOf)).toEqual(['speech.webm', 'speech.ogg', 'speech.mp4', 'speech.webm']);
});
