// What a model asks to be drawn in its answer: drawn where it is right, text where it is not, and nothing from elsewhere.
import { ask } from './chat.mjs';
import { axe, person, same, shoot, walk } from './lib.mjs';

const thread = (page) => page.getByRole('region', { name: 'Messages' });

/** Scrolls the answer through, so that all of it is drawn once. */
async function seen(page, text) {
  await thread(page).getByText(text).first().scrollIntoViewIfNeeded();
}

export async function widgetWalks({ browser, owner, base }) {
  await walk('a model draws tables, charts and the rest in its answer', owner, async () => {
    await ask(owner, base, 'Draw the week, please');
    await thread(owner).getByText('That is all.').waitFor();
    await thread(owner).getByRole('region', { name: 'Invoices' }).getByRole('cell', { name: 'INV-1' }).waitFor();
    await thread(owner).getByRole('img', { name: /^Response time\. P50: Mon 120/ }).waitFor();
    await thread(owner).getByRole('list', { name: 'Calls' }).getByText('8,900').waitFor();
    await thread(owner).getByRole('list', { name: 'The incident' }).getByText('Fix deployed').waitFor();
    await thread(owner).getByRole('progressbar', { name: 'Upload' }).waitFor();
    await thread(owner).getByText('Then it got better.').waitFor();
  });

  await walk("a chart's numbers stand in a table, too", owner, async () => {
    const shown = thread(owner).getByRole('group', { name: 'Show as' }).first();
    await shown.getByRole('button', { name: 'Table' }).click();
    await thread(owner).getByRole('region', { name: 'Response time' }).getByRole('cell', { name: '480' }).waitFor();
    await shown.getByRole('button', { name: 'Chart' }).click();
  });

  await walk('what is broken, unknown or from elsewhere stays text', owner, async () => {
    await thread(owner).getByText(':::widget{type="confirmation"}').waitFor();
    await thread(owner).getByText(/https:\/\/elsewhere\.example/).first().waitFor();
    await thread(owner).getByText('<img src=x onerror=alert(1)>').waitFor();
    same(await thread(owner).locator('img').count(), 0, 'images');
    same(await owner.getByRole('form', { name: /^Approval/ }).count(), 0, 'questions');
  });

  const state = await owner.context().storageState();
  for (const theme of ['light', 'dark']) {
    for (const width of [1440, 380]) {
      const page = await person(browser, { theme, width, state });
      await walk(`widgets are fine in ${theme} at ${width} px`, page, async () => {
        await page.goto(owner.url());
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
      await page.context().close();
    }
  }
}
