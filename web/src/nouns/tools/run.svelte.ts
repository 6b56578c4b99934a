/** One tool and its form: what is typed, what came back. Shared by the playground and the cards in the chat. */
import { untrack } from 'svelte';
import { client, ok, Problem } from '../../lib/http';
import { drafts, filled, flat, open, read, type Drafts } from '../../lib/draft';
import { parse } from '../../lib/json';
import { fields, telling, type Schema } from '../../lib/schema';
import { keepTyped, typedText } from '../../lib/typed.svelte';
import type { InvokeAnswer, Ticket, Tool } from '../../lib/types';

export class Run {
  drafts = $state<Drafts>({});
  errors = $state<Record<string, string>>({});
  mode = $state<'form' | 'json'>('form');
  json = $state('{}');
  busy = $state<'' | 'run' | 'dry'>('');
  answer = $state<InvokeAnswer | null>(null);
  dry = $state(false);
  ticket = $state<Ticket | null>(null);
  failure = $state<unknown>(null);
  /** Counts the runs that have ended. */
  ended = $state(0);
  private abort: AbortController | null = null;

  /** What is filled in is kept under a name, where one is given. */
  constructor(
    readonly tool: Tool,
    readonly topic: string | null = null,
    private readonly name = '',
  ) {
    this.fill({});
    if (name) untrack(() => this.restore());
  }

  private restore() {
    try {
      const { mode, drafts = {}, json = '{}' } = parse(typedText(this.name)) as Pick<Run, 'mode'> & { drafts?: Drafts; json?: string };
      Object.assign(this, { mode, json, drafts: { ...this.drafts, ...drafts } });
    } catch {
      // Nothing is kept.
    }
  }

  /** Keeps what is filled in, but no secret; an effect calls it. */
  keep() {
    if (!this.name) return;
    const value = this.mode === 'json' ? this.parsed(false) : undefined;
    // What is JSON can stand in the form; what is none yet stays as it was typed.
    const given = value === undefined ? this.drafts : drafts(this.schema, value);
    const broken = this.mode === 'json' && value === undefined && !telling(this.json);
    const kept = broken ? { mode: 'json', json: this.json } : { mode: 'form', drafts: open(given) };
    keepTyped(this.name, broken || filled(given) ? JSON.stringify(kept) : '');
  }

  get schema(): Schema {
    return this.tool.parameters as Schema;
  }

  fill(value: unknown) {
    this.drafts = drafts(this.schema, value);
    this.json = JSON.stringify(value, null, 2);
    this.errors = {};
  }

  /** Form and JSON show the same arguments. */
  edit(mode: 'form' | 'json') {
    if (mode === 'json') this.json = JSON.stringify(this.lenient(), null, 2);
    else {
      const value = this.parsed();
      if (value === undefined) return;
      this.drafts = drafts(this.schema, value);
    }
    this.errors = {};
    this.mode = mode;
  }

  /** Returns what can be read of the form, for snippets: wrong fields as they were typed. */
  lenient(): Record<string, unknown> {
    if (this.mode === 'json') return (this.parsed(false) as Record<string, unknown> | undefined) ?? {};
    const { value, errors } = read(this.schema, this.drafts);
    for (const path of Object.keys(errors)) {
      const given = this.drafts[path];
      if (given) value[path] = flat(given);
    }
    for (const { name } of fields(this.schema)) if (!filled(this.drafts[name]) && !errors[name]) delete value[name];
    return value;
  }

  private parsed(report = true): unknown {
    try {
      return parse(this.json);
    } catch (failure) {
      if (report) this.errors = { json: `Not valid JSON: ${(failure as Error).message}` };
      return undefined;
    }
  }

  /** Returns what is filled in, undefined where something is missing or wrong: then that is said at its field. */
  given(): unknown {
    if (this.mode === 'json') return this.parsed();
    const { value, errors } = read(this.schema, this.drafts);
    this.errors = errors;
    return Object.keys(errors).length > 0 ? undefined : value;
  }

  async run(dry_run = false) {
    if (this.busy) return;
    this.errors = {};
    const params = this.given();
    if (params === undefined) return;
    Object.assign(this, { busy: dry_run ? 'dry' : 'run', failure: null, ticket: null, answer: null, dry: dry_run });
    this.abort = new AbortController();
    const body = { params, ...(this.topic ? { topic: this.topic } : {}), ...(dry_run ? { dry_run } : {}) };
    try {
      const path = { params: { path: { name: this.tool.name } }, signal: this.abort.signal };
      this.answer = await ok(client.POST('/api/tools/{name}/invoke', { ...path, body: body as { params: Record<string, never> } }));
    } catch (failure) {
      if (!this.abort.signal.aborted) await this.refused(failure);
    } finally {
      this.busy = '';
      this.ended += 1;
    }
  }

  stop() {
    this.abort?.abort();
  }

  /** A refusal may be a question: then the answer is a ticket. */
  private async refused(failure: unknown) {
    const given = failure instanceof Problem && failure.status === 409 ? failure.body['ticket'] : undefined;
    const id = typeof given === 'string' ? given : (given as Ticket | undefined)?.id;
    if (!id) {
      this.failure = failure;
      this.point(failure);
      return;
    }
    try {
      this.ticket = await ok(client.GET('/api/tickets/{id}', { params: { path: { id } } }));
    } catch (problem) {
      this.failure = problem;
    }
  }

  /** Puts what the server found wrong beside its field, where it says which. */
  private point(failure: unknown) {
    if (!(failure instanceof Problem) || !Array.isArray(failure.body['errors'])) return;
    for (const one of failure.body['errors'] as { path?: string; message?: string }[]) {
      const path = (one.path ?? '').replace(/^\//, '');
      if (path && one.message) this.errors[path] = one.message;
    }
  }

  decided(decision: 'approve' | 'deny', answer: InvokeAnswer | null) {
    this.ticket = null;
    this.ended += 1;
    if (decision === 'approve') this.answer = answer;
    else this.failure = 'You denied it. Nothing has run.';
  }
}
