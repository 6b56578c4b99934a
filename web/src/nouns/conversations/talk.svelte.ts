/** One open conversation: what is on screen, and the stream that changes it. */
import { client, ok, Problem } from '../../lib/http';
import { session } from '../../lib/session.svelte';
import { follow, type ServerEvent } from '../../lib/sse';
import { tools as all } from '../../lib/tools.svelte';
import { tickets } from '../../lib/tickets.svelte';
import type { AgentDraft, Attachment, ContextBill, Found, Message, Moment, NewConversation, Origin, Passage, QueuedMessage } from '../../lib/types';
import { forgetTurns, keepTurns, recalled } from './turns';
import { apply, blank, type Picture, type TalkState } from './apply';
import { load as loadQueue, unsaid } from './queue';
import { known, post, resume } from './streams';
import { awaitTitle } from './titles';
import { Versions } from './versions.svelte';

export interface OfflineTurn {
  /** The id by which what is filled into its form is kept. */
  id: string;
  text: string;
  tools: Found[];
  passages: Passage[];
  note: string;
}

export class Talk implements Picture {
  id = $state<string | null>(null);
  title = $state('');
  /** The time at which it was begun. */
  begun = $state('');
  folder = $state<string | null>(null);
  /** The agent that answers. */
  agent = $state('assistant');
  /** The conversation that began it, where it is a session, which an agent leads; null in one that a person holds. */
  above = $state<{ parent: string | null } | null>(null);
  /** An agent that is tried here while it is written; null in a conversation that is kept. */
  trial: { agent: () => string | null; draft: () => AgentDraft } | null = null;
  tainted = $state(false);
  /** The place the first content from outside came from, and the time. */
  origin = $state<Origin | null>(null);
  /** The messages that are said and done: they change no more, and may be long. */
  past = $state.raw<readonly Message[]>([]);
  /** The last turn, which the stream changes. */
  messages = $state<Message[]>([]);
  /** The messages that wait behind the answer. */
  queued = $state.raw<readonly QueuedMessage[]>([]);
  state = $state<TalkState>('idle');
  context = $state<ContextBill | null>(null);
  usage = $state<Picture['usage']>(null);
  memories = $state<Picture['memories']>([]);
  passages = $state<Picture['passages']>([]);
  error = $state<string | null>(null);
  providerFailure = $state<Picture['providerFailure']>(null);
  /** The state in which the last turn ended; null where one is under way, or none was. */
  ended = $state<string | null>(null);
  failure = $state<unknown>(null);
  loading = $state(false);
  connected = $state(true);
  offline = $state<OfflineTurn[]>([]);
  /** The answers that are shown, where a question has several. */
  readonly versions = new Versions();
  /** Counts up when something worth a new look at the list has happened. */
  changes = $state(0);

  private last: string | null = null;

  get all(): readonly Message[] {
    return [...this.past, ...this.messages];
  }

  private reading: AbortController | null = null;
  /** Counts what was opened; null once nobody looks any more. */
  private visit: number | null = 0;

  /** Tells later whether the same conversation is still on screen. */
  here(): () => boolean {
    const { visit } = this;
    return () => visit !== null && visit === this.visit;
  }

  /** Opens a conversation, and its running turn with it. */
  async open(id: string | null) {
    if (id === this.id && id !== null) return;
    this.close();
    if (this.visit !== null) this.visit += 1;
    Object.assign(this, {
      id,
      title: '',
      begun: '',
      folder: null,
      past: [],
      messages: [],
      queued: [],
      context: null,
      usage: null,
      memories: [],
      passages: [],
      offline: recalled(id),
    });
    Object.assign(this, { state: 'idle', error: null, providerFailure: null, ended: null, failure: null, tainted: false, origin: null, above: null });
    this.last = null;
    this.versions.reset();
    if (!id) {
      this.agent = 'assistant';
      return;
    }
    this.loading = true;
    try {
      await this.refresh();
    } catch (failure) {
      if (this.id === id) this.failure = failure;
    } finally {
      if (this.id === id) this.loading = false;
    }
    if (this.id === id && this.state === 'running') void this.read();
  }

  /** The page is left: what is still awaited is shown nowhere. */
  leave() {
    this.visit = null;
    this.close();
  }

  /** Brings back what was found without a model before the page was left. */
  recall() {
    this.offline = recalled(this.id);
  }

  /** A new conversation: what was found without a model belongs to none. */
  startOver() {
    forgetTurns(null);
    if (this.id === null) void this.open(null);
  }

