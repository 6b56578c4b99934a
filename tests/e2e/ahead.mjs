// What is said before the answer is there, a question in other words, and the title a model makes.
import { randomUUID } from 'node:crypto';
import { ask } from './chat.mjs';
import { address, axe, person, same, shoot, until, walk } from './lib.mjs';

const thread = (page) => page.getByRole('region', { name: 'Messages' });
const said = (page) => thread(page).locator('.prose');
const waiting = (page) => thread(page).getByRole('list', { name: 'Messages that wait' }).getByRole('listitem');

async function type(page, text) {
  await page.getByLabel('Message', { exact: true }).fill(text);
  await page.keyboard.press('Enter');
}

export function aheadWalks() {
  walk('what is typed ahead waits, is changed in either tab, outlives a restart, and is answered', { provokes: ['lost *'] }, async (world) => {
    const { browser, owner, base, model, state, server } = world;
    const gate = model.before('word6');
    await ask(owner, base, `Take your time, typed ahead ${randomUUID()}`);
    await thread(owner).getByText('word5').waitFor();
    await type(owner, 'Say the first thing');
    await waiting(owner).getByText('Say the first thing').waitFor();
    await type(owner, 'Say the second thing');
    await type(owner, 'Say what is withdrawn');
    await until('three that wait', async () => (await waiting(owner).count()) === 3);
    same(await owner.getByLabel('Message', { exact: true }).inputValue(), '', 'the box once it is sent');
    same(await axe(owner), [], 'what axe found');
    await shoot(owner, 'chat-ahead');
    const other = await person(browser, { state, width: 380 });
    await other.goto(await address(owner));
    await until('three in the other tab', async () => (await waiting(other).count()) === 3);
    await shoot(other, 'chat-ahead-380');
    await waiting(other).nth(2).getByRole('button', { name: 'Withdraw the waiting message' }).click();
    await until('two in the first tab', async () => (await waiting(owner).count()) === 2);
    await waiting(owner).nth(1).getByRole('button', { name: 'Edit the waiting message' }).click();
    await owner.getByRole('textbox', { name: 'Edit the waiting message' }).fill('Say the other thing');
    await owner.getByRole('button', { name: 'Save', exact: true }).click();
    await waiting(other).getByText('Say the other thing').waitFor();
    await other.close();
    await server.stop();
    gate.open();
    await server.start();
    await owner.reload();
    await until('both answers', async () => (await said(owner).count()) === 3);
    await until('that nothing waits', async () => (await waiting(owner).count()) === 0);
    same((await thread(owner).locator('.you').allTextContents()).slice(1), ['Say the first thing', 'Say the other thing'], 'the questions in their order');
  });

  walk('what waits behind an answer that is stopped is sent when somebody sends it', { firefox: true }, async ({ owner, base, model }) => {
    model.before('word6');
    await ask(owner, base, `Take your time, to be stopped ${randomUUID()}`);
    await thread(owner).getByText('word5').waitFor();
    await type(owner, 'Say it later');
    await waiting(owner).getByText('Waits for this answer').waitFor();
    await owner.getByRole('button', { name: 'Stop the run' }).click();
    await waiting(owner).getByText('Not sent').waitFor();
    await shoot(owner, 'chat-ahead-held');
    await waiting(owner).getByRole('button', { name: 'Send', exact: true }).click();
    await said(owner).getByText('Noted.').waitFor();
    same(await waiting(owner).count(), 0, 'messages that wait');
  });

  walk('what could not be sent at its moment is told from what is not sent, and is sent once it can be', async ({ owner, base, model, call }) => {
    const provider = await call('POST', '/api/providers', { kind: 'openai', name: 'Second', model: 'scripted', base_url: model.url });
    await call('POST', '/api/agents', { name: 'clerk', models: ['Second:scripted'] });
    const { id } = await call('POST', '/api/conversations', { agent: 'clerk' });
    const gate = model.before('word6');
    await owner.goto(`${base}/chat/${id}`);
    await type(owner, `Take your time, its model goes ${randomUUID()}`);
    await thread(owner).getByText('word5').waitFor();
    await type(owner, 'Say it once you can');
    await waiting(owner).getByText('Waits for this answer').waitFor();
    await call('PUT', `/api/providers/${provider.id}`, { enabled: false });
    gate.open();
    await waiting(owner).getByText('Could not be sent yet: it is tried again').waitFor();
    await shoot(owner, 'chat-ahead-tried');
    same(await axe(owner), [], 'what axe found');
    await owner.reload();
    await waiting(owner).getByText('Could not be sent yet: it is tried again').waitFor();
    await call('PUT', `/api/providers/${provider.id}`, { enabled: true });
    // Both the server and the page look again by themselves.
    await said(owner).getByText('Noted.').waitFor({ timeout: 120_000 });
    same(await waiting(owner).count(), 0, 'messages that wait');
  });

  walk('a question in other words is asked in its place, and the former one is found beside it', { firefox: true }, async ({ owner, base }) => {
    const answers = thread(owner).getByRole('group', { name: 'Answers to this question' });
    await ask(owner, base, `Is there another word for swift, in other words? ${randomUUID()}`);
    await said(owner).getByText('Swift is quick.').waitFor();
    await thread(owner).getByRole('button', { name: 'Answer again' }).waitFor();
    await thread(owner).locator('.you').hover();
    await thread(owner).getByRole('button', { name: 'Edit the message' }).click();
    await owner.getByLabel('Edit the message').fill('Only say something');
    await owner.getByRole('button', { name: 'Ask this instead' }).click();
    await said(owner).getByText('Noted.').waitFor();
    await answers.getByText('Answer 2 of 2').waitFor();
    await thread(owner).getByRole('button', { name: 'Earlier answer' }).click();
    await thread(owner).locator('.you').getByText('another word for swift').waitFor();
    await said(owner).getByText('Swift is quick.').waitFor();
    same(await axe(owner), [], 'what axe found');
    await shoot(owner, 'chat-reworded');
    await thread(owner).getByRole('button', { name: 'Later answer' }).click();
    await thread(owner).locator('.you').getByText('Only say something').waitFor();
    await owner.reload();
    await said(owner).getByText('Noted.').waitFor();
    await answers.getByText('Answer 2 of 2').waitFor();
  });

  walk('a model names the conversation once its first answer is there', async ({ owner, base }) => {
    const title = `Herons ${randomUUID().slice(0, 8)}`;
    await ask(owner, base, `Say something, and name the talk "${title}"`);
    await said(owner).getByText('Noted.').waitFor();
    await owner.getByRole('heading', { level: 1, name: title, exact: true }).waitFor();
    await owner.getByRole('link', { name: title, exact: true }).waitFor();
  });
}
