// A server without a model: what it can do, it does; what it cannot, it says.
import { documents } from './given.mjs';
import { axe, same, shoot, walk } from './lib.mjs';
import { OWNER } from './worlds.mjs';

export function offlineWalks() {
  walk('the set-up goes on without a model', { from: 'empty-offline', firefox: true }, async ({ owner: page, server }) => {
    await page.goto(await server.link());
    await page.getByLabel('Name').fill(OWNER.name);
    await page.getByLabel('Password').fill(OWNER.password);
    await page.getByRole('button', { name: 'Make the account' }).click();
    // What is known of the vault comes a moment later, and moves the button.
    await page.getByText(/\/secret\.key/).waitFor();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('radio', { name: /None for now/ }).check();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByLabel('Question').fill('evaluate a math expression');
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    await page.getByText('Satchel answers without a model').waitFor();
  });

  walk('without a model the chat finds a tool, and the tool runs by form', { from: 'offline', firefox: true }, async ({ owner: page, base }) => {
    await page.goto(`${base}/chat`);
    await page.getByLabel('Need').fill('evaluate a math expression');
    await page.keyboard.press('Enter');
    const card = page.getByRole('form', { name: 'Run calculator' });
    await card.getByLabel(/^expression/).fill('6 * 7');
    await card.getByRole('button', { name: /^Run/ }).click();
    const result = page.getByRole('region', { name: 'Result', exact: true });
    await result.getByText('success').waitFor();
    await result.getByText('42').first().waitFor();
    await shoot(page, 'chat-offline');
    same(await axe(page), [], 'what axe found');
  });

  walk('a tool is picked by its name with a slash command', { from: 'offline' }, async ({ owner: page, base }) => {
    await page.goto(`${base}/chat`);
    await page.getByLabel('Need').fill('/tool parse');
    await page.getByRole('option', { name: /parse_json/ }).click();
    await page.getByRole('form', { name: 'Run parse_json' }).waitFor();
  });

  walk('without a model the chat quotes knowledge, and the quote opens its document', { from: 'offline' }, async (world) => {
    const { owner: page, base } = world;
    await documents(world, { Ladders: '# Ladders\n\nLadders stand on even ground. Two people carry a long one.\n' });
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
}
