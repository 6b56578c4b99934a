// What opens over a page, at the width of a telephone: it fits, axe finds nothing serious, and it closes again.
import { signIn } from './first.mjs';
import { person, same, walk } from './lib.mjs';
import { look, settled } from './look.mjs';
import { OWNER } from './worlds.mjs';

const button = (name) => (page) => page.getByRole('button', { name }).first().click();
const aside = (name) => (page) => page.getByRole('complementary', { name });

/** Where it opens, what opens it, what is there then. */
const layers = (talk, document) => [
  ['conversations', talk, button('Conversations'), (page) => page.getByRole('region', { name: 'Conversations' })],
  ['context', talk, button(/tokens$/), aside('Context')],
  ['tool-history', '/tools/calculator', button('History'), aside('Use')],
  [
    'script-tests',
    '/scripts/walk_digest',
    (page) => page.getByRole('tab', { name: /^Tests/ }).click(),
    (page) => page.getByRole('button', { name: 'Run all' }),
  ],
  [
    'script-versions',
    '/scripts/walk_digest',
    (page) => page.getByRole('tab', { name: 'Versions' }).click(),
    (page) => page.getByRole('heading', { name: 'This script' }),
  ],
  ['collections', '/knowledge', button('Collections'), aside('Collections and uploads')],
  ['upload', '/knowledge/documents', button('Upload'), (page) => page.getByRole('form', { name: 'Add to knowledge' })],
  ['document-facts', document, button('About it'), aside(/^About/)],
  ['graph-node', '/knowledge/graph', button(/Orbit Parts/), aside('Node')],
  ['audit-filter', '/audit', button('Filter'), (page) => page.getByRole('region', { name: 'Facets' })],
  ['audit-entry', '/audit?tool=builtin:exec', (page) => page.getByRole('region', { name: 'Entries' }).getByRole('link').first().click(), aside('Entry')],
  [
    'more',
    '/tools',
    (page) => page.getByRole('navigation', { name: 'Main, small screen' }).getByText('More').click(),
    (page) => page.getByRole('combobox', { name: 'Search or run anything' }),
  ],
];

export function narrowWalks() {
  for (const theme of ['light', 'dark']) {
    walk(`what opens over a page fits a narrow screen in ${theme}`, { from: 'furnished', long: true }, async ({ browser, base, state, facts }) => {
      const page = await person(browser, { theme, width: 380, state });
      const found = [];
      for (const [name, path, open, there] of layers(`/chat/${facts.conversation}`, `/knowledge/documents/${facts.document}`)) {
        await page.goto(`${base}${path}`);
        await settled(page);
        await open(page);
        await there(page).waitFor();
        found.push(...(await look(page, `/over-${name}`, theme, 380)));
      }
      same(found, [], 'what axe found');
    });
  }

  walk('signing in fits a narrow screen, and a wrong password is said', { provokes: ['401 POST /api/auth/login'] }, async ({ browser, base }) => {
    const stranger = await person(browser, { theme: 'dark', width: 380 });
    await signIn(stranger, base, OWNER.name, 'not the password at all');
    await stranger.getByRole('alert').waitFor();
    same(await look(stranger, '/over-sign-in', 'dark', 380), [], 'what axe found');
  });
}
