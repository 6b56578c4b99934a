// Connect: the lines for a client, a key made for it, its first call seen, its question approved, its key ended.
import { askBeforeCommands } from './given.mjs';
import { axe, person, same, shoot, until, walk } from './lib.mjs';

const REVISION = '2026-07-28';

/** A program that was given these lines: it reads the address and the header from them, and has nothing else. */
function program(lines) {
  const { url, headers } = JSON.parse(lines).mcpServers.satchel;
  const about = { protocolVersion: REVISION, clientInfo: { name: 'a walk', version: '1' }, clientCapabilities: {} };
  const meta = Object.fromEntries(Object.entries(about).map(([name, value]) => [`io.modelcontextprotocol/${name}`, value]));
  const ask = (method, params, more = {}) =>
    fetch(url, {
      method: 'POST',
      headers: {
        ...headers,
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        'mcp-protocol-version': REVISION,
        'mcp-method': method,
        ...more,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } }),
    });
  return {
    list: () => ask('tools/list', {}),
    call: (name, args) => ask('tools/call', { name, arguments: args }, { 'mcp-name': name }),
  };
}

/** The message of an answer, which may come as a stream. */
async function message(answer) {
  const text = await answer.text();
  if (answer.headers.get('content-type')?.includes('json')) return JSON.parse(text);
  const data = text.split('\n').filter((line) => line.startsWith('data: '));
  return data.map((line) => JSON.parse(line.slice(6))).find((one) => one.id === 1);
}

const part = (page, name) => page.getByRole('region', { name, exact: true });

export function connectWalks() {
  walk('a program is connected, seen at its first call, approved and ended', { firefox: true }, async (world) => {
    const { owner, base } = world;
    await askBeforeCommands(world);
    await owner.goto(`${base}/chat`);
    await owner.getByLabel('Message', { exact: true }).waitFor();
    await owner.keyboard.press('Control+k');
    await owner.getByRole('combobox', { name: 'Search or run anything' }).fill('connect cursor');
    await owner
      .getByRole('option', { name: /^Connect Cursor/ })
      .first()
      .click();
    const cursor = part(owner, 'Cursor');
    const lines = part(owner, '~/.cursor/mcp.json');
    await lines.waitFor();
    same(JSON.parse(await lines.textContent()).mcpServers.satchel.headers.Authorization, 'Bearer sk_satchel_…', 'the header before there is a key');
    const form = owner.getByRole('form', { name: 'A key for Cursor' });
    await form.getByLabel('Tools an MCP client is shown').selectOption('Those you name');
    await form.getByLabel('Names of tools').fill('calculator, exec');
    await shoot(owner, 'connect-form');
    same(await axe(owner), [], 'what axe found before there is a key');
    await form.getByRole('button', { name: 'Make a key for Cursor' }).click();
    const status = cursor.getByRole('group', { name: 'Its first call' });
    await status.getByText('Waiting for its first call …', { exact: true }).first().waitFor();
    await shoot(owner, 'connect-waiting');
    same(await axe(owner), [], 'what axe found while it waits');

    const text = await lines.textContent();
    same(JSON.parse(text).mcpServers.satchel.url, `${base}/mcp`, 'the address');
    const client = program(text);
    const listed = await message(await client.list());
    same(
      listed.result.tools.map((tool) => tool.name),
      ['calculator', 'exec'],
      'what it is shown',
    );
    await status.getByText(/^Connected \d+ s ago\. Waiting/).waitFor();
    const called = await message(await client.call('calculator', { expression: '6 * 7' }));
    same([called.result.isError, JSON.stringify(called.result.structuredContent).includes('42')], [false, true], 'its result');
    await status.getByText(/^First call \d+ s ago: calculator$/).waitFor();
    await shoot(owner, 'connect-called');

    const command = { command: 'echo approved' };
    const asked = await message(await client.call('exec', command));
    same(asked.result.isError, true, 'that it has to ask');
    await status.getByRole('link', { name: '1 waiting in the inbox' }).click();
    await owner.getByRole('form', { name: 'Approval: exec' }).getByRole('button', { name: 'Approve once' }).click();
    await until('the result of what was approved', async () => {
      const { result } = await message(await client.call('exec', command));
      return !result.isError && JSON.stringify(result.structuredContent).includes('approved');
    });

    await owner.getByRole('navigation', { name: 'Main', exact: true }).getByRole('link', { name: 'Connect' }).click();
    const connected = part(owner, 'Connected');
    await connected.getByText('calculator,').waitFor();
    await connected.getByRole('button', { name: 'End the key Cursor' }).click();
    await shoot(owner, 'connect-ends');
    await connected.getByRole('button', { name: 'End it for good' }).click();
    await until('the key to be gone', () => connected.isHidden());
    same((await client.call('calculator', { expression: '6 * 7' })).status, 401, 'the same call');
  });

  walk('the lines of every client fit a narrow screen', async ({ browser, base, state }) => {
    const page = await person(browser, { theme: 'dark', width: 380, state });
    await page.goto(`${base}/connect`);
    const links = page.getByRole('navigation', { name: 'Clients' }).getByRole('link');
    await links.first().waitFor();
    await shoot(page, 'connect-narrow');
    const found = [];
    for (const name of await links.allTextContents()) {
      await page.goto(`${base}/connect`);
      await links.filter({ hasText: name }).click();
      const client = part(page, name);
      await client.waitFor();
      const uses = client.getByRole('group', { name: 'What it uses' }).getByRole('button');
      for (let at = 0; at < Math.max(1, await uses.count()); at += 1) {
        if (await uses.count()) await uses.nth(at).click();
        found.push(...(await axe(page)).map((one) => `${name}: ${one}`));
        if (await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)) found.push(`${name}: wider than the screen`);
        await shoot(page, `connect-narrow-${name.replace(/\W+/g, '-').toLowerCase()}-${at}`);
      }
    }
    same(found, [], 'what axe found');
  });
}
