// A server without a model: what it can do, it does; what it cannot, it says.
import { OWNER } from './first.mjs';
import { axe, person, same, shoot, until, walk } from './lib.mjs';

export async function offlineWalks({ browser, server, base }) {
  const page = await person(browser);

  await walk('the set-up goes on without a model', page, async () => {
    await page.goto(server.setup);
    await page.getByLabel('Name').fill(OWNER.name);
    await page.getByLabel('Password').fill(OWNER.password);
    await page.getByRole('button', { name: 'Make the account' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('radio', { name: /None for now/ }).check();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByLabel('Question').fill('evaluate a math expression');
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    await page.getByText('Satchel answers without a model').waitFor();
  });

  await walk('without a model the chat finds a tool, and the tool runs by form', page, async () => {
    const card = page.getByRole('form', { name: 'Run calculator' });
    await card.getByLabel(/^expression/).fill('6 * 7');
    await card.getByRole('button', { name: /^Run/ }).click();
    const result = page.getByRole('region', { name: 'Result', exact: true });
    await result.getByText('success').waitFor();
    await result.getByText('42').first().waitFor();
    await shoot(page, 'chat-offline');
    same(await axe(page), [], 'what axe found');
  });

  await walk('a tool is picked by its name with a slash command', page, async () => {
    await page.getByLabel('Need').fill('/tool parse');
    await page.getByRole('option', { name: /parse_json/ }).click();
    await page.getByRole('form', { name: 'Run parse_json' }).waitFor();
  });

  await walk('without a model the chat quotes knowledge, and the quote opens its document', page, async () => {
    const body = { title: 'Ladders', text: '# Ladders\n\nLadders stand on even ground. Two people carry a long one.\n' };
    const made = await (await page.request.post(`${base}/api/knowledge/documents`, { data: body, headers: { origin: base } })).json();
    await until('the document', async () => (await (await page.request.get(`${base}/api/knowledge/documents/${made.id}`)).json()).status === 'ready', 30_000);
    await page.goto(`${base}/chat`);
    await page.getByLabel('Need').fill('who carries a long ladder');
    await page.keyboard.press('Enter');
    const quotes = page.getByRole('region', { name: 'Found in knowledge' });
    await quotes.getByText('Two people carry a long one').waitFor();
    await shoot(page, 'chat-offline-quotes');
    same(await axe(page), [], 'what axe found');
    await quotes.getByRole('link', { name: 'Ladders' }).click();
    await page.locator('section[aria-current="true"]').getByText('Two people carry a long one').waitFor();
  });
  await page.context().close();
}
