// One tab: what the palette opens, what a second person finds in it, where the focus goes.
import { ask } from './chat.mjs';
import { signIn } from './first.mjs';
import { user } from './given.mjs';
import { address, person, same, shoot, until, walk } from './lib.mjs';
import { settled } from './look.mjs';
import { OWNER } from './worlds.mjs';

const NEXT = { name: 'nora', password: 'a password for nora' };
const main = (page) => page.getByRole('navigation', { name: 'Main', exact: true });

/** A browser in which the owner has signed in, and a second user who may do so next. */
async function shared(world) {
  await user(world, NEXT, ['scripts:write']);
  const tab = await person(world.browser);
  await signIn(tab, world.base, OWNER.name, OWNER.password);
  await main(tab).waitFor();
  return tab;
}

export function tabWalks() {
  walk('the palette opens what was typed, as fast as it is typed', { firefox: true }, async ({ owner, base }) => {
    for (const [typed, path] of [
      ['settings', '/settings'],
      ['calculator', '/tools/calculator'],
      ['inbox', '/inbox'],
    ]) {
      await owner.goto(`${base}/audit`);
      await main(owner).waitFor();
      await owner.keyboard.press('Control+k');
      const box = owner.getByRole('combobox', { name: 'Search or run anything' });
      // What is opened most is there already, and is not what was typed.
      await owner.getByRole('dialog').getByRole('option').first().waitFor();
      await box.pressSequentially(typed);
      await owner.keyboard.press('Enter');
      await until(`the page of ${typed}`, async () => URL.parse(await address(owner))?.pathname === path);
    }
  });

  walk('the list of commands closes with Esc, and Tab leaves the box', { firefox: true }, async ({ owner, base }) => {
    await owner.goto(`${base}/chat`);
    const box = owner.getByLabel('Message', { exact: true });
    await box.fill('/');
    await owner.getByRole('listbox', { name: 'Commands' }).waitFor();
    await box.press('Tab');
    same(await box.evaluate((one) => one === document.activeElement), false, 'the focus in the box');
    same(await box.inputValue(), '/', 'what was typed');
    await box.press('Escape');
    await owner.getByRole('listbox', { name: 'Commands' }).waitFor({ state: 'detached' });
    await box.fill('/n');
    await owner.getByRole('listbox', { name: 'Commands' }).waitFor();
    await box.fill('');
  });

  walk('a form that a button opens takes the focus and says its rules', { firefox: true }, async ({ owner, base }) => {
    await owner.goto(`${base}/users/people`);
    await owner.getByRole('button', { name: 'Add a user' }).first().click();
    await until('the focus', () => owner.getByLabel('Name').evaluate((one) => one === document.activeElement));
    await owner.getByText('no spaces').waitFor();
    await owner.getByText('10 characters or more').waitFor();
    await owner.goto(`${base}/users/keys`);
    await owner.getByRole('button', { name: 'Create a key' }).first().click();
    await until('the focus', () => owner.getByLabel('What is it for?').evaluate((one) => one === document.activeElement));
    await owner.goto(`${base}/users/account`);
    await owner.getByText('10 characters or more').waitFor();
  });

  walk('the next person in a tab finds nothing of the last one', { firefox: true, provokes: ['401 GET /api/*'] }, async (world) => {
    const { base } = world;
    const tab = await shared(world);
    const id = await tab.evaluate(async () => (await (await fetch('/api/auth/me')).json()).id);
    await tab.evaluate((whose) => localStorage.setItem(`satchel.script.${whose}.secret_plan`, 'let plan = 1;'), id);
    await tab.goto(`${base}/scripts`);
    await tab.getByText('secret_plan').waitFor();
    await ask(tab, base, 'Only for my eyes');
    await tab.getByRole('button', { name: 'Answer again' }).waitFor();
    // Page and memory are gone with the person: a mark in the window tells.
    await tab.evaluate(() => (window.held = true));
    await tab.getByRole('button', { name: 'Sign out' }).click();
    await tab.getByRole('heading', { name: 'Sign in' }).waitFor();
    same(await tab.evaluate(() => window.held ?? false), false, 'what the window held after signing out');
    await signIn(tab, base, NEXT.name, NEXT.password);
    await main(tab).waitFor();
    for (const path of ['scripts', 'chat']) {
      await tab.goto(`${base}/${path}`);
      await settled(tab);
      const text = await tab.locator('body').textContent();
      same([text.includes('secret_plan'), text.includes('Only for my eyes')], [false, false], `what is left of the last person on ${path}`);
    }
    await shoot(tab, 'second-person');
  });

  walk('who signs in where another was signed out is given a fresh page', { firefox: true, provokes: ['401 GET /api/*'] }, async (world) => {
    const tab = await shared(world);
    await tab.evaluate(() => (window.held = true));
    // The session ends elsewhere; the page learns of it with its next question.
    await tab.context().clearCookies();
    await tab.getByRole('heading', { name: 'Sign in' }).waitFor();
    same(await tab.evaluate(() => window.held), true, 'the same page');
    await tab.getByLabel('Name').fill(NEXT.name);
    await tab.getByLabel('Password').fill(NEXT.password);
    await tab.getByRole('button', { name: 'Sign in' }).click();
    await main(tab).waitFor();
    await until('a fresh page', () => tab.evaluate(() => window.held === undefined));
  });
}
