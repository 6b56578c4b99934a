// What a model asks to be drawn in its answer: drawn where it is right, text where it is not, and nothing from elsewhere.
import { readFileSync } from 'node:fs';
import { ask } from './chat.mjs';
import { talk } from './given.mjs';
import { axe, person, same, shoot, walk } from './lib.mjs';

const thread = (page) => page.getByRole('region', { name: 'Messages' });

/** Scrolls the answer through, so that all of it is drawn once. */
async function seen(page, text) {
  await thread(page).getByText(text).first().scrollIntoViewIfNeeded();
}

const QUESTION = 'Draw the week, please';

/** A conversation in which it was drawn. */
async function drawn(owner, base) {
  await ask(owner, base, QUESTION);
  await thread(owner).getByText('That is all.').waitFor();
}

export function widgetWalks() {
  walk('a model draws tables, charts and the rest in its answer', { firefox: true }, async ({ owner, base }) => {
    await drawn(owner, base);
    await thread(owner).getByRole('region', { name: 'Invoices' }).getByRole('cell', { name: 'INV-1' }).waitFor();
    await thread(owner)
      .getByRole('img', { name: /^Response time\. P50: Mon 120/ })
      .waitFor();
    await thread(owner).getByRole('list', { name: 'Calls' }).getByText('8,900').waitFor();
    await thread(owner).getByRole('list', { name: 'The incident' }).getByText('Fix deployed').waitFor();
    await thread(owner).getByRole('progressbar', { name: 'Upload' }).waitFor();
    await thread(owner).getByText('Then it got better.').waitFor();
    await thread(owner).getByText('A hold lasts 14 days at most.').waitFor();
    await thread(owner).getByText('application/pdf, 20 KB').waitFor();
    same(await thread(owner).getByRole('link', { name: 'Download' }).count(), 0, 'ways to a file elsewhere');
  });

  walk('rows are taken along as a file that is made here', async ({ owner, base }) => {
    await drawn(owner, base);
    const [saved] = await Promise.all([owner.waitForEvent('download'), thread(owner).getByRole('button', { name: 'Save Invoices of the week.csv' }).click()]);
    same(
      [saved.suggestedFilename(), readFileSync(await saved.path(), 'utf8')],
      ['Invoices of the week.csv', 'invoice,total\r\nINV-1,1200\r\nINV-2,340.5\r\n'],
      'the file',
    );
  });

  walk("a chart's numbers stand in a table, too", async ({ owner, base }) => {
    await drawn(owner, base);
    const shown = thread(owner).getByRole('group', { name: 'Show as' }).first();
    await shown.getByRole('button', { name: 'Table' }).click();
    await thread(owner).getByRole('region', { name: 'Response time' }).getByRole('cell', { name: '480' }).waitFor();
    await shown.getByRole('button', { name: 'Chart' }).click();
  });

  walk('what is broken or unknown stays text, and nothing is loaded from elsewhere', { firefox: true }, async ({ owner, base }) => {
    await drawn(owner, base);
    await thread(owner).getByText(':::widget{type="confirmation"}').waitFor();
    await thread(owner)
      .getByText(/https:\/\/elsewhere\.example/)
      .first()
      .waitFor();
    await thread(owner).getByText('<img src=x onerror=alert(1)>').waitFor();
    same(await thread(owner).locator('img').count(), 0, 'images');
    same(await owner.getByRole('form', { name: /^Approval/ }).count(), 0, 'questions');
  });

  for (const theme of ['light', 'dark']) {
    for (const width of [1440, 380]) {
      walk(`widgets are fine in ${theme} at ${width} px`, async ({ browser, state, base, call }) => {
        const id = await talk({ call }, QUESTION);
        const page = await person(browser, { theme, width, state });
        await page.goto(`${base}/chat/${id}`);
        const found = [];
        for (const [at, text] of ['Response time', 'The incident', 'That is all.'].entries()) {
          await thread(page).getByText('That is all.').waitFor();
          await seen(page, text);
          found.push(...(await axe(page)));
          await shoot(page, `widgets-${at + 1}-${theme}-${width}`);
        }
        const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        same([...new Set(found), over], [0], 'what axe found, and px too wide');
      });
    }
  }
}
