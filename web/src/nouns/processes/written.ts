import type { ProcessDraft } from '../../lib/types';

/** A process as its form holds it. */
export interface Written {
  id: string;
  name: string;
  description: string;
  who: string;
  system: string;
  depends_on: string[];
}

export const blank = (id: string): Written => ({ id, name: '', description: '', who: '', system: '', depends_on: [] });

/** A step as it is stored, as the form holds it. */
export const written = (step: ProcessDraft['steps'][number]): Written => ({
  ...blank(step.id ?? ''),
  ...step,
  id: step.id ?? '',
  description: step.description ?? '',
  who: step.who ?? '',
  system: step.system ?? '',
  depends_on: step.depends_on ?? [],
});

/** Words with commas between. */
export const commas = (text: string): string[] =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean);
