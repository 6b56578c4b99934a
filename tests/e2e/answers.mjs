// An answer as it is read: tasks, code, footnotes, tables, the steps behind it, and where it was branched.
import { ask } from './chat.mjs';
import { address, axe, person, same, shoot, until, walk } from './lib.mjs';

const thread = (page) => page.getByRole('region', { name: 'Messages' });

const rows = Array.from(
  { length: 3 },
  (_, n) => `| invoice_identifier_${n} | a_rather_long_supplier_name_${n} | outstanding_amount_in_francs | responsible_department_${n} | 1${n}4.50 |`,
).join('\n');
const TEXT = `What is left:

- [x] pay the **first** one
- [ ] call the supplier

\`\`\`ts
const total: number = invoices.reduce((sum, one) => sum + one.total, 0); // a line that is rather long, so that somebody may want to wrap it where the column is narrow
\`\`\`

It is late by a rule[^rule].

| invoice | supplier | what | department | amount |
|---|---|---|---|---:|
${rows}

[^rule]: See the contract, clause 7.
`;

const TABLE = `:::widget{type="data-table"}\n${JSON.stringify({
  title: 'Open',
  columns: [
    { key: 'id', label: 'Invoice' },
    { key: 'total', label: 'Total' },
  ],
  rows: [
    { id: 'INV-1', total: 401.5 },
    { id: 'INV-2', total: 803 },
    { id: 'INV-3', total: 1204.25 },
  ],
})}\n:::`;

const MATHS = `The roots of $ax^2 + bx + c = 0$ cost from $5 to $10 each:

$$
x_{1,2} = \\frac{-b \\pm \\sqrt{b^2 - 4ac}}{2a}
$$

As a matrix, \\(\\det A \\ne 0\\):

\\[ A = \\begin{pmatrix} 1 & 2 \\\\ 3 & 4 \\end{pmatrix}, \\qquad \\sum_{n=1}^{\\infty} \\frac{1}{n^2} = \\frac{\\pi^2}{6} \\]

Not drawn: $\\href{javascript:alert(1)}{x}$ and \`$y$\`.

$$ f(x) = ${Array.from({ length: 24 }, (_, n) => `a_{${n}} x^{${n}}`).join(' + ')} $$
`;

/** Has a function change the messages of a conversation on their way to the page. */
const change = (page, rewrite) =>
  page.route(/\/api\/conversations\/[0-9a-f-]{36}$/, async (route) => {
    if (route.request().method() !== 'GET') return route.continue();
    const response = await route.fetch();
    const talk = await response.json();
    rewrite(talk.messages);
    await route.fulfill({ response, json: talk });
  });

/** Opens a conversation whose messages were changed on their way. */
async function changed(page, base, rewrite) {
  await ask(page, base, 'What is 17.5% of 2,480, to be read?');
  await thread(page).getByText('17.5% of 2,480 is 434').waitFor();
  await page.getByRole('button', { name: 'Answer again' }).waitFor();
  await change(page, rewrite);
  await page.reload();
}

/** How many words of a table are parted in the middle of their letters. */
const parted = (page) =>
  thread(page)
    .locator('.prose table')
    .first()
    .evaluate((table) => {
      let found = 0;
      for (const cell of table.querySelectorAll('td, th')) {
        const text = cell.firstChild;
        for (const { index, 0: word } of (text?.data ?? '').matchAll(/\S+/g)) {
          const range = document.createRange();
          range.setStart(text, index);
          range.setEnd(text, index + word.length);
          if (new Set([...range.getClientRects()].map((one) => Math.round(one.top))).size > 1) found += 1;
        }
      }
      return found;
    });

