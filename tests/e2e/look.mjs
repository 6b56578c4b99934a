// Every page in both themes at both widths: nothing serious for axe, nothing wider than the screen.
import { axe, person, same, shoot, walk } from './lib.mjs';

const PAGES = [
  '/chat',
  '/inbox',
  '/memory',
  '/tools',
  '/tools/write',
  '/audit',
  '/users/people',
  '/users/roles',
  '/users/keys',
  '/users/sessions',
  '/users/account',
  '/settings/health',
  '/settings/models',
  '/settings/tools',
  '/settings/commands',
  '/settings/limits',
  '/settings/vault',
  '/settings/appearance',
];

/** The page is there when nothing loads any more. */
async function settled(page) {
  await page.locator('main h1').first().waitFor();
  await page.waitForFunction(() => !document.querySelector('[role="status"][aria-label^="Loading"], [role="status"][aria-label^="Running"]'));
}

async function look(page, name, theme, width) {
  // Half faded in, text has half its contrast.
  await page.waitForFunction(() => document.getAnimations().every((one) => one.effect?.getComputedTiming().endTime === Infinity || one.playState !== 'running'));
  const found = await axe(page);
  const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  if (over > 0) found.push(`${over} px wider than the screen`);
  await shoot(page, `${name.slice(1).replaceAll('/', '-')}-${theme}-${width}`);
  return found.map((one) => `${name}: ${one}`);
}

export async function lookWalks({ browser, owner, base }) {
  const state = await owner.context().storageState();
  await owner.goto(`${base}/chat`);
  const talk = await owner.locator('.item-row a').first().getAttribute('href');
  for (const theme of ['light', 'dark']) {
    for (const width of [1440, 380]) {
      const page = await person(browser, { theme, width, state });
      await walk(`every page is fine in ${theme} at ${width} px`, page, async () => {
        const found = [];
        for (const path of [...PAGES, talk]) {
          await page.goto(`${base}${path}`);
          await settled(page);
          found.push(...(await look(page, path === talk ? '/conversation' : path, theme, width)));
        }
        await page.goto(`${base}/tools`);
        await settled(page);
        await page.keyboard.press('Control+k');
        await page.getByRole('combobox', { name: 'Search or run anything' }).waitFor();
        found.push(...(await look(page, '/the-palette', theme, width)));
        same(found, [], 'what axe found');
      });
      await page.context().close();
    }
  }
}
