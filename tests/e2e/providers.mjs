// Providers of models: one that fails while it is connected, several of one kind, their order, and who stood in for whom.
import { ask } from './chat.mjs';
import { talk } from './given.mjs';
import { axe, same, shoot, until, walk } from './lib.mjs';
import { startModel } from './model.mjs';
import { OWNER } from './worlds.mjs';

/** Nothing listens there. */
const NOWHERE = 'http://127.0.0.1:9/v1';

const form = (page) => page.getByRole('form', { name: 'Provider' });
const row = (page, name) => page.locator('.chk').filter({ has: page.getByText(name, { exact: true }) });
const names = (page) => page.locator('.chk p.row .dim').allTextContents();
const listed = async ({ owner, base }) => (await owner.request.get(`${base}/api/providers`)).json();

/** Fills in what somebody writes of a provider. */
async function fill(page, { address, model, name }) {
  await form(page).getByLabel('Address').fill(address);
  if (model)
    await form(page)
      .getByRole('combobox', { name: /^Model/ })
      .fill(model);
  if (name) await form(page).getByLabel(/^Name/).fill(name);
}

/** Declares a walk beside a model that nobody has connected yet. */
const beside = (name, options, steps) =>
  walk(name, { from: 'offline', ...options }, async (world) => {
    const model = await startModel();
    try {
      await steps({ ...world, model });
    } finally {
      model.stop();
    }
  });

/** Providers of one kind, the first to be asked first. That which is far away does not answer. */
async function connect({ call, model }, ...all) {
  for (const name of all)
    await call('POST', '/api/providers', { kind: 'openai', name, model: 'scripted', base_url: name === 'Far away' ? NOWHERE : model.url });
}

/** The set-up, as far as the form of a provider. */
async function toForm({ owner, server }) {
  await owner.goto(await server.link());
  await owner.getByLabel('Name').fill(OWNER.name);
  await owner.getByLabel('Password').fill(OWNER.password);
  await owner.getByRole('button', { name: 'Make the account' }).click();
  await owner.getByText(`${server.data}/secret.key`).waitFor();
  await owner.getByText('the one thing to keep apart from backups').waitFor();
  await shoot(owner, 'setup-vault');
  await owner.getByRole('button', { name: 'Continue' }).click();
  await owner.getByRole('radio', { name: /Another provider/ }).check();
}

export function firstProviderWalks() {
  walk(
    'a wrong set-up link is told before anything is filled in',
    { from: 'empty-offline', firefox: true, provokes: ['403 POST /api/setup/link'] },
    async ({ owner, base }) => {
      await owner.goto(`${base}/setup?token=wrong`);
      await owner.getByRole('alert').getByText('not the one this start printed').waitFor();
      same(await owner.getByLabel('Name').count(), 0, 'fields to fill in');
      await shoot(owner, 'setup-wrong-link');
    },
  );

  walk('a model that does not answer in set-up leaves the form as it was, and nothing is saved', { from: 'empty-offline', firefox: true }, async (world) => {
    const { owner } = world;
    await toForm(world);
    await fill(owner, { address: NOWHERE, model: 'scripted' });
    await owner.getByRole('button', { name: 'Test and connect' }).click();
    await form(owner).getByRole('alert').getByText('No connection').waitFor();
    same(await form(owner).getByLabel('Address').inputValue(), NOWHERE, 'the address');
    same(await form(owner).getByLabel('Address').getAttribute('aria-invalid'), 'true', 'the mark at the address');
    same(await listed(world), [], 'what was saved');
    await shoot(owner, 'setup-model-failed');
    same(await axe(owner), [], 'what axe found');
  });

  beside('a model is chosen from what the server has, and one it lacks is told before it is saved', { from: 'empty-offline', firefox: true }, async (world) => {
    const { owner, model } = world;
    const name = form(owner).getByRole('combobox', { name: /^Model/ });
    await toForm(world);
    await fill(owner, { address: model.url, model: 'no-such-model' });
    await owner.getByRole('button', { name: 'Test and connect' }).click();
    await form(owner).getByRole('alert').getByText("has no model 'no-such-model'").waitFor();
    await name.fill('');
    await owner.getByRole('button', { name: 'Show models' }).click();
    await owner.getByRole('option', { name: 'scripted' }).waitFor();
    await shoot(owner, 'setup-model-list');
    await owner.keyboard.press('ArrowDown');
    await owner.keyboard.press('Enter');
    same(await name.inputValue(), 'scripted', 'the model');
    await owner.getByRole('button', { name: /Test/ }).click();
    await owner.getByLabel('Question').waitFor();
    same(
      (await listed(world)).map((one) => [one.model, one.enabled]),
      [['scripted', true]],
      'what was saved',
    );
    await owner.getByRole('button', { name: 'Just open the console' }).click();
    await owner.getByRole('navigation', { name: 'Main', exact: true }).waitFor();
  });
}

