// What a person does with a conversation: again, otherwise, from here, with files, with a say in what runs; and a very long one.
import { randomUUID } from 'node:crypto';
import { ask } from './chat.mjs';
import { colleague } from './given.mjs';
import { address, axe, note, same, shoot, until, walk } from './lib.mjs';

const WRITER = { name: 'olga', password: 'a long enough password' };
const thread = (page) => page.getByRole('region', { name: 'Messages' });
const said = (page) => thread(page).locator('.prose');

/** Drops files where a selector finds something. */
export async function drop(page, selector, files) {
  const given = await page.evaluateHandle((all) => {
    const made = new DataTransfer();
    for (const { name, mime, base64 } of all) made.items.add(new File([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], name, { type: mime }));
    return made;
  }, files);
  for (const type of ['dragenter', 'dragover', 'drop']) await page.dispatchEvent(selector, type, { dataTransfer: given });
}

/** A conversation in which a sum was asked for. */
async function asked({ owner, base }) {
  await ask(owner, base, 'What is 17.5% of 2,480, once more?');
  await said(owner).getByText('17.5% of 2,480 is 434').waitFor();
}

export function talkWalks() {
  walk('an answer is asked for again and takes the place of the first', { firefox: true }, async ({ owner, base }) => {
    await asked({ owner, base });
    const again = owner.waitForResponse((response) => response.url().endsWith('/regenerate'));
    await thread(owner).getByRole('button', { name: 'Answer again' }).click();
    same((await again).status(), 200, 'the answer to it');
    await thread(owner).getByRole('button', { name: 'Answer again' }).waitFor();
    same([await said(owner).count(), await thread(owner).locator('.you').count()], [1, 1], 'answers and questions');
  });

  walk('the answer that gave way is found beside the one that took its place', { firefox: true }, async ({ owner, base }) => {
    const answers = thread(owner).getByRole('group', { name: 'Answers to this question' });
    const button = (name) => thread(owner).getByRole('button', { name, exact: true });
    await ask(owner, base, `Is there another word for swift? ${randomUUID()}`);
    await said(owner).getByText('Swift is quick.').waitFor();
    await button('Answer again').waitFor();
    same(await answers.count(), 0, 'choices before there is anything to choose');
    await button('Answer again').click();
    await said(owner).getByText('Swift is nimble.').waitFor();
    await answers.getByText('Answer 2 of 2').waitFor();
    await button('Earlier answer').focus();
    await owner.keyboard.press('Enter');
    await said(owner).getByText('Swift is quick.').waitFor();
    await answers.getByText('Answer 1 of 2').waitFor();
    same([await said(owner).count(), await said(owner).getByText('Swift is nimble.').count()], [1, 0], 'answers, and the last among them');
    for (const name of ['Answer again', 'Branch from here', 'Make this a tool']) same(await button(name).count(), 0, name);
    same(await axe(owner), [], 'what axe found');
    await shoot(owner, 'chat-former-answer');
    await button('Later answer').click();
    await said(owner).getByText('Swift is nimble.').waitFor();
    await button('Answer again').waitFor();
    await owner.reload();
    await said(owner).getByText('Swift is nimble.').waitFor();
    await button('Earlier answer').click();
    await said(owner).getByText('Swift is quick.').waitFor();
    // Whoever goes on sees what the model has read.
    await owner.getByLabel('Message', { exact: true }).fill('Only say something');
    await owner.keyboard.press('Enter');
    await said(owner).getByText('Noted.').waitFor();
    await said(owner).getByText('Swift is nimble.').waitFor();
  });

  walk('a message is edited and goes on in a branch; the first conversation stays', { firefox: true }, async ({ owner, base }) => {
    await asked({ owner, base });
    const first = await address(owner);
    await thread(owner).locator('.you').hover();
    await thread(owner).getByRole('button', { name: 'Edit the message' }).click();
    await owner.getByLabel('Edit the message').fill('Only say something');
    await owner.getByRole('button', { name: 'Send in a new branch' }).click();
    await said(owner).getByText('Noted.').waitFor();
    await until('another address', async () => (await address(owner)) !== first && /\/chat\/.+/.test(await address(owner)));
    if ((await thread(owner).textContent()).includes('17.5%')) throw new Error('the branch holds the old question');
    await owner.goto(first);
    await said(owner).getByText('17.5% of 2,480 is 434').waitFor();
  });

  walk('a conversation is branched where somebody chooses', { firefox: true }, async ({ owner, base }) => {
    await asked({ owner, base });
    const first = await address(owner);
    await said(owner).first().hover();
    await thread(owner).getByRole('button', { name: 'Branch from here' }).click();
    await until('another address', async () => (await address(owner)) !== first && /\/chat\/.+/.test(await address(owner)));
    await said(owner).getByText('17.5% of 2,480 is 434').waitFor();
    await owner.getByLabel('Message', { exact: true }).fill('And now?');
    await owner.keyboard.press('Enter');
    await said(owner).getByText('Noted.').waitFor();
    await owner.goto(first);
    await said(owner).getByText('17.5% of 2,480 is 434').waitFor();
    same(await thread(owner).locator('.you').count(), 1, 'questions in the first one');
  });

  walk('files are attached by dropping them, and one is taken off again', async ({ owner, base }) => {
    await owner.goto(`${base}/chat`);
    const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const text = Buffer.from('number,due\nOP-1,2026-09-12\n').toString('base64');
    await drop(owner, 'form.composer', [
      { name: 'dot.png', mime: 'image/png', base64: dot },
      { name: 'open.csv', mime: 'text/csv', base64: text },
      { name: 'wrong.txt', mime: 'text/plain', base64: text },
    ]);
    const box = owner.locator('.composer .thumbs');
    await box.getByText('wrong.txt').waitFor();
    await owner.getByRole('button', { name: 'Remove wrong.txt' }).click();
    await box.getByText(/will be seen by the model/).waitFor();
    await shoot(owner, 'chat-attachments');
    await owner.getByLabel('Message', { exact: true }).fill('Look at these');
    await owner.keyboard.press('Enter');
    await said(owner).getByText('Noted.').waitFor();
    await owner.reload();
    await thread(owner).getByText('open.csv').waitFor();
    same(await thread(owner).getByRole('img', { name: 'dot.png' }).count(), 1, 'pictures');
    if ((await thread(owner).textContent()).includes('wrong.txt')) throw new Error('what was taken off was sent');
  });

  walk('a document says what will read it, and what nothing can read is refused', { provokes: ['4* POST /api/files*'] }, async ({ owner, base }) => {
    await owner.goto(`${base}/chat`);
    const heic = Buffer.concat([Buffer.from('\0\0\0\x18ftypheic'), Buffer.alloc(400, '\0\xff', 'latin1')]).toString('base64');
    const notes = Buffer.from('# Herons\n\nThey wait at the water.\n').toString('base64');
    await drop(owner, 'form.composer', [
      { name: 'IMG_1.heic', mime: 'image/heic', base64: heic },
      { name: 'herons.adoc', mime: '', base64: notes },
    ]);
    await owner.locator('.composer').getByText("'IMG_1.heic' cannot be read").waitFor();
    await owner
      .locator('.composer .thumbs')
      .getByText(/herons.adoc .*will be read by the model/)
      .waitFor();
    await shoot(owner, 'chat-documents');
    await owner.getByLabel('Message', { exact: true }).fill('Look at these');
    await owner.keyboard.press('Enter');
    await said(owner).getByText('Noted.').waitFor();
    same(await thread(owner).getByText('herons.adoc').count(), 1, 'documents in the thread');
  });

  walk('arguments are edited while approving, and what runs is what was seen', { firefox: true }, async (world) => {
    const { base } = world;
    const olga = await colleague(world, WRITER, ['host:fs.read', 'host:fs.write']);
    const card = () => olga.getByRole('form', { name: 'Approval: write' });
    await ask(olga, base, 'Please note it down');
    await card().getByLabel('Path').fill('mine.txt');
    await card().getByText('Edited, was walk.txt').waitFor();
    await shoot(olga, 'chat-approval-edited');
    await card().getByRole('button', { name: 'Approve once' }).click();
    await said(olga).getByText('It is written').waitFor();
    const step = () => thread(olga).locator('details.step').filter({ hasText: 'mine.txt' }).first();
    for (const time of ['at once', 'after a reload']) {
      await step()
        .locator('summary')
        .filter({ hasText: /edited by/ })
        .waitFor();
      if ((await step().locator('summary').textContent()).includes('walk.txt')) throw new Error(`${time} the card names what never ran`);
      if (!(await step().evaluate((one) => one.open))) await step().locator('summary').click();
      await step().getByRole('tab', { name: 'Input' }).click();
      await step()
        .getByText(/Edited and approved by/)
        .waitFor();
      await step().getByText('was walk.txt').waitFor();
      await shoot(olga, `chat-edited-${time.replaceAll(' ', '-')}`);
      if (time === 'at once') await olga.reload();
    }
    await olga.goto(`${base}/tools/read`);
    await olga.getByLabel(/^path/).fill('mine.txt');
    await olga.keyboard.press('Control+Enter');
    await olga.getByRole('region', { name: 'Result', exact: true }).getByText('written on the walk').waitFor();
  });

  walk('an approval for the conversation holds there, and only there', async (world) => {
    const { base } = world;
    const olga = await colleague(world, WRITER, ['host:fs.read', 'host:fs.write']);
    const card = () => olga.getByRole('form', { name: 'Approval: write' });
    await ask(olga, base, 'Please note it down');
    await card().getByRole('button', { name: 'For this conversation' }).click();
    await said(olga).getByText('It is written').waitFor();
    // The turn is over, and the next may be sent.
    await olga.getByRole('button', { name: 'Answer again' }).waitFor();
    await olga.getByLabel('Message', { exact: true }).fill('Now note it down again');
    await olga.keyboard.press('Enter');
    await until('the second answer', async () => (await said(olga).getByText('It is written').count()) === 2);
    same(await card().count(), 0, 'questions');
    await ask(olga, base, 'Please note it down');
    await card().waitFor();
  });

  walk('a conversation of 5,000 messages scrolls smoothly and keeps the page small', { long: true }, async ({ owner, base }) => long(owner, base));
}

