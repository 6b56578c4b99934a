import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { events, follow, Parser, pause, rest, SILENCE, type ServerEvent } from './sse';

const bytes = (...chunks: Uint8Array[]) =>
  new ReadableStream({
    start(to) {
      for (const chunk of chunks) to.enqueue(chunk);
      to.close();
    },
  });
const stream = (...chunks: string[]) => new Response(bytes(...chunks.map((text) => new TextEncoder().encode(text))));
const event = (id: string, name: string, data: string) => `id: ${id}\nevent: ${name}\ndata: ${data}\n\n`;

async function all(response: Response): Promise<ServerEvent[]> {
  const found: ServerEvent[] = [];
  for await (const one of events(response)) found.push(one);
  return found;
}

describe('the parser', () => {
  it('reads an event however it is cut', () => {
    const text = 'id: t-1\r\nevent: token\r\ndata: {"text":"é"}\r\n\r\n';
    for (let at = 0; at <= text.length; at += 1) {
      const parser = new Parser();
      const found = [...parser.push(text.slice(0, at)), ...parser.push(text.slice(at))];
      expect(found).toEqual([{ id: 't-1', name: 'token', data: '{"text":"é"}' }]);
    }
  });

  it('joins several lines of data and keeps the last id', () => {
    expect(new Parser().push('id: 7\ndata: a\ndata: b\n\ndata:c\n\n')).toEqual([
      { id: '7', name: 'message', data: 'a\nb' },
      { id: '7', name: 'message', data: 'c' },
    ]);
  });

  it('passes over comments, unknown fields and events without data', () => {
    expect(new Parser().push(': beat\n\nretry: 5\nevent: x\n\ndata: y\n\n')).toEqual([{ id: null, name: 'message', data: 'y' }]);
  });

  it('decodes characters that are split between chunks', async () => {
    const raw = new TextEncoder().encode('data: naïve 🙂\n\n');
    for (let at = 1; at < raw.length; at += 1) {
      const response = new Response(bytes(raw.slice(0, at), raw.slice(at)));
      expect(await all(response)).toEqual([{ id: null, name: 'message', data: 'naïve 🙂' }]);
    }
  });
});

describe('following a stream', () => {
  const signal = new AbortController().signal;

  it('goes on after the last event when the connection breaks', async () => {
    const asked: (string | null)[] = [];
    const seen: string[] = [];
    const states: boolean[] = [];
    const answers = [stream(event('t-1', 'token', 'a'), event('t-2', 'token', 'b')), stream(event('t-3', 'token', 'c'), event('t-4', 'done', ''))];
    await follow({
      open: (after) => {
        asked.push(after);
        return Promise.resolve(answers.shift() ?? stream());
      },
      take: (one) => {
        seen.push(one.data);
        return one.name === 'done';
      },
      connected: (yes) => states.push(yes),
      signal,
      wait: () => Promise.resolve(),
    });
    expect({ asked, seen, states }).toEqual({ asked: [null, 't-2'], seen: ['a', 'b', 'c', ''], states: [false, true] });
  });

  it('stops at a refusal, which opening again cannot mend', async () => {
    const refusal = Object.assign(new Error('no'), { status: 404 });
    const run = follow({ open: () => Promise.reject(refusal), take: () => false, connected: () => {}, signal, wait: () => Promise.resolve() });
    await expect(run).rejects.toBe(refusal);
  });

  it('tries again while the server is away', async () => {
    let tries = 0;
    await follow({
      open: () => {
        tries += 1;
        if (tries < 4) return Promise.reject(Object.assign(new Error('away'), { status: 0 }));
        return Promise.resolve(stream(event('1', 'done', 'x')));
      },
      take: () => true,
      connected: () => {},
      signal,
      wait: () => Promise.resolve(),
    });
    expect(tries).toBe(4);
  });
});