export function providerWalks() {
  walk('a provider whose test fails can be saved switched off, and is not asked', { from: 'offline', firefox: true }, async (world) => {
    const { owner, base } = world;
    await owner.goto(`${base}/settings/models`);
    await owner.getByRole('button', { name: 'Provider', exact: true }).click();
    await fill(owner, { address: NOWHERE, model: 'scripted', name: 'Far away' });
    await owner.getByRole('button', { name: 'Test and save' }).click();
    await owner.getByRole('button', { name: 'Save switched off' }).click();
    await row(owner, 'Far away').getByText('off', { exact: true }).waitFor();
    same(
      (await listed(world)).map((one) => [one.name, one.enabled]),
      [['Far away', false]],
      'what was saved',
    );
    await owner.goto(`${base}/chat`);
    await owner.getByLabel('Need').waitFor();
  });

  beside('the order of providers is changed by button and by keyboard', { firefox: true }, async (world) => {
    const { owner, base } = world;
    await connect(world, 'OpenAI-compatible', 'Far away', 'Spare');
    await owner.goto(`${base}/settings/models`);
    await row(owner, 'Far away').getByRole('button', { name: 'Make Far away first' }).click();
    await until('the new order', async () => (await names(owner))[0] === 'Far away');
    await owner.getByRole('button', { name: 'Move Spare up' }).focus();
    await owner.keyboard.press('Enter');
    await until('the order by keyboard', async () => (await names(owner)).join() === 'Far away,Spare,OpenAI-compatible');
    await until('the focus to be back', () => owner.evaluate(() => document.activeElement?.getAttribute('aria-label') === 'Move Spare up'));
    await row(owner, 'Far away').getByText('answers first').waitFor();
    await shoot(owner, 'settings-models-three');
    same(await axe(owner), [], 'what axe found');
    same(
      (await listed(world)).map((one) => one.name),
      ['Far away', 'Spare', 'OpenAI-compatible'],
      'the order that was saved',
    );
  });

  beside('an answer by a stand-in says so and why, also after it is loaded again', { firefox: true }, async (world) => {
    const { owner, base } = world;
    await connect(world, 'Far away', 'Spare', 'OpenAI-compatible');
    await ask(owner, base, 'What is 17.5% of 2,480?');
    await owner.getByText('17.5% of 2,480 is 434').waitFor();
    const said = owner.getByText(/Answered by Spare \/ scripted, because Far away \(scripted at 127\.0\.0\.1:9\) did not answer: No connection/);
    await said.first().waitFor();
    await owner.reload();
    await said.first().waitFor();
    await owner.getByRole('complementary', { name: 'Context' }).getByText('Spare / scripted', { exact: true }).waitFor();
    same(
      await owner.getByLabel('Model').locator('option').allTextContents(),
      ['scripted, Far away', 'scripted, Spare', 'scripted, OpenAI-compatible'],
      'the choice of models',
    );
    await shoot(owner, 'chat-stand-in');
    same(await axe(owner), [], 'what axe found');
  });

  walk('parameters of a model are set, told where they are wrong, and there again when they are edited', { firefox: true }, async (world) => {
    const { owner, base, call } = world;
    const [first] = await listed(world);
    await call('POST', '/api/providers', { kind: 'openai', name: 'Warm', model: 'scripted', base_url: first.base_url });
    await owner.goto(`${base}/settings/models`);
    await row(owner, 'Warm').getByRole('button', { name: 'Edit Warm' }).click();
    await form(owner).getByText('Parameters', { exact: true }).click();
    await form(owner).getByLabel('Temperature').fill('3');
    await form(owner).getByLabel('Reasoning effort').selectOption('low');
    await form(owner).getByLabel('Instructions').fill('Answer in French.');
    await owner.getByRole('button', { name: 'Test and save' }).click();
    await form(owner).getByRole('alert').getByText('Enter a number from 0 to 2.').waitFor();
    await shoot(owner, 'settings-models-parameters');
    same(await axe(owner), [], 'what axe found');
    await form(owner).getByLabel('Temperature').fill('0.5');
    await owner.getByRole('button', { name: 'Test and save' }).click();
    await form(owner).waitFor({ state: 'detached' });
    same(
      (await listed(world)).find((one) => one.name === 'Warm').parameters,
      { temperature: 0.5, reasoning_effort: 'low', instructions: 'Answer in French.' },
      'what was saved',
    );
    await row(owner, 'Warm').getByRole('button', { name: 'Edit Warm' }).click();
    await form(owner).getByText('temperature 0.5, reasoning low, instructions').waitFor();
  });

  beside('health is shown with several providers of one kind, by model and provider', { firefox: true }, async (world) => {
    const { owner, base } = world;
    await connect(world, 'Far away', 'Spare', 'OpenAI-compatible');
    await talk(world, 'Only say something');
    await owner.goto(`${base}/settings/health`);
    for (const name of ['Far away', 'Spare', 'OpenAI-compatible']) await owner.getByText(`Model scripted at ${name}`).waitFor();
    await shoot(owner, 'health-three-providers');
    await owner.goto(`${base}/settings/models`);
    await row(owner, 'Far away').getByText('Has not answered for').waitFor();
    await shoot(owner, 'settings-models-failing');
  });
}
