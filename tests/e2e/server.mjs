// The server as a person starts it: the real binary on a data directory of its own.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { until, within } from './wait.mjs';
import { current } from './walk.mjs';

const BINARY = process.env.SATCHEL_BIN;
// A debug build that starts while everything else on the machine does the same.
const START = 180_000;
// Five seconds are promised. This is for a machine that is busy, and against a walk that would never end.
const STOP = 60_000;

// Whatever ends the runner ends the servers, too.
const running = new Set();
process.on('exit', () => {
  for (const { child, data } of running) {
    child.kill('SIGKILL');
    rmSync(data, { recursive: true, force: true });
  }
});

export class Server {
  /** With these variables of the environment, on this directory or on an empty one. */
  constructor(env = {}, data = mkdtempSync(join(tmpdir(), 'satchel-e2e-'))) {
    this.data = data;
    this.env = env;
    this.listen = '127.0.0.1:0';
    this.log = '';
  }

  async start() {
    const clean = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('SATCHEL_')));
    this.child = spawn(BINARY, ['serve', '--data', this.data, '--listen', this.listen], { env: { ...clean, ...this.env } });
    running.add(this);
    current()?.servers.add(this);
    this.ended = new Promise((done) => this.child.once('exit', done)).then(() => running.delete(this));
    this.child.once('error', (error) => (this.broken = error));
    this.child.stderr.on('data', (text) => (this.log = (this.log + text).slice(-200_000)));
    this.ready = this.setup = null;
    createInterface({ input: this.child.stdout }).on('line', (line) => {
      this.ready ??= /^satchel ready (\S+)/.exec(line)?.[1] ?? null;
      this.setup ??= /^satchel setup (\S+)/.exec(line)?.[1] ?? null;
    });
    await until(
      'the ready line',
      () => {
        if (this.broken) throw this.broken;
        if (this.child.exitCode !== null) throw new Error(`the server ended: ${this.log}`);
        return this.ready;
      },
      START,
    );
    // A second start is where the first one was: open pages find it again.
    this.listen = new URL(this.ready).host;
    return this;
  }

  /** The set-up link, which is printed after the ready line. */
  link() {
    return until('the set-up link', () => this.setup);
  }

  /** Asks it to end, as a service manager does. One that goes on is killed, and that is an error. */
  async stop() {
    this.child.kill('SIGTERM');
    try {
      await within('the server to stop', this.ended, STOP);
    } catch (error) {
      this.child.kill('SIGKILL');
      await this.ended;
      throw new Error(`${error.message}; the end of its log:\n${this.log.slice(-2000)}`, { cause: error });
    }
  }

  /** Ends it without ceremony: nothing of it is kept. */
  async remove() {
    if (this.child && this.child.exitCode === null && this.child.signalCode === null) {
      this.child.kill('SIGKILL');
      await this.ended;
    }
    rmSync(this.data, { recursive: true, force: true });
  }
}