export function answerWalks() {
  walk('an answer shows what is done, code in its language, and its footnotes', { firefox: true }, async ({ owner, base }) => {
    await changed(owner, base, (messages) => (messages.at(-1).text = TEXT));
    await thread(owner).getByText('call the supplier').waitFor();
    same(
      [await thread(owner).getByRole('img', { name: 'Done:' }).count(), await thread(owner).getByRole('img', { name: 'Open:' }).count()],
      [1, 1],
      'tasks done and open',
    );
    const code = thread(owner).locator('.code-box');
    await code.getByText('TypeScript').waitFor();
    await code.locator('.tok-kw').first().waitFor();
    same(await code.getByRole('button', { name: 'Copy the code' }).evaluate((one) => getComputedStyle(one).opacity), '1', 'the copy button without a pointer');
    const wrap = code.getByRole('button', { name: 'Wrap long lines' });
    const space = () => code.locator('pre').evaluate((one) => getComputedStyle(one).whiteSpace);
    const before = await space();
    // A text that is drawn anew under the pointer takes no click.
    await until('wrapped lines', async () => {
      if ((await wrap.getAttribute('aria-pressed')) !== 'true') await wrap.click();
      return (await space()) === 'pre-wrap';
    });
    same([before, await space(), await wrap.getAttribute('aria-pressed')], ['pre', 'pre-wrap', 'true'], 'how lines are broken');
    await wrap.click();
    same(
      [await thread(owner).locator('sup').getAttribute('title'), await thread(owner).locator('hr + ol li').textContent()],
      ['See the contract, clause 7.', 'See the contract, clause 7.'],
      'the footnote',
    );
    await shoot(owner, 'answer');
  });

  walk('no word of a table is parted: it scrolls', async ({ browser, owner, base, state }) => {
    const told = (messages) => (messages.at(-1).text = TEXT);
    await changed(owner, base, told);
    await thread(owner).getByRole('region', { name: 'Table' }).waitFor();
    same(await parted(owner), 0, 'words that are parted at 1440 px');
    const narrow = await person(browser, { width: 390, state });
    await change(narrow, told);
    await narrow.goto(await address(owner));
    const table = thread(narrow).getByRole('region', { name: 'Table' });
    await table.waitFor();
    same(await parted(narrow), 0, 'words that are parted at 390 px');
    same(await table.evaluate((one) => one.scrollWidth > one.clientWidth), true, 'that the table scrolls');
    same(await narrow.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true, 'that the page does not');
    await shoot(narrow, 'answer-390');
  });

  walk('rows say how many they are, align their decimals, and are taken along', async ({ owner, base }) => {
    await changed(owner, base, (messages) => (messages.at(-1).text = TABLE));
    const card = thread(owner).locator('.widget');
    await card.getByText('3 rows').waitFor();
    await card.getByRole('cell', { name: '1,204.25' }).waitFor();
    const ends = await card.locator('td.num').evaluateAll((cells) =>
      cells.map((cell) => {
        const range = document.createRange();
        const text = cell.firstChild;
        range.setStart(text, 0);
        range.setEnd(text, (text.data.split('.')[0] ?? '').length);
        return Math.round(range.getBoundingClientRect().right);
      }),
    );
    same(new Set(ends).size, 1, 'where the whole numbers end');
    const [file] = await Promise.all([owner.waitForEvent('download'), card.getByRole('button', { name: 'Download the rows as CSV' }).click()]);
    same(file.suggestedFilename(), 'Open.csv', 'the file');
    await shoot(owner, 'answer-table');
  });

  walk('steps that are opened at the end stay where they were clicked', { firefox: true }, async ({ owner, base }) => {
    await changed(owner, base, (messages) => {
      const step = messages[1].steps[0] ?? messages.flatMap((one) => one.steps)[0];
      messages[0].text = 'A long question. '.repeat(300);
      messages[1].steps = Array.from({ length: 12 }, (_, n) => ({ ...step, call_id: `${step.call_id}-${n}` }));
      messages.at(-1).text = 'Short.';
    });
    const group = thread(owner)
      .locator('details.step > summary')
      .filter({ hasText: / steps/ });
    await group.waitFor();
    await until('the end to be in view', () =>
      owner.evaluate(() => {
        const { scrollHeight, scrollTop, clientHeight } = document.querySelector('.scroller');
        return scrollHeight > clientHeight && scrollHeight - scrollTop - clientHeight < 4;
      }),
    );
    const before = (await group.boundingBox()).y;
    await group.click();
    await thread(owner).locator('.nested').nth(11).waitFor({ state: 'attached' });
    // Two frames: what watches the size has spoken by then.
    await owner.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    same(Math.abs((await group.boundingBox()).y - before) < 2, true, 'that the line stays');
    await group.click();
  });

  walk('a branch says what it is a branch of, and both lead to each other', { firefox: true }, async ({ owner, base }) => {
    await ask(owner, base, 'What is 17.5% of 2,480, before a fork?');
    await thread(owner).getByText('17.5% of 2,480 is 434').waitFor();
    const first = await address(owner);
    await thread(owner).locator('.prose').first().hover();
    await thread(owner).getByRole('button', { name: 'Branch from here' }).click();
    await until('another address', async () => (await address(owner)) !== first && /\/chat\/.+/.test(await address(owner)));
    const lineage = owner.getByRole('navigation', { name: 'Branches' });
    await lineage.getByText('Branch of').waitFor();
    await owner.getByRole('heading', { name: /^Branch of What is/ }).waitFor();
    const branch = await address(owner);
    await shoot(owner, 'chat-branch');
    await lineage.getByRole('link').click();
    await until('the first conversation', async () => (await address(owner)) === first);
    await lineage.getByText('Goes on in').waitFor();
    await lineage.getByRole('link').click();
    await until('the branch', async () => (await address(owner)) === branch);
  });
}

export function mathsWalks() {
  walk('maths is drawn, and what is none stays as it was written', { firefox: true }, async ({ owner, base }) => {
    await changed(owner, base, (messages) => (messages.at(-1).text = MATHS));
    const drawn = thread(owner).locator('math');
    await until('the formulas', async () => (await drawn.count()) === 5);
    const small = await drawn.evaluateAll((all) => all.map((one) => one.getBoundingClientRect()).filter(({ width, height }) => Math.min(width, height) < 8));
    same(small.length, 0, 'formulas without a size');
    await thread(owner).getByText('cost from $5 to $10 each').waitFor();
    await thread(owner).getByText('$\\href{javascript:alert(1)}{x}$').waitFor();
    same(await thread(owner).locator('a[href^="javascript"]').count(), 0, 'links that run');
    for (const width of [1440, 390]) {
      await owner.setViewportSize({ width, height: 900 });
      const over = await owner.evaluate(() => document.querySelector('.thread').scrollWidth - document.querySelector('.scroller').clientWidth);
      if (over > 0) throw new Error(`the thread is ${over} px too wide at ${width} px`);
      await shoot(owner, `maths-${width}`);
    }
    same(await axe(owner), [], 'what axe found');
  });
}
