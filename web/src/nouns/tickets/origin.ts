/** The source of a value of an approval, in words: what a person must check differs by it. */
import { brief, called, visible } from '../../lib/format';
import type { IconName } from '../../lib/icons';
import { shown } from '../../lib/draft';
import type { Field } from '../../lib/schema';
import type { Message } from '../../lib/types';

export interface Origin {
  icon: IconName;
  text: string;
  tone: '' | 'you-did' | 'model';
}

/** The texts said and found before the question, newest first. */
export interface Before {
  said: string[];
  /** The task that a job gave, and the name of the job; it may be a model that wrote it. */
  task: { job: string; text: string } | null;
  /** What webhooks carried: anybody may have written it. */
  carried: string[];
  found: { tool: string; text: string }[];
}

/** What a webhook carried, as it stands below the task of its job: up to the last mark, for it may hold marks itself. */
const CARRIED = /\[TOOL:webhook\]\n?([\s\S]*)\[\/TOOL\]/;

/** Marks in what comes from outside are broken by a character that cannot be seen. */
const unbroken = (text: string) => text.replaceAll('\u2060', '');

/** `job` is the name of the job that began the conversation, if one did. */
export function before(messages: readonly Message[], job: string | null = null): Before {
  const texts = messages.filter((message) => message.role === 'user').map((message) => message.text);
  const carried = job === null ? [] : texts.flatMap((text) => CARRIED.exec(text)?.[1] ?? []).map(unbroken);
  const said = job === null ? texts : texts.map((text) => text.replace(CARRIED, ''));
  const first = job === null ? undefined : said.shift();
  const steps = messages.flatMap((message) => message.steps).filter((step) => step.output?.success);
  const found = steps.map((step) => ({ tool: called(step), text: JSON.stringify(step.output?.data ?? '') }));
  const task = job !== null && first !== undefined ? { job, text: first } : null;
  return { said: said.reverse(), task, carried: carried.reverse(), found: found.reverse() };
}

/** `job` is the name of the job that asks, if one does: without a conversation the value is its own. */
export function origin(field: Field, given: unknown, now: string, known: Before | null, job?: string): Origin {
  const was = shown(given);
  if (now !== was) return { icon: 'pencil', text: was ? `Edited, was ${brief(was, 40)}` : 'Added by you', tone: 'you-did' };
  if (was === '') return { icon: 'info', text: 'Left out', tone: '' };
  if (field.fallback !== undefined && shown(field.fallback) === was) return { icon: 'info', text: 'Default of the tool', tone: '' };
  if (!known) return { icon: 'info', text: job === undefined ? 'Given by the caller' : `Given by the job ${visible(job)}`, tone: '' };
  const telling = was.length >= 2 && !/^(true|false)$/.test(was);
  if (telling && known.said.some((text) => text.includes(was))) return { icon: 'chat', text: 'From your message', tone: '' };
  const quoted = JSON.stringify(was).slice(1, -1);
  if (telling && known.task?.text.includes(was)) return { icon: 'history', text: `From the task of the job ${visible(known.task.job)}`, tone: '' };
  if (telling && known.carried.some((text) => text.includes(unbroken(quoted)) || text.includes(unbroken(was))))
    return { icon: 'globe', text: `From the webhook of ${visible(known.task?.job ?? 'a job')}`, tone: 'model' };
  const source = telling && was.length >= 3 ? known.found.find((one) => one.text.includes(quoted)) : undefined;
  if (source) return { icon: 'tool', text: `From the result of ${source.tool}`, tone: '' };
  return { icon: 'cpu', text: 'Written by the model. Check it', tone: 'model' };
}
