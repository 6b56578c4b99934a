// The tools: found by need, run by form, switched off. And the palette, the keys, the chain.
import { invoke } from './given.mjs';
import { address, same, shoot, until, walk } from './lib.mjs';

const result = (page) => page.getByRole('region', { name: 'Result', exact: true });

export function toolWalks() {
  walk('a tool is found by a need, with the reason', { firefox: true }, async ({ owner, base }) => {
    await owner.goto(`${base}/tools`);
    await owner.getByLabel('What do you need done?').fill('evaluate a math expression');
    const best = owner.getByRole('region', { name: 'Best matches' });
    await best.getByText('calculator', { exact: true }).first().waitFor();
    await shoot(owner, 'tools');
    await best.getByText('calculator', { exact: true }).first().click();
    await owner.getByRole('heading', { name: 'calculator' }).waitFor();
  });

  walk('the playground runs a tool and shows what a model would read', { firefox: true }, async ({ owner, base }) => {
    await owner.goto(`${base}/tools/calculator`);
    await owner.getByLabel(/^expression/).fill('6 * 7');
    await owner.keyboard.press('Control+Enter');
    await result(owner).getByText('success').waitFor();
    await result(owner).getByRole('tab', { name: 'JSON' }).click();
    await result(owner).getByText('42').first().waitFor();
    await result(owner).getByRole('tab', { name: 'What a model reads' }).click();
    await result(owner).getByText('[TOOL:calculator]').waitFor();
    await shoot(owner, 'tool');
    const history = owner.getByRole('complementary', { name: 'Use' });
    await until('the history', async () => (await history.getByText('6 * 7').count()) > 0);
  });

  walk(
    'an invalid argument is an error that says what to do and keeps the input',
    { firefox: true, provokes: ['400 POST /api/tools/calculator/invoke'] },
    async ({ owner, base }) => {
      await owner.goto(`${base}/tools/calculator`);
      await owner.getByRole('group', { name: 'Edit as' }).getByRole('button', { name: 'JSON' }).click();
      await owner.getByLabel('Arguments as JSON').fill('{"expression": 5, "colour": "red"}');
      await owner.keyboard.press('Control+Enter');
      await result(owner).getByRole('alert').waitFor();
      const kept = await owner.getByLabel('Arguments as JSON').inputValue();
      if (!kept.includes('colour')) throw new Error(`the input was lost: ${kept}`);
    },
  );

  walk('a dry run runs nothing', async ({ owner, base }) => {
    await owner.goto(`${base}/tools/write`);
    await owner.getByLabel(/^path/).fill('dry.txt');
    await owner.getByLabel(/^content/).fill('never written');
    await owner.getByRole('button', { name: 'Dry run' }).click();
    await owner.getByText('dry run, nothing happened').waitFor();
    await owner.goto(`${base}/tools/read`);
    await owner.getByLabel(/^path/).fill('dry.txt');
    await owner.keyboard.press('Control+Enter');
    await result(owner).getByRole('alert').waitFor();
  });

  walk(
    'the kill switch stops every tool and lets them run again',
    { firefox: true, provokes: ['503 POST /api/tools/calculator/invoke'] },
    async ({ owner, base }) => {
      await owner.goto(`${base}/tools`);
      await owner.getByText('Tools run', { exact: true }).waitFor();
      await owner.getByRole('button', { name: 'Stop all tools', exact: true }).click();
      await owner.getByText('Calls of everybody fail from then on').waitFor();
      await shoot(owner, 'tools-kill-question');
      await owner.getByRole('button', { name: 'Keep', exact: true }).click();
      await owner.getByText('Tools run', { exact: true }).waitFor();
      await owner.getByRole('button', { name: 'Stop all tools', exact: true }).click();
      await owner.getByRole('button', { name: 'Stop all tools now' }).click();
      await owner.getByText('No tool runs').waitFor();
      for (const page of ['chat', 'inbox']) {
        await owner.goto(`${base}/${page}`);
        await owner.getByText('Tools are switched off for everybody.').waitFor();
        await shoot(owner, `${page}-tools-off`);
      }
      await owner.goto(`${base}/tools/calculator`);
      await owner.getByLabel(/^expression/).fill('1 + 1');
      await owner.keyboard.press('Control+Enter');
      await result(owner).getByText('Tools are disabled.').first().waitFor();
      await owner.goto(`${base}/tools`);
      await owner.getByRole('button', { name: 'Let tools run' }).click();
      await owner.getByRole('button', { name: 'Let them run' }).click();
      await owner.getByText('Tools run', { exact: true }).waitFor();
      await owner.goto(`${base}/chat`);
      await owner.getByRole('heading', { name: 'Chat' }).waitFor();
      same(await owner.getByText('Tools are switched off for everybody.').count(), 0, 'banners while tools run');
    },
  );

  walk('one tool is switched off and on', { firefox: true }, async ({ owner, base }) => {
    await owner.goto(`${base}/tools`);
    const toggle = owner.getByRole('switch', { name: 'clipboard_read on' });
    const row = owner.getByRole('row').filter({ has: toggle });
    await toggle.click();
    await until('it to be off', async () => (await row.locator('.state.disabled').count()) === 1);
    await toggle.click();
    await until('it to be on', async () => (await row.locator('.state.disabled').count()) === 0);
  });

  walk('a switch that the server refuses goes back and says why', { provokes: ['503 PUT /api/tools/*'] }, async ({ owner, base }) => {
    await owner.goto(`${base}/tools`);
    const refuse = (route) => route.fulfill({ status: 503, contentType: 'application/problem+json', body: '{"detail":"The database is busy."}' });
    await owner.route('**/api/tools/*/enabled', refuse);
    const toggle = owner.getByRole('switch', { name: 'clipboard_read on' });
    await toggle.click();
    await owner.getByRole('alert').getByText('clipboard_read is as it was. The database is busy.').waitFor();
    same(await toggle.isChecked(), true, 'the switch');
    await owner.unroute('**/api/tools/*/enabled', refuse);
  });

  walk('what is typed is there again on the way back, and after a reload', async ({ owner, base }) => {
    await owner.goto(`${base}/processes/new`);
    await owner.getByLabel(/^Name/).fill('Refund');
    await owner.getByRole('navigation', { name: 'Main', exact: true }).getByRole('link', { name: 'Tools' }).click();
    await owner.getByRole('heading', { name: 'Tools', exact: true }).waitFor();
    await owner.goBack();
    await until('the name', async () => (await owner.getByLabel(/^Name/).inputValue()) === 'Refund');
    await owner.reload();
    await owner.getByText('What you had typed is back.').waitFor();
    await owner.getByRole('button', { name: 'Drop it' }).click();
    await until('an empty form', async () => (await owner.getByLabel(/^Name/).inputValue()) === '');
  });

  walk('the palette and the keys reach tools and pages', { firefox: true }, async ({ owner, base }) => {
    await owner.goto(`${base}/tools`);
    await owner.getByRole('heading', { name: 'Tools', exact: true }).waitFor();
    await owner.keyboard.press('Control+k');
    await owner.getByRole('combobox', { name: 'Search or run anything' }).fill('limits');
    await owner
      .getByRole('option', { name: /Limits/ })
      .first()
      .click();
    await until('the settings', async () => (await address(owner)).endsWith('/settings/limits'));
    await owner.keyboard.press('Control+k');
    await owner.getByRole('combobox', { name: 'Search or run anything' }).fill('calcul');
    await owner
      .getByRole('option', { name: /calculator/ })
      .first()
      .waitFor();
    await shoot(owner, 'palette');
    await owner.keyboard.press('Enter');
    await until('the tool', async () => (await address(owner)).endsWith('/tools/calculator'));
    await owner.getByRole('heading', { name: 'calculator' }).click();
    // The second key counts within a second of the first: on a slow machine it may come too late.
    await until('the memory page', async () => {
      await owner.keyboard.press('g');
      await owner.keyboard.press('m');
      return (await address(owner)).endsWith('/memory');
    });
    await owner.keyboard.press('?');
    await owner.getByRole('dialog', { name: 'Keys' }).waitFor();
    await owner.keyboard.press('Escape');
    await owner.getByRole('dialog', { name: 'Keys' }).waitFor({ state: 'detached' });
  });

  walk('the audit verifies its chain', { firefox: true }, async (world) => {
    const { owner, base } = world;
    await invoke(world, 'calculator', { expression: '6 * 7' });
    await owner.goto(`${base}/audit`);
    await owner.getByRole('button', { name: 'Verify' }).click();
    await owner.getByText(/Chain intact/).waitFor();
  });
}
