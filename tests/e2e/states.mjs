// A server that fails, and one that is slow: each page says so in words, with a way on, and shows where things will be.
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

/** All but who is signed in. */
const asked = (url) => url.pathname.startsWith('/api/') && !/auth\/me|setup/.test(url.pathname);

export async function stateWalks({ browser, owner, base }) {
  const state = await owner.context().storageState();

  for (const [theme, width] of [
    ['light', 1440],
    ['dark', 380],
  ]) {
    const page = await person(browser, { theme, width, state });
    await page.route(asked, (route) =>
      route.fulfill({ status: 503, contentType: 'application/problem+json', json: { title: 'Unavailable', status: 503, detail: DETAIL } }),
    );
    await walk(`a page that cannot be read says why and can be tried again, in ${theme} at ${width} px`, page, async () => {
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
    });
    await page.context().close();
  }

  const slow = await person(browser, { width: 380, state });
  await slow.route(asked, () => null);
  await walk('a page that is slow shows where things will be', slow, async () => {
    for (const path of PAGES) {
      await slow.goto(`${base}${path}`);
      await slow
        .locator('main')
        .getByRole('status', { name: /^(Loading|Running)/ })
        .first()
        .waitFor();
    }
  });
  await slow.unrouteAll({ behavior: 'ignoreErrors' });
  await slow.context().close();
}
