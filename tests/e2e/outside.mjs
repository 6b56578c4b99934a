// The way to a system of one's own, whole: a large document is read, ten operations chosen, a key entered, the system put to
// use and asked for in the chat, a change approved; what happened is in audit and ledger, and the key is nowhere.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ask } from './chat.mjs';
import { deskDocument, SECRET, startDesk } from './desk.mjs';
import { except } from './given.mjs';
import { address, axe, person, same, shoot, until, walk } from './lib.mjs';

const CHOSEN = [
  'GET /tickets',
  'GET /tickets/{id}',
  'GET /tickets/{id}/history',
  'POST /tickets/{id}/replies',
  'PATCH /tickets/{id}',
  'GET /invoices',
  'GET /invoices/{id}',
  'GET /customers',
  'GET /customers/{id}',
  'DELETE /tags/{id}',
];
const thread = (page) => page.getByRole('region', { name: 'Messages' });

function filesOf(directory) {
  return readdirSync(directory, { recursive: true })
    .map((name) => join(directory, name))
    .filter((path) => statSync(path).isFile());
}

/** Everything the server answers to this page from now on, but for streams, which are read again as what they led to. */
function overhear(page) {
  const heard = [];
  page.on('response', (response) => {
    if (!response.url().includes('/api/') || response.headers()['content-type']?.includes('event-stream')) return;
    heard.push(response.text().catch(() => ''));
  });
  return heard;
}

/** Ten of 160 operations of a document are chosen, with what they cost. */
async function chosen({ owner, base, main, desk }) {
  await owner.goto(`${base}/catalog/import`);
  const document = JSON.stringify(deskDocument(desk.base));
  await owner.getByLabel(/^File/).setInputFiles({ name: 'desk.json', mimeType: 'application/json', buffer: Buffer.from(document) });
  await owner.getByRole('button', { name: 'Show what is in it' }).click();
  await owner.getByRole('heading', { name: 'Import Service desk' }).waitFor();
  await owner.getByRole('group', { name: 'Token cost' }).getByText('of 160').waitFor();
  await owner.getByRole('button', { name: 'None', exact: true }).click();
  for (const key of CHOSEN) await owner.getByRole('checkbox', { name: key, exact: true }).check();
  await owner.getByRole('group', { name: 'Token cost' }).getByText('10 of 160').waitFor();
  await shoot(owner, 'outside-import');
  same(await axe(owner), [], 'what axe found');
  await owner.getByRole('button', { name: 'Import 10 as draft' }).click();
  await main.getByRole('heading', { name: 'Service desk' }).waitFor();
  const endpoints = main.getByRole('region', { name: 'Endpoints' });
  await endpoints.getByRole('link', { name: 'replyTicket' }).waitFor();
  same(await endpoints.getByRole('row').count(), 11, 'rows of the endpoints, with their head');
}

/** Its key is entered once, and it is put to use. */
async function keyed({ owner, main }) {
  await owner.getByRole('button', { name: 'Set', exact: true }).click();
  const form = owner.getByRole('form', { name: 'Credentials' });
  await form.getByLabel(/^api.key/i).fill(SECRET);
  await form.getByRole('button', { name: 'Save' }).click();
  await owner.getByText('Credential: API key, set').waitFor();
  await owner.getByRole('button', { name: 'Activate' }).click();
  await main.getByRole('button', { name: 'Mark degraded', disabled: false }).waitFor();
}