/** The page's own count, while it rests or scrolls: frames, those over 50 ms, and how much was drawn at most. */
const watch = ({ pace, time }) =>
  new Promise((done) => {
    const scroller = document.querySelector('.scroller');
    const count = { frames: 0, slow: 0, longest: 0, rows: 0, nodes: 0 };
    const end = performance.now() + time;
    let [was, step] = [performance.now(), -pace];
    const frame = (now) => {
      count.frames += 1;
      count.longest = Math.max(count.longest, Math.round(now - was));
      if (now - was > 50) count.slow += 1;
      was = now;
      if (count.frames % 20 === 0) {
        count.rows = Math.max(count.rows, document.querySelectorAll('.turn-block').length);
        count.nodes = Math.max(count.nodes, document.querySelectorAll('*').length);
      }
      if (scroller.scrollTop < 200) step = pace;
      scroller.scrollTop += step;
      if (now < end) requestAnimationFrame(frame);
      else done(count);
    };
    requestAnimationFrame(frame);
  });

async function long(page, base) {
  await ask(page, base, 'What is 17.5% of 2,480, for a long time?');
  await said(page).getByText('17.5% of 2,480 is 434').waitFor();
  const there = await address(page);
  // The conversation as it is, two thousand five hundred times over.
  await page.route(/\/api\/conversations\/[^/]+$/, async (route) => {
    if (route.request().method() !== 'GET') return route.continue();
    const response = await route.fetch();
    const talk = await response.json();
    const [asked, ...rest] = talk.messages;
    const answer = rest.at(-1);
    talk.messages = Array.from({ length: 2500 }, (_, n) => [
      { ...asked, id: `asked-${n}`, text: `Question ${n + 1}. ${'It goes on a little. '.repeat(n % 7)}` },
      {
        ...answer,
        id: `said-${n}`,
        turn_id: `turn-${n}`,
        steps: n % 5 ? [] : rest[0].steps.map((step) => ({ ...step, call_id: `${step.call_id}-${n}` })),
        text: `**Answer ${n + 1}.**\n\n${'A line of what was said, and a little more of it.\n\n'.repeat(1 + (n % 4))}`,
      },
    ]).flat();
    await route.fulfill({ response, json: talk });
  });
  await page.goto(`${there}?again`);
  await thread(page).getByText('Answer 2500.').waitFor();
  await until('the end to be in view', () =>
    page.evaluate(() => {
      const { scrollHeight, scrollTop, clientHeight } = document.querySelector('.scroller');
      return scrollHeight - scrollTop - clientHeight < 4;
    }),
  );
  const rest = await page.evaluate(watch, { pace: 0, time: 2000 });
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
  const spent = async () => (await cdp.send('Performance.getMetrics')).metrics.find((one) => one.name === 'TaskDuration').value * 1000;
  const before = await spent();
  const count = await page.evaluate(watch, { pace: 120, time: 4000 });
  const each = ((await spent()) - before) / count.frames;
  await cdp.detach();
  note(
    `at rest ${rest.frames} frames, ${rest.slow} over 50 ms; scrolling ${count.frames} frames, ${count.slow} over 50 ms, the longest ${count.longest} ms, ${each.toFixed(1)} ms of the page's own time for each; at most ${count.rows} rows and ${count.nodes} nodes`,
  );
  if (count.rows > 90 || count.nodes > 3000) throw new Error('too much is drawn');
  // What is drawn is held; how long a frame takes is the machine's too, and is only told.
  // What is read does not move while rows above it are measured.
  await page.evaluate(() => document.querySelector('.scroller').scrollTo({ top: document.querySelector('.scroller').scrollHeight / 2 }));
  await until('the middle', async () => Number(/Answer (\d+)/.exec(await said(page).first().textContent())?.[1]) < 2000);
  await page.evaluate(() => document.querySelector('.scroller').scrollTo({ top: 0 }));
  await thread(page).getByText('Question 1.', { exact: false }).first().waitFor();
  same(await axe(page), [], 'what axe found');
  await shoot(page, 'chat-long');
  await page.unrouteAll({ behavior: 'ignoreErrors' });
}
