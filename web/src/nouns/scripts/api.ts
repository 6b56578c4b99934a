/** The calls the pages of scripts make. */
import { problem, reach } from '../../lib/http';
import { parse } from '../../lib/json';
import type { Call, Checked, Imported, Listed, Reference, RunAnswer, Script, TestRun, VersionText } from './types';

interface Asked {
  body?: unknown;
  signal?: AbortSignal;
  /** The body is sent as it is, under this name. */
  type?: string;
}

async function ask<T>(method: string, path: string, { body, signal, type }: Asked = {}): Promise<T> {
  const init: RequestInit = { method, signal: signal ?? null };
  if (body !== undefined) {
    init.headers = { 'Content-Type': type ?? 'application/json' };
    init.body = type ? (body as Blob) : JSON.stringify(body);
  }
  const response = await reach(`/api/scripts${path}`, init);
  const answer: unknown =
    response.status === 204
      ? null
      : await response
          .text()
          .then(parse)
          .catch(() => null);
  if (response.ok) return answer as T;
  throw problem(response.status, answer);
}

const at = (name: string) => `/${encodeURIComponent(name)}`;

export const list = () => ask<Listed[]>('GET', '');
export const reference = () => ask<Reference>('GET', '/reference');
export const check = (source: string, signal: AbortSignal) => ask<Checked>('POST', '/check', { body: { source }, signal });
export const fromCalls = (calls: Call[], name?: string) =>
  ask<{ name: string; source: string }>('POST', '/from-calls', { body: { ...(name ? { name } : {}), calls } });
/** Drafts with another text stay, unless they are to be replaced. */
export const importFile = (file: Blob, type: string, replace: boolean) =>
  ask<Imported>('POST', replace ? '/import?replace=true' : '/import', { body: file, type });
export const EXPORT = '/api/scripts/export';

export const read = (name: string) => ask<Script>('GET', at(name));
/** `base` is the digest of what the text began from: refused where the server has another by now. */
export const save = (name: string, source: string, base: string) => ask<Script>('PUT', at(name), { body: { source, base } });
export const remove = (name: string, base: string) => ask<null>('DELETE', `${at(name)}?base=${base}`);
export const dropDraft = (name: string, base: string) => ask<null>('DELETE', `${at(name)}/draft?base=${base}`);
/** The text that is given, or where it is null what the server holds. */
export const test = (name: string, source: string | null) => ask<TestRun>('POST', `${at(name)}/test`, { body: source === null ? {} : { source } });
export const run = (name: string, source: string | null, params: unknown, signal: AbortSignal) =>
  ask<RunAnswer>('POST', `${at(name)}/run`, { body: { ...(source === null ? {} : { source }), params }, signal });
export const publish = (name: string, note: string, accept: string[], base: string) =>
  ask<Script>('POST', `${at(name)}/publish`, { body: { ...(note ? { note } : {}), accept, base } });
export const rollback = (name: string, version: number, accept: string[], base: string) =>
  ask<Script>('POST', `${at(name)}/rollback`, { body: { version, accept, base } });
export const version = (name: string, number: number) => ask<VersionText>('GET', `${at(name)}/versions/${number}`);
export const grant = (name: string, hosts: string[]) => ask<Script>('PUT', `${at(name)}/grants`, { body: { hosts } });
