// Jobs: an example, one made by hand with its next times, run now, parked until its question is answered, and a webhook.
import { createHmac } from 'node:crypto';
import { axe, person, same, shoot, until, walk } from './lib.mjs';
import { look, settled } from './look.mjs';

const mainOf = (page) => page.getByRole('main');
const runsOf = (page) => mainOf(page).getByRole('region', { name: 'Runs' });

/** A job of the owner's, made over the API. */
const made = (world, job) => world.call('POST', '/api/jobs', { when: { cron: '0 9 * * 1-5', time_zone: 'Europe/Berlin' }, ...job });

/** Several jobs of every kind, one of which has run and one of which waits for an answer. */
async function several(world) {
  const tea = await made(world, { name: 'Tea', do: { message: 'Tea is ready' } });
  const paused = await made(world, { name: 'Backup of the night', when: { cron: '30 2 * * *', time_zone: 'America/New_York' }, do: { backup: {} } });
  await world.call('POST', `/api/jobs/${paused.id}/pause`);
  await made(world, { name: 'Build ended', when: { webhook: {} }, do: { message: 'A build ended' } });
  await made(world, {
    name: 'Sum of the orders of all branches, with those of the companies that were bought last year',
    when: { every_seconds: 5400 },
    do: { tool: 'calculator', params: { expression: '6 * 7' } },
  });
  await world.call('POST', `/api/jobs/${tea.id}/run`);
  return tea;
}

/** Address and secret of the webhook that was just made, as its page shows them. */
async function hook(page) {
  const codes = mainOf(page).getByRole('region', { name: 'Webhook' }).getByRole('code');
  return { address: await codes.nth(0).innerText(), secret: await codes.nth(1).innerText() };
}

/** Calls a webhook, signed; the status of its answer. */
async function post({ address, secret }, body) {
  const [number, seconds] = ['msg_1', Math.floor(Date.now() / 1000)];
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const signature = createHmac('sha256', key).update(`${number}.${seconds}.${body}`).digest('base64');
  const headers = {
    'content-type': 'application/json',
    'webhook-id': number,
    'webhook-timestamp': String(seconds),
    'webhook-signature': `v1,${signature}`,
  };
  return (await fetch(address, { method: 'POST', body, headers })).status;
}

