// A script's life: from a template, wrong at a line, right, tested, published, found by meaning, called in the chat, rolled back.
import { ask } from './chat.mjs';
import { askBeforeCommands, script } from './given.mjs';
import { isFirefox, person, same, shoot, until, walk } from './lib.mjs';

export const NAME = 'walk_digest';

export const FIRST = `// @name ${NAME}
// @description Adds up the weekly figures of a report and says the total
// @when The weekly figures are to be added up
// @param sum string "What is added up, as an expression"
// @uses calculator
// @example "A sum" {"sum": "6 * 7"} => 42

fn run(args) {
    let r = tool("calculator", #{ expression: args.sum });
    r
}

recorded {
    tool_answer("calculator", (), 42);
}
`;
/** What the first does. */
export const MAY = ['tool calculator'];
const WRONG = FIRST.replace('    r\n', '    rr\n');
const SECOND = FIRST.replace('@uses calculator', '@uses calculator, exec')
  .replace('(), 42);\n', '(), 42);\n    tool_answer("exec", (), #{ stdout: "digest" });\n')
  .replace('    r\n', '    tool("exec", #{ command: "echo digest" });\n    r\n');

const said = (word) => FIRST.replace('    r\n', `    // ${word}\n    r\n`);

const text = (page) => page.getByRole('textbox', { name: `Text of ${NAME}` });
const aside = (page) => page.getByRole('complementary', { name: 'Run and test' });
const button = (page, name) => page.getByRole('button', { name, exact: true });

/** Puts a text on the clipboard by the keys: Firefox takes no paste that a page made up. */
async function copy(page, source) {
  await page.evaluate((copied) => {
    const area = document.createElement('textarea');
    area.id = 'copied';
    area.value = copied;
    document.body.append(area);
    area.select();
  }, source);
  await page.keyboard.press('Control+c');
  await page.evaluate(() => document.getElementById('copied').remove());
}

/** Puts a text in the place of what stands in the editor, as a paste. */
async function write(page, source) {
  if (isFirefox(page.context().browser())) await copy(page, source);
  await text(page).click();
  await page.keyboard.press('Control+a');
  if (isFirefox(page.context().browser())) await page.keyboard.press('Control+v');
  else
    await text(page).evaluate((node, pasted) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', pasted);
      node.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    }, source);
  await until('the text to be checked', async () => (await page.getByText(/checked in/).count()) > 0);
}

/** All tests of this text are green, or it has none. */
export async function testAll(page) {
  await button(aside(page), 'Run all').click();
  await until('the tests', async () => /(\d+) of \1(?!\d|,)|has no test/.test(await aside(page).innerText()));
}

export async function publish(page, note, accept) {
  await button(page, 'Publish').click();
  const dialog = page.getByRole('dialog', { name: /^Publish/ });
  await dialog.getByLabel(/What changed/).fill(note);
  if (accept) {
    await dialog.getByText('exec').first().waitFor();
    await shoot(page, 'script-publish');
    await dialog.getByLabel('I have seen this and accept it').check();
  }
  await dialog.getByRole('button', { name: /^Publish/ }).click();
  await dialog.waitFor({ state: 'detached' });
}

/** A script of this text in the editor, not saved yet. */
export async function begun(page, base, source) {
  await page.goto(`${base}/scripts`);
  await page.getByLabel('Name').fill(NAME);
  await page.getByRole('region', { name: 'New script' }).getByRole('button').first().click();
  await page.getByRole('heading', { name: NAME }).waitFor();
  await page.getByText('New, not saved').waitFor();
  await write(page, source);
}

/** A script that is published, and its editor. */
export async function published(world) {
  await script(world, NAME, FIRST, MAY);
  await world.owner.goto(`${world.base}/scripts/${NAME}`);
  await text(world.owner).waitFor();
  await world.owner.getByText('Version 1, live').waitFor();
}

