/** The one way to the server: the generated client, and errors a person can act on. */
import createClient from 'openapi-fetch';
import type { paths } from './api';
import { parse } from './json';

/** A refusal or failure, in the words of RFC 9457. */
export class Problem extends Error {
  constructor(
    readonly status: number,
    detail: string,
    readonly body: Record<string, unknown> = {},
  ) {
    super(detail);
  }
}

const UNREACHABLE = 'Satchel does not answer. Check that it is running and that you are connected, then try again.';

/** Told when the server no longer knows who we are. */
let signedOut = () => {};
export function onSignedOut(handler: () => void) {
  signedOut = handler;
}

/** A fetch that fails as a `Problem` where no answer comes. */
export async function reach(input: Request | string, init?: RequestInit): Promise<Response> {
  try {
    return await fetch(input, init);
  } catch (cause) {
    if (cause instanceof DOMException && cause.name === 'AbortError') throw cause;
    throw new Problem(0, UNREACHABLE);
  }
}

type Ask = (path: string, init?: object) => Promise<{ data?: unknown }>;

/** Reads the numbers of answers without loss. */
const exactly =
  (ask: Ask): Ask =>
  async (path, init) => {
    const answer = await ask(path, { ...init, parseAs: 'text' });
    return typeof answer.data === 'string' ? { ...answer, data: answer.data ? parse(answer.data) : undefined } : answer;
  };

export const client = createClient<paths>({ baseUrl: '/', fetch: (request: Request) => reach(request) });
for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const) {
  Object.assign(client, { [method]: exactly(client[method] as Ask) });
}

/** Returns the problem an answer states that is no success. */
export function problem(status: number, body: unknown): Problem {
  const fields = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  const detail = fields['detail'] ?? fields['title'] ?? (typeof body === 'string' && body ? body : null);
  if (status === 401) signedOut();
  return new Problem(status, typeof detail === 'string' ? detail : `The server answered ${status}. Try again.`, fields);
}

/** The answer's body, or a `Problem`. */
export async function ok<T>(call: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T> {
  const { data, error, response } = await call;
  if (response.ok) return data as T;
  throw problem(response.status, error);
}

/** A message for any failure. */
export function words(failure: unknown): string {
  if (failure instanceof Error && failure.message) return failure.message;
  return 'Something failed. Try again.';
}

/** Sends a form and tells how much of it has gone: `fetch` cannot say that. */
export function upload(path: string, form: FormData, sent: (part: number) => void, signal: AbortSignal): Promise<unknown> {
  return new Promise((done, fail) => {
    const request = new XMLHttpRequest();
    request.open('POST', path);
    request.responseType = 'json';
    request.upload.onprogress = (event) => event.lengthComputable && sent(event.loaded / event.total);
    request.onload = () => (request.status < 300 ? done(request.response) : fail(problem(request.status, request.response)));
    request.onerror = () => fail(new Problem(0, UNREACHABLE));
    request.onabort = () => fail(new DOMException('Stopped', 'AbortError'));
    signal.addEventListener('abort', () => request.abort());
    request.send(form);
  });
}
