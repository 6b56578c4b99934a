// What the walks stand on: the real binary on an empty directory, Chromium with watchers, and a count of what held.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const require = createRequire(new URL('../../web/package.json', import.meta.url));
const { chromium } = require('playwright-core');
const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

export const SHOTS = process.env.SATCHEL_SHOTS ?? join(tmpdir(), 'satchel-shots');
const BINARY = process.env.SATCHEL_BIN;
const LIMIT = 15_000;

/** Waits for a condition, looking often. */
export async function until(what, look, limit = LIMIT) {
  const end = Date.now() + limit;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > end) throw new Error(`waited ${limit / 1000} s for ${what}`);
    await new Promise((done) => setTimeout(done, 30));
  }
}

/** The server as a person starts it. */
export class Server {
  constructor(env = {}) {
    this.data = mkdtempSync(join(tmpdir(), 'satchel-e2e-'));
    this.env = env;
    this.listen = '127.0.0.1:0';
    this.log = '';
  }

  async start() {
    const clean = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('SATCHEL_')));
    this.child = spawn(BINARY, ['serve', '--data', this.data, '--listen', this.listen], { env: { ...clean, ...this.env } });
    this.ended = new Promise((done) => this.child.once('exit', done));
    this.child.stderr.on('data', (text) => (this.log = (this.log + text).slice(-20_000)));
    this.ready = this.setup = null;
    createInterface({ input: this.child.stdout }).on('line', (line) => {
      this.ready ??= /^satchel ready (\S+)/.exec(line)?.[1] ?? null;
      this.setup ??= /^satchel setup (\S+)/.exec(line)?.[1] ?? null;
    });
    await until('the ready line', () => {
      if (this.child.exitCode !== null) throw new Error(`the server ended: ${this.log}`);
      return this.ready;
    });
    // A second start is where the first one was: open pages find it again.
    this.listen = new URL(this.ready).host;
    return this;
  }

  async stop() {
    this.child.kill('SIGTERM');
    await this.ended;
  }

  async remove() {
    if (this.child?.exitCode === null) await this.stop();
    rmSync(this.data, { recursive: true, force: true });
  }
}

export const launch = () =>
  chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  });

/** Everything any page complained of: policy violations, errors, uncaught failures. */
export const complaints = [];

// The browser logs each refusal of its own accord: those a walk provokes, tools that are off, a server that is restarted.
const EXPECTED = /^Failed to load resource: (the server responded with a status of (4\d\d|503)|net::ERR_)/;

/** A browser of its own: cookies, theme and storage are its alone. */
export async function person(browser, { theme = 'light', width = 1440, state } = {}) {
  const size = { width, height: width < 500 ? 800 : 900 };
  const context = await browser.newContext({ viewport: size, colorScheme: theme, hasTouch: width < 500, acceptDownloads: true, storageState: state });
  context.setDefaultTimeout(LIMIT);
  await context.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => console.error(`CSP: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`));
  });
  const page = await context.newPage();
  const complain = (text) => complaints.push(`${new URL(page.url()).pathname}: ${text}`);
  page.on('console', (message) => message.type() === 'error' && !EXPECTED.test(message.text()) && complain(message.text()));
  page.on('pageerror', (error) => complain(`uncaught: ${error.stack ?? error.message}`));
  return page;
}

/** Half faded in, text has half its contrast: waits until nothing moves that comes to an end. */
const still = (page) =>
  page.waitForFunction(() => document.getAnimations().every((one) => one.effect?.getComputedTiming().endTime === Infinity || one.playState !== 'running'));

/** What axe calls serious or critical. */
export async function axe(page) {
  await still(page);
  const session = await page.context().newCDPSession(page);
  const expression = `${AXE};axe.run(document,{resultTypes:['violations']}).then((found)=>JSON.stringify(found.violations
    .filter((one)=>['serious','critical'].includes(one.impact))
    .map((one)=>one.id+': '+one.nodes.slice(0,3).map((node)=>node.target.join(' ')).join(', '))))`;
  const { result } = await session.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
  await session.detach();
  return JSON.parse(result.value);
}

mkdirSync(SHOTS, { recursive: true });
export async function shoot(page, name) {
  await still(page);
  await page.screenshot({ path: join(SHOTS, `${name}.png`) });
}

const counts = { passed: 0, failed: 0 };

/** One walk: a sentence that holds or does not. What fails leaves a picture. */
export async function walk(name, page, steps) {
  const begun = Date.now();
  try {
    await steps();
    counts.passed += 1;
    console.log(`ok    ${name} (${((Date.now() - begun) / 1000).toFixed(1)} s)`);
  } catch (failure) {
    counts.failed += 1;
    console.log(
      `FAIL  ${name}\n      ${String(failure.stack ?? failure)
        .split('\n')
        .slice(0, 12)
        .join('\n      ')}`,
    );
    if (page) await shoot(page, `failed-${name.replace(/\W+/g, '-').slice(0, 60)}`).catch(() => null);
  }
}

export function same(found, wanted, what) {
  const [a, b] = [JSON.stringify(found), JSON.stringify(wanted)];
  if (a !== b) throw new Error(`${what}: found ${a}, wanted ${b}`);
}

/** Prints the count; the process's exit code. */
export function verdict() {
  console.log(`${counts.passed} passed, ${counts.failed} failed`);
  return counts.failed === 0 && counts.passed > 0 ? 0 : 1;
}
