// The first minutes: the set-up link, the owner, the model, the first question; then signing in.
import { person, same, shoot, until, walk } from './lib.mjs';

export const OWNER = { name: 'anna', password: 'correct horse battery' };

/** Signs in through the form. */
export async function signIn(page, base, name, password) {
  await page.goto(base);
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

export async function firstWalks({ browser, server, owner, base }) {
  await walk('a fresh server asks for its set-up link', owner, async () => {
    await owner.goto(base);
    await owner.getByText('Open the link that stands in the terminal').waitFor();
  });

  await walk('a wrong set-up token makes no owner and keeps what was typed', owner, async () => {
    await owner.goto(`${base}/setup?token=wrong`);
    await owner.getByLabel('Name').fill(OWNER.name);
    await owner.getByLabel('Password').fill(OWNER.password);
    await owner.getByRole('button', { name: 'Make the account' }).click();
    await owner.getByRole('alert').getByText('The account was not made').waitFor();
    same(await owner.getByLabel('Name').inputValue(), OWNER.name, 'the name');
  });

  await walk('the set-up link makes the owner, connects the model and asks the first question', owner, async () => {
    if (!server.setup) throw new Error('the server printed no set-up link');
    await owner.goto(server.setup);
    await owner.getByLabel('Name').fill(OWNER.name);
    await owner.getByLabel('Password').fill(OWNER.password);
    await owner.getByRole('button', { name: 'Make the account' }).click();
    await owner.getByRole('button', { name: 'Continue' }).click();
    await owner.getByRole('radio', { name: /scripted/ }).check();
    await shoot(owner, 'first-run');
    await owner.getByRole('button', { name: 'Connect and test' }).click();
    await owner.getByRole('button', { name: 'Continue', exact: false }).filter({ hasNotText: 'all the same' }).click();
    await owner.getByLabel('Question').fill('What is 17.5% of 2,480?');
    await owner.getByRole('button', { name: 'Ask', exact: true }).click();
    await owner.getByText('17.5% of 2,480 is 434').waitFor();
    await until('the address of the conversation', () => /\/chat\/.+/.test(owner.url()));
  });

  await walk('the set-up link works once', owner, async () => {
    const other = await person(browser);
    await other.goto(server.setup);
    await other.getByRole('heading', { name: 'Sign in' }).waitFor();
    await other.context().close();
  });

  await walk('a wrong password is refused, the right one opens the console', owner, async () => {
    const other = await person(browser);
    await signIn(other, base, OWNER.name, 'not the password');
    await other.getByRole('alert').waitFor();
    same(await other.getByLabel('Name').inputValue(), OWNER.name, 'the name');
    await shoot(other, 'sign-in');
    await until('the right password to be let in', async () => {
      await other.getByLabel('Password').fill(OWNER.password);
      await other.getByRole('button', { name: 'Sign in' }).click();
      return other
        .getByRole('navigation', { name: 'Main', exact: true })
        .waitFor({ timeout: 2000 })
        .then(
          () => true,
          () => false,
        );
    });
    await other.getByRole('button', { name: 'Sign out' }).click();
    await other.getByRole('heading', { name: 'Sign in' }).waitFor();
    await other.context().close();
  });
}
