// Lists people live with: conversations, memories, tools, the audit; and what is tried without an import.
import { ask } from './chat.mjs';
import { invoke, talk } from './given.mjs';
import { address, person, same, shoot, until, walk } from './lib.mjs';

const list = (page) => page.getByRole('region', { name: 'Conversations' });
const DAY = 86_400_000;

export function listWalks() {
  walk('a search of conversations shows the line that holds what was searched for', { firefox: true }, async (world) => {
    const { owner, base } = world;
    await talk(world, 'What is 17.5% of 2,480, with a needle in it?');
    await talk(world, 'Only say something');
    await owner.goto(`${base}/chat`);
    await until('both conversations', async () => (await list(owner).locator('.item-row').count()) === 2);
    await owner.getByLabel('Search conversations').fill('calculator did');
    await list(owner).locator('.item-row .line').filter({ hasText: 'The calculator did the sum.' }).waitFor();
    await until('the other to be left out', async () => (await list(owner).locator('.item-row').count()) === 1);
    await shoot(owner, 'conversations-found');
  });

  walk('a conversation is moved to a folder of a list, and the list is left with Esc', { firefox: true }, async (world) => {
    const { owner, base } = world;
    await owner.goto(`${base}/chat/${await talk(world, 'Only say something')}`);
    const row = () =>
      list(owner)
        .locator('.item-row')
        .filter({ has: owner.locator('[aria-current="true"]') });
    const move = async () => {
      await row().hover();
      await row()
        .getByRole('button', { name: /^More on/ })
        .click();
      await list(owner).getByRole('button', { name: 'Move to a folder' }).click();
    };
    const group = list(owner).getByRole('group', { name: /^Move .* to a folder$/ });
    await move();
    await group.waitFor();
    await owner.keyboard.press('Escape');
    await group.waitFor({ state: 'detached' });
    await move();
    await group.getByRole('button', { name: 'Cancel' }).click();
    await group.waitFor({ state: 'detached' });
    await move();
    await group.getByLabel('Folder name').fill('Reckoning');
    await owner.keyboard.press('Enter');
    await list(owner).locator('.group').filter({ hasText: 'Reckoning' }).waitFor();
    await move();
    await shoot(owner, 'conversation-move');
    await group.getByRole('button', { name: 'No folder' }).click();
    await list(owner).locator('.group').filter({ hasText: 'Reckoning' }).waitFor({ state: 'detached' });
  });

  walk('a long list of conversations is gathered by day and month, and its head stays', { firefox: true }, async (world) => {
    const { owner, base } = world;
    await talk(world, 'Only say something');
    await owner.route(/\/api\/conversations$/, async (route) => {
      if (route.request().method() !== 'GET') return route.continue();
      const response = await route.fetch();
      const [one] = await response.json();
      const json = Array.from({ length: 90 }, (_, n) => ({
        ...one,
        id: crypto.randomUUID(),
        title: `Talk ${n}`,
        folder: null,
        updated_at: new Date(Date.now() - n * n * DAY * 0.05).toISOString(),
      }));
      await route.fulfill({ response, json });
    });
    await owner.goto(`${base}/chat`);
    await list(owner).getByText('Talk 89').waitFor();
    const names = await list(owner).locator('.group').allTextContents();
    same([names[0]?.trim(), names.length > 6, new Set(names).size === names.length], ['Today', true, true], 'the groups');
    await list(owner).getByText('Talk 89').scrollIntoViewIfNeeded();
    await list(owner).evaluate((one) => one.scrollTo({ top: one.scrollHeight }));
    for (const part of [owner.getByLabel('Search conversations'), list(owner).getByRole('link', { name: 'New conversation' })]) {
      const box = await part.boundingBox();
      const top = (await list(owner).boundingBox()).y;
      same(box.y >= top && box.y < top + 120, true, 'that the head is in view');
    }
    await shoot(owner, 'conversations-long');
  });

  walk('several memories are chosen and forgotten at once', { firefox: true }, async ({ owner, base, call }) => {
    const [office, invoices, week] = ['The office is in Basel.', 'Invoices are in francs.', 'The week begins on Monday.'];
    for (const content of [office, invoices, week]) await call('POST', '/api/memories', { content, category: 'fact' });
    await owner.goto(`${base}/memory`);
    await owner.getByText(office).waitFor();
    await owner.getByRole('button', { name: 'Select', exact: true }).click();
    for (const content of [office, invoices]) await owner.getByRole('checkbox', { name: `Select: ${content}` }).check();
    await owner.getByText('2 selected').waitFor();
    await shoot(owner, 'memory-selected');
    await owner.getByRole('button', { name: 'Forget the selected' }).click();
    await owner.getByRole('button', { name: 'Forget 2 memories for good' }).click();
    await owner.getByText(office).waitFor({ state: 'detached' });
    await owner.getByText(week).waitFor();
    same(
      (await call('GET', '/api/memories')).map((one) => one.content),
      [week],
      'what is still remembered',
    );
  });

  walk('among all memories what was saved comes first, and what only happened stands apart', async (world) => {
    const { owner, base, call } = world;
    await call('POST', '/api/memories', { content: 'The week begins on Monday.', category: 'fact' });
    await talk(world, 'What is 17.5% of 2,480?');
    // A conversation leaves its episode once another is begun.
    await talk(world, 'Only say something');
    await until('the episode', async () => (await call('GET', '/api/memories?layer=episode')).length === 1);
    await owner.goto(`${base}/memory?layer=all`);
    await owner.getByText('The week begins on Monday.').waitFor();
    same(await owner.locator('main h2.part').allTextContents(), ['Saved, 1', 'Episodes, 1'], 'the parts');
    await shoot(owner, 'memory-all');
  });

  walk('at 1024 px a tool says what it does, and nothing that matters is out of sight', async ({ browser, base, state }) => {
    const page = await person(browser, { width: 1024, state });
    await page.goto(`${base}/tools`);
    const table = page.getByRole('region', { name: 'Tool library' });
    await table.getByRole('link', { name: 'calculator', exact: true }).waitFor();
    same(await table.evaluate((one) => one.scrollWidth <= one.clientWidth), true, 'that all columns are in view');
    const row = table.getByRole('row').filter({ has: page.getByRole('link', { name: 'calculator', exact: true }) });
    same(((await row.locator('.about').textContent()) ?? '').length > 10, true, 'a description');
    await row.getByText('Ready').waitFor();
    await table.getByRole('columnheader', { name: 'Runs' }).waitFor();
    await shoot(page, 'tools-1024');
    await page.goto(`${base}/tools/web_fetch`);
    await page.getByText(/more arguments/).waitFor();
    await shoot(page, 'tool-folded');
  });

  walk('on a small screen the audit says what was done to what, and no tab is cut', async (world) => {
    const { browser, base, state } = world;
    await invoke(world, 'calculator', { expression: '2480 * 0.175' });
    const page = await person(browser, { width: 390, state });
    await page.goto(`${base}/audit?q=calculator`);
    await page.locator('main td .about').filter({ hasText: '2480' }).first().waitFor();
    same(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true, 'that the page does not scroll sideways');
    await shoot(page, 'audit-390');
    await page.goto(`${base}/catalog/import`);
    const tabs = page.locator('main .seg').first().getByRole('button');
    await tabs.first().waitFor();
    same(await tabs.evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent)), [], 'tabs that are cut');
    await shoot(page, 'import-390');
  });

  walk('the import can be tried with an example', { firefox: true }, async ({ owner, base }) => {
    await owner.goto(`${base}/catalog/import?example=weather`);
    await owner.getByRole('heading', { name: 'Import Weather' }).waitFor();
    await owner.getByText('/v1/forecast').waitFor();
    await shoot(owner, 'import-example');
    same(new URL(await address(owner)).search, '', 'what is left of the question');
    await owner.getByRole('button', { name: 'Discard' }).click();
    await owner.getByLabel('Document or curl command').waitFor();
  });

  walk('the network log of a turn holds no request that was broken off', { firefox: true }, async ({ owner, base }) => {
    const [finished, failed] = [[], []];
    const path = (request) => `${request.method()} ${new URL(request.url()).pathname.replace(/[0-9a-f-]{36}/, '*')}`;
    await ask(owner, base, 'What is 17.5% of 2,480, to the end?');
    await owner.getByRole('button', { name: 'Answer again' }).waitFor();
    owner.on('requestfinished', (request) => finished.push(path(request)));
    owner.on('requestfailed', (request) => failed.push(path(request)));
    await owner.getByLabel('Message', { exact: true }).fill('What is 17.5% of 2,480, and once more?');
    await owner.keyboard.press('Enter');
    const answer = 'POST /api/conversations/*/messages';
    await until('the end of the stream', () => [...finished, ...failed].includes(answer));
    same(failed, [], 'requests that were broken off');
  });
}