describe('a connection that is dead at one end', () => {
  const encode = (text: string) => new TextEncoder().encode(text);
  let waits: number[];
  let states: boolean[];
  let asked: (string | null)[];

  /** A stream that says something when it is told to, and never ends by itself. */
  function line() {
    let say = (_: string) => {};
    let gone = false;
    const body = new ReadableStream({ start: (to) => void (say = (text) => to.enqueue(encode(text))), cancel: () => void (gone = true) });
    return { response: new Response(body), say: (text: string) => say(text), gone: () => gone };
  }

  function followed(lines: ReturnType<typeof line>[]) {
    [waits, states, asked] = [[], [], []];
    return follow({
      open: (after) => {
        asked.push(after);
        return Promise.resolve(lines[asked.length - 1]?.response ?? stream(event('9', 'done', '')));
      },
      take: (one) => one.name === 'done',
      connected: (yes) => states.push(yes),
      signal: new AbortController().signal,
      wait: (time) => (waits.push(time), Promise.resolve()),
    });
  }

  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it('is given up after 40 s without the beat, and opened again after the last event', async () => {
    const [dead, next] = [line(), line()];
    const run = followed([dead, next]);
    dead.say(event('t-1', 'token', 'a'));
    for (let beats = 0; beats < 8; beats += 1) {
      await vi.advanceTimersByTimeAsync(15_000);
      dead.say(': beat\n\n');
    }
    await vi.advanceTimersByTimeAsync(SILENCE - 1);
    expect([asked, dead.gone()]).toEqual([[null], false]);
    await vi.advanceTimersByTimeAsync(1);
    expect([asked, dead.gone(), states]).toEqual([[null, 't-1'], true, [false, true]]);
    next.say(event('t-2', 'done', ''));
    await run;
  });

  it('is let go of where it never opens, before the next is opened', async () => {
    /** The requests that are open, and the most that were at a time. */
    const open: boolean[] = [];
    let most = 0;
    const run = follow({
      open: (_, signal) => {
        const at = open.push(true) - 1;
        most = Math.max(most, open.filter(Boolean).length);
        if (at === 2) return Promise.resolve(stream(event('1', 'done', '')));
        return new Promise((_, fail) => signal.addEventListener('abort', () => ((open[at] = false), fail(signal.reason))));
      },
      take: () => true,
      connected: () => {},
      signal: new AbortController().signal,
      wait: () => Promise.resolve(),
    });
    await vi.advanceTimersByTimeAsync(2 * SILENCE);
    await run;
    expect([open, most]).toEqual([[false, false, true], 1]);
  });

  it('is let go of while it opens where nobody follows it any more', async () => {
    const leave = new AbortController();
    let gone = false;
    const open = (_: string | null, signal: AbortSignal) =>
      new Promise<Response>((_, fail) => signal.addEventListener('abort', () => ((gone = true), fail(signal.reason))));
    const run = follow({ open, take: () => true, connected: () => {}, signal: leave.signal });
    leave.abort();
    await run;
    expect(gone).toBe(true);
  });

  it('is known to be back as soon as it opens, before anything is said', async () => {
    const [broken, next] = [stream(event('t-1', 'token', 'a')), line()];
    const run = followed([{ response: broken, say: () => {}, gone: () => true }, next]);
    await vi.advanceTimersByTimeAsync(0);
    expect(states).toEqual([false, true]);
    next.say(event('t-2', 'done', ''));
    await run;
  });

  it('is given up at once where the network was away', async () => {
    const dead = line();
    const run = followed([dead]);
    await vi.advanceTimersByTimeAsync(0);
    window.dispatchEvent(new Event('online'));
    await run;
    expect(asked).toEqual([null, null]);
  });

  it('is tried again as soon as the person looks or the network is back', async () => {
    for (const [target, name] of [
      [window, 'online'],
      [document, 'visibilitychange'],
    ] as const) {
      let over = false;
      void rest(60_000).then(() => (over = true));
      await vi.advanceTimersByTimeAsync(10);
      expect(over).toBe(false);
      target.dispatchEvent(new Event(name));
      await vi.advanceTimersByTimeAsync(0);
      expect(over).toBe(true);
    }
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is not tried again by all browsers at once', () => {
    expect([pause(0, 0), pause(0, 1), pause(3, 0.5), pause(20, 1)]).toEqual([250, 500, 3000, 8000]);
  });
});
