// Where a walk starts: a data directory made once over the API and copied for each walk, its server, its model, its owner.
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { furnish } from './furnish.mjs';
import { person } from './browser.mjs';
import { startModel } from './model.mjs';
import { Server } from './server.mjs';
import { note } from './walk.mjs';

export const OWNER = { name: 'anna', password: 'correct horse battery' };

const withModel = (model) => ({ SATCHEL_MODEL: 'openai:scripted', SATCHEL_MODEL_URL: model.url });
const directory = () => mkdtempSync(join(tmpdir(), 'satchel-e2e-'));

/** Asks the server as the owner does, without a page. Anything but success is an error. */
export function caller(base, cookie) {
  return async (method, path, body, signal) => {
    const headers = { cookie, origin: base, ...(body !== undefined && { 'content-type': 'application/json' }) };
    const answer = await fetch(`${base}${path}`, { method, headers, signal, body: body === undefined ? undefined : JSON.stringify(body) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`);
    return answer.headers.get('content-type')?.includes('json') ? JSON.parse(text) : text;
  };
}

/** Makes the owner with the link the server printed; their cookie. */
export async function makeOwner(server) {
  const token = new URL(await server.link()).searchParams.get('token');
  const answer = await fetch(`${server.ready}/api/setup`, {
    method: 'POST',
    headers: { origin: server.ready, 'content-type': 'application/json' },
    body: JSON.stringify({ token, username: OWNER.name, password: OWNER.password }),
  });
  if (answer.status !== 201) throw new Error(`the owner was not made: ${answer.status} ${await answer.text()}`);
  return answer.headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ');
}

/** What a browser holds that is signed in with a cookie. */
function signedIn(cookie) {
  const [name, ...value] = cookie.split('=');
  return {
    cookies: [{ name, value: value.join('='), domain: '127.0.0.1', path: '/', expires: -1, httpOnly: true, secure: false, sameSite: 'Lax' }],
    origins: [],
  };
}

/** A directory with an owner and whatever else is put there; made the first time it is asked for. */
function template(fill) {
  let made = null;
  return () =>
    (made ??= make(fill).catch((error) => {
      made = null;
      throw error;
    }));
}

const models = [];
const directories = [];

async function make(fill) {
  const model = await startModel();
  models.push(model);
  const server = new Server(withModel(model), directory());
  directories.push(server.data);
  await server.start();
  const cookie = await makeOwner(server);
  const facts = (await fill?.({ server, model, base: server.ready, cookie, call: caller(server.ready, cookie) })) ?? {};
  await server.stop();
  return { data: server.data, cookie, facts };
}

const plain = template();
const furnished = template(furnish);

/**
 * `ready`: there is an owner, signed in, and a model.
 * `furnished`: and something on every page: see furnish.mjs; `facts` says what.
 * `offline`: there is an owner and no model.
 * `empty`: nothing is there, and nobody. `empty-offline`: no model either.
 */
const STARTS = {
  ready: { from: plain, model: true },
  furnished: { from: furnished, model: true },
  offline: { from: plain, model: false },
  empty: { from: null, model: true },
  'empty-offline': { from: null, model: false },
};

/** What a walk is given. */
export async function enter(walk, kind, browser) {
  const start = STARTS[walk.from];
  if (!start) throw new Error(`there is no start '${walk.from}'`);
  const { data, cookie, facts } = (await start.from?.()) ?? {};
  const model = start.model ? await startModel() : null;
  const server = new Server(model ? withModel(model) : {}, directory());
  const leave = async () => {
    await server.remove();
    model?.stop();
  };
  try {
    if (data) cpSync(data, server.data, { recursive: true });
    await server.start();
    const state = cookie && signedIn(cookie);
    const owner = await person(browser, { state });
    const base = server.ready;
    return { browser, kind, server, model, base, owner, state, facts, call: cookie && caller(base, cookie), note, leave };
  } catch (error) {
    await leave();
    throw error;
  }
}

/** Throws away what was copied. */
export function clear() {
  models.forEach((model) => model.stop());
  directories.forEach((data) => rmSync(data, { recursive: true, force: true }));
}