  /** Shows what was found without a model, and keeps it in this tab: no conversation holds it. */
  offer(found: Omit<OfflineTurn, 'id'>) {
    this.offline.push({ id: `${Date.now()}-${this.offline.length}`, ...found });
    keepTurns(this.id, this.offline);
  }

  close() {
    this.reading?.abort();
    this.reading = null;
  }

  /** Puts what the server holds in place of what is on screen. */
  async refresh() {
    const id = this.id;
    if (!id) return;
    const [found, queued] = await Promise.all([
      ok(client.GET('/api/conversations/{id}', { params: { path: { id } } })),
      this.trial ? [] : loadQueue(id).catch(() => []),
    ]);
    if (this.id !== id) return;
    this.queued = unsaid(queued, found.messages);
    const { title, folder, agent, tainted, tainted_by: source, tainted_at: at, messages, turn, created_at: begun } = found;
    this.origin = source && at ? { source, at } : null;
    const asked = Math.max(
      0,
      messages.findLastIndex((message) => message.role === 'user'),
    );
    Object.assign(this, { title, begun, agent, folder: folder ?? null, tainted, past: messages.slice(0, asked), messages: messages.slice(asked) });
    this.above = (found.depth ?? 0) > 0 ? { parent: found.parent ?? null } : null;
    this.state = turn?.state === 'running' || turn?.state === 'waiting' ? turn.state : 'idle';
    this.error = turn?.state === 'failed' ? (turn.error ?? null) : null;
    this.providerFailure = turn?.state === 'failed' ? (turn.failure ?? null) : null;
    this.ended = this.state === 'idle' ? (turn?.state ?? null) : null;
    if (this.messages.at(-1)?.error) this.error = null;
    if (turn?.context) this.context = turn.context;
    if (turn?.usage) this.usage = turn.usage;
    this.last = turn?.last_event_id ?? null;
  }

  /**
   * Sends a message; true means the server has taken it. Who has opened something else meanwhile is left there. With `when`,
   * it waits where an answer is under way.
   */
  async send(content: string, attachments: Attachment[], provider: string, into = this.id, when?: Moment): Promise<boolean> {
    const same = this.here();
    const shown = this.id === into;
    const here = () => shown && same();
    if (here()) this.failure = this.error = null;
    try {
      const id = into ?? (await this.make(here));
      const body = {
        content,
        ...(attachments.length ? { attachments } : {}),
        ...(provider ? { provider } : {}),
        ...(this.trial ? { draft: this.trial.draft() } : {}),
        ...(when ? { when } : {}),
      };
      const response = await post(`/api/conversations/${id}/messages`, body);
      if (response.status === 202) {
        const waiting = (await response.json()) as QueuedMessage;
        if (here()) this.queued = [...this.queued.filter((one) => one.id !== waiting.id), waiting];
        return true;
      }
      if (!here()) {
        this.changes += 1;
        void response.body?.cancel();
        return true;
      }
      // The model has read the last answers.
      this.versions.reset();
      this.past = this.all;
      this.messages = [{ ...blank(`new-${Date.now()}`, '', 'user', content), attachments }];
      this.begin(response);
      return true;
    } catch (failure) {
      if (here()) this.failure = failure;
      return false;
    }
  }

  private async make(here: () => boolean): Promise<string> {
    const { id, title, created_at: begun } = await ok(client.POST('/api/conversations', { body: this.beginning() }));
    if (here()) {
      Object.assign(this, { id, title, begun });
      forgetTurns(null);
      keepTurns(id, this.offline);
    }
    return id;
  }

  private beginning(): NewConversation {
    const agent = this.trial ? this.trial.agent() : this.agent;
    return { ...(agent && agent !== 'assistant' ? { agent } : {}), ...(this.trial ? { trial: true } : {}) };
  }

  /** Another agent answers from the next message on. */
  async choose(agent: string) {
    const [before, here] = [this.agent, this.here()];
    this.agent = agent;
    if (!this.id) return;
    try {
      await ok(client.PATCH('/api/conversations/{id}', { params: { path: { id: this.id } }, body: { agent } }));
    } catch (failure) {
      if (here()) [this.agent, this.failure] = [before, failure];
    }
  }

  /** Takes a conversation away in which an agent was tried. What cannot be taken away goes by itself, a day later. */
  async discard() {
    const id = this.id;
    if (id && this.trial) await client.DELETE('/api/conversations/{id}', { params: { path: { id } } }).catch(() => null);
  }

