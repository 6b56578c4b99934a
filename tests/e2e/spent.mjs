// What answers take: a price is entered, tokens and cost are read and taken along, and so is what was decided.
import { readFile } from 'node:fs/promises';
import { ask } from './chat.mjs';
import { askBeforeCommands } from './given.mjs';
import { axe, same, shoot, until, walk } from './lib.mjs';

const thread = (page) => page.getByRole('region', { name: 'Messages' });

export function spentWalks() {
  walk('a price is entered, and the cost of what comes after it stands under usage', async ({ owner, base }) => {
    await owner.goto(`${base}/settings/models`);
    await owner
      .getByRole('button', { name: /^Set a price for/ })
      .first()
      .click();
    const form = owner.getByRole('form', { name: /^Price of/ });
    await form.getByLabel('A million tokens sent').fill('3');
    await form.getByLabel('A million tokens answered').fill('15');
    await form.getByLabel('Currency').fill('eur');
    await shoot(owner, 'price');
    await form.getByRole('button', { name: 'Save the price' }).click();
    await owner.getByText('Price: 3 sent, 15 answered, in EUR for a million tokens').waitFor();
    await ask(owner, base, 'What is 17.5% of 2,480, at a price?');
    await thread(owner).getByText('17.5% of 2,480 is 434').waitFor();
    await thread(owner).getByRole('button', { name: 'Answer again' }).waitFor();
    await owner.goto(`${base}/usage?by=model`);
    const table = owner.getByRole('region', { name: 'Usage by model' });
    await table.getByText('EUR').first().waitFor();
    same(await axe(owner), [], 'what axe found');
    await shoot(owner, 'usage-model');
    await owner.getByRole('button', { name: 'Tool', exact: true }).click();
    await owner.getByRole('region', { name: 'Usage by tool' }).getByText('calculator').waitFor();
    await owner.getByRole('button', { name: 'Day', exact: true }).click();
    await owner.getByRole('region', { name: 'Usage by day' }).waitFor();
    await shoot(owner, 'usage-day');
    const [file] = await Promise.all([owner.waitForEvent('download'), owner.getByRole('button', { name: 'CSV' }).click()]);
    const text = await readFile(await file.path(), 'utf8');
    same(text.split('\r\n')[0], 'day,requests,input_tokens,output_tokens,tokens_without_price,cost_EUR', 'the head of the file');
    await owner.getByRole('region', { name: 'Budgets of today' }).getByText('anna').first().waitFor();
  });

  walk('what was decided stays in the inbox and is found by its end', async (world) => {
    const { owner, base } = world;
    await askBeforeCommands(world);
    await ask(owner, base, 'Please run the greeting, to be refused');
    const card = owner.getByRole('form', { name: 'Approval: exec' });
    await card.getByRole('button', { name: /^Deny/ }).first().click();
    await card.getByLabel('Why not?').fill('not on a Friday');
    await card.getByRole('button', { name: 'Deny', exact: true }).click();
    await card.waitFor({ state: 'detached' });
    await owner.goto(`${base}/inbox`);
    await owner.getByRole('button', { name: 'Decided', exact: true }).click();
    const rows = owner.getByRole('list', { name: 'Decided questions' }).getByRole('listitem');
    await rows.first().getByText('not on a Friday').waitFor();
    same(await axe(owner), [], 'what axe found');
    await shoot(owner, 'inbox-decided');
    await owner.getByLabel('Decision').selectOption('allowed');
    await until('that it is left out', async () => (await rows.getByText('not on a Friday').count()) === 0);
    await owner.getByLabel('Decision').selectOption('refused');
    await rows.first().getByText('not on a Friday').waitFor();
    await owner.reload();
    await rows.first().getByText('not on a Friday').waitFor();
  });

  walk('a rule is made by hand and is listed', async ({ owner, base }) => {
    await owner.goto(`${base}/policies/rules`);
    await owner.getByRole('button', { name: 'Rule', exact: true }).click();
    const form = owner.getByRole('form', { name: 'New rule' });
    await form.getByLabel('Tool').fill('write');
    await form.getByRole('button', { name: 'Make the rule' }).click();
    await form.getByText('Say for which arguments').waitFor();
    const line = form.getByRole('group', { name: 'Condition 1' });
    await line.getByLabel('Argument').fill('path');
    await line.getByLabel('Compared how').selectOption('prefix');
    await line.getByLabel('Value').fill('by-hand/');
    await form.getByLabel('Then').selectOption('deny');
    same(await axe(owner), [], 'what axe found');
    await shoot(owner, 'rule-form');
    await form.getByRole('button', { name: 'Make the rule' }).click();
    await form.waitFor({ state: 'detached' });
    await owner.getByRole('region', { name: 'Rules' }).getByText('path is at or below by-hand/').waitFor();
  });
}
