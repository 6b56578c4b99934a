// The console, walked in browsers against the real binary.
//
//   node tests/e2e/run.mjs                       every walk, a third of them in Firefox as well
//   node tests/e2e/run.mjs "part of a name"      those whose name (or file) holds it; several may be given
//   node tests/e2e/run.mjs --list                their names
//   --chromium, --firefox                        in that browser alone
//   --jobs 4                                     so many at once; as many as there are processors where nothing is said
//   --repeat 5                                   each of them so often
//
// Prints a line for each walk, then `N passed, N failed`, and exits 1 where one failed. Each walk has a server, a data
// directory, a model and a browser's context of its own, so that any can be walked alone and none is in the way of another.
// One that fails leaves a trace, pictures and the server's log in the directory it prints; a trace is read with
// `npx playwright show-trace <zip>`.
//
// SATCHEL_BIN           the server, for instance target/debug/satchel; must be set
// CHROMIUM, FIREFOX     the browsers; /usr/bin/chromium and /usr/bin/firefox-esr where nothing is said
// SATCHEL_E2E_TRACES    where what fails leaves its traces; satchel-walks in the directory for temporary files
// SATCHEL_E2E_LOG       set to anything: the log of the server is printed after each walk
// SATCHEL_E2E_PATIENCE  seconds for anything to come true before a walk fails; 60
// SATCHEL_E2E_LIMIT     seconds for a whole walk before it is left and fails; 900
// SATCHEL_SHOTS         where walks leave pictures of pages; satchel-shots in the directory for temporary files
//
// How a walk is written stands in walk.mjs, what it is given in worlds.mjs.
import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { launch } from './browser.mjs';
import { within } from './wait.mjs';
import { perform, walks } from './walk.mjs';
import { clear, enter } from './worlds.mjs';

const { values: asked, positionals: parts } = parseArgs({
  allowPositionals: true,
  options: {
    list: { type: 'boolean' },
    chromium: { type: 'boolean' },
    firefox: { type: 'boolean' },
    jobs: { type: 'string' },
    repeat: { type: 'string', default: '1' },
  },
});

/** Declares what the files hold: functions whose name ends with Walks. */
async function declare() {
  const here = new URL('.', import.meta.url);
  for (const file of readdirSync(here)
    .filter((name) => name.endsWith('.mjs') && name !== 'run.mjs')
    .sort()) {
    for (const [name, declares] of Object.entries(await import(new URL(file, here)))) {
      if (!name.endsWith('Walks')) continue;
      const before = walks.length;
      declares();
      walks.slice(before).forEach((one) => (one.file = file));
    }
  }
}

const holds = (one, part) => `${one.file} ${one.name}`.toLowerCase().includes(part.toLowerCase());

/** What is wrong with what is asked for or declared; empty where nothing is. */
function wrong() {
  const unknown = parts.filter((part) => !walks.some((one) => holds(one, part)));
  const both = walks.filter((one) => one.firefox).length;
  // Each browser has defects of its own: the share that is walked in both does not shrink unseen.
  const few = parts.length === 0 && both * 3 < walks.length;
  return [
    ...unknown.map((part) => `no walk has '${part}' in its name: --list shows what there is`),
    ...(few ? [`${both} of ${walks.length} walks are declared for Firefox as well: it must be a third`] : []),
  ];
}

/** What is to be done: a walk and a browser each, the longest first. */
function chosen() {
  const fits = (one) => !parts.length || parts.some((part) => holds(one, part));
  const kinds = (one) => [!asked.firefox && 'chromium', one.firefox && !asked.chromium && 'firefox'].filter(Boolean);
  const all = walks.filter(fits).flatMap((one) => kinds(one).map((kind) => ({ one, kind })));
  const repeated = Array.from({ length: Number(asked.repeat) }, () => all).flat();
  return [...repeated.filter(({ one }) => one.long), ...repeated.filter(({ one }) => !one.long)];
}

/** Walks what is left until nothing is. A browser that ended is started anew. */
async function work(left, counts) {
  const browsers = {};
  const browser = async (kind) => {
    if (!browsers[kind]?.isConnected()) browsers[kind] = await launch(kind);
    return browsers[kind];
  };
  // One that does not close is ended with this process.
  const close = (kind) => within('a browser to close', browsers[kind].close()).catch(() => null);
  for (let next = left.shift(); next; next = left.shift()) {
    const { told, held, seconds } = await perform(next.one, next.kind, async (one, kind) => enter(one, kind, await browser(kind)));
    console.log(told.join('\n'));
    counts[held ? 'passed' : 'failed'] += 1;
    counts.seconds += seconds;
    // It may be the browser that hangs: the next walk is not given it.
    if (!held && browsers[next.kind]) {
      await close(next.kind);
      delete browsers[next.kind];
    }
  }
  for (const kind of Object.keys(browsers)) await close(kind);
}

await declare();
const todo = chosen();
if (asked.list) {
  todo.forEach(({ one, kind }) => console.log(kind === 'firefox' ? `${one.name} [Firefox]` : one.name));
  process.exit(0);
}
if (!process.env.SATCHEL_BIN) {
  console.error('Set SATCHEL_BIN to the server, for instance target/debug/satchel.');
  process.exit(2);
}
const complaints = wrong();
complaints.forEach((text) => console.log(`FAIL  ${text}`));
const counts = { passed: 0, failed: complaints.length, seconds: 0 };
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
// A walk that fails leaves behind what it had begun to wait for, which comes to nothing once its browser is closed.
process.on('unhandledRejection', (error) => {
  if (/has been closed|Target closed/.test(error?.message)) return;
  counts.failed += 1;
  console.log(`FAIL  nobody waited for what failed\n      ${error?.stack ?? error}`);
});
const begun = Date.now();
const jobs = Math.max(1, Number(asked.jobs ?? Math.min(availableParallelism(), 4)));
try {
  await Promise.all(Array.from({ length: jobs }, () => work(todo, counts)));
} finally {
  clear();
}
console.log(
  `${counts.passed} passed, ${counts.failed} failed in ${Math.round((Date.now() - begun) / 1000)} s (${Math.round(counts.seconds)} s of walks, ${jobs} at once)`,
);
process.exit(counts.failed === 0 && counts.passed > 0 ? 0 : 1);
