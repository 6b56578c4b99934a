/** One script that is open: its text, what the server says of it, and what can be done with it. */
import { Problem } from '../../lib/http';
import { tools } from '../../lib/tools.svelte';
import * as api from './api';
import { extra, gate, words } from './gate';
import { nameIn } from './header';
import { forget, keep, keptBase, keptText } from './kept.svelte';
import { shelf } from './shelf.svelte';
import type { Capability, Checked, Diagnostic, Script, TestRun } from './types';

/** Typing rests this long before the text is checked. */
const REST = 250;
/** Longest wait before a check that did not get through is tried again. */
const AGAIN = 10_000;

const UNCHECKED = 'The text was not checked';

export class Desk {
  /** Null until it is saved for the first time. */
  script = $state.raw<Script | null>(null);
  text = $state('');
  /** The digest of the server's text this one began from; empty where there was none. */
  private base = $state('');
  opened = $state(false);
  failure = $state<unknown>(null);
  /** The deed that failed last, and its error. */
  refused = $state<{ what: string; error: unknown } | null>(null);
  busy = $state<'' | 'save' | 'test' | 'publish'>('');
  /** The newest answers, each with the text it is about. */
  private check = $state.raw<{ text: string; answer: Checked } | null>(null);
  private tried = $state.raw<{ text: string; answer: TestRun } | null>(null);
  /** The place where the last run stopped; any edit forgets it. */
  stopped = $state.raw<Diagnostic | null>(null);
  private timer: ReturnType<typeof setTimeout> | undefined;
  private asking: AbortController | null = null;
  /** The time the next try to check waits. */
  private pause = REST;
  /** A save that stopped at another's text: it goes on once a person has chosen. */
  private halted = false;

  constructor(readonly name: string) {}

  get fresh() {
    return this.opened && this.script === null;
  }

  readonly locked = $derived(this.script !== null && this.script.origin !== 'console');
  /** The text the server holds as the newest. */
  readonly saved = $derived(this.script ? (this.script.draft ?? this.script.source) : '');
  readonly dirty = $derived(!this.locked && (this.script === null || this.text !== this.saved));
  private readonly digest = $derived(this.script?.digest ?? '');
  /** Somebody put another text in the place of the one this began from: neither replaces the other before a person has chosen. */
  readonly changed = $derived(this.opened && this.dirty && this.base !== this.digest);
  readonly published = $derived(this.script?.version ? this.script.source : null);
  /** The last answer, also while a newer one is awaited: only `current` says whether it is about this text. */
  readonly checked = $derived(this.check?.answer ?? null);
  readonly current = $derived(this.check?.text === this.text);
  readonly tests = $derived(this.tried?.answer ?? null);
  readonly testsCurrent = $derived(this.tried?.text === this.text);
  readonly problems = $derived([...(this.check?.answer.problems ?? []), ...(this.stopped ? [this.stopped] : [])]);
  readonly spec = $derived(this.checked?.spec ?? this.script?.spec ?? null);
  readonly header = $derived(nameIn(this.text));
  readonly gate = $derived.by(() =>
    gate({
      changed: this.changed,
      checked: this.current ? this.checked : null,
      tests: this.testsCurrent ? this.tests : null,
      same: this.published !== null && this.text === this.published,
      name: this.name,
      header: this.header,
    }),
  );
  /** The capabilities of the text, with the grants the server knows. */
  readonly capabilities = $derived.by((): Capability[] => {
    const granted = new Map(this.script?.capabilities.map((one) => [words(one), one.granted]));
    const all = this.checked?.spec ? this.checked.capabilities : (this.script?.capabilities ?? []);
    return all.map((one) => ({ ...one, granted: granted.get(words(one)) ?? one.granted }));
  });

  async open() {
    this.failure = null;
    const kept = keptText(this.name);
    try {
      this.script = kept !== null && (await this.isNew()) ? null : await api.read(this.name);
    } catch (failure) {
      if (kept === null || !(failure instanceof Problem) || failure.status !== 404) {
        this.failure = failure;
        return;
      }
    }
    this.text = this.locked ? this.saved : (kept ?? this.saved);
    // A text that was kept before this was noted down counts as begun from what is there.
    this.base = (kept === null ? null : keptBase(this.name)) ?? this.digest;
    this.hold();
    this.opened = true;
    void this.look();
  }

  /** Returns whether the server has none of this name, for a text that began here. */
  private async isNew(): Promise<boolean> {
    if (keptBase(this.name) !== '') return false;
    if (!shelf.all) await shelf.load().catch(() => null);
    return shelf.all?.every((one) => one.name !== this.name) ?? false;
  }

