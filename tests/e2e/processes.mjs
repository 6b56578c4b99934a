// Business processes: an example, its flow, changing it, YAML with what would change, proposals, and what an agent finds.
import { documents, POLICY, processes } from './given.mjs';
import { address, axe, person, same, shoot, until, walk } from './lib.mjs';
import { look, settled } from './look.mjs';

export const YAML = `name: Order to cash
category: Finance
description: From the order to the money.
owner: Head of finance
depends_on: [Customer onboarding]
steps:
  - {id: order, name: Take the order, who: Sales, system: Shop}
  - {id: stock, name: Reserve the stock, who: Warehouse, depends_on: [order]}
  - {id: credit, name: Check the credit limit of the customer and of its parent company, who: Finance, depends_on: [order]}
  - {id: release, name: Release the order, who: Finance, depends_on: [credit]}
  - {id: pick, name: Pick and pack, who: Warehouse, depends_on: [stock, release]}
  - {id: ship, name: Ship it, who: Warehouse, system: Routewise, depends_on: [pick]}
  - {id: invoice, name: Send the invoice, who: Finance, system: Ledger, depends_on: [ship, order]}
  - {id: remind, name: Remind, who: Finance, depends_on: [invoice]}
  - {id: book, name: Book the payment, who: Finance, system: Ledger, depends_on: [invoice]}
---
name: Expense claim
category: Finance
steps:
  - name: Hand in the receipt
  - name: Approve it
    who: Line manager
    depends_on: [hand-in-the-receipt]
`;

const mainOf = (page) => page.getByRole('main');

/** Shows what would change with a text. */
async function read(page, text) {
  await page.getByLabel('YAML', { exact: true }).fill(text);
  await page.getByRole('button', { name: 'Show what would change' }).click();
}

/** The example that the page of an empty list offers, open. */
async function example(owner, base) {
  await owner.goto(`${base}/processes`);
  await owner.getByRole('button', { name: 'Add an example and open it' }).click();
  await mainOf(owner).getByRole('heading', { name: 'Customer onboarding' }).waitFor();
}

/** The process of nine steps, imported. */
async function orderToCash(world) {
  await processes(world, YAML);
  return (await world.call('GET', '/api/processes')).find((one) => one.name === 'Order to cash');
}

