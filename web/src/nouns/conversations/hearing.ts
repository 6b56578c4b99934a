/** Sessions that nobody waits for: their conversation goes on once they are over, so it is looked at then. */
import { client, ok } from '../../lib/http';
import { isOver } from '../agents/runs';
import type { Message } from '../../lib/types';
import type { Talk } from './talk.svelte';

/** The interval at which such sessions are looked at, in ms. */
const EVERY = 2000;
/** The times after the end of one at which its conversation is looked at, in ms. */
const AFTER = [0, 1500, 5000, 12000];

/** The runs of sessions that were under way when a conversation was read, and that no call there waits for. */
export function awaited(messages: readonly Message[]): string[] {
  const steps = messages.flatMap((message) => message.steps).filter((step) => step.state === 'done');
  return steps.flatMap(({ session }) => (session && !isOver(session.state) ? [session.run] : []));
}

/** Looks after the sessions of the conversation on screen until the page is left; gives what ends that. */
export function hear(talk: Talk): () => void {
  const over = new Set<string>();
  const timers = new Set<ReturnType<typeof setTimeout>>();
  const look = async (run: string) => {
    const here = talk.here();
    const found = await ok(client.GET('/api/runs/{id}', { params: { path: { id: run } } })).catch(() => null);
    if (!found || !isOver(found.state) || !here() || over.has(run)) return;
    over.add(run);
    for (const after of AFTER) timers.add(setTimeout(() => here() && void talk.hear(), after));
  };
  const timer = setInterval(() => {
    if (document.visibilityState !== 'visible') return;
    for (const run of awaited(talk.all)) if (!over.has(run)) void look(run);
  }, EVERY);
  return () => {
    clearInterval(timer);
    timers.forEach(clearTimeout);
  };
}