export function jobWalks() {
  walk('no job yet: the page says what one is, and the example is made with one click', async ({ owner, base }) => {
    await owner.goto(`${base}/jobs`);
    await mainOf(owner).getByRole('heading', { name: 'Nothing is done by itself yet' }).waitFor();
    await shoot(owner, 'jobs-empty');
    same(await axe(owner), [], 'what axe found');
    await owner.getByRole('button', { name: 'Add an example and open it' }).click();
    await mainOf(owner).getByRole('heading', { name: 'Weekly review' }).waitFor();
    await mainOf(owner).getByText('It has not run yet.').waitFor();
    await mainOf(owner).getByText('Next times').waitFor();
  });

  walk(
    'a job is made with its next five times in view, run now, and its message is in the inbox',
    { firefox: true, provokes: ['400 POST /api/jobs/preview'] },
    async ({ owner, base }) => {
      const main = mainOf(owner);
      await owner.goto(`${base}/jobs/new`);
      await main.getByLabel('Name').fill('Stand-up');
      await main.getByLabel('Message').fill('What is in the way?');
      await main.getByLabel('Cron expression').fill('0 0 31 2 *');
      await main.getByText('never fires').waitFor();
      await main.getByRole('button', { name: 'Each weekday at 9' }).click();
      await main.getByLabel('Time zone').fill('Europe/Berlin');
      await main.getByText('The next 5').waitFor();
      await until('five times to be shown', async () => (await main.getByRole('listitem').count()) === 5);
      await shoot(owner, 'jobs-form');
      same(await axe(owner), [], 'what axe found');
      await main.getByRole('button', { name: 'Make the job' }).click();
      await main.getByRole('heading', { name: 'Stand-up' }).waitFor();
      await main.getByRole('button', { name: 'Run now' }).click();
      await runsOf(owner).getByText('Done').first().waitFor();
      await runsOf(owner).getByText('Run by hand').click();
      await runsOf(owner).getByText('It is in the inbox.').waitFor();
      await shoot(owner, 'jobs-ran');
      same(await axe(owner), [], 'what axe found');
      await until('the title to tell of the message', async () => (await owner.title()).startsWith('(1) '));
      await owner.goto(`${base}/inbox`);
      await main.getByText('What is in the way?').waitFor();
      await shoot(owner, 'jobs-inbox');
      same(await axe(owner), [], 'what axe found');
      await main.getByRole('button', { name: 'Put this message away' }).click();
      await main.getByRole('heading', { name: 'Nothing waits for you' }).waitFor();
    },
  );

  walk('a time zone is typed letter by letter, and the form stays', { firefox: true, provokes: ['400 POST /api/jobs/preview'] }, async ({ owner, base }) => {
    const main = mainOf(owner);
    await owner.goto(`${base}/jobs/new`);
    await main.getByText('The next 5').waitFor();
    const zone = main.getByLabel('Time zone');
    await zone.fill('');
    await zone.pressSequentially('E');
    await main
      .getByText(/time zone/i)
      .filter({ hasText: 'Europe/Berlin' })
      .waitFor();
    await shoot(owner, 'jobs-zone');
    await zone.pressSequentially('urope/Lisbon');
    await main.getByText('The next 5').waitFor();
    await until('the times of that zone', async () => (await main.getByText('Europe/Lisbon', { exact: true }).count()) > 0);
    same(await zone.inputValue(), 'Europe/Lisbon', 'what was typed');
  });

  walk('a job at intervals is changed and keeps its seconds, and its next times are its own', async (world) => {
    const { owner, base, call } = world;
    const main = mainOf(owner);
    const { id, next_at } = await made(world, { name: 'Tick', when: { every_seconds: 90 }, do: { message: 'Tick' } });
    await owner.goto(`${base}/jobs/${id}`);
    const times = main.getByRole('listitem');
    await until('five times', async () => (await times.count()) === 5);
    const first = new Date(next_at);
    const clock = `${String(first.getUTCHours()).padStart(2, '0')}:${String(first.getUTCMinutes()).padStart(2, '0')}`;
    same((await times.first().textContent()).includes(clock), true, `the first time at ${clock}, UTC`);
    await main.getByRole('button', { name: 'Change' }).click();
    await main.getByLabel('Name').fill('Tock');
    await main.getByRole('button', { name: 'Save' }).click();
    await main.getByRole('heading', { name: 'Tock' }).waitFor();
    same((await call('GET', `/api/jobs/${id}`)).when.every_seconds, 90, 'the interval');
  });

  walk('a job is paused, changed and deleted', async (world) => {
    const { owner, base } = world;
    const main = mainOf(owner);
    const { id } = await made(world, { name: 'Tea', do: { message: 'Tea is ready' } });
    await owner.goto(`${base}/jobs/${id}`);
    await main.getByRole('button', { name: 'Pause' }).click();
    await main.getByRole('button', { name: 'Resume' }).waitFor();
    await main.getByRole('button', { name: 'Change' }).click();
    await main.getByRole('button', { name: 'At intervals' }).click();
    await main.getByLabel('Every', { exact: true }).fill('2');
    await main.getByText('every 2 hours').waitFor();
    await main.getByRole('button', { name: 'Save' }).click();
    await main.getByText('every 2 hours').first().waitFor();
    same((await world.call('GET', `/api/jobs/${id}`)).enabled, false, 'whether a change lets a paused job go on');
    await main.getByRole('button', { name: 'Delete Tea' }).click();
    await main.getByRole('button', { name: 'Delete the job and its runs' }).click();
    await main.getByRole('heading', { name: 'Nothing is done by itself yet' }).waitFor();
  });

  walk('what a job may not do unasked waits in the inbox, and ends once it is answered', async (world) => {
    const { owner, base } = world;
    const main = mainOf(owner);
    await owner.goto(`${base}/jobs/new`);
    await main.getByLabel('Name').fill('Note');
    await main.getByRole('button', { name: 'Call a tool' }).click();
    await main.getByLabel('Tool', { exact: true }).fill('write');
    await main.getByRole('button', { name: 'JSON' }).click();
    await main.getByLabel('Arguments as JSON').fill('{"path": "walk.txt", "content": {"$webhook": "/text"}}');
    await main.getByRole('button', { name: 'By a webhook' }).click();
    await main.getByRole('button', { name: 'Make the job' }).click();
    await main.getByText('It is shown this once.').waitFor();
    await shoot(owner, 'jobs-webhook');
    same(await axe(owner), [], 'what axe found');
    same(await post(await hook(owner), '{"text": "heron"}'), 202, 'what the webhook answers');
    await runsOf(owner).getByText('Waiting for you', { exact: true }).waitFor();
    await runsOf(owner).getByRole('link', { name: 'Answer it' }).click();
    await main.getByRole('link', { name: 'by the job Note' }).waitFor();
    await shoot(owner, 'jobs-question');
    await main.getByRole('button', { name: 'Approve once' }).click();
    await main.getByText('Nothing waits for you').waitFor();
    await owner.goto(`${base}/jobs`);
    await mainOf(owner).getByRole('link', { name: /^Note/ }).click();
    await runsOf(owner).getByText('Done').first().waitFor();
  });

  walk('what a webhook carried is told from what the person said, in a question that stands above all messages', async (world) => {
    const { owner, base, call } = world;
    const main = mainOf(owner);
    await owner.setViewportSize({ width: 1440, height: 600 });
    for (const name of ['Tea', 'Coffee', 'Cake']) {
      const { id } = await made(world, { name, do: { message: 'Ready\n'.repeat(9) } });
      await call('POST', `/api/jobs/${id}/run`);
    }
    await owner.goto(`${base}/jobs/new`);
    await main.getByLabel('Name').fill('Hook');
    await main.getByRole('button', { name: 'Give a task' }).click();
    await main.getByLabel('Task').fill('Please keep what stands on http');
    await main.getByRole('button', { name: 'By a webhook' }).click();
    await main.getByRole('button', { name: 'Make the job' }).click();
    await main.getByText('It is shown this once.').waitFor();
    same(await post(await hook(owner), '{"text": "http://evil.example/?q=140 please"}'), 202, 'what the webhook answers');
    await runsOf(owner).getByRole('link', { name: 'Answer it' }).click();
    await main.getByRole('link', { name: 'by the job Hook' }).waitFor();
    await main.getByText('From the webhook of Hook').waitFor();
    same(await main.getByText('From your message').count(), 0, 'values that are told as the person’s');
    await main.getByRole('region', { name: 'Message of Cake' }).waitFor();
    const top = async (one) => (await one.boundingBox()).y;
    const card = main.getByRole('form', { name: /^Approval/ });
    same((await top(card)) < (await top(main.getByRole('region', { name: /^Message of/ }).first())), true, 'whether the question stands first');
    await shoot(owner, 'inbox-order');
    same(await owner.evaluate(() => document.documentElement.scrollHeight), 600, 'the height of the page');
  });

  walk('a task is given to the agent that is chosen', async (world) => {
    const { owner, base, call } = world;
    const main = mainOf(owner);
    const reader = await call('POST', '/api/agents', { name: 'reader', description: 'Reads and quotes.', instructions: 'Quote what you read.' });
    await owner.goto(`${base}/jobs/new`);
    await main.getByRole('button', { name: 'Give a task' }).click();
    same(await main.getByLabel('Agent', { exact: true }).inputValue(), 'assistant', 'the agent that is chosen at first');
    await main.getByLabel('Agent', { exact: true }).selectOption({ label: 'reader' });
    await main.getByText('Reads and quotes.').waitFor();
    await main.getByLabel('Task').fill('Only say something');
    await shoot(owner, 'jobs-task');
    same(await axe(owner), [], 'what axe found');
    await main.getByRole('button', { name: 'Make the job' }).click();
    await main.getByText('Gives reader a task').waitFor();
    same((await call('GET', '/api/jobs'))[0].do.agent, reader.id, 'the agent of the job');
    await main.getByRole('button', { name: 'Run now' }).click();
    await runsOf(owner).getByText('Done').first().waitFor();
    await runsOf(owner).getByText('Run by hand').click();
    await runsOf(owner).getByRole('link', { name: 'Open the conversation' }).waitFor();
    await shoot(owner, 'jobs-task-done');
  });

  for (const theme of ['light', 'dark']) {
    for (const width of [380, 1440]) {
      walk(`jobs fit ${width} px in ${theme}`, async (world) => {
        const { browser, base, state } = world;
        const tea = await several(world);
        const page = await person(browser, { theme, width, state });
        const found = [];
        for (const path of ['/jobs', `/jobs/${tea.id}`, '/jobs/new', '/inbox']) {
          await page.goto(`${base}${path}`);
          await settled(page);
          if (path.includes(tea.id)) await runsOf(page).getByText('Done').first().waitFor();
          found.push(...(await look(page, path.replace(tea.id, 'one').replace('/jobs', '/jobs-all'), theme, width)));
        }
        same(found, [], 'what axe found');
      });
    }
  }
}
