// Agents: written by form, tried beside it, chosen below the message box or called by name, and brought back to a version.
import { address, axe, person, same, shoot, until, walk } from './lib.mjs';
import { look, settled } from './look.mjs';

const mainOf = (page) => page.getByRole('main');
const form = (page) => mainOf(page).getByRole('form', { name: /gent$/ });
const box = (page) => page.getByLabel('Message', { exact: true });
const said = (page) => page.getByRole('region', { name: 'Messages' }).locator('.prose');

/** An agent that reads. */
const reader = ({ call }) =>
  call('POST', '/api/agents', { name: 'reader', description: 'Reads and quotes.', instructions: 'Quote what you read.', allow: ['group:fs', 'find_tools'] });

/** An agent, written by form: its tools, and a collection that it searches. */
export async function createAgent(page, base, { name, allow, collection }) {
  await page.goto(`${base}/agents/new`);
  await form(page).getByLabel('Name').fill(name);
  for (const tool of allow) {
    await form(page).getByLabel('Add a tool, group or pattern').fill(tool);
    await page.keyboard.press('Enter');
    await form(page)
      .getByRole('button', { name: `Take out ${tool}` })
      .waitFor();
  }
  await form(page).getByLabel('Add a collection').selectOption({ label: collection });
  await form(page).getByRole('button', { name: 'Keep the agent' }).click();
  await until('the page of the agent', async () => /\/agents\/[0-9a-f-]{36}$/.test(await address(page)));
}

