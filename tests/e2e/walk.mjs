// A walk: a sentence that holds or does not. It is declared here, and run with a server, a browser and a model of its own.
import { AsyncLocalStorage } from 'node:async_hooks';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { within } from './wait.mjs';

// For a whole walk: one that waits for ever would stop all that come after it.
const WHOLE = Number(process.env.SATCHEL_E2E_LIMIT ?? 900) * 1000;
const TRACES = process.env.SATCHEL_E2E_TRACES ?? join(tmpdir(), 'satchel-walks');
export const SHOTS = process.env.SATCHEL_SHOTS ?? join(tmpdir(), 'satchel-shots');

/** Every walk that was declared, in order. */
export const walks = [];

const running = new AsyncLocalStorage();

/** The walk whose steps call this; null where none does. */
export const current = () => running.getStore() ?? null;

/**
 * Declares a walk. What may be said of it, all optional:
 * `from`: where it starts, one of the names in worlds.mjs; `ready` where nothing is said;
 * `firefox`: it is walked in Firefox as well;
 * `provokes`: what it makes the console complain of, as `401 POST /api/auth/login`, with `*` for any text: whatever else
 * a page complains of makes the walk fail;
 * `long`: it is begun before the others.
 */
export function walk(name, given, steps) {
  const [options, body] = typeof given === 'function' ? [{}, given] : [given ?? {}, steps];
  if (walks.some((one) => one.name === name)) throw new Error(`two walks are called '${name}'`);
  walks.push({ name, from: 'ready', provokes: [], ...options, steps: body });
}

export function same(found, wanted, what) {
  const [a, b] = [JSON.stringify(found), JSON.stringify(wanted)];
  if (a !== b) throw new Error(`${what}: found ${a}, wanted ${b}`);
}

const slug = (name) => name.replace(/\W+/g, '-').slice(0, 80);
const pattern = (text) =>
  new RegExp(
    `^${text
      .split('*')
      .map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
      .join('[^]*')}$`,
  );

/** One walk under way: who takes part, what they complain of, and what is left behind where it fails. */
class Run {
  constructor(walk, kind) {
    this.walk = walk;
    this.kind = kind;
    this.title = kind === 'firefox' ? `${walk.name} [Firefox]` : walk.name;
    this.contexts = [];
    this.servers = new Set();
    this.complaints = [];
    this.notes = [];
    this.foreseen = walk.provokes.map(pattern);
  }

  /** Records what happens in a context, should it be needed. */
  async follow(context) {
    this.contexts.push(context);
    await context.tracing.start({ screenshots: false, snapshots: true, sources: false });
    const close = context.close.bind(context);
    // A walk may close one before it fails: its trace is kept until then.
    context.close = async (options) => {
      this.contexts = this.contexts.filter((one) => one !== context);
      await close(options);
    };
  }

  /** What was complained of and not announced. */
  unforeseen() {
    return [...new Set(this.complaints.filter((text) => !this.foreseen.some((one) => one.test(text))))];
  }

  /** Traces, pictures and the end of each server's log; the directory. A browser that hangs leaves what it can. */
  async keep() {
    const directory = join(TRACES, `${slug(this.walk.name)}-${this.kind}`);
    rmSync(directory, { recursive: true, force: true });
    mkdirSync(directory, { recursive: true });
    for (const [at, server] of [...this.servers].entries()) writeFileSync(join(directory, `server-${at + 1}.log`), server.log);
    for (const [at, context] of this.contexts.entries()) {
      for (const [number, page] of context.pages().entries()) {
        await page.screenshot({ path: join(directory, `person-${at + 1}-page-${number + 1}.png`), timeout: 10_000 }).catch(() => null);
      }
      await within('a trace', context.tracing.stop({ path: join(directory, `person-${at + 1}.zip`) })).catch(() => null);
    }
    return directory;
  }
}

/** Walks one; what is told of it, in lines, and whether it held. */
export async function perform(walk, kind, enter) {
  const run = new Run(walk, kind);
  const begun = Date.now();
  return running.run(run, async () => {
    let world = null;
    let failure = null;
    let kept = null;
    const entering = enter(walk, kind).then((entered) => (world = entered));
    const steps = async () => {
      await walk.steps(await entering);
      const unforeseen = run.unforeseen();
      if (unforeseen.length) throw new Error(`a page complained:\n${unforeseen.join('\n')}`);
    };
    try {
      await within('the walk to end', steps(), WHOLE);
    } catch (error) {
      failure = error;
      kept = await run.keep().catch((lost) => `none: ${lost.message}`);
    }
    for (const context of run.contexts) await within('a browser to leave', context.close()).catch(() => null);
    const log = world?.server?.log ?? '';
    // What could not be entered in time is left once it is.
    if (world) await world.leave().catch((error) => (failure ??= error));
    else entering.then((late) => late.leave()).catch(() => null);
    const seconds = (Date.now() - begun) / 1000;
    return { held: !failure, seconds, told: [...report(run, { failure, kept, seconds }), ...(process.env.SATCHEL_E2E_LOG ? [log] : [])] };
  });
}

function report(run, { failure, kept, seconds }) {
  const told = [`${failure ? 'FAIL' : 'ok  '}  ${run.title} (${seconds.toFixed(1)} s)`];
  if (failure) {
    const lines = String(failure.stack ?? failure).split('\n');
    told.push(...lines.slice(0, 14).map((line) => `      ${line}`));
  }
  if (kept) told.push(`      trace: ${kept}`);
  const notes = run.notes.flatMap((note) => note.split('\n'));
  return [...told, ...notes.map((line) => `      ${line}`)];
}

/** Announces what is to be complained of, as `provokes` does, from within. */
export const foresee = (text) => current()?.foreseen.push(pattern(text));

/** Says something below the walk's line. */
export const note = (text) => (current() ? current().notes.push(text) : console.log(`      ${text}`));