export function processWalks() {
  walk('no process yet: the page says what one is, and Ctrl K leads to it', async ({ owner, base }) => {
    const main = mainOf(owner);
    await owner.goto(`${base}/chat`);
    await owner.getByRole('navigation', { name: 'Main', exact: true }).waitFor();
    await owner.keyboard.press('Control+k');
    await owner.getByRole('combobox', { name: 'Search or run anything' }).fill('processes');
    await owner
      .getByRole('option', { name: /^Processes/ })
      .first()
      .click();
    await main.getByRole('heading', { name: 'No process is written down yet' }).waitFor();
    await shoot(owner, 'processes-empty');
    same(await axe(owner), [], 'what axe found');
  });

  walk('the example is drawn as a flow, and its steps are chosen by key', { firefox: true }, async ({ owner, base }) => {
    const main = mainOf(owner);
    await example(owner, base);
    const step = main.getByRole('button', { name: /^Record the customer/ });
    await step.focus();
    await owner.keyboard.press('ArrowRight');
    await owner.keyboard.press('Enter');
    await main.getByRole('button', { name: /^Check the credit.*after Record the customer/, pressed: true }).waitFor();
    await shoot(owner, 'processes-example');
    same(await axe(owner), [], 'what axe found');
  });

  walk(
    'a process is changed by form, and who has not read the latest is told',
    { firefox: true, provokes: ['409 PUT /api/processes/*'] },
    async ({ owner, base }) => {
      const main = mainOf(owner);
      await example(owner, base);
      await owner.getByRole('button', { name: 'Change', exact: true }).click();
      const form = owner.getByRole('form', { name: 'Process' });
      await form.getByRole('button', { name: 'Step', exact: true }).click();
      await form.getByLabel('What is done in step 6').fill('Ask after a month');
      await shoot(owner, 'processes-form');
      same(await axe(owner), [], 'what axe found');
      await form.getByRole('button', { name: 'Save' }).click();
      await main.getByRole('button', { name: /^Ask after a month, after Welcome call/ }).waitFor();
      await owner.getByRole('button', { name: 'Change', exact: true }).click();
      await form.getByLabel('Owner').fill('Nobody');
      const id = (await address(owner)).split('/').pop();
      const other = await owner.evaluate(async (id) => {
        const { name, category, steps, revision } = await (await fetch(`/api/processes/${id}`)).json();
        const body = JSON.stringify({ revision, process: { name, category, owner: 'Mara', steps } });
        return (await fetch(`/api/processes/${id}`, { method: 'PUT', headers: { 'content-type': 'application/json' }, body })).status;
      }, id);
      same(other, 200, 'the answer to the other change');
      await form.getByRole('button', { name: 'Save' }).click();
      await owner.getByRole('alert').getByText('Somebody has changed the process').waitFor();
      await owner.getByRole('button', { name: 'Drop mine and read theirs' }).click();
      await main.getByText('Owner: Mara').waitFor();
    },
  );

  walk(
    'YAML is compared before anything is kept, and its mistakes are said with their line',
    { provokes: ['400 POST /api/processes/import/preview'] },
    async ({ owner, base }) => {
      const main = mainOf(owner);
      await example(owner, base);
      await owner.goto(`${base}/processes/import`);
      await read(owner, YAML.replace('[hand-in-the-receipt]', '[receipt]'));
      await owner
        .getByRole('alert')
        .getByText(/^Line 21: Step 'Approve it' depends on 'receipt'/)
        .waitFor();
      await read(owner, YAML);
      await owner.getByRole('heading', { name: '2 processes in this text' }).waitFor();
      await owner.getByRole('button', { name: 'Import 2' }).click();
      await main.getByRole('heading', { name: 'Order to cash' }).waitFor();
      await main.getByRole('link', { name: 'Customer onboarding' }).first().waitFor();
      await shoot(owner, 'processes-flow');
      same(await axe(owner), [], 'what axe found');
      await owner.goto(`${base}/processes/import`);
      await read(owner, YAML.replace('Ship it', 'Ship it the same day'));
      await owner.getByText('differs in steps').waitFor();
      await owner.getByText('The same', { exact: true }).waitFor();
      await shoot(owner, 'processes-import');
      same(await axe(owner), [], 'what axe found');
      await owner.getByRole('button', { name: 'Import 1' }).click();
      await main.getByRole('button', { name: /^Ship it the same day/ }).waitFor();
    },
  );

  walk('the list is searched by name first, and by category', async (world) => {
    const { owner, base } = world;
    await example(owner, base);
    await processes(world, YAML);
    await owner.goto(`${base}/processes`);
    await owner.getByRole('searchbox', { name: 'Search processes' }).fill('credit');
    const list = owner.getByRole('region', { name: 'Processes' });
    await list.getByText('in its text').first().waitFor();
    same(await list.getByRole('link').count(), 2, 'processes with a credit check');
    await owner.getByRole('searchbox', { name: 'Search processes' }).fill('');
    await list.getByLabel('Category').selectOption('Finance');
    await until('two of finance', async () => (await list.getByRole('link').count()) === 2);
  });

  walk('what a model proposes waits for a person', async (world) => {
    const { owner, base } = world;
    await documents(world, { 'Payment policy': POLICY });
    await owner.goto(`${base}/processes/propose`);
    await owner.getByRole('button', { name: 'Propose', exact: true }).click();
    await owner.getByText('1 proposal to decide about').waitFor();
    await owner.getByText(/Going round: These steps wait for each other/).waitFor();
    await shoot(owner, 'processes-proposed');
    same(await axe(owner), [], 'what axe found');
    await owner
      .getByRole('region', { name: 'Proposals' })
      .getByRole('link', { name: /Return of goods/ })
      .click();
    await owner.getByText('A model proposed this.').waitFor();
    await shoot(owner, 'processes-proposal');
    await owner.getByRole('button', { name: 'Publish' }).click();
    await owner.getByText('A model proposed this.').waitFor({ state: 'hidden' });
  });

  walk('the chat finds a process and draws its flow', async (world) => {
    const { owner, base } = world;
    await example(owner, base);
    await processes(world, YAML);
    await owner.goto(`${base}/chat`);
    await owner.getByLabel('Message', { exact: true }).fill('How do we onboard a customer?');
    await owner.getByRole('button', { name: 'Send', exact: true }).click();
    await owner.getByRole('img', { name: /^In short\. Record\. Check, after Record/ }).waitFor();
    await shoot(owner, 'processes-chat');
    same(await axe(owner), [], 'what axe found');
    await owner.goto(`${base}/tools/search_processes`);
    await owner
      .getByLabel(/^query/i)
      .first()
      .fill('order to cash');
    await owner.getByRole('button', { name: /^Run/ }).first().click();
    await owner.getByRole('img', { name: /^Order to cash\. Take the order/ }).waitFor();
    await shoot(owner, 'processes-tool');
    same(await axe(owner), [], 'what axe found');
  });

  for (const theme of ['light', 'dark']) {
    walk(`processes fit a narrow screen in ${theme}`, async (world) => {
      const { browser, base, state } = world;
      const large = await orderToCash(world);
      const page = await person(browser, { theme, width: 380, state });
      const found = [];
      for (const path of ['', `/${large.id}`, '/new', '/import', '/propose']) {
        await page.goto(`${base}/processes${path}`);
        await settled(page);
        found.push(...(await look(page, `/processes${path.replace(large.id, 'one')}`, theme, 380)));
      }
      same(found, [], 'what axe found');
    });
  }

  walk('a flow is drawn in the dark', async (world) => {
    const { browser, base, state } = world;
    const large = await orderToCash(world);
    const dark = await person(browser, { theme: 'dark', state });
    await dark.goto(`${base}/processes/${large.id}`);
    await dark.getByRole('button', { name: /^Release the order/ }).click();
    same(await look(dark, '/processes-flow', 'dark', 1440), [], 'what axe found');
  });
}
