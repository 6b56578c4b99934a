/** The source of a value of an approval, in words: what a person must check differs by it. */
import { brief, called } from '../../lib/format';
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
  found: { tool: string; text: string }[];
}

export function before(messages: readonly Message[]): Before {
  const said = messages.filter((message) => message.role === 'user').map((message) => message.text);
  const steps = messages.flatMap((message) => message.steps).filter((step) => step.output?.success);
  const found = steps.map((step) => ({ tool: called(step), text: JSON.stringify(step.output?.data ?? '') }));
  return { said: said.reverse(), found: found.reverse() };
}

export function origin(field: Field, given: unknown, now: string, known: Before | null): Origin {
  const was = shown(given);
  if (now !== was) return { icon: 'pencil', text: was ? `Edited, was ${brief(was, 40)}` : 'Added by you', tone: 'you-did' };
  if (was === '') return { icon: 'info', text: 'Left out', tone: '' };
  if (field.fallback !== undefined && shown(field.fallback) === was) return { icon: 'info', text: 'Default of the tool', tone: '' };
  if (!known) return { icon: 'info', text: 'Given by the caller', tone: '' };
  const telling = was.length >= 2 && !/^(true|false)$/.test(was);
  if (telling && known.said.some((text) => text.includes(was))) return { icon: 'chat', text: 'From your message', tone: '' };
  const quoted = JSON.stringify(was).slice(1, -1);
  const source = telling && was.length >= 3 ? known.found.find((one) => one.text.includes(quoted)) : undefined;
  if (source) return { icon: 'tool', text: `From the result of ${source.tool}`, tone: '' };
  return { icon: 'cpu', text: 'Written by the model. Check it', tone: 'model' };
}
