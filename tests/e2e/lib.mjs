// What the walks are written with.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { isFirefox, still } from './browser.mjs';
import { SHOTS } from './walk.mjs';

export { axe, isFirefox, person } from './browser.mjs';
export { until } from './wait.mjs';
export { foresee, note, same, SHOTS, walk } from './walk.mjs';

/** Where the page is. It is asked: Firefox does not tell of every change that a page makes itself. */
export const address = (page) => page.evaluate(() => location.href).catch(() => '');

/** A picture of the page, for people to look at. Of Firefox there is none: to take one a style is put into the page, which its policy refuses. */
export async function shoot(page, name) {
  if (isFirefox(page.context().browser())) return;
  await still(page);
  mkdirSync(SHOTS, { recursive: true });
  await page.screenshot({ path: join(SHOTS, `${name}.png`) });
}
