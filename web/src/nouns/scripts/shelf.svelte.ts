/** The scripts there are and what the editor refers to: read once, shared by list, editor and palette. */
import { client, ok, Problem, words } from '../../lib/http';
import { later } from '../../lib/router.svelte';
import { tools } from '../../lib/tools.svelte';
import * as api from './api';
import { extra } from './gate';
import { free, nameIn, renamed, tidy } from './header';
import { keep, unsaved } from './kept.svelte';
import type { Call, Imported, Listed, Reference } from './types';

/** The result of an import, and the files that would replace a draft with another text. */
type Brought = Imported & { held: File[]; /** Whether a zip was among them. */ zips: boolean };

class Shelf {
  all = $state.raw<Listed[] | null>(null);
  reference = $state.raw<Reference | null>(null);
  /** The result of the last import. */
  imported = $state.raw<Brought | null>(null);
  private asked = 0;

  async load() {
    const mine = (this.asked += 1);
    const found = await api.list();
    if (mine === this.asked) this.all = found;
  }

  async refer() {
    this.reference ??= await api.reference();
  }

  private get taken() {
    return new Set([
      ...(this.all ?? []).map((one) => one.name),
      ...unsaved.names,
      ...(tools.all ?? []).flatMap((one) => [one.name, ...one.aliases.map((alias) => alias.name)]),
    ]);
  }

  /** Returns the name a new script will be given, and why, where that is another name. */
  named(wanted: string): { name: string; why: string } {
    const may = tidy(wanted);
    if (!may)
      return { name: '', why: wanted.trim() ? 'A name has small letters, digits and _, and begins with a letter: it gets the name of its template.' : '' };
    const name = free(may, this.taken);
    const there = this.all?.some((one) => one.name === may) || unsaved.names.includes(may) ? 'script' : 'tool';
    const why =
      name !== may
        ? `There is a ${there} called ${may}: it will be called ${name}.`
        : name !== wanted.trim()
          ? `It will be called ${name}: a name has small letters, digits and _, and begins with a letter.`
          : '';
    return { name, why };
  }

  /** Opens a text as a new script under a name nobody has. It is saved when somebody says so. */
  async begin(source: string, wanted = '', go = later()) {
    if (!this.all) await this.load();
    const name = free(wanted || nameIn(source) || 'my_script', this.taken);
    keep(name, renamed(source, name));
    go(`/scripts/${name}`);
  }

  /** A script that makes these calls. */
  async fromCalls(calls: Call[]) {
    const go = later();
    const { name, source } = await api.fromCalls(calls);
    await this.begin(source, name, go);
  }

  /** Takes in .rhai files and zips of them: each text that is new becomes a draft. Other drafts stay unless `replace` says so. Ends with the names that were saved. */
  async take(files: Iterable<File>, replace = false): Promise<string[]> {
    const go = later();
    const all: Brought = { saved: [], unchanged: [], refused: [], held: [], zips: false };
    for (const file of files) {
      const type = /\.zip$/i.test(file.name) ? 'application/zip' : 'text/plain';
      all.zips ||= type === 'application/zip';
      try {
        const { saved, unchanged, refused } = await api.importFile(file, type, replace);
        all.saved.push(...saved);
        all.unchanged.push(...unchanged);
        all.refused.push(...refused);
        if (refused.some((one) => one.draft)) all.held.push(file);
      } catch (failure) {
        const draft = failure instanceof Problem && extra(failure.body, 'draft') === true;
        if (draft) all.held.push(file);
        all.refused.push({ name: file.name, problem: words(failure), draft });
      }
    }
    this.imported = all;
    await this.load();
    // One script that was saved is opened: that says it.
    if (all.saved.length === 1 && all.unchanged.length + all.refused.length === 0 && !all.zips) {
      this.imported = null;
      go(`/scripts/${all.saved[0]}`);
    }
    return all.saved;
  }

  async enable(name: string, enabled: boolean) {
    await ok(client.PUT('/api/tools/{name}/enabled', { params: { path: { name: `script:${name}` } }, body: { enabled } }));
    await Promise.all([this.load(), tools.load(true)]);
  }
}

export const shelf = new Shelf();
