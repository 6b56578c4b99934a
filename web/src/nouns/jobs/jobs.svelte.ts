/** The jobs of who is signed in, the next due first: shared by the list and the page beside it. */
import { client, ok } from '../../lib/http';
import type { Job } from '../../lib/types';
import { agents } from '../agents/agents.svelte';

class Jobs {
  all = $state.raw<Job[] | null>(null);
  failure = $state<unknown>(null);

  async load() {
    this.failure = null;
    try {
      this.all = await ok(client.GET('/api/jobs'));
    } catch (problem) {
      this.failure = problem;
    }
  }

  /** Shows one of them as it was just read. */
  update(job: Job) {
    this.all = this.all?.map((one) => (one.id === job.id ? job : one)) ?? null;
  }
}

export const jobs = new Jobs();

/** What a job does, in a few words. */
export function deedOf(job: Job): string {
  const { tool, backup, task, agent } = job.do;
  if (tool) return `Calls ${tool}`;
  if (backup) return 'Makes a backup';
  if (task !== undefined && task !== null) return `Gives ${agents.nameOf(agent ?? 'assistant')} a task`;
  return 'Sends a message';
}

export const EXAMPLE = {
  name: 'Weekly review',
  when: { cron: '0 16 * * 5', time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC' },
  do: { message: 'Look back at the week: what went well, what waits?' },
};
