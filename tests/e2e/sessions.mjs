// Sessions: seen in the chat that began them, asked about there, stopped, and found as a tree of runs.
import { axe, same, shoot, until, walk } from './lib.mjs';

const box = (page) => page.getByLabel('Message', { exact: true });
const thread = (page) => page.getByRole('region', { name: 'Messages' });
const card = (page) =>
  thread(page)
    .locator('details', { has: page.getByText('Session', { exact: true }) })
    .first();

async function ask({ owner, base }, words) {
  await owner.goto(`${base}/chat`);
  await box(owner).fill(words);
  await owner.keyboard.press('Enter');
}

export function sessionWalks() {
  walk('a session is seen in the chat that began it, and after a reload', { firefox: true }, async (world) => {
    const { owner, base, call, model } = world;
    const gate = model.before('pond.');
    await ask(world, 'Have the herons counted');
    await gate.reached;
    await card(owner).getByText('Count those at the weir and those at the pond.').first().waitFor();
    await card(owner).getByText('calculator').first().waitFor();
    await card(owner).getByRole('button', { name: 'Stop the session' }).waitFor();
    await shoot(owner, 'session-at-work');
    same(await axe(owner), [], 'what axe found');
    gate.open();
    await thread(owner).getByText('There are seven herons.').waitFor();
    await owner.reload();
    await thread(owner).getByText('There are seven herons.').waitFor();
    await card(owner).locator('summary').first().click();
    await card(owner).getByText('Seven: three at the weir and four at the pond.').waitFor();
    await card(owner).getByText('Done').first().waitFor();
    await shoot(owner, 'session-done');
    same((await call('GET', '/api/conversations')).length, 1, 'conversations in the list');
    await owner.goto(`${base}/agents/runs`);
    const lines = owner.getByRole('list', { name: 'Runs' }).getByRole('listitem');
    await until('two runs', async () => (await lines.count()) === 2);
    same([await lines.nth(0).getByText('Chat').count(), await lines.nth(1).getByText('Session').count()], [1, 1], 'the kinds of the runs');
    await shoot(owner, 'runs');
    same(await axe(owner), [], 'what axe found');
    await owner.setViewportSize({ width: 380, height: 800 });
    await shoot(owner, 'runs-narrow');
    await owner.getByRole('button', { name: 'Hide what it began' }).click();
    await until('one run', async () => (await lines.count()) === 1);
  });

  walk('the question of a session is answered on its card', async (world) => {
    const { owner, call } = world;
    await call('PUT', '/api/policies', { global: { ask: ['write'] } });
    await ask(world, 'Have it written down');
    const yes = card(owner)
      .getByRole('button', { name: /Approve once/ })
      .first();
    await yes.waitFor();
    await shoot(owner, 'session-asks');
    await owner.setViewportSize({ width: 380, height: 800 });
    await owner.emulateMedia({ colorScheme: 'dark' });
    await shoot(owner, 'session-asks-narrow');
    same(await axe(owner), [], 'what axe found');
    await yes.click();
    await thread(owner).getByText('It is written down.').waitFor();
  });

  walk('a session that nobody waits for wakes its conversation, and one is stopped', async (world) => {
    const { owner, call, model } = world;
    const gate = model.before('word13');
    await ask(world, 'Have somebody look');
    await thread(owner).getByText('Somebody is looking.').waitFor();
    await gate.reached;
    await shoot(owner, 'session-goes-on');
    gate.open();
    await thread(owner).getByText('Somebody has looked.').waitFor();
    const held = model.before('word14');
    await ask(world, 'Have somebody look');
    await held.reached;
    await card(owner).getByRole('button', { name: 'Stop the session' }).click();
    await card(owner).getByText('Stopped').first().waitFor();
    held.open();
    await until('the run to be over', async () => (await call('GET', '/api/runs?kind=sub&state=cancelled')).length === 1);
  });
}