export function agentWalks() {
  walk('an agent is written by form, tried beside it before it is kept, and answers where it is chosen', { firefox: true }, async ({ owner, base, call }) => {
    const main = mainOf(owner);
    await owner.goto(`${base}/agents`);
    await main.getByRole('heading', { name: 'Choose an agent' }).waitFor();
    await shoot(owner, 'agents-empty');
    same(await axe(owner), [], 'what axe found');
    await main.getByRole('link', { name: 'Write an agent' }).click();
    await form(owner).getByLabel('Name').fill('clerk');
    await form(owner).getByLabel('Purpose').fill('Looks after invoices.');
    await form(owner).getByLabel('Instructions').fill('Answer in one sentence.');
    await form(owner).getByLabel('Add a tool, group or pattern').fill('group:data');
    await owner.keyboard.press('Enter');
    await form(owner).getByRole('button', { name: 'Take out group:data' }).waitFor();
    await form(owner).getByLabel('Deny a tool, group or pattern').fill('exec');
    await owner.keyboard.press('Enter');
    await form(owner).getByLabel('Highest risk').selectOption('low_write');
    await form(owner).getByLabel('Tokens in one run').fill('20000');
    await owner.getByLabel('Message to try').fill('Only say something');
    await owner.keyboard.press('Enter');
    await main.getByRole('log', { name: 'What was said' }).getByText('Noted.').waitFor();
    await shoot(owner, 'agents-form');
    same(await axe(owner), [], 'what axe found');
    same(await call('GET', '/api/conversations'), [], 'conversations that are kept');
    await form(owner).getByRole('button', { name: 'Keep the agent' }).click();
    await until('the page of the agent', async () => /\/agents\/[0-9a-f-]{36}$/.test(await address(owner)));
    const kept = (await call('GET', '/api/agents')).find((one) => one.name === 'clerk');
    same([kept.allow, kept.deny, kept.max_risk, kept.budget], [['group:data'], ['exec'], 'low_write', { tokens_per_run: 20000 }], 'what was kept');
    await owner.goto(`${base}/chat`);
    await owner.getByLabel('Agent', { exact: true }).selectOption({ label: 'clerk' });
    await box(owner).fill('Only say something');
    await owner.keyboard.press('Enter');
    await said(owner).getByText('Noted.').waitFor();
    await owner.getByText(/^clerk, /).waitFor();
    await shoot(owner, 'agents-chat');
  });

  walk('an agent is called by name for one message', { firefox: true }, async (world) => {
    const { owner, base, call } = world;
    await reader(world);
    await owner.goto(`${base}/chat`);
    await owner.getByLabel('Agent', { exact: true }).waitFor();
    await box(owner).pressSequentially('@re');
    await owner
      .getByRole('listbox', { name: 'Agents' })
      .getByRole('option', { name: /@reader/ })
      .waitFor();
    await shoot(owner, 'agents-called');
    same(await axe(owner), [], 'what axe found');
    await owner.keyboard.press('Enter');
    same(await box(owner).inputValue(), '@reader ', 'the text');
    await box(owner).pressSequentially('only say something');
    await owner.keyboard.press('Enter');
    await said(owner).getByText('Noted.').waitFor();
    const [conversation] = await call('GET', '/api/conversations');
    const view = await call('GET', `/api/conversations/${conversation.id}`);
    same([view.agent, view.messages[1].agent], ['assistant', 'reader'], 'the agents of the conversation and of the answer');
  });

  walk('a change makes a version, and an earlier one is brought back', async (world) => {
    const { owner, base, call } = world;
    const made = await reader(world);
    await owner.goto(`${base}/agents/${made.id}`);
    await form(owner).getByLabel('Instructions').fill('Quote nothing.');
    await form(owner).getByRole('button', { name: 'Save a new version' }).click();
    const versions = mainOf(owner).getByRole('region', { name: 'Versions' });
    await versions.getByText('counts now').waitFor();
    await shoot(owner, 'agents-versions');
    await versions.getByRole('button', { name: 'Bring back version 1' }).click();
    await until('the text of the first version', async () => (await form(owner).getByLabel('Instructions').inputValue()) === 'Quote what you read.');
    await form(owner).getByRole('button', { name: 'Save a new version' }).click();
    await mainOf(owner).getByText('version 3', { exact: true }).waitFor();
    same((await call('GET', `/api/agents/${made.id}`)).instructions, 'Quote what you read.', 'the instructions');
  });

  walk('what is wrong with an agent is said beside its form', { provokes: ['4* POST /api/agents'] }, async (world) => {
    const { owner, base } = world;
    await reader(world);
    await owner.goto(`${base}/agents/new`);
    await form(owner).getByLabel('Name').fill('readеr');
    await form(owner).getByRole('button', { name: 'Keep the agent' }).click();
    await owner
      .getByRole('alert')
      .getByText(/one script/)
      .waitFor();
    await form(owner).getByLabel('Name').fill('rеader'.replace('е', 'e'));
    await form(owner).getByRole('button', { name: 'Keep the agent' }).click();
    await owner
      .getByRole('alert')
      .getByText(/people could take/)
      .waitFor();
  });

  walk('the question before an agent is deleted names the jobs that use it, and the palette finds both', { firefox: true }, async (world) => {
    const { owner, base, call } = world;
    const made = await reader(world);
    const when = { cron: '0 9 * * 1-5', time_zone: 'Europe/Berlin' };
    await call('POST', '/api/jobs', { name: 'Quotes of the day', when, do: { task: 'Quote something', agent: made.id } });
    await owner.goto(`${base}/chat`);
    await owner.getByRole('navigation', { name: 'Main', exact: true }).waitFor();
    await owner.keyboard.press('Control+k');
    await owner.getByRole('combobox', { name: 'Search or run anything' }).fill('quotes of');
    await owner
      .getByRole('group', { name: 'Jobs' })
      .getByRole('option', { name: /Quotes of the day/ })
      .waitFor();
    await owner.getByRole('combobox', { name: 'Search or run anything' }).fill('reader');
    await shoot(owner, 'agents-palette');
    await owner
      .getByRole('group', { name: 'Agents' })
      .getByRole('option', { name: /reader/ })
      .click();
    await form(owner).getByLabel('Name').waitFor();
    await mainOf(owner).getByRole('button', { name: 'Delete reader' }).click();
    await mainOf(owner).getByText('1 job will fail without it: Quotes of the day.').waitFor();
    await shoot(owner, 'agents-delete');
    same(await axe(owner), [], 'what axe found');
    await mainOf(owner).getByRole('button', { name: 'Delete it all the same' }).click();
    await until('the agent to be gone', async () => (await call('GET', '/api/agents')).every((one) => one.id !== made.id));
  });

  for (const theme of ['light', 'dark']) {
    for (const width of [380, 1440]) {
      walk(`the page of an agent fits ${width} pixels in ${theme}`, async (world) => {
        const { browser, base, state } = world;
        const made = await reader(world);
        const page = await person(browser, { theme, width, state });
        await page.goto(`${base}/agents/${made.id}`);
        await settled(page);
        await form(page).getByLabel('Instructions').waitFor();
        same(await look(page, '/agents-one', theme, width), [], 'what axe found');
      });
    }
  }
}