  /** The last answer again, to other words where there are some; true means the server has taken it. */
  async regenerate(content?: string): Promise<boolean> {
    if (!this.id) return false;
    const here = this.here();
    this.failure = this.error = null;
    try {
      const response = await post(`/api/conversations/${this.id}/regenerate`, content === undefined ? {} : { content });
      if (!here()) {
        void response.body?.cancel();
        return true;
      }
      this.versions.reset();
      this.messages = this.messages.slice(0, 1).map((question) => ({ ...question, text: content ?? question.text }));
      this.begin(response);
      return true;
    } catch (failure) {
      if (here()) this.failure = failure;
      return false;
    }
  }

  /** Shows another answer to a question that has several, by its number from 1. */
  async showVersion(question: Message, at: number) {
    if (!this.id) return;
    const here = this.here();
    try {
      await this.versions.show(this.id, question, at);
    } catch (failure) {
      if (here()) this.failure = failure;
    }
  }

  /** The rest of an answer that was stopped. */
  async goOn() {
    await this.send('Go on from where you stopped.', [], '');
  }

  async stop() {
    if (!this.id || this.state === 'idle') return;
    try {
      await ok(client.POST('/api/conversations/{id}/stop', { params: { path: { id: this.id } } }));
      this.close();
      await this.refresh();
      this.state = 'idle';
    } catch (failure) {
      this.failure = failure;
    }
  }

  /** A ticket of this conversation was decided here: the turn goes on. */
  decided() {
    this.state = 'running';
    if (!this.reading) void this.read();
  }

  /** It waited, and nothing waits any more: somebody decided elsewhere, or the time ran out. */
  async look() {
    if (this.state !== 'waiting' || this.reading) return;
    await this.refresh().catch(() => null);
    if ((this.state as TalkState) === 'running' && !this.reading) void this.read();
  }

  /** It rested, and may go on: woken by a session, or with what waited. */
  async hear() {
    if (this.state !== 'idle' || this.reading || !this.id) return;
    await this.refresh().catch(() => null);
    if ((this.state as TalkState) === 'running' && !this.reading) void this.read();
  }

  /** Without a model: tools that fit, nothing written. */
  async askOffline(text: string): Promise<boolean> {
    this.failure = null;
    const here = this.here();
    try {
      const [{ tools, passages, note }] = await Promise.all([ok(client.POST('/api/offline/ask', { body: { text } })), all.load()]);
      if (here()) this.offer({ text, tools, passages, note });
      return here();
    } catch (failure) {
      if (here()) this.failure = failure;
      return false;
    }
  }

  private begin(response: Response) {
    this.state = 'running';
    this.ended = null;
    this.providerFailure = null;
    // What was remembered and found for the last question is not what this one is told.
    Object.assign(this, { passages: [], memories: [] });
    this.last = null;
    this.changes += 1;
    let first: Response | null = response;
    void this.read((signal) => {
      const open = first;
      first = null;
      return open ? Promise.resolve(open) : resume(this.id, this.last, signal);
    });
  }

  /** Reads what is under way, where something is. */
  follow() {
    if (this.state === 'running' && !this.reading) void this.read();
  }

  private async read(open: (signal: AbortSignal) => Promise<Response> = (signal) => resume(this.id, this.last, signal)) {
    this.close();
    const reading = new AbortController();
    this.reading = reading;
    try {
      await follow({
        open: (_, signal) => open(signal),
        signal: reading.signal,
        connected: (yes) => (this.connected = yes),
        take: (event) => this.take(event),
        over: async () => {
          await this.refresh();
          return this.state !== 'running';
        },
      });
    } catch (failure) {
      if (!(failure instanceof Problem && failure.status === 404)) this.failure = failure;
    }
    if (this.reading !== reading) return;
    await this.settle();
  }

  private async take(event: ServerEvent): Promise<boolean> {
    if (event.name === 'reset') {
      // The server has started anew: what it said before stands in the conversation, not in the stream.
      await this.refresh();
      return false;
    }
    if (known(event.id, this.last)) return false;
    this.last = event.id ?? this.last;
    const ended = apply(this, event);
    if (ended && event.name === 'done' && event.data.includes('"titling":true')) void awaitTitle(this, this.here());
    if (event.name === 'confirmation' || event.name === 'ticket_decided') void tickets.load();
    if (event.name === 'title') this.changes += 1;
    return ended;
  }

  /** The stream has ended: what the server holds is the truth. */
  private async settle() {
    const { error, providerFailure } = this;
    await this.refresh().catch(() => null);
    this.reading = null;
    this.connected = true;
    this.changes += 1;
    if (this.state === 'idle') void session.look();
    if (error && !this.messages.at(-1)?.error) this.error = error;
    this.providerFailure ??= providerFailure;
    // Decided while the end was being read.
    if (this.state === 'running') void this.read();
  }
}
