// @vitest-environment node
import { expect, it } from 'vitest';
import type { InvokeAnswer } from '../../lib/types';
import { decided } from './decided';

const failed = (kind: string, error: string) => ({ success: false, content: [], data: null, error, problem: { kind }, meta: {} }) as InvokeAnswer;
const ran: InvokeAnswer = { success: true, content: [], data: null, error: null, problem: null, meta: {} };

it('says well only of what worked', () => {
  const told = (answer: InvokeAnswer | null, decision: 'approve' | 'deny' = 'approve') => {
    const { tone, text } = decided(decision, answer, 'Write a.txt?');
    return [tone, text];
  };
  expect(told(ran)).toEqual(['ok', 'Approved: Write a.txt?']);
  expect(told(failed('disk_full', 'The disk is full.'))).toEqual(['bad', 'Approved, and it failed: Write a.txt? The disk is full.']);
  expect(told(failed('cancelled', 'It was stopped.'))).toEqual(['', 'Approved, and stopped: Write a.txt? It was stopped.']);
  expect(told(null, 'deny')).toEqual(['', 'Denied, nothing ran: Write a.txt?']);
});
