/** The ends of questions, in words. */
import type { DecidedTicket } from '../../lib/types';

export type End = DecidedTicket['outcome'];

export const ENDS: readonly (readonly [End, string])[] = [
  ['allowed', 'Allowed'],
  ['failed', 'Allowed, failed'],
  ['refused', 'Refused'],
  ['expired', 'Expired'],
];

const TONES: Record<End, string> = { allowed: 'good', failed: 'error', refused: '', expired: '' };

const RULES: Record<string, string> = {
  allow: 'calls like it are allowed without a question',
  ask: 'calls like it ask',
  deny: 'calls like it are refused',
};

/** The end of a question as it is shown. */
export function endOf({ outcome, rule }: Pick<DecidedTicket, 'outcome' | 'rule'>) {
  const title = ENDS.find(([name]) => name === outcome)?.[1] ?? outcome;
  return { title, tone: TONES[outcome], rule: rule ? (RULES[rule.decision] ?? '') : '' };
}