export function scriptWalks() {
  walk('a script begins with a template, and its text survives a reload before it is saved', { firefox: true }, async ({ owner, base }) => {
    await begun(owner, base, WRONG);
    await owner.reload();
    await text(owner).getByText('rr', { exact: true }).waitFor();
  });

  walk('an error stands at its line, F8 goes there, and publishing waits', { firefox: true }, async ({ owner, base }) => {
    await begun(owner, base, WRONG);
    await owner.getByRole('status').getByText('1 error, line 10').waitFor();
    await text(owner).click();
    await owner.keyboard.press('F8');
    await owner.getByText('Line 10, column 5').waitFor();
    same(await button(owner, 'Publish').getAttribute('aria-disabled'), 'true', 'the button');
    await aside(owner)
      .getByText(/Publishing waits until line 10 is right/)
      .waitFor();
    await shoot(owner, 'script-wrong');
  });

  walk('the corrected text runs from the form and its tests are green', { firefox: true }, async ({ owner, base }) => {
    await begun(owner, base, WRONG);
    await owner.getByRole('status').getByText('1 error, line 10').waitFor();
    await write(owner, FIRST);
    await owner.getByRole('status').getByText('No problem').waitFor();
    await aside(owner).getByLabel(/^sum/).fill('6 * 7');
    await owner.keyboard.press('Control+Enter');
    await aside(owner).getByRole('region', { name: 'Result of the run' }).getByText('42').first().waitFor();
    await testAll(owner);
    await shoot(owner, 'script-right');
  });

  walk('beside a narrow text a run is seen, and Esc leads back to the text', async ({ owner, base }) => {
    await begun(owner, base, FIRST);
    await aside(owner).getByLabel(/^sum/).fill('6 * 7');
    await owner.setViewportSize({ width: 1024, height: 900 });
    await text(owner).click();
    await owner.keyboard.press('Control+Enter');
    await aside(owner).getByRole('region', { name: 'Result of the run' }).waitFor();
    await owner.keyboard.press('Escape');
    await aside(owner).waitFor({ state: 'hidden' });
    await owner.getByRole('heading', { name: NAME }).waitFor();
    await owner.setViewportSize({ width: 1440, height: 900 });
  });

  walk('a published script is a tool that is found by meaning', { firefox: true }, async ({ owner, base }) => {
    await begun(owner, base, FIRST);
    await testAll(owner);
    await publish(owner, 'Adds up', false);
    await owner.getByText('Version 1, live').waitFor();
    await owner.goto(`${base}/tools`);
    await owner.getByLabel('What do you need done?').fill('the total of the weekly figures');
    await owner.getByRole('region', { name: 'Best matches' }).getByText(NAME, { exact: true }).first().waitFor();
  });

  walk('a version that may do more is published only where that was accepted', { firefox: true }, async (world) => {
    const { owner } = world;
    await published(world);
    await write(owner, SECOND);
    await owner.getByRole('status').getByText('No problem').waitFor();
    await testAll(owner);
    await publish(owner, 'Says it aloud', true);
    await owner.getByText('Version 2, live').waitFor();
    await aside(owner).getByRole('link', { name: 'exec' }).waitFor();
  });

  walk('a model calls it in the chat once a person approved', async (world) => {
    const { owner, base } = world;
    await askBeforeCommands(world);
    await published(world);
    await script(world, NAME, SECOND, ['tool exec']);
    await ask(owner, base, 'Digest the week, please');
    const card = owner.getByRole('form', { name: /^Approval: (walk_digest|exec)/ });
    await card.waitFor();
    await shoot(owner, 'script-approval');
    await card.getByRole('button', { name: 'Approve once' }).click();
    const thread = owner.getByRole('region', { name: 'Messages' });
    await thread.getByText('The week is digested.').waitFor();
    await thread.getByRole('button', { name: 'Make this a tool' }).first().waitFor();
  });

  walk('an earlier version is restored as a new one', async (world) => {
    const { owner } = world;
    await script(world, NAME, FIRST, MAY);
    await script(world, NAME, SECOND, ['tool exec']);
    await owner.goto(`${world.base}/scripts/${NAME}`);
    await button(owner, 'Restore version 1').click();
    const dialog = owner.getByRole('dialog', { name: `${NAME}, version 1` });
    await dialog.getByRole('button', { name: 'Restore version 1' }).click();
    await owner.getByText('Version 3, live').waitFor();
    await until('the first text', async () => !(await text(owner).innerText()).includes('exec'));
  });

  walk('whoever would replace a text they have not seen is shown it first, and chooses', async (world) => {
    const { browser, owner, base } = world;
    await script(world, NAME, FIRST, MAY);
    const other = await person(browser, { state: await owner.context().storageState() });
    for (const [page, word] of [
      [owner, 'mine'],
      [other, 'theirs'],
    ]) {
      await page.goto(`${base}/scripts/${NAME}`);
      await text(page).waitFor();
      await write(page, said(word));
      await testAll(page);
    }
    await publish(other, 'Theirs', false);
    await other.getByText('Version 2, live').waitFor();

    await button(owner, 'Publish').click();
    const dialog = owner.getByRole('dialog', { name: `Publish ${NAME} as version 3` });
    const told = dialog.getByRole('alert');
    await told.getByText(/published version 2/).waitFor();
    const go = dialog.getByRole('button', { name: /^Publish/ });
    same(await go.getAttribute('aria-disabled'), 'true', 'the button');
    await told.getByRole('button', { name: 'Show the difference' }).click();
    await told.getByRole('region', { name: 'From theirs to yours' }).getByText('// theirs').waitFor();
    await shoot(owner, 'script-changed');
    await told.getByRole('button', { name: 'Keep mine' }).click();
    await dialog.getByLabel(/What changed/).fill('Mine');
    await go.click();
    await dialog.waitFor({ state: 'detached' });
    await owner.getByText('Version 3, live').waitFor();

    // A text that was left unsaved in a browser is no better.
    await write(other, said('theirs again'));
    await other.reload();
    const notice = other.getByRole('alert').filter({ hasText: 'published version 3' });
    await notice.getByRole('button', { name: 'Use theirs' }).click();
    await notice.waitFor({ state: 'detached' });
    await until('the text that is there', async () => (await text(other).innerText()).includes('// mine'));
    await other.context().close();
  });

  walk('the palette reaches the script, and a call in a playground makes another', async (world) => {
    const { owner, base } = world;
    await published(world);
    await owner.keyboard.press('Control+k');
    await owner.getByRole('combobox', { name: 'Search or run anything' }).fill(NAME);
    await owner
      .getByRole('group', { name: 'Scripts' })
      .getByRole('option', { name: new RegExp(NAME) })
      .waitFor();
    await owner.keyboard.press('Escape');
    await owner.goto(`${base}/tools/calculator`);
    await owner.getByLabel(/^expression/).fill('6 * 7');
    await button(owner, 'Make a script').click();
    await owner.getByText('New, not saved').waitFor();
    await owner
      .getByRole('textbox', { name: /^Text of/ })
      .getByText('6 * 7')
      .first()
      .waitFor();
    await owner.getByRole('button', { name: /^Delete/ }).click();
    await button(owner, 'Throw it away').click();
    await owner.getByRole('heading', { name: 'Scripts', exact: true }).waitFor();
  });
}
