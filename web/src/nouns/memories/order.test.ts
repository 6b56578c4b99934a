// @vitest-environment node
import { expect, it } from 'vitest';
import type { Memory } from '../../lib/types';
import { lines } from './order';

const memory = (id: string, layer: Memory['layer']) => ({ id, layer }) as Memory;
const told = (all: Memory[]) => lines(all).map((one) => (one.kind === 'head' ? `# ${one.title}` : one.key));

it('shows what was saved first and episodes apart', () => {
  expect(told([memory('e1', 'episode'), memory('g', 'gist'), memory('e2', 'episode'), memory('f', 'fact')])).toEqual([
    '# Saved, 2',
    'f',
    'g',
    '# Episodes, 2',
    'e1',
    'e2',
  ]);
  expect(told([memory('e1', 'episode')])).toEqual(['e1']);
  expect(told([memory('f', 'fact')])).toEqual(['f']);
});
