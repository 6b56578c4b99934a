// A server without a model: what it can do, it does; what it cannot, it says.
import { OWNER } from './first.mjs';
import { axe, person, same, shoot, walk } from './lib.mjs';

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
  await page.context().close();
}
