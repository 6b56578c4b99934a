/** The stand-ins: who answered in place of whom, in words. */
import type { Message } from '../../lib/types';

type Answered = Pick<Message, 'provider' | 'model' | 'instead_of'>;

/** Returns why the provider that comes first did not answer. */
export const because = ({ instead_of: first }: Answered): string =>
  first ? `${first.provider} (${first.model} at ${first.address}) did not answer: ${first.cause}` : '';

/** One sentence; nothing where the provider that comes first answered. */
export function standIn(answered: Answered): string | null {
  if (!answered.instead_of) return null;
  return `Answered by ${answered.provider ?? 'another provider'} / ${answered.model ?? 'another model'}, because ${because(answered)}`;
}

/** The last stand-in of a conversation's last turn, for its run panel. */
export function lastStandIn(messages: readonly (Answered & Pick<Message, 'turn_id'>)[]): Answered | null {
  const turn = messages.at(-1)?.turn_id;
  return messages.findLast((one) => one.turn_id === turn && one.instead_of) ?? null;
}
