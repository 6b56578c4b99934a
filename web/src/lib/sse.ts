/** Server-sent events over fetch: POST can stream, headers can be set, and a lost stream goes on where it stopped. */
export interface ServerEvent {
  id: string | null;
  name: string;
  data: string;
}

/** Takes text as it arrives and gives whole events (WHATWG event stream). */
export class Parser {
  private rest = '';
  private id: string | null = null;
  private name = '';
  private lines: string[] = [];

  push(text: string): ServerEvent[] {
    const found: ServerEvent[] = [];
    this.rest += text;
    for (;;) {
      const end = /\r\n|\n|\r(?!$)/.exec(this.rest);
      if (!end) return found;
      const line = this.rest.slice(0, end.index);
      this.rest = this.rest.slice(end.index + end[0].length);
      const event = this.line(line);
      if (event) found.push(event);
    }
  }

  private line(line: string): ServerEvent | null {
    if (line === '') return this.dispatch();
    const colon = line.indexOf(':');
    if (colon === 0) return null;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') this.lines.push(value);
    else if (field === 'event') this.name = value;
    else if (field === 'id' && !value.includes('\0')) this.id = value;
    return null;
  }

  private dispatch(): ServerEvent | null {
    const { name, lines, id } = this;
    this.name = '';
    this.lines = [];
    if (lines.length === 0) return null;
    return { id, name: name || 'message', data: lines.join('\n') };
  }
}

/** The server sends something every 15 s; who hears nothing for this long listens to a connection that is dead. */
export const SILENCE = 40_000;

/**
 * What is waited for; it fails where nothing comes for too long, or the network has been away meanwhile: sleep and lost
 * routes leave a stream open at one end. `lost` is told so, to let go of what was waited for.
 */
function heard<T>(waited: Promise<T>, lost = () => {}): Promise<T> {
  const begun = Date.now();
  const ended = new AbortController();
  const silence = new Promise<never>((_, fail) => {
    const dead = () => (lost(), fail(new Error('The stream fell silent.')));
    const timer = setTimeout(dead, SILENCE);
    ended.signal.addEventListener('abort', () => clearTimeout(timer));
    // A timer sleeps with its machine; the clock does not.
    onReturn((online) => (online || Date.now() - begun >= SILENCE) && dead(), ended.signal);
  });
  return Promise.race([waited, silence]).finally(() => ended.abort());
}

/** Tells when the network is back, and when the page is looked at again. */
function onReturn(told: (online: boolean) => void, signal: AbortSignal) {
  if (typeof window === 'undefined') return;
  window.addEventListener('online', () => told(true), { signal });
  document.addEventListener('visibilitychange', () => document.hidden || told(false), { signal });
}

/** Every event of one response, in order. Fails where the connection falls silent. */
export async function* events(response: Response): AsyncGenerator<ServerEvent> {
  if (!response.body) return;
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  const parser = new Parser();
  let whole = false;
  try {
    for (;;) {
      const { done, value } = await heard(reader.read());
      // Who takes no more after this has the last of it.
      whole = true;
      yield* parser.push(done ? decoder.decode() : decoder.decode(value, { stream: true }));
      whole = false;
      if (done) return;
    }
  } finally {
    if (whole) void drain(reader);
    else reader.cancel().catch(() => {});
  }
}

/** The time the end of a stream is waited for once nobody listens, in ms. */
const LAST = 1000;

/** Reads what is left of a stream that is at its end: to break it off would be a failed request. */
async function drain(reader: ReadableStreamDefaultReader<Uint8Array>) {
  const timer = setTimeout(() => void reader.cancel().catch(() => {}), LAST);
  try {
    while (!(await reader.read()).done);
  } catch {
    // It was broken off, which is an end as well.
  }
  clearTimeout(timer);
}

export interface Following {
  /** Opens the stream after the event with this id; null is the beginning. The signal ends the request: nobody waits for it any more. */
  open: (after: string | null, signal: AbortSignal) => Promise<Response>;
  /** Takes one event; true means it was the last. */
  take: (event: ServerEvent) => boolean | Promise<boolean>;
  /** Told when the connection is lost and when it is back. */
  connected: (yes: boolean) => void;
  /** Asked when a stream ends without its last event: true means there is nothing to go on with. */
  over?: () => Promise<boolean>;
  signal: AbortSignal;
  after?: string | null;
  wait?: (milliseconds: number) => Promise<void>;
}

const FIRST = 500;
const LONGEST = 8000;

/** Returns the time to wait before the next attempt, in ms: longer each time, and not all browsers at once. */
export const pause = (failures: number, chance = Math.random()) => Math.min(FIRST * 2 ** failures, LONGEST) * (0.5 + chance / 2);

/** Rests, but no longer than until the network or the person is back. */
export function rest(milliseconds: number): Promise<void> {
  const ended = new AbortController();
  return new Promise<void>((done) => {
    const timer = setTimeout(done, milliseconds);
    ended.signal.addEventListener('abort', () => clearTimeout(timer));
    onReturn(() => done(), ended.signal);
  }).finally(() => ended.abort());
}

/** Reads a stream to its last event, opening it again where it breaks. */
export async function follow({ open, take, connected, over, signal, after = null, wait = rest }: Following): Promise<void> {
  let last = after;
  for (let failures = 0; !signal.aborted; failures += 1) {
    const attempt = new AbortController();
    const letGo = () => attempt.abort();
    signal.addEventListener('abort', letGo);
    try {
      const response = await heard(open(last, attempt.signal), letGo);
      if (failures > 0 && !signal.aborted) connected(true);
      for await (const event of events(response)) {
        if (signal.aborted) return;
        failures = 0;
        last = event.id ?? last;
        if (await take(event)) return;
      }
    } catch (failure) {
      if (signal.aborted) return;
      if (isRefusal(failure)) throw failure;
    } finally {
      signal.removeEventListener('abort', letGo);
    }
    if (signal.aborted) return;
    if (await over?.().catch(() => false)) return;
    connected(false);
    await wait(pause(failures));
  }
}

/** The server answered, and the answer was no: opening again cannot help. */
function isRefusal(failure: unknown): boolean {
  const status = (failure as { status?: unknown } | null)?.status;
  return typeof status === 'number' && status >= 400 && status < 500;
}
