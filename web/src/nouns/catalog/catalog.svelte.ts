/** Connected systems: shared by the pages of the catalog. */
import { client, ok } from '../../lib/http';
import type { System, SystemAuth, SystemDetail } from '../../lib/types';

type Status = System['status'];

/** The word of a status, and the look it has. */
export const STATUS: Record<Status, readonly [string, string]> = {
  draft: ['Draft', 'disabled'],
  active: ['Active', 'good'],
  degraded: ['Degraded', 'available'],
  disabled: ['Disabled', 'disabled'],
  deprecated: ['Deprecated', 'error'],
};

/** The names of the moves to a status. */
export const MOVES: Record<Status, string> = { draft: 'Draft', active: 'Activate', degraded: 'Mark degraded', disabled: 'Disable', deprecated: 'Deprecate' };

export const AUTH: Record<SystemAuth['type'], string> = {
  none: 'no authentication',
  api_key: 'API key',
  basic: 'user name and password',
  bearer: 'bearer token',
  oauth2: 'OAuth 2',
  mutual_tls: 'client certificate',
};

const PROTOCOLS: Record<string, string> = { rest: 'REST', graphql: 'GraphQL', soap: 'SOAP', grpc: 'gRPC', websocket: 'WebSocket' };
export const protocols = (system: System) => system.protocols.map((name) => PROTOCOLS[name] ?? name).join(', ');

/** Returns the word in front of a path: the method, or the protocol where that says more. */
export const verb = (one: { method: string; protocol?: string }) =>
  one.protocol && one.protocol !== 'rest' ? (PROTOCOLS[one.protocol] ?? one.protocol) : one.method;

class Catalog {
  systems = $state<System[] | null>(null);
  failure = $state<unknown>(null);

  async load() {
    this.failure = null;
    try {
      this.systems = await ok(client.GET('/api/catalog/systems'));
    } catch (failure) {
      this.failure = failure;
    }
  }

  /** Shows in the list at once what changed of one system. */
  follow(detail: SystemDetail) {
    this.systems = (this.systems ?? []).map((one) => (one.id === detail.id ? detail : one));
  }
}

export const catalog = new Catalog();
