// Several people: what is somebody's stays theirs. Memories, keys, roles.
import { ask } from './chat.mjs';
import { colleague } from './given.mjs';
import { address, same, shoot, until, walk } from './lib.mjs';

const WRITER = { name: 'wim', password: 'a long enough password' };

/** Their browser: they may read and write files, and are asked before they write. */
const writer = (world) => colleague(world, WRITER, ['host:fs.read', 'host:fs.write']);

export function peopleWalks() {
  walk('the owner makes a role and a user', { firefox: true }, async ({ owner, base }) => {
    await owner.goto(`${base}/users/roles`);
    await owner.getByRole('button', { name: 'Add a role' }).click();
    await owner.getByLabel('Name').fill('writer');
    await owner.getByRole('checkbox', { name: /host:fs.read/ }).check();
    await owner.getByRole('checkbox', { name: /host:fs.write/ }).check();
    await owner.getByRole('button', { name: 'Add the role' }).click();
    await owner.getByText('writer', { exact: true }).waitFor();
    await owner.goto(`${base}/users/people`);
    await owner.getByRole('button', { name: 'Add a user' }).click();
    const form = owner.getByRole('form', { name: 'Add a user' });
    await form.getByLabel('Name').fill(WRITER.name);
    await form.getByLabel('Password').fill(WRITER.password);
    await form.getByLabel('Role').selectOption('writer');
    await form.getByRole('button', { name: /^Add wim/ }).click();
    await owner.getByRole('cell', { name: WRITER.name, exact: true }).waitFor();
    await shoot(owner, 'users');
  });

  walk('who lacks a waiver is asked before a write, and the inbox decides it', { firefox: true }, async (world) => {
    const { base } = world;
    const wim = await writer(world);
    await ask(wim, base, 'Please note it down');
    await wim.getByRole('form', { name: 'Approval: write' }).waitFor();
    await wim.goto(`${base}/inbox`);
    const card = wim.getByRole('form', { name: 'Approval: write' });
    await card.getByLabel('Path').fill('edited.txt');
    await card.getByText('Edited, was walk.txt').waitFor();
    await shoot(wim, 'inbox');
    await card.getByRole('button', { name: 'Approve once' }).click();
    await wim.getByText('Approved: Run write with these changes?').waitFor();
    await wim.getByRole('link', { name: 'Open the conversation' }).first().click();
    await wim.getByText('It is written to walk.txt.').waitFor();
    await wim.goto(`${base}/tools/read`);
    await wim.getByLabel(/^path/).fill('edited.txt');
    await wim.keyboard.press('Control+Enter');
    await wim.getByRole('region', { name: 'Result', exact: true }).getByText('written on the walk').waitFor();
  });

  walk('neither of two users sees the conversations of the other', { provokes: ['404 GET /api/conversations/*'] }, async (world) => {
    const { owner, base } = world;
    const wim = await writer(world);
    await ask(wim, base, 'What is to be done today?');
    await ask(owner, base, 'What is 17.5% of 2,480, for my eyes?');
    const mine = await address(owner);
    await wim.goto(`${base}/chat`);
    const list = wim.getByRole('region', { name: 'Conversations' });
    await list.locator('.item-row').first().waitFor();
    same(await list.locator('.item-row').count(), 1, 'the conversations of the writer');
    await wim.goto(mine);
    await wim.getByRole('region', { name: 'Messages' }).getByRole('alert').waitFor();
    if ((await wim.locator('main').textContent()).includes('434')) throw new Error('the answer of another user is on the page');
  });

  walk('who may not is told which permission is missing', { provokes: ['403 GET *'] }, async (world) => {
    const { base } = world;
    const wim = await writer(world);
    await wim.goto(`${base}/audit`);
    await wim.getByText('audit:read').waitFor();
    await wim.goto(`${base}/settings/models`);
    await wim.getByText('settings:manage').waitFor();
  });

  walk('a memory is kept, changed, found and forgotten', async (world) => {
    const { base } = world;
    const wim = await writer(world);
    await wim.goto(`${base}/memory`);
    await wim.getByRole('button', { name: 'Remember this example' }).click();
    await wim.getByRole('button', { name: 'Edit this memory' }).click();
    await wim.getByLabel('What to remember').fill('Amounts are in francs.');
    await wim.getByRole('button', { name: 'Save' }).click();
    await wim.getByText('Amounts are in francs.').waitFor();
    await wim.getByLabel('Search memories').fill('francs');
    await until('the search', () => wim.getByText('Amounts are in francs.').isVisible());
    await wim.getByRole('button', { name: 'Forget this' }).click();
    await wim.getByRole('button', { name: 'Forget for good' }).click();
    await wim.getByText('Nothing remembered holds').waitFor();
  });

  walk('a key is shown once and revoked', async (world) => {
    const { base } = world;
    const wim = await writer(world);
    await wim.goto(`${base}/users/keys`);
    await wim.getByRole('button', { name: 'Create a key' }).first().click();
    await wim.getByLabel('What is it for?').fill('walk');
    await wim.getByRole('button', { name: 'Create the key' }).click();
    const key = await wim.locator('code.secret').textContent();
    const headers = { authorization: `Bearer ${key}` };
    same((await fetch(`${base}/api/auth/me`, { headers })).status, 200, 'the key');
    await wim.getByRole('button', { name: 'Revoke walk' }).click();
    await wim.getByRole('button', { name: 'Revoke for good' }).click();
    await until('the key to be dead', async () => (await fetch(`${base}/api/auth/me`, { headers })).status === 401);
  });

  walk('a key shows an MCP client what it was made to show', async (world) => {
    const { base } = world;
    const wim = await writer(world);
    await wim.goto(`${base}/users/keys`);
    await wim.getByRole('button', { name: 'Create a key' }).first().click();
    const form = wim.getByRole('form', { name: 'Create a key' });
    await form.getByLabel('What is it for?').fill('an editor');
    await form.getByLabel('Tools an MCP client is shown').selectOption('Those you name');
    await form.getByLabel('Names of tools').fill('calculator, parse_json');
    await form.getByLabel('Let it answer questions for me').check();
    await shoot(wim, 'users-key-mcp');
    await form.getByRole('button', { name: 'Create the key' }).click();
    const key = await wim.locator('code.secret').textContent();
    await wim.getByText('answers for you').waitFor();
    const about = { protocolVersion: '2026-07-28', clientInfo: { name: 'a walk', version: '1' }, clientCapabilities: {} };
    const meta = Object.fromEntries(Object.entries(about).map(([name, value]) => [`io.modelcontextprotocol/${name}`, value]));
    const listed = await fetch(`${base}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/list',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: meta } }),
    });
    const names = (await listed.json()).result.tools.map((tool) => tool.name);
    same(names, ['calculator', 'parse_json'], 'the tools that are listed');
    await wim.getByRole('button', { name: 'Revoke an editor' }).click();
    await wim.getByRole('button', { name: 'Revoke for good' }).click();
    await until('the key to be gone', () => wim.getByText('an editor').isHidden());
  });
}
