/** A run of a text that is being written: what is filled in, and what came back. */
import { drafts, read, type Drafts } from '../../lib/draft';
import { fields, type Schema } from '../../lib/schema';
import type { InvokeAnswer } from '../../lib/types';
import * as api from './api';
import type { Desk } from './desk.svelte';
import type { RunAnswer } from './types';

export class Trial {
  drafts = $state<Drafts>({});
  errors = $state<Record<string, string>>({});
  busy = $state(false);
  answer = $state.raw<RunAnswer | null>(null);
  failure = $state<unknown>(null);
  private shape = '';
  private abort: AbortController | null = null;

  constructor(readonly desk: Desk) {}

  get schema(): Schema {
    return this.desk.spec?.parameters ?? {};
  }

  /** Follows the header: new fields come, what is filled in stays. */
  follow(schema: Schema) {
    const shape = JSON.stringify(schema);
    if (shape === this.shape) return;
    this.shape = shape;
    const empty = drafts(schema, {});
    const fits = (name: string) => typeof this.drafts[name] === typeof empty[name] && Array.isArray(this.drafts[name]) === Array.isArray(empty[name]);
    this.drafts = Object.fromEntries(Object.entries(empty).map(([name, draft]) => [name, fits(name) ? (this.drafts[name] ?? draft) : draft]));
  }

  fill(value: unknown) {
    this.drafts = drafts(this.schema, value);
    this.errors = {};
  }

  /** Returns what the fields hold, for a link or a test; null where something is wrong. */
  params(): Record<string, unknown> | null {
    const { value, errors } = read(this.schema, this.drafts);
    this.errors = errors;
    return Object.keys(errors).length > 0 ? null : value;
  }

  async run() {
    if (this.busy) return;
    const params = fields(this.schema).length > 0 ? this.params() : {};
    if (!params) return;
    Object.assign(this, { busy: true, failure: null, answer: null });
    this.abort = new AbortController();
    this.desk.stop('', null, null);
    try {
      if (this.desk.fresh && !(await this.desk.save())) return;
      const { text } = this.desk;
      const answer = await api.run(this.desk.name, this.desk.dirty ? text : null, params, this.abort.signal);
      this.answer = answer;
      if (answer.error && this.desk.text === text) this.desk.stop(answer.error, answer.line ?? null, answer.column ?? null);
    } catch (failure) {
      if (!this.abort.signal.aborted) this.failure = failure;
    } finally {
      this.busy = false;
    }
  }

  stop() {
    this.abort?.abort();
  }
}

/** A run's answer in the shape of any tool's. */
export function asOutput({ success, data, content, title, html }: RunAnswer): InvokeAnswer {
  return { success, data, content, error: null, meta: { ...(title ? { title } : {}), ...(html ? { html } : {}) } } as unknown as InvokeAnswer;
}
