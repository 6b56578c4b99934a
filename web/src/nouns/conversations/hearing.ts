/**
 * A conversation that rests is looked at where it may go on by itself: once sessions are over that nobody waits for, and
 * where a message waits that could not be sent.
 */
import { client, ok } from '../../lib/http';
import { isOver } from '../agents/runs';
import type { Message } from '../../lib/types';
import type { Talk } from './talk.svelte';

/** The interval at which such sessions are looked at, in ms. */
const EVERY = 2000;
/** The interval at which a conversation is looked at in which a message waits that is tried again, in ms. */
const UNSENT = 10_000;
/** The times after the end of one at which its conversation is looked at, in ms. */
const AFTER = [0, 1500, 5000, 12000];

/** The runs of sessions that were under way when a conversation was read, and that no call there waits for. */
export function awaited(messages: readonly Message[]): string[] {
  const steps = messages.flatMap((message) => message.steps).filter((step) => step.state === 'done');
  return steps.flatMap(({ session }) => (session && !isOver(session.state) ? [session.run] : []));
}

/** Something waits that is sent without anybody's doing. */
export const isTried = (talk: Pick<Talk, 'state' | 'ended' | 'queued'>): boolean => talk.state === 'idle' && talk.ended === 'done' && talk.queued.length > 0;

/** Looks after the conversation on screen until the page is left; gives what ends that. */
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
  const unsent = setInterval(() => document.visibilityState === 'visible' && isTried(talk) && void talk.hear(), UNSENT);
  return () => {
    clearInterval(timer);
    clearInterval(unsent);
    timers.forEach(clearTimeout);
  };
}
