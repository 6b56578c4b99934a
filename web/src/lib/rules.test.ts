// @vitest-environment node
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { PASSWORD_LEAST } from './rules';

it('says as many characters of a password as the server asks for', () => {
  const source = readFileSync(new URL('../../../src/store/password.rs', import.meta.url), 'utf8');
  expect(PASSWORD_LEAST).toBe(Number(/const SHORTEST: usize = (\d+);/.exec(source)?.[1]));
});
