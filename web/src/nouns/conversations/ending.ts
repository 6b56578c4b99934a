/** The end of a step that did not simply work, in words and in a tone. */
import type { Step } from '../../lib/types';

export interface Ending {
  /** Beside its name. */
  text: string;
  /** Stopping is not an error. */
  tone: '' | 'warn' | 'bad';
  /** The text in the place of its result; empty where that tells it. */
  told: string;
}

type Told = Pick<Step, 'output' | 'state' | 'success' | 'ticket'>;

/** The one who refused, by the sentence that tells it: a policy layer or the agent's own bounds. */
function refusal(said: string): string {
  const layer = /^The policy layer '([^']+)'/.exec(said)?.[1];
  if (layer) return `refused by policy ${layer}`;
  return said.startsWith('The agent ') ? 'refused by its agent' : 'refused';
}

/** Null where it worked or has not ended. */
export function ending({ output, state, success, ticket }: Told): Ending | null {
  const said = output?.error ?? '';
  if (ticket?.state === 'denied') return { text: 'denied', tone: '', told: '' };
  if (ticket?.state === 'expired') return { text: 'expired, nothing ran', tone: '', told: '' };
  if (state === 'uncertain')
    return { text: 'uncertain: it may have taken effect', tone: 'warn', told: said || 'It may or may not have taken effect. Check before it is done again.' };
  if (state === 'handed') return { text: 'given to the program', tone: '', told: 'The program that asked runs it, and comes back with its result.' };
  // Conversations of earlier versions have calls that never ran among those that were stopped: nothing came of them.
  if (state === 'skipped' || (state === 'cancelled' && !output))
    return { text: 'not run', tone: '', told: 'It was not run: the answer had ended before its turn came.' };
  if (state === 'cancelled') return { text: 'stopped', tone: '', told: said || 'It was stopped before it was done.' };
  if (state === 'done' && success === false && output?.problem?.kind === 'denied') return { text: refusal(said), tone: 'warn', told: said };
  if (state === 'done' && success === false) return { text: 'failed', tone: 'bad', told: '' };
  return null;
}
