// Policies and rules: a draft tried on the past and saved, a tool seen as somebody else, a question that becomes a rule.
import { ask } from './chat.mjs';
import { askBeforeCommands } from './given.mjs';
import { axe, person, same, shoot, until, walk } from './lib.mjs';
import { look, settled } from './look.mjs';

const thread = (page) => page.getByRole('region', { name: 'Messages' });

export function policyWalks() {
  walk('a draft of policies is tried on past calls, saved, and refuses what it denies', async ({ owner, base, call }) => {
    await call('POST', '/api/tools/calculator/invoke', { params: { expression: '1 + 1' } });
    await owner.goto(`${base}/policies`);
    const layers = owner.getByRole('region', { name: 'Layers', exact: true });
    await layers.getByText('3 Global').waitFor();
    const deny = owner.getByLabel('Deny in Global', { exact: true });
    await deny.fill('calculator');
    await deny.press('Tab');
    await owner.getByRole('button', { name: 'Try on past calls' }).click();
    const past = owner.getByRole('region', { name: 'Calls that would have gone another way' });
    await past.getByText('builtin:calculator').first().waitFor();
    await past.getByText('refused').first().waitFor();
    await shoot(owner, 'policies-replay');
    const tools = owner.getByRole('region', { name: 'Tools', exact: true });
    await owner.getByRole('searchbox', { name: 'Tool' }).fill('calc');
    await tools.getByRole('button', { name: 'builtin:calculator' }).click();
    await owner.getByRole('region', { name: 'Layers for builtin:calculator' }).getByRole('cell', { name: 'deny: calculator' }).waitFor();
    await owner.getByRole('button', { name: 'Save', exact: true }).click();
    await owner.getByText('Saved. It holds from now on.').waitFor();
    const refused = await call('POST', '/api/tools/calculator/invoke', { params: { expression: '1 + 1' } }).catch((error) => error.message);
    same(refused.includes("The policy layer 'global' denies calculator (deny: calculator)"), true, 'the refusal names its layer');
    await owner.reload();
    same(await owner.getByLabel('Deny in Global', { exact: true }).inputValue(), 'calculator', 'what was saved');
    const profile = owner.getByLabel('Allow in Profile', { exact: true });
    await profile.fill('nothing_there');
    await profile.press('Tab');
    await owner.getByRole('button', { name: 'Save', exact: true }).click();
    await owner.getByText('so this layer allows nothing').waitFor();
    await shoot(owner, 'policies');
    same(await axe(owner), [], 'what axe found');
  });

  walk('a question becomes a rule in one step, which lets the next call through and can be ended', async (world) => {
    const { owner, base } = world;
    await askBeforeCommands(world);
    await ask(owner, base, 'Please run the greeting');
    const card = owner.getByRole('form', { name: 'Approval: exec' });
    await card.getByRole('button', { name: 'Always allow this' }).waitFor();
    await shoot(owner, 'policies-always');
    await card.getByRole('button', { name: 'Always allow this' }).click();
    await thread(owner).getByText('The command said: walked.').waitFor();
    await ask(owner, base, 'Please run the greeting');
    await thread(owner).getByText('The command said: walked.').waitFor();
    await thread(owner).getByText('2 steps').click();
    await thread(owner).getByText('by a rule of anna').first().waitFor();
    await owner.goto(`${base}/policies/rules`);
    const rules = owner.getByRole('region', { name: 'Rules' });
    await rules.getByText('builtin:exec').waitFor();
    await rules.getByText('1 time, last').waitFor();
    await shoot(owner, 'policies-rules');
    same(await axe(owner), [], 'what axe found');
    await rules.getByRole('button', { name: 'End the rule for builtin:exec' }).click();
    await owner.getByRole('button', { name: 'End the rule', exact: true }).click();
    await owner.getByText('No rules yet').waitFor();
    await ask(owner, base, 'Please run the greeting');
    await until('it is asked again', () => owner.getByRole('form', { name: 'Approval: exec' }).isVisible());
  });

  for (const theme of ['light', 'dark']) {
    for (const width of [380, 1440]) {
      walk(`policies and the question fit ${width} px in ${theme}`, async (world) => {
        const { browser, base, state } = world;
        await askBeforeCommands(world);
        const page = await person(browser, { theme, width, state });
        const found = [];
        await ask(page, base, 'Please run the greeting');
        const always = page.getByRole('button', { name: 'Always allow this' });
        await always.waitFor();
        found.push(...(await look(page, '/policies-question', theme, width)));
        await always.click();
        await thread(page).getByText('The command said: walked.').waitFor();
        for (const path of ['/policies/layers', '/policies/rules']) {
          await page.goto(`${base}${path}`);
          await settled(page);
          found.push(...(await look(page, path.replace('s/', 's-'), theme, width)));
        }
        same(found, [], 'what axe found');
      });
    }
  }
}
