// What was learned and what it costs: reasons of a search, the learning of a tool, collisions, an evaluation, memories, the model of meaning.
import { documents, POLICY, talk } from './given.mjs';
import { axe, same, shoot, until, walk } from './lib.mjs';

export function meaningWalks() {
  walk('a search for tools says why each was found', async ({ owner, base }) => {
    await owner.goto(`${base}/tools`);
    await owner.getByLabel('What do you need done?').fill('evaluate a math expression');
    const best = owner.getByRole('region', { name: 'Best matches' }).getByRole('link').first();
    await best.getByText('calculator', { exact: true }).waitFor();
    await best.locator('.chip mark').first().waitFor();
    await best.getByRole('img', { name: /words/ }).waitFor();
  });

  walk('what the tools cost, and which are mistaken for each other', async ({ owner, base }) => {
    await owner.goto(`${base}/tools`);
    await owner.getByRole('navigation', { name: 'Tools', exact: true }).getByRole('link', { name: 'Token costs' }).click();
    await owner.getByRole('region', { name: 'Tokens of each tool' }).getByRole('link', { name: 'calculator' }).waitFor();
    await shoot(owner, 'tools-costs');
    await owner.getByRole('navigation', { name: 'Tools', exact: true }).getByRole('link', { name: 'Collisions' }).click();
    await owner
      .getByText(/mistaken for each other/)
      .first()
      .waitFor();
    await shoot(owner, 'tools-collisions');
  });

  walk('an evaluation measures the search with past requests', async (world) => {
    const { owner, base } = world;
    await talk(world, 'What is 17.5% of 2,480?');
    await owner.goto(`${base}/tools`);
    await owner.getByRole('navigation', { name: 'Tools', exact: true }).getByRole('link', { name: 'Evaluation' }).click();
    await owner.getByRole('button', { name: /^Measure/ }).click();
    const measured = owner.getByRole('region', { name: 'Measured' });
    await measured
      .getByText(/request/)
      .first()
      .waitFor();
    await shoot(owner, 'tools-evaluation');
    same(await axe(owner), [], 'what axe found');
  });

  walk('a tool shows its last days and what was learned of it, and forgets it', async (world) => {
    const { owner, base, call } = world;
    const { messages } = await call('GET', `/api/conversations/${await talk(world, 'What is 17.5% of 2,480?')}`);
    const searches = messages.flatMap((one) => one.steps).filter((step) => step.tool === 'builtin:find_tools');
    const needs = async () => (await call('GET', '/api/tools/calculator/learning')).needs;
    // Of the question, and of the words the tool was looked for with, where it was: all of it comes after the answer.
    await until('what is learned of it', async () => (await needs()) === 1 + searches.length);
    await owner.goto(`${base}/tools/calculator`);
    const use = owner.getByRole('complementary', { name: 'Use' });
    await use.getByRole('list', { name: 'Your needs' }).getByText('What is 17.5% of 2,480?').waitFor();
    await shoot(owner, 'tool-learned');
    await use.getByRole('button', { name: 'Forget what was learned' }).click();
    await use.getByRole('button', { name: /^Forget everybody/ }).click();
    await use.getByText('Nothing yet.').waitFor();
    same(await needs(), 0, 'needs it is still known for');
  });

  walk('the settings show the indexes and rebuild one', { firefox: true }, async ({ owner, base }) => {
    await owner.goto(`${base}/settings/indexes`);
    await owner.getByRole('heading', { name: 'Indexes' }).waitFor();
    await owner.getByText('Words: ready').first().waitFor();
    await shoot(owner, 'settings-indexes');
    await owner.getByRole('button', { name: 'Rebuild' }).first().click();
    await until('the index to be ready again', () => owner.getByText('Words: ready').first().isVisible());
    same(await axe(owner), [], 'what axe found');
  });
}

/** The states a change goes through, as the server says them: here it is over before they can be seen. */
const SAID = {
  name: 'builtin',
  model: { id: 'all-minilm-l6-v2@55fbf413', dimensions: 384 },
  source: 'builtin',
  state: 'loaded',
  wanted: 'multilingual',
  migrating: null,
  failed: null,
  cached_queries: 3,
};

