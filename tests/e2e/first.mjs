// The first minutes: the set-up link, the owner, the model, the first question; then signing in.
import { address, foresee, person, same, shoot, until, walk } from './lib.mjs';
import { makeOwner, OWNER } from './worlds.mjs';

/** Signs in through the form. */
export async function signIn(page, base, name, password) {
  // The page asks who is there before anybody is.
  foresee('401 GET /api/auth/me');
  await page.goto(base);
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

export function firstWalks() {
  walk('a fresh server asks for its set-up link', { from: 'empty' }, async ({ owner, base }) => {
    await owner.goto(base);
    await owner.getByText('Open the link that stands in the terminal').waitFor();
  });

  walk('the set-up link makes the owner, connects the model and asks the first question', { from: 'empty', firefox: true }, async ({ owner, server }) => {
    await owner.goto(await server.link());
    await owner.getByLabel('Name').fill(OWNER.name);
    await owner.getByLabel('Password').fill(OWNER.password);
    await owner.getByRole('button', { name: 'Make the account' }).click();
    // What is known of the vault comes a moment later, and moves the button.
    await owner.getByText(`${server.data}/secret.key`).waitFor();
    await owner.getByRole('button', { name: 'Continue' }).click();
    await owner.getByRole('radio', { name: /scripted/ }).check();
    await shoot(owner, 'first-run');
    await owner.getByRole('button', { name: 'Connect and test' }).click();
    await owner.getByRole('button', { name: 'Continue', exact: false }).filter({ hasNotText: 'all the same' }).click();
    await owner.getByLabel('Question').fill('What is 17.5% of 2,480?');
    await owner.keyboard.press('Enter');
    await owner.getByText('17.5% of 2,480 is 434').waitFor();
    await until('the address of the conversation', async () => /\/chat\/.+/.test(await address(owner)));
  });

  walk('the set-up link works once', { from: 'empty', provokes: ['401 GET /api/auth/me'] }, async ({ browser, server }) => {
    await makeOwner(server);
    const other = await person(browser);
    await other.goto(await server.link());
    await other.getByRole('heading', { name: 'Sign in' }).waitFor();
    await other.context().close();
  });

  walk('a wrong password is refused, the right one opens the console', { firefox: true, provokes: ['401 POST /api/auth/login'] }, async ({ browser, base }) => {
    const other = await person(browser);
    await signIn(other, base, OWNER.name, 'not the password');
    await other.getByRole('alert').waitFor();
    same(await other.getByLabel('Name').inputValue(), OWNER.name, 'the name');
    await shoot(other, 'sign-in');
    // It may be too soon after the wrong one: then it is tried again.
    await until('the right password to be let in', async () => {
      const soon = { timeout: 5000 };
      await other
        .getByLabel('Password')
        .fill(OWNER.password, soon)
        .catch(() => null);
      await other
        .getByRole('button', { name: 'Sign in' })
        .click(soon)
        .catch(() => null);
      return other
        .getByRole('navigation', { name: 'Main', exact: true })
        .waitFor(soon)
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
