// What was learned and what it costs: reasons of a search, the learning of a tool, collisions, an evaluation, memories, the model of meaning.
import { axe, same, shoot, until, walk } from './lib.mjs';

export async function meaningWalks({ owner, base }) {
  await walk('a search for tools says why each was found', owner, async () => {
    await owner.goto(`${base}/tools`);
    await owner.getByLabel('What do you need done?').fill('evaluate a math expression');
    const best = owner.getByRole('region', { name: 'Best matches' }).getByRole('link').first();
    await best.getByText('calculator', { exact: true }).waitFor();
    await best.locator('.chip mark').first().waitFor();
    await best.getByRole('img', { name: /words/ }).waitFor();
  });

  await walk('what the tools cost, and which are mistaken for each other', owner, async () => {
    await owner.getByRole('navigation', { name: 'Tools', exact: true }).getByRole('link', { name: 'Token costs' }).click();
    await owner.getByRole('region', { name: 'Tokens of each tool' }).getByRole('link', { name: 'calculator' }).waitFor();
    await shoot(owner, 'tools-costs');
    await owner.getByRole('navigation', { name: 'Tools', exact: true }).getByRole('link', { name: 'Collisions' }).click();
    await owner.getByText(/mistaken for each other/).first().waitFor();
    await shoot(owner, 'tools-collisions');
  });

  await walk('an evaluation measures the search with past requests', owner, async () => {
    await owner.getByRole('navigation', { name: 'Tools', exact: true }).getByRole('link', { name: 'Evaluation' }).click();
    await owner.getByRole('button', { name: /^Measure/ }).click();
    const measured = owner.getByRole('region', { name: 'Measured' });
    await measured.getByText(/request/).first().waitFor();
    await shoot(owner, 'tools-evaluation');
    same(await axe(owner), [], 'what axe found');
  });

  await walk('a tool shows its last days and what was learned of it, and forgets it', owner, async () => {
    await owner.goto(`${base}/tools/calculator`);
    const use = owner.getByRole('complementary', { name: 'Use' });
    await use.getByRole('heading', { name: 'Learned' }).waitFor();
    await shoot(owner, 'tool-learned');
    const forget = use.getByRole('button', { name: 'Forget what was learned' });
    if (await forget.count()) {
      await forget.click();
      await use.getByRole('button', { name: /^Forget everybody/ }).click();
    }
    await use.getByText('Nothing yet.').waitFor();
  });

  await walk('the settings show the indexes and rebuild one', owner, async () => {
    await owner.goto(`${base}/settings/indexes`);
    await owner.getByRole('heading', { name: 'Indexes' }).waitFor();
    await owner.getByText('Words: ready').first().waitFor();
    await shoot(owner, 'settings-indexes');
    await owner.getByRole('button', { name: 'Rebuild' }).first().click();
    await until('the index to be ready again', () => owner.getByText('Words: ready').first().isVisible());
    same(await axe(owner), [], 'what axe found');
  });
}

export async function memoryWalks({ owner, base }) {
  await walk('a memory shows how well it is held, and all can be taken along', owner, async () => {
    await owner.goto(`${base}/memory`);
    await owner.getByRole('button', { name: 'Add', exact: true }).click();
    await owner.getByLabel('What to remember').fill('The depot in Halden closes at noon.');
    await owner.getByRole('button', { name: 'Remember', exact: true }).click();
    const row = owner.getByRole('listitem').filter({ hasText: 'closes at noon' });
    await row.getByText(/\d+% held/).waitFor();
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