export function modelWalks() {
  const parts = (owner) => ({
    used: owner.getByRole('region', { name: 'Model in use' }),
    offers: owner.getByRole('region', { name: 'Models to choose from' }),
    asked: (text) => owner.getByText(text),
  });

  walk('the settings show the model of meaning and those that can be chosen', { firefox: true }, async ({ owner, base }) => {
    const { used, offers, asked } = parts(owner);
    await owner.goto(`${base}/settings/meaning`);
    await used.getByText('The built-in model').waitFor();
    await used.getByText('384 numbers for each text').waitFor();
    same(await offers.getByRole('radio', { name: /The built-in model/ }).isChecked(), true, 'the choice');
    same(await offers.getByRole('group', { name: 'From the catalogue' }).count(), 0, 'what may not be fetched');
    await owner.getByRole('switch', { name: 'Models may be fetched' }).check();
    await asked('1 change: embeddings downloads off to on').waitFor();
    await owner.getByRole('button', { name: 'Save' }).click();
    await offers.getByRole('group', { name: 'From the catalogue' }).getByRole('radio').first().waitFor();
    await shoot(owner, 'settings-meaning-catalogue');
    same(await axe(owner), [], 'what axe found');
    await owner.getByRole('switch', { name: 'Models may be fetched' }).uncheck();
    await owner.getByRole('button', { name: 'Save' }).click();
    await offers.getByRole('group', { name: 'From the catalogue' }).waitFor({ state: 'detached' });
  });

  walk('without a model search goes by words and says so everywhere; with it, by meaning again', async (world) => {
    const { owner, base } = world;
    const { used, offers, asked } = parts(owner);
    await documents(world, { 'Payment policy': POLICY });
    await owner.goto(`${base}/settings/meaning`);
    await offers.getByRole('radio', { name: /Words alone/ }).check();
    await offers.getByRole('button', { name: 'Use words alone' }).click();
    await used.getByText('Words alone.').waitFor();
    await shoot(owner, 'settings-meaning-none');
    same(await axe(owner), [], 'what axe found');
    for (const [path, answer] of [
      ['/knowledge?q=payment%20hold', 'A payment hold needs'],
      ['/tools?q=evaluate%20a%20math%20expression', 'builtin:calculator'],
    ]) {
      await owner.goto(`${base}${path}`);
      await asked('No model of meaning is in use').first().waitFor();
      await asked(answer).first().waitFor();
    }
    await owner.goto(`${base}/settings/indexes`);
    await owner.getByRole('link', { name: 'Choose a model' }).click();
    await offers.getByRole('radio', { name: /The built-in model/ }).check();
    await offers.getByRole('button', { name: 'Use the built-in model' }).click();
    await used.getByText('384 numbers for each text').waitFor();
    await used.getByRole('progressbar').waitFor({ state: 'detached' });
    await owner.goto(`${base}/knowledge?q=how%20long%20may%20somebody%20stop%20paying`);
    await owner.getByRole('article').first().getByText('A payment hold needs').waitFor();
    same(await asked('No model of meaning is in use').count(), 0, 'notices');
  });

  walk('a change says how far it is, and why it failed', async ({ owner, base }) => {
    const { used } = parts(owner);
    let said = { ...SAID, migrating: { to: 'multilingual', stage: 'embedding', done: 1200, total: 5000 } };
    await owner.route(/\/api\/embeddings$/, (route) => {
      if (route.request().method() === 'PUT') said = { ...said, failed: null, wanted: route.request().postDataJSON().model };
      return route.fulfill({ json: said });
    });
    await owner.goto(`${base}/settings/meaning`);
    await used.getByText('Reading everything anew: 1,200 of 5,000 texts.').waitFor();
    same(await used.getByRole('progressbar', { name: 'Progress of the change' }).getAttribute('aria-valuenow'), '24', 'the bar');
    await shoot(owner, 'settings-meaning-change');
    same(await axe(owner), [], 'what axe found');
    said = { ...said, migrating: null, failed: 'Its files are not what they should be: model.onnx is cut short.' };
    await used.getByRole('alert').getByText('model.onnx is cut short').waitFor();
    await shoot(owner, 'settings-meaning-failed');
    same(await axe(owner), [], 'what axe found');
    await used.getByRole('button', { name: 'Stay with the built-in model' }).click();
    await used.getByRole('alert').waitFor({ state: 'detached' });
    same(said.wanted, 'builtin', 'what was asked for');
    await owner.unrouteAll({ behavior: 'ignoreErrors' });
  });
}

export function memoryWalks() {
  walk('a memory stands among the facts, is said to fade only where it does, and all can be taken along', async ({ owner, base }) => {
    await owner.goto(`${base}/memory`);
    await owner.getByRole('button', { name: 'Add', exact: true }).click();
    await owner.getByLabel('What to remember').fill('The depot in Halden closes at noon.');
    await owner.getByRole('button', { name: 'Remember', exact: true }).click();
    const row = owner.getByRole('listitem').filter({ hasText: 'closes at noon' });
    await row.waitFor();
    same(await row.getByText(/% held/).count(), 0, 'a new memory said to fade');
    await owner.getByRole('group', { name: 'Layer' }).getByRole('button', { name: 'Episodes' }).click();
    await row.waitFor({ state: 'detached' });
    await owner.getByRole('group', { name: 'Layer' }).getByRole('button', { name: 'All' }).click();
    await row.waitFor();
    await shoot(owner, 'memory');
    const [file] = await Promise.all([owner.waitForEvent('download'), owner.getByRole('link', { name: 'Export' }).click()]);
    same(file.suggestedFilename(), 'memories.json', 'the name of the export');
    same(await axe(owner), [], 'what axe found');
  });
}
