/** Who is signed in, and how the server is. */
import { client, ok, onSignedOut, reach } from './http';
import { drafts } from './kept.svelte';
import type { Health, Me } from './types';

class Session {
  /** Undefined until the server has said. */
  me = $state<Me | null | undefined>(undefined);
  needsSetup = $state(false);
  health = $state<Health | null>(null);
  reachable = $state(true);

  async start() {
    await this.look();
    try {
      this.needsSetup = (await ok(client.GET('/api/setup'))).needed;
      this.me = this.needsSetup ? null : await ok(client.GET('/api/auth/me'));
    } catch {
      this.me = null;
    }
  }

  async look() {
    try {
      const response = await reach('/healthz');
      this.health = (await response.json()) as Health;
      this.reachable = true;
    } catch {
      this.reachable = false;
    }
  }

  async leave() {
    await client.POST('/api/auth/logout').catch(() => null);
    drafts.clear();
    this.me = null;
  }

  /** Whether the signed-in person holds a permission; `*` and `area:*` count. */
  can(permission: string): boolean {
    const area = permission.split(':')[0];
    return !!this.me?.permissions.some((held) => held === '*' || held === permission || held === `${area}:*`);
  }
}

export const session = new Session();
onSignedOut(() => {
  if (session.me) session.me = null;
});
