// The chat: tool cards, approvals, a reload in mid-stream, a restart while somebody is asked.
import { askBeforeCommands } from './given.mjs';
import { address, same, shoot, until, walk } from './lib.mjs';

/** A new conversation with this message. */
export async function ask(page, base, text) {
  await page.goto(`${base}/chat`);
  await page.getByLabel('Message', { exact: true }).fill(text);
  await page.keyboard.press('Enter');
  await until('the address of the conversation', async () => /\/chat\/.+/.test(await address(page)));
}

const thread = (page) => page.getByRole('region', { name: 'Messages' });

/** Opens the steps of a turn that took several. */
async function unfold(page) {
  const group = thread(page)
    .locator('details.step')
    .filter({ hasText: / steps/ });
  await group.locator('summary').first().click();
  await group.locator('.nested').first().waitFor();
}

export function chatWalks() {
  walk('a tool card opens on input, output, raw and why', { firefox: true }, async ({ owner, base }) => {
    await ask(owner, base, 'What is 17.5% of 2,480?');
    await thread(owner).getByText('17.5% of 2,480 is 434').waitFor();
    await unfold(owner);
    const card = thread(owner).locator('details.step').filter({ hasText: 'calculator' }).last();
    await card.locator('summary').first().click();
    await card.getByRole('tab', { name: 'Output' }).waitFor();
    await card.getByRole('tab', { name: 'Input' }).click();
    await card.getByText('2480 * 0.175').first().waitFor();
    await card.getByRole('tab', { name: 'Raw' }).click();
    await card.getByText('[TOOL:').waitFor();
    await card.getByRole('tab', { name: 'Why' }).click();
    await card.getByText('nobody was asked').waitFor();
    await shoot(owner, 'chat');
  });

  walk('settings say what will change, and change it', { firefox: true }, async ({ owner, base }) => {
    await owner.goto(`${base}/settings/commands`);
    await owner.getByLabel('Running commands').selectOption('sandboxed');
    await owner.getByLabel('Ask a person').selectOption('always');
    await owner.getByText('2 changes: exec mode off to sandboxed; exec ask off to always').waitFor();
    await owner.getByRole('button', { name: 'Save' }).click();
    await owner.getByText('2 changes').waitFor({ state: 'detached' });
    await owner.reload();
    same(await owner.getByLabel('Ask a person').inputValue(), 'always', 'exec.ask');
  });

  walk('a question is approved in the chat, and the answer and the audit follow', { firefox: true }, async (world) => {
    const { owner, base } = world;
    await askBeforeCommands(world);
    await ask(owner, base, 'Please run the greeting');
    const card = owner.getByRole('form', { name: 'Approval: exec' });
    await card.waitFor();
    await until('the badge', () =>
      owner
        .getByRole('link', { name: 'Inbox' })
        .first()
        .textContent()
        .then((text) => text.includes('1')),
    );
    await shoot(owner, 'chat-approval');
    await card.getByRole('button', { name: 'Approve once' }).click();
    await thread(owner).getByText('The command said: walked.').waitFor();
    await owner.goto(`${base}/audit?tool=builtin:exec&outcome=success`);
    await owner.getByRole('region', { name: 'Entries' }).getByRole('link', { name: 'exec' }).first().click();
    await owner.getByRole('complementary', { name: 'Entry' }).getByText('echo walked').waitFor();
    await shoot(owner, 'audit');
  });

  walk('a denial with a reason is told to the model and stays in the thread', { firefox: true }, async (world) => {
    const { owner, base } = world;
    await askBeforeCommands(world);
    await ask(owner, base, 'Run the greeting again');
    const card = owner.getByRole('form', { name: 'Approval: exec' });
    await card.getByRole('button', { name: 'Deny with a reason' }).click();
    await card.getByLabel('Why not?').fill('not today');
    await card.getByRole('button', { name: 'Deny', exact: true }).click();
    await card.waitFor({ state: 'detached' });
    await unfold(owner);
    await thread(owner).getByText('denied').first().waitFor();
    // Somebody decided it: nothing failed.
    same(await thread(owner).getByText('1 failed').count(), 0, 'denials that are told as failures');
  });

  walk('Enter in the reason of a denial denies', { firefox: true }, async (world) => {
    const { owner, base, call } = world;
    await askBeforeCommands(world);
    await ask(owner, base, 'Run the greeting again');
    const card = owner.getByRole('form', { name: 'Approval: exec' });
    await card.getByRole('button', { name: 'Deny with a reason' }).click();
    // The focus is where the reason is written, and nothing says yes beside it.
    await owner.keyboard.type('not today');
    same(await card.getByRole('button', { name: /Approve|Always/ }).count(), 0, 'ways to say yes beside a no');
    await shoot(owner, 'chat-denying');
    await owner.keyboard.press('Enter');
    await card.waitFor({ state: 'detached' });
    await unfold(owner);
    await thread(owner).getByText('denied').first().waitFor();
    const rows = await call('GET', '/api/audit?tool=builtin:exec');
    same(JSON.stringify(rows).includes('not today'), true, 'the reason is in the audit');
    same(JSON.stringify(rows).includes('"success"'), false, 'a call that ran');
  });

  walk('a reload in mid-stream keeps the text and goes on to the end', { firefox: true }, async ({ owner, base, model }) => {
    const gate = model.before('word13');
    await ask(owner, base, 'Take your time, a long answer');
    await thread(owner).getByText('word12').waitFor();
    await owner.reload();
    await thread(owner).getByText('word12').waitFor();
    if ((await thread(owner).textContent()).includes('word13')) throw new Error('the answer went on by itself');
    gate.open();
    await thread(owner).getByText('and the end.').waitFor();
    const text = await thread(owner).locator('.prose').last().textContent();
    const wanted = [...Array.from({ length: 90 }, (_, n) => `word${n + 1}`), 'and', 'the', 'end.'];
    same(text.trim().split(/\s+/), wanted, 'every word once and in order');
  });

  walk('a run stops at once', { firefox: true }, async ({ owner, base, model }) => {
    model.before('word6');
    await ask(owner, base, 'Take your time once more');
    await thread(owner).getByText('word5').waitFor();
    await owner.getByRole('button', { name: 'Stop the run' }).click();
    await owner.getByRole('button', { name: 'Stop the run' }).waitFor({ state: 'detached' });
    if ((await thread(owner).textContent()).includes('and the end')) throw new Error('it went on');
    await thread(owner).getByText('You stopped this answer').waitFor();
    await thread(owner).getByRole('button', { name: 'Continue' }).waitFor();
    await thread(owner).getByRole('button', { name: 'Copy what is there' }).waitFor();
    same(await thread(owner).getByRole('alert').count(), 0, 'alerts: nothing went wrong');
    await shoot(owner, 'chat-stopped');
  });

  walk('a model that fails is said with its name and address, where that is mended, and can be tried again', { firefox: true }, async (world) => {
    const { owner, base, model } = world;
    await ask(owner, base, 'Break off here');
    const alert = thread(owner).getByRole('alert').first();
    for (const time of ['at once', 'after a reload']) {
      await alert.getByText(new URL(model.url).host).first().waitFor();
      await alert.getByText('scripted', { exact: true }).first().waitFor();
      const link = alert.getByRole('link', { name: /Settings/ });
      same((await link.getAttribute('href')).startsWith('/settings/'), true, `that the link leads to the settings, ${time}`);
      await alert.getByRole('button', { name: 'Try again' }).waitFor();
      await shoot(owner, `chat-failed-${time.replaceAll(' ', '-')}`);
      if (time === 'at once') await owner.reload();
    }
    const again = owner.waitForResponse((response) => response.url().endsWith('/regenerate'));
    await alert.getByRole('button', { name: 'Try again' }).click();
    same((await again).status(), 200, 'the answer to another try');
    await alert.getByRole('link', { name: /Settings/ }).click();
    await owner.getByRole('heading', { name: 'Models', exact: true }).waitFor();
  });

  walk('a conversation is renamed, put in a folder, searched, exported and deleted', async ({ owner, base }) => {
    await ask(owner, base, 'What is 17.5% of 2,480, in a folder?');
    await thread(owner).getByText('17.5% of 2,480 is 434').waitFor();
    const list = owner.getByRole('region', { name: 'Conversations' });
    const more = async (name, action) => {
      const row = list.locator('.item-row').filter({ has: owner.locator('[aria-current="true"]') });
      await row.hover();
      await row.getByRole('button', { name: /^More on/ }).click();
      await list.getByRole('button', { name: action }).click();
      if (!name) return;
      await list.getByLabel(/^(Title|Folder)/).fill(name);
      await owner.keyboard.press('Enter');
      await list.getByText(name).waitFor();
    };
    await more('Percentages', 'Rename');
    await more('Sums', 'Move to a folder');
    await owner.getByLabel('Search conversations').fill('Percentages');
    await until('the search', async () => (await list.locator('.item-row').count()) === 1);
    const [file] = await Promise.all([owner.waitForEvent('download'), owner.getByRole('link', { name: 'Export' }).first().click()]);
    same((await file.failure()) ?? 'fine', 'fine', 'the export');
    await more('', 'Delete');
    await list.getByRole('button', { name: 'Delete', exact: true }).click();
    await list.getByText('No conversation holds').waitFor();
  });

  walk('a restart while somebody is asked loses nothing: approved after it, the turn goes on', { provokes: ['lost *'] }, async (world) => {
    const { owner, base, server } = world;
    await askBeforeCommands(world);
    await ask(owner, base, 'Once more, run the greeting');
    await owner.getByRole('form', { name: 'Approval: exec' }).waitFor();
    await server.stop();
    await server.start();
    await owner.reload();
    await owner.getByRole('form', { name: 'Approval: exec' }).getByRole('button', { name: 'Approve once' }).click();
    await thread(owner).getByText('The command said: walked.').waitFor();
  });
}
