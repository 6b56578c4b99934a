// Every page in both themes at both widths: nothing serious for axe, nothing wider than the screen.
import { axe, note, person, same, shoot, until, walk } from './lib.mjs';

const PAGES = [
  '/chat',
  '/inbox',
  '/inbox?show=decided',
  '/memory',
  '/knowledge',
  '/knowledge?q=how%20long%20may%20a%20payment%20hold%20last',
  '/knowledge/documents',
  '/knowledge/graph',
  '/tools',
  '/tools?q=evaluate%20a%20math%20expression',
  '/tools/costs',
  '/tools/collisions',
  '/tools/evaluation',
  '/tools/write',
  '/scripts',
  '/scripts/walk_digest',
  '/catalog',
  '/agents',
  '/agents/new',
  '/agents/assistant',
  '/agents/runs',
  '/processes',
  '/processes/new',
  '/processes/import',
  '/processes/propose',
  '/connect',
  '/connect/codex',
  '/jobs',
  '/jobs/new',
  '/policies/layers',
  '/policies/rules',
  '/audit',
  '/outbound',
  '/usage',
  '/usage?by=model',
  '/users/people',
  '/users/roles',
  '/users/keys',
  '/users/sessions',
  '/users/account',
  '/settings/health',
  '/settings/models',
  '/settings/meaning',
  '/settings/indexes',
  '/settings/tools',
  '/settings/commands',
  '/settings/knowledge',
  '/settings/outbound',
  '/settings/limits',
  '/settings/backup',
  '/settings/vault',
  '/settings/appearance',
  '/nowhere',
];

/** What a page shows once it has been asked, where that comes later than the page. */
const ANSWERS = {
  '/knowledge?q=how%20long%20may%20a%20payment%20hold%20last': (page) => page.getByRole('article').first(),
  '/tools?q=evaluate%20a%20math%20expression': (page) => page.getByRole('region', { name: 'Best matches' }),
  '/knowledge/graph': (page) => page.getByRole('group', { name: 'Zoom' }),
  '/scripts': (page) => page.getByText('Begin with a template'),
  '/scripts/walk_digest': (page) => page.getByRole('textbox', { name: 'Text of walk_digest' }),
  '/settings/meaning': (page) => page.getByRole('region', { name: 'Models to choose from' }),
  '/audit': (page) => page.getByRole('region', { name: 'Entries' }).getByRole('row').nth(1),
};

/** The page is there when nothing loads any more. */
export async function settled(page) {
  await page.locator('main h1').first().waitFor();
  await page.waitForFunction(() => !document.querySelector('[role="status"][aria-label^="Loading"], [role="status"][aria-label^="Running"]'));
}

export async function look(page, name, theme, width) {
  const found = await axe(page);
  const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  if (over > 0) found.push(`${over} px wider than the screen`);
  await shoot(
    page,
    `${name
      .slice(1)
      .split('?')
      .join('-')
      .replace(/[/=%].*?(?=\w)/g, '-')
      .slice(0, 40)}-${theme}-${width}`,
  );
  return found.map((one) => `${name}: ${one}`);
}

/** What the first page takes on its way: the figure of the specification is 300 KB. */
async function firstLoad(page, base) {
  await page.goto(`${base}/chat`);
  await settled(page);
  const loaded = () =>
    page.evaluate(() =>
      performance
        .getEntriesByType('resource')
        .filter((one) => one.name.includes('/assets/'))
        .map((one) => [one.name, one.encodedBodySize]),
    );
  const all = await loaded();
  const size = all.reduce((sum, [, bytes]) => sum + bytes, 0);
  note(`${all.length} files, ${Math.round(size / 1024)} KB`);
  if (size === 0 || size > 300 * 1024) throw new Error(`the first load is ${size} bytes`);
  same(
    all.filter(([name]) => /\/(?:canvas|open)-/.test(name)),
    [],
    'files of the graph and the editor',
  );
  await page.goto(`${base}/knowledge/graph`);
  await until('the graph to be loaded', async () => (await loaded()).some(([name]) => name.includes('canvas')));
}

export function lookWalks() {
  walk('the first load is small, and neither the graph nor the editor is in it', { from: 'furnished' }, ({ owner, base }) => firstLoad(owner, base));

  for (const theme of ['light', 'dark']) {
    for (const width of [1440, 380]) {
      walk(`every page is fine in ${theme} at ${width} px`, { from: 'furnished', long: true }, async ({ browser, base, state, facts }) => {
        const page = await person(browser, { theme, width, state });
        const others = { [`/chat/${facts.conversation}`]: '/conversation', [`/knowledge/documents/${facts.document}`]: '/document' };
        const found = [];
        for (const path of [...PAGES, ...Object.keys(others)]) {
          await page.goto(`${base}${path}`);
          await settled(page);
          await ANSWERS[path]?.(page).waitFor();
          found.push(...(await look(page, others[path] ?? path, theme, width)));
        }
        await page.goto(`${base}/tools`);
        await settled(page);
        await page.keyboard.press('Control+k');
        await page.getByRole('combobox', { name: 'Search or run anything' }).waitFor();
        found.push(...(await look(page, '/the-palette', theme, width)));
        same(found, [], 'what axe found');
      });
    }
  }
}