  edit(text: string) {
    if (text === this.text) return;
    this.text = text;
    this.stopped = null;
    this.hold();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.look(), REST);
  }

  /** Keeps the text in this browser for as long as the server holds another. */
  private hold() {
    if (this.locked) return;
    if (this.dirty) return keep(this.name, this.text, this.base);
    this.base = this.digest;
    forget(this.name);
  }

  /** Asks what is wrong with the text. Only the answer to the newest question counts. */
  async look() {
    this.asking?.abort();
    const mine = (this.asking = new AbortController());
    const { text } = this;
    try {
      const answer = await api.check(text, mine.signal);
      if (mine.signal.aborted) return;
      this.check = { text, answer };
      this.pause = REST;
      if (this.refused?.what === UNCHECKED) this.refused = null;
    } catch (error) {
      if (mine.signal.aborted) return;
      this.refused = { what: UNCHECKED, error };
      if (!(error instanceof Problem) || (error.status > 0 && error.status < 500)) return;
      // The server is away: the text is checked as soon as it is back.
      this.pause = Math.min(AGAIN, 2 * this.pause);
      clearTimeout(this.timer);
      this.timer = setTimeout(() => void this.look(), this.pause);
    }
  }

  close() {
    clearTimeout(this.timer);
    this.asking?.abort();
  }

  /** Does something that may be refused; true where it was done. */
  async attempt(busy: Desk['busy'], what: string, deed: () => Promise<void>): Promise<boolean> {
    if (this.busy) return false;
    this.busy = busy;
    this.refused = null;
    try {
      await deed();
      return true;
    } catch (error) {
      if (!(await this.overtaken(error))) this.refused = { what, error };
      return false;
    } finally {
      this.busy = '';
    }
  }

  /** Takes what the server says now, null where the script is gone; the list follows. */
  private take(script: Script | null) {
    this.script = script;
    this.hold();
    void shelf.load().catch(() => null);
  }

  /** The same, after what this desk did itself: what is typed from now on begins from there. */
  private did(script: Script) {
    this.base = script.digest;
    this.take(script);
  }

  /** Asks what the server holds now. */
  async reread() {
    const gone = (failure: unknown) => {
      if (failure instanceof Problem && failure.status === 404) return null;
      throw failure;
    };
    this.take(await api.read(this.name).catch(gone));
  }

  /** Returns whether this is the refusal of a text that began from an older one: what is there now stands beside it then. */
  async overtaken(refusal: unknown): Promise<boolean> {
    if (!(refusal instanceof Problem) || extra(refusal.body, 'changed') === undefined) return false;
    await this.reread().catch(() => null);
    return this.changed;
  }

  /** Goes on with the text here: saving it takes the place of what is there now. A save that was asked for before is done. */
  async keepMine() {
    this.base = this.digest;
    this.hold();
    if (this.halted) await this.save();
  }

  /** Goes on with the text the server has. */
  useTheirs() {
    this.halted = false;
    this.base = this.digest;
    this.edit(this.saved);
  }

  private async store() {
    if (this.dirty) this.did(await api.save(this.name, this.text, this.base));
  }

  save = async () => {
    const done = await this.attempt('save', 'The draft was not saved', () => this.store());
    this.halted = !done && this.changed;
    return done;
  };

  test = () =>
    this.attempt('test', 'The tests did not run', async () => {
      if (this.fresh) await this.store();
      const { text } = this;
      this.tried = { text, answer: await api.test(this.name, this.dirty ? text : null) };
    });

  /** Takes what the tests of this text said elsewhere. */
  tested(answer: TestRun) {
    this.tried = { text: this.text, answer };
  }

  /** Saves the text, publishes it, and lets everything that lists tools know. */
  async publish(note: string, accept: string[]) {
    await this.store();
    this.did(await api.publish(this.name, note, accept, this.base));
    await tools.load(true).catch(() => null);
  }

  async rollback(version: number, accept: string[]) {
    const script = await api.rollback(this.name, version, accept, this.base);
    this.did(script);
    this.edit(script.draft ?? script.source);
    await tools.load(true).catch(() => null);
  }

  /** Back to what is published. */
  throwAway = () =>
    this.attempt('save', 'The draft was not thrown away', async () => {
      if (this.script?.draft != null) await api.dropDraft(this.name, this.base);
      this.did(await api.read(this.name));
      this.edit(this.saved);
    });

  grant = (hosts: string[]) =>
    this.attempt('save', 'The grant was not changed', async () => {
      await this.store();
      this.take(await api.grant(this.name, hosts));
    });

  async remove() {
    if (!this.fresh) await api.remove(this.name, this.base);
    forget(this.name);
    await Promise.all([shelf.load(), tools.load(true)]).catch(() => null);
  }

  enable = (enabled: boolean) =>
    this.attempt('save', enabled ? 'It was not switched on' : 'It was not switched off', async () => {
      await shelf.enable(this.name, enabled);
      this.take(await api.read(this.name));
    });

  /** Marks where a run stopped, as a problem at its line. */
  stop(message: string, line: number | null, column: number | null) {
    this.stopped = line ? { line, column: column ?? 1, end_column: null, severity: 'error', message, hint: null } : null;
  }
}