/** What only the system knows is asked for in the chat, and a change waits for a word. */
async function askedFor({ browser, owner, base, desk }) {
  await ask(owner, base, 'Whose is ticket 4711? Tell them that fish is on its way.');
  const card = owner.getByRole('form', { name: /^Approval: .*reply_ticket/ });
  await card.waitFor();
  same(
    desk.asked.map((one) => `${one.method} ${one.url}`),
    ['GET /desk/tickets/4711'],
    'what the desk was asked before anybody approved',
  );
  await shoot(owner, 'outside-approval');
  same(await axe(owner), [], 'what axe found');
  const small = await person(browser, { width: 380, state: await owner.context().storageState() });
  await small.goto(await address(owner));
  await small.getByRole('form', { name: /^Approval: .*reply_ticket/ }).waitFor();
  await shoot(small, 'outside-approval-380');
  same(await small.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0, 'px too wide');
  await small.context().close();
  await card.getByRole('button', { name: 'Approve once' }).click();
  await thread(owner).getByText('Ticket 4711 is of Ines Albatros, and she knows now.').waitFor();
  same(
    desk.asked.map((one) => [one.method, one.key]),
    [
      ['GET', SECRET],
      ['POST', SECRET],
    ],
    'how the desk was asked',
  );
  same(JSON.parse(desk.asked[1].body), { text: 'Fish is on its way.' }, 'what was said there');
  await shoot(owner, 'outside-answer');
}

/** Both calls are in the audit and both requests in the ledger, each led to from the other. */
async function recorded({ owner, base, desk, call }) {
  for (const tool of ['get_ticket', 'reply_ticket']) {
    await owner.goto(`${base}/audit?tool=catalog:service_desk.${tool}&outcome=success`);
    await owner.getByRole('region', { name: 'Entries' }).getByRole('row').nth(1).getByText(tool).first().waitFor();
  }
  await shoot(owner, 'outside-audit');
  const rows = async () => (await call('GET', '/api/egress?host=127.0.0.1&limit=200')).entries.filter((row) => row.port === Number(desk.host.split(':')[1]));
  await until('both rows of the ledger', async () => (await rows()).filter((row) => row.outcome === 'done').length === 2);
  const me = (await call('GET', '/api/auth/me')).username;
  same(
    (await rows()).map((row) => [row.by, row.status, row.user]),
    [
      ['catalog:service_desk.reply_ticket', 201, me],
      ['catalog:service_desk.get_ticket', 200, me],
    ],
    'the rows of the ledger',
  );
  await owner.goto(`${base}/outbound?tool=catalog:service_desk.reply_ticket`);
  await owner.getByRole('region', { name: 'Connections' }).getByRole('link', { name: 'catalog:service_desk.reply_ticket' }).waitFor();
  await shoot(owner, 'outside-ledger');
  await owner.getByRole('region', { name: 'Connections' }).getByRole('link', { name: 'catalog:service_desk.reply_ticket' }).click();
  await owner.getByRole('region', { name: 'Entries' }).getByRole('row').nth(1).getByText('reply_ticket').first().waitFor();
}

/** The key stands nowhere: not in files, logs, audit, or in any answer. */
async function nowhere({ owner, base, server, heard, call }) {
  const paths = [
    '/api/audit?limit=500',
    '/api/audit/export',
    '/api/egress?limit=500',
    '/api/catalog/systems',
    '/api/tools',
    '/api/settings',
    '/api/conversations',
  ];
  const conversations = (await call('GET', '/api/conversations')).slice(0, 3).map((one) => `/api/conversations/${one.id}`);
  for (const path of [...paths, ...conversations]) heard.push((await owner.request.get(`${base}${path}`)).text());
  const answers = await Promise.all(heard);
  if (answers.length < 30) throw new Error(`only ${answers.length} answers were heard`);
  const forms = [SECRET, Buffer.from(SECRET).toString('base64').slice(0, 20), Buffer.from(SECRET).toString('hex')];
  for (const form of forms) {
    same(answers.filter((text) => text.includes(form)).length, 0, `answers with ${form}`);
    same(server.log.includes(form), false, `whether the log has ${form}`);
    same(
      filesOf(server.data).filter((path) => readFileSync(path).includes(form)),
      [],
      `files with ${form}`,
    );
  }
  same((await owner.content()).includes(SECRET), false, 'whether the page shows it');
}

export function outsideWalks() {
  walk("a system of one's own is read, given its key, asked in the chat and accounted for, and its key stands nowhere", async (given) => {
    const desk = await startDesk();
    try {
      await except(given, [desk.host]);
      const world = { ...given, desk, main: given.owner.getByRole('main'), heard: overhear(given.owner) };
      for (const step of [chosen, keyed, askedFor, recorded, nowhere]) await step(world);
    } finally {
      desk.stop();
    }
  });
}
