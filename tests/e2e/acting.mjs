// An agent that acts with nobody in front of it, from its form to the policy that stops it: one thread through all of it.
import { createAgent } from './agents.mjs';
import { ask } from './chat.mjs';
import { askBeforeCommands } from './given.mjs';
import { axe, same, shoot, until, walk } from './lib.mjs';

const mainOf = (page) => page.getByRole('main');
const thread = (page) => page.getByRole('region', { name: 'Messages' });
const cards = (page) =>
  thread(page).locator('details', {
    has: page.getByText('Session', { exact: true }),
  });
const TASK = 'Please prepare the heron report';

/** Tries a policy on past calls, saves it, and gives what would have been refused. */
async function denyCommands(page, base) {
  await page.goto(`${base}/policies`);
  const deny = page.getByLabel('Deny in Global', { exact: true });
  await deny.fill('exec');
  await deny.press('Tab');
  await page.getByRole('button', { name: 'Try on past calls' }).click();
  const past = page.getByRole('region', {
    name: 'Calls that would have gone another way',
  });
  await past.getByText('builtin:exec').first().waitFor();
  await past.getByText('refused').first().waitFor();
  await shoot(page, 'acting-replay');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Saved. It holds from now on.').waitFor();
}

export function actingWalks() {
  walk('an agent acts by itself: two sessions, one question, a rule, a job, and the policy that stops it', { provokes: ['lost *'] }, async (world) => {
    const { owner, base, call, server, model } = world;
    const main = mainOf(owner);
    await askBeforeCommands(world);
    await call('PUT', '/api/providers/00000000-0000-7000-8000-000000000001/price', { input: 3, output: 15, currency: 'EUR' });
    await call('POST', '/api/knowledge/collections', { name: 'Birds' });
    await createAgent(owner, base, {
      name: 'warden',
      allow: ['calculator', 'exec', 'group:sessions', 'find_tools'],
      collection: 'Birds',
    });

    // Two sessions, the second of which asks; the answer becomes a rule.
    await ask(owner, base, `@warden ${TASK}`);
    const always = cards(owner).last().getByRole('button', { name: 'Always allow this' });
    await always.waitFor();
    same(await cards(owner).count(), 2, 'sessions');
    await shoot(owner, 'acting-asks');
    same(await axe(owner), [], 'what axe found');
    await always.click();
    await thread(owner).getByText('The heron report is ready.').waitFor();

    // Each weekday by itself, and now once by hand: nobody is asked.
    await owner.goto(`${base}/jobs/new`);
    await main.getByLabel('Name').fill('Herons');
    await main.getByRole('button', { name: 'Give a task' }).click();
    await main.getByLabel('Agent', { exact: true }).selectOption({ label: 'warden' });
    await main.getByLabel('Task').fill(TASK);
    await main.getByRole('button', { name: 'Each weekday at 9' }).click();
    await main.getByRole('button', { name: 'Make the job' }).click();
    await main.getByRole('heading', { name: 'Herons' }).waitFor();
    await main.getByRole('button', { name: 'Run now' }).click();
    const runs = main.getByRole('region', { name: 'Runs' });
    await runs.getByText('Done').first().waitFor();
    same(await main.getByText('Running').count(), 0, 'what the list says beside it');
    await shoot(owner, 'acting-job');

    // The run as a tree with its cost, and its rows in the audit by the name of the agent.
    await owner.goto(`${base}/agents/runs`);
    const lines = main.getByRole('list', { name: 'Runs' }).getByRole('listitem');
    await until('both trees', async () => (await lines.count()) === 6);
    same(await lines.first().getByText('Job', { exact: true }).count(), 1, 'the newest is of the job');
    same(await lines.first().getByText(/ EUR/).count(), 1, 'its cost');
    await shoot(owner, 'acting-runs');
    same(await axe(owner), [], 'what axe found');
    await owner.goto(`${base}/audit?q=warden`);
    await main.getByRole('row').getByText('exec').first().click();
    const entry = owner.getByRole('complementary', { name: 'Entry' });
    await entry.getByText('warden').waitFor();
    await entry.getByText(/^rule /).waitFor();
    await shoot(owner, 'acting-audit');

    // A policy that would have refused one call, seen before it is saved, and then at work.
    await denyCommands(owner, base);
    await ask(owner, base, `@warden ${TASK}`);
    await thread(owner).getByText('The heron report is ready.').waitFor();
    const refused = cards(owner).last();
    await refused.getByText('2 steps').click();
    await refused.locator('details.step').filter({ hasText: 'exec' }).last().locator('summary').click();
    await refused.getByText("The policy layer 'global' denies exec").first().waitFor();
    await shoot(owner, 'acting-refused');

    // Killed in the middle, and the tree is whole.
    const gate = model.before('pond.');
    await ask(owner, base, `@warden ${TASK}`);
    await gate.reached;
    server.child.kill('SIGKILL');
    await server.ended;
    gate.open();
    await server.start();
    await thread(owner).getByText('The heron report is ready.').waitFor();
    same(await cards(owner).count(), 2, 'sessions after the kill');
    const left = async () => (await call('GET', '/api/runs')).filter((run) => !['done'].includes(run.state));
    await until('every run to be done', async () => (await left()).length === 0);
    same((await call('GET', '/api/runs')).length, 12, 'runs: four trees of three');
    await shoot(owner, 'acting-killed');
  });
}
