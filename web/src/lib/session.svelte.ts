/** The session: who is signed in, and how the server is. */
import { client, ok, onSignedOut, Problem, reach } from './http';
import { drafts } from './kept.svelte';
import type { Health, Me } from './types';

class Session {
  /** Undefined until the server has said. */
  me = $state<Me | null | undefined>(undefined);
  needsSetup = $state(false);
  health = $state<Health | null>(null);
  reachable = $state(true);
  /** The version this page was loaded from. */
  private version: string | null = null;

  /** Returns whether the server is of another version than this page: parts of it that are not loaded yet may be gone. */
  get renewed(): boolean {
    return this.version !== null && !!this.health && this.health.version !== this.version;
  }

  /** The person whose data this tab holds, also once their session has ended. */
  private holder: string | null = null;
  /** Tells the other tabs of this browser, which share the session, who is signed in. */
  private tabs: BroadcastChannel | null = null;

  async start() {
    this.tabs = new BroadcastChannel('satchel.session');
    this.tabs.onmessage = ({ data }) => this.holder !== null && data !== this.holder && location.reload();
    await this.look();
    try {
      this.needsSetup = (await ok(client.GET('/api/setup'))).needed;
      this.me = this.needsSetup ? null : await ok(client.GET('/api/auth/me'));
      this.holder = this.me?.id ?? null;
    } catch {
      this.me = null;
    }
  }

  async look() {
    try {
      const response = await reach('/healthz');
      this.health = (await response.json()) as Health;
      this.version ??= this.health.version;
      this.reachable = true;
    } catch {
      this.reachable = false;
    }
  }

  /** Somebody has signed in. Nothing another person has read in this tab may stay in it. */
  enter(me: Me) {
    const other = this.holder !== null && this.holder !== me.id;
    this.tabs?.postMessage(me.id);
    if (other) return location.reload();
    this.holder = me.id;
    this.me = me;
    void this.look();
  }

  /** The reason somebody who wants to sign out is still signed in. */
  signOutFailure = $state<unknown>(null);

  /** Signs out, and loads the page anew: what was read is in no tab of this browser any more. Where that fails nothing is lost. */
  async leave() {
    this.signOutFailure = null;
    try {
      await ok(client.POST('/api/auth/logout'));
    } catch (problem) {
      // Whoever is unknown to the server is signed out already.
      if (!(problem instanceof Problem && problem.status === 401)) {
        this.signOutFailure = problem;
        return;
      }
    }
    drafts.clear();
    this.tabs?.postMessage('');
    location.replace('/');
  }

  /** Returns whether the signed-in person holds a permission; `*` and `area:*` count. */
  can(permission: string): boolean {
    const area = permission.split(':')[0];
    return !!this.me?.permissions.some((held) => held === '*' || held === permission || held === `${area}:*`);
  }
}

export const session = new Session();
onSignedOut(() => {
  if (session.me) session.me = null;
});
