/** The relations of conversations that begin alike: which is the parent of this one, and which are its branches. */
import type { Branch } from '../../lib/types';

/** The older one that has most in common is where it came from: of equals the first. What is younger came from here. */
export function relatives(all: readonly Branch[], begun: string): { parent: Branch | null; branches: Branch[] } {
  const older = all.filter((one) => one.created_at < begun);
  const parent = older.reduce<Branch | null>((best, one) => (best && best.shared >= one.shared ? best : one), null);
  return { parent, branches: all.filter((one) => one.created_at >= begun) };
}
