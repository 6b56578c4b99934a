/** A job as a form holds it: every kind's fields beside each other, and the draft that the chosen ones make. */
import type { Job, JobDo, JobWhen, NewJob } from '../../lib/types';
import { known, ownZone } from './moments';

export type WhenKind = 'cron' | 'at' | 'every' | 'webhook';
export type DoKind = 'message' | 'task' | 'tool' | 'backup';

export interface Written {
  name: string;
  when: WhenKind;
  cron: string;
  zone: string;
  at: string;
  recurrence: string;
  every: number;
  unit: number;
  kind: DoKind;
  message: string;
  agent: string;
  task: string;
  tool: string;
  params: string;
  catchUp: NewJob['catch_up'];
  retries: number;
  tell: boolean;
}

export const UNITS = [
  [1, 'seconds'],
  [60, 'minutes'],
  [3_600, 'hours'],
  [86_400, 'days'],
] as const;

export const blank = (): Written => ({
  name: '',
  when: 'cron',
  cron: '0 9 * * 1-5',
  zone: ownZone(),
  at: '',
  recurrence: '',
  every: 1,
  unit: 3_600,
  kind: 'message',
  message: '',
  agent: 'assistant',
  task: '',
  tool: '',
  params: '{}',
  catchUp: 'last',
  retries: 0,
  tell: false,
});

/** The form of a job there is. */
export function writtenOf(job: Job): Written {
  const form = blank();
  const { when, do: deed } = job;
  Object.assign(form, { name: job.name, catchUp: job.catch_up, retries: job.retries, tell: job.notify.includes('inbox') });
  if (when.time_zone) form.zone = when.time_zone;
  if (when.webhook) form.when = 'webhook';
  else if (when.every_seconds) {
    const seconds = when.every_seconds;
    const unit = [...UNITS].reverse().find(([length]) => seconds % length === 0)?.[0] ?? 1;
    Object.assign(form, { when: 'every', unit, every: seconds / unit });
  } else if (when.at) Object.assign(form, { when: 'at', at: local(when.at, form.zone), recurrence: when.recurrence ?? '' });
  else form.cron = when.cron ?? '';
  if (deed.tool) Object.assign(form, { kind: 'tool', tool: deed.tool, params: JSON.stringify(deed.params ?? {}, null, 2) });
  else if (deed.backup) form.kind = 'backup';
  else if (deed.task) Object.assign(form, { kind: 'task', agent: deed.agent ?? 'assistant', task: deed.task });
  else form.message = deed.message ?? '';
  return form;
}

/** A moment as the field for it takes it, on the zone's clock; with its seconds where it has some. */
export function local(iso: string, zone: string): string {
  const form = { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const;
  const parts = new Intl.DateTimeFormat('en-GB', { ...form, timeZone: known(zone) }).formatToParts(new Date(iso));
  const part = (type: string) => parts.find((one) => one.type === type)?.value ?? '';
  const seconds = part('second') === '00' ? '' : `:${part('second')}`;
  return `${part('year')}-${part('month')}-${part('day')}T${part('hour')}:${part('minute')}${seconds}`;
}

/** The moments that a form says; null while it says none. */
export function whenOf(form: Written): JobWhen | null {
  if (form.when === 'webhook') return { webhook: {} };
  if (form.when === 'every') return form.every > 0 ? { every_seconds: Math.round(form.every * form.unit) } : null;
  if (form.when === 'cron') return form.cron.trim() ? { cron: form.cron, time_zone: form.zone } : null;
  if (!form.at) return null;
  return { at: form.at, time_zone: form.zone, ...(form.recurrence ? { recurrence: form.recurrence } : {}) };
}

export function doOf(form: Written): JobDo {
  if (form.kind === 'message') return { message: form.message };
  if (form.kind === 'backup') return { backup: {} };
  if (form.kind === 'task') return { agent: form.agent, task: form.task };
  return { tool: form.tool, params: JSON.parse(form.params || '{}') as Record<string, never> };
}

export function draftOf(form: Written, enabled = true): NewJob | null {
  const when = whenOf(form);
  if (!when) return null;
  return {
    ...(form.name.trim() ? { name: form.name } : {}),
    when,
    do: doOf(form),
    catch_up: form.catchUp,
    retries: form.retries,
    notify: form.tell ? ['inbox'] : [],
    enabled,
  };
}
