/** The policies in force, and a draft of others that is tried out before it is saved. */
import { client, ok } from '../../lib/http';
import type { Policies, PolicyGroups, PolicyReplay } from '../../lib/types';
import { document } from './layers';

export class Draft {
  /** As they are in force. */
  stored = $state.raw<Policies | null>(null);
  now = $state.raw<Policies | null>(null);
  warnings = $state.raw<string[]>([]);
  groups = $state.raw<PolicyGroups | null>(null);
  providers = $state.raw<string[]>([]);
  people = $state.raw<string[]>([]);
  replayed = $state.raw<PolicyReplay | null>(null);
  failure = $state<unknown>(null);
  saved = $state(false);
  private version = 0;

  readonly changed = $derived(JSON.stringify(this.now) !== JSON.stringify(this.stored));

  async load() {
    this.failure = null;
    try {
      const [view, groups] = await Promise.all([ok(client.GET('/api/policies')), ok(client.GET('/api/policies/groups'))]);
      this.take(view);
      this.groups = groups;
      this.providers = (await ok(client.GET('/api/providers'))).map((one) => one.name);
      this.people = await ok(client.GET('/api/users')).then(
        (users) => users.map((user) => user.username),
        () => [],
      );
    } catch (problem) {
      this.failure = problem;
    }
  }

  private take(view: Policies & { version: number; warnings: string[] }) {
    this.version = view.version;
    this.warnings = view.warnings;
    this.stored = this.now = document(view);
    this.replayed = null;
  }

  change(policies: Policies) {
    this.now = policies;
    this.replayed = null;
    this.saved = false;
  }

  discard() {
    this.now = this.stored;
    this.replayed = null;
  }

  private async attempt(work: () => Promise<void>) {
    this.failure = null;
    try {
      await work();
    } catch (problem) {
      this.failure = problem;
    }
  }

  replay = () =>
    this.attempt(async () => {
      if (this.now) this.replayed = await ok(client.POST('/api/policies/replay', { body: { policies: this.now } }));
    });

  save = () =>
    this.attempt(async () => {
      if (!this.now) return;
      this.take(await ok(client.PUT('/api/policies', { body: { ...this.now, version: this.version } as Policies })));
      this.saved = true;
    });
}
