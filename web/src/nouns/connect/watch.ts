/** The state of a program that was given a key, told from the key alone. */
import { ago, visible } from '../../lib/format';
import type { ApiKey } from '../../lib/types';

export interface Told {
  /** The class of its mark. */
  state: 'busy' | 'good' | 'disabled';
  text: string;
  /** The same without the time, which is said once and not each second. */
  said: string;
}

/** `12 s ago`; beyond a minute as everywhere. */
export function since(iso: string, now: number): string {
  const seconds = Math.max(0, Math.round((now - Date.parse(iso)) / 1000));
  return seconds < 60 ? `${seconds} s ago` : ago(iso, now);
}

const WAITING = 'Waiting for its first call …';
const ENDED = 'Its key has ended: it is refused.';

/** Returns what is known of a program by its key; a key that is gone opens nothing any more. */
export function told(key: ApiKey | undefined, now: number): Told {
  if (!key) return { state: 'disabled', text: ENDED, said: ENDED };
  if (key.first_call) {
    const name = visible(key.first_call.name);
    return { state: 'good', text: `First call ${since(key.first_call.at, now)}: ${name}`, said: `First call: ${name}` };
  }
  if (!key.last_used_at) return { state: 'busy', text: WAITING, said: WAITING };
  return { state: 'busy', text: `Connected ${since(key.last_used_at, now)}. ${WAITING}`, said: `Connected. ${WAITING}` };
}
