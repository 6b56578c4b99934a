/** The result of a decision, in words: an approved call may have failed. */
import type { IconName } from '../../lib/icons';
import type { InvokeAnswer } from '../../lib/types';

export interface Decided {
  tone: '' | 'ok' | 'bad';
  icon: IconName;
  text: string;
}

/** `asked` is the question as it stood when it was decided. */
export function decided(decision: 'approve' | 'deny', answer: InvokeAnswer | null, asked: string): Decided {
  if (decision === 'deny') return { tone: '', icon: 'x', text: `Denied, nothing ran: ${asked}` };
  if (answer?.problem?.kind === 'cancelled') return { tone: '', icon: 'stop', text: `Approved, and stopped: ${asked} ${answer.error ?? ''}` };
  if (answer && !answer.success) return { tone: 'bad', icon: 'alert', text: `Approved, and it failed: ${asked} ${answer.error ?? ''}` };
  return { tone: 'ok', icon: 'check', text: `Approved: ${asked}` };
}
