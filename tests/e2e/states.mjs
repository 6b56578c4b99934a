// A server that fails, one that is slow, and a page that cannot be drawn: it is said in words, with a way on, and keeps nobody
// from the others.
import { axe, person, same, shoot, walk } from './lib.mjs';

const PAGES = [
  '/inbox',
  '/memory',
  '/knowledge/documents',
  '/knowledge/graph',
  '/tools',
  '/tools/calculator',
  '/tools/costs',
  '/tools/collisions',
  '/processes',
  '/connect',
  '/audit',
  '/users/people',
  '/users/roles',
  '/users/keys',
  '/users/sessions',
  '/settings/health',
  '/settings/models',
  '/settings/meaning',
  '/settings/indexes',
  '/settings/knowledge',
];
const DETAIL = 'The database did not answer. Nothing was changed.';

const main = (page) => page.getByRole('navigation', { name: 'Main', exact: true });

/** All but who is signed in. */
const asked = (url) => url.pathname.startsWith('/api/') && !/auth\/me|setup/.test(url.pathname);

export function stateWalks() {
  for (const [theme, width] of [
    ['light', 1440],
    ['dark', 380],
  ]) {
    walk(
      `a page that cannot be read says why and can be tried again, in ${theme} at ${width} px`,
      { long: true, provokes: ['503 *'] },
      async ({ browser, base, state }) => {
        const page = await person(browser, { theme, width, state });
        await page.route(asked, (route) =>
          route.fulfill({ status: 503, contentType: 'application/problem+json', json: { title: 'Unavailable', status: 503, detail: DETAIL } }),
        );
        const found = [];
        for (const path of PAGES) {
          await page.goto(`${base}${path}`);
          const alert = page.locator('main').getByRole('alert').filter({ hasText: DETAIL }).first();
          await alert.getByRole('button', { name: 'Try again' }).waitFor();
          found.push(...(await axe(page)).map((one) => `${path}: ${one}`));
          if (await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)) found.push(`${path}: wider than the screen`);
          await shoot(page, `fails-${path.slice(1).replaceAll('/', '-')}-${theme}-${width}`);
        }
        same(found, [], 'what axe found');
      },
    );
  }

  walk('a page that is slow shows where things will be', async ({ browser, base, state }) => {
    const slow = await person(browser, { width: 380, state });
    await slow.route(asked, () => null);
    for (const path of PAGES) {
      await slow.goto(`${base}${path}`);
      await slow
        .locator('main')
        .getByRole('status', { name: /^(Loading|Running)/ })
        .first()
        .waitFor();
    }
    await slow.unrouteAll({ behavior: 'ignoreErrors' });
  });
}

/** A page that is given what it cannot draw; where it says so. */
async function broken(page, base) {
  await page.route('**/api/doctor', (route) => route.fulfill({ json: { checks: [null] } }));
  await page.goto(`${base}/settings/health`);
  const failed = page.getByText('This page failed');
  await failed.waitFor();
  return failed;
}

export function failedPageWalks() {
  walk('a page that fails says what failed and can be tried again', { firefox: true }, async ({ owner, base }) => {
    await broken(owner, base);
    await shoot(owner, 'page-failed');
    await owner.unrouteAll();
    await owner.getByRole('button', { name: 'Try again' }).click();
    await owner.getByText('Model scripted at').waitFor();
  });

  walk('a page that fails keeps nobody from the others', { firefox: true }, async ({ owner, base }) => {
    const failed = await broken(owner, base);
    await main(owner).getByRole('link', { name: 'Tools' }).click();
    await owner.getByRole('heading', { name: 'Tools', exact: true }).waitFor();
    await owner.goBack();
    await failed.waitFor();
    // One that lies beside it, below the same heading.
    await owner.keyboard.press('Control+k');
    await owner.getByRole('combobox', { name: 'Search or run anything' }).fill('models');
    await owner
      .getByRole('option', { name: /^Models/ })
      .first()
      .click();
    await owner.getByRole('heading', { name: 'Models', exact: true }).waitFor();
    same(await failed.count(), 0, 'what says that the page failed');
  });

  walk(
    'a page of an earlier version asks to be reloaded where its parts are gone',
    { provokes: ['404 GET /assets/Inbox*', '*assets/Inbox*'] },
    async (world) => {
      const { owner, base } = world;
      await owner.goto(`${base}/settings/models`);
      await main(owner).waitFor();
      await owner.route('**/healthz', async (route) => {
        const health = await (await route.fetch()).json();
        await route.fulfill({ json: { ...health, version: '99.0.0' } });
      });
      await owner.route('**/assets/Inbox*', (route) => route.fulfill({ status: 404, body: '' }));
      await main(owner).getByRole('link', { name: /Inbox/ }).click();
      await owner.getByText('New version: Satchel 99.0.0').first().waitFor();
      await shoot(owner, 'new-version');
      await owner.unrouteAll();
      await owner.getByRole('button', { name: 'Reload' }).first().click();
      await owner.getByRole('heading', { name: 'Inbox' }).first().waitFor();
    },
  );
}
