// Skills, programs and media: taken in and trusted; run with their calls inside a card; made, shown and played.
import { address, axe, same, shoot, until, walk } from './lib.mjs';

const mainOf = (page) => page.getByRole('main');
const box = (page) => page.getByLabel('Message', { exact: true });
const said = (page) => page.getByRole('region', { name: 'Messages' }).locator('.prose');

async function say(page, text) {
  await box(page).fill(text);
  await page.keyboard.press('Enter');
}

/** Opens the card of a tool, which stands among other steps. */
async function openCard(page, tool) {
  const steps = page.getByRole('region', { name: 'Messages' }).locator('details.step');
  const group = steps
    .filter({ hasText: / steps/ })
    .filter({ hasText: tool })
    .last();
  if ((await group.count()) > 0) await group.locator('summary').first().click();
  const card = steps.filter({ hasText: tool }).last();
  await card.locator('summary').first().click();
  return card;
}

export function skillWalks() {
  walk('a skill is taken in, read, trusted, given to an agent and followed', { firefox: true }, async ({ owner, base, call }) => {
    const main = mainOf(owner);
    await owner.goto(`${base}/skills`);
    await main.getByRole('heading', { name: 'No skill was taken in yet' }).waitFor();
    await shoot(owner, 'skills-empty');
    same(await axe(owner), [], 'what axe found');
    await main.getByRole('link', { name: 'Take one in' }).click();
    await main.getByRole('button', { name: 'Use an example' }).click();
    await shoot(owner, 'skills-new');
    same(await axe(owner), [], 'what axe found');
    await main.getByRole('button', { name: 'Take it in' }).click();
    await until('the page of the skill', async () => (await address(owner)).endsWith('/skills/meeting-notes'));
    await main.getByText('Its text counts as content from outside').waitFor();
    await main.getByText('read, write, list').waitFor();
    await shoot(owner, 'skills-not-trusted');
    same(await axe(owner), [], 'what axe found');
    await main.getByRole('button', { name: 'I have read it; trust it' }).click();
    await main.getByText('Trusted by anna').waitFor();
    await owner.goto(`${base}/agents/new`);
    await main.getByLabel('Name').fill('scribe');
    await main.getByLabel('Add a skill').selectOption('meeting-notes');
    await main.getByRole('button', { name: 'Take out meeting-notes' }).waitFor();
    await shoot(owner, 'skills-agent');
    await main.getByRole('button', { name: 'Keep the agent' }).click();
    await until('the page of the agent', async () => /\/agents\/[0-9a-f-]{36}$/.test(await address(owner)));
    same((await call('GET', '/api/agents')).find((one) => one.name === 'scribe').skills, ['meeting-notes'], 'skills of the agent');
    await owner.goto(`${base}/chat`);
    await owner.getByLabel('Agent', { exact: true }).selectOption({ label: 'scribe' });
    await say(owner, 'Turn these notes into lists.');
    await said(owner).getByText('By the skill: three lists.').waitFor();
    await shoot(owner, 'skills-followed');
  });

  walk('a program runs as one card with its calls inside', {}, async ({ owner, base }) => {
    await owner.goto(`${base}/chat`);
    await say(owner, 'Reckon it in a program.');
    const messages = owner.getByRole('region', { name: 'Messages' });
    await said(owner).getByText('The sum is 105.').waitFor();
    await openCard(owner, 'run_code');
    await messages.getByRole('list', { name: 'Calls of the program' }).waitFor();
    same(await messages.getByRole('list', { name: 'Calls of the program' }).getByRole('listitem').count(), 6, 'calls of the program');
    await shoot(owner, 'program-done');
    same(await axe(owner), [], 'what axe found');
  });

  walk('endpoints for pictures and speech are set and tested, and what they make is shown and played', {}, async ({ owner, base, model, call }) => {
    const main = mainOf(owner);
    await owner.goto(`${base}/settings/media`);
    for (const part of ['image', 'speech', 'transcription']) {
      await main.locator(`[name="media.${part}.url"]`).fill(model.url);
      await main.locator(`[name="media.${part}.model"]`).fill('scripted');
    }
    await main.getByRole('button', { name: /^Save/ }).click();
    await until('the settings are saved', async () => (await call('GET', '/api/settings')).media.speech.url === model.url);
    await main.getByRole('button', { name: 'Test' }).nth(1).click();
    await main.getByText('It said').waitFor();
    await shoot(owner, 'settings-media');
    same(await axe(owner), [], 'what axe found');
    await owner.goto(`${base}/chat`);
    await owner.getByRole('button', { name: 'Speak a message' }).waitFor();
    await say(owner, 'Paint a heron.');
    await said(owner).getByText('There it stands.').waitFor();
    const messages = owner.getByRole('region', { name: 'Messages' });
    await openCard(owner, 'image');
    await messages.locator('img').first().waitFor();
    await shoot(owner, 'media-picture');
    await say(owner, 'Read it to me.');
    await said(owner).getByText('Press play.').waitFor();
    await openCard(owner, 'tts');
    await messages.getByRole('button', { name: 'Play' }).click();
    await messages.locator('audio').waitFor();
    await shoot(owner, 'media-speech');
    same(await axe(owner), [], 'what axe found');
  });
}
