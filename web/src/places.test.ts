import { expect, it } from 'vitest';
import { places, type Place } from './places';

const text = (value: string) => JSON.stringify(value);

function page({ path, name, needs }: Place): string {
  return `    Page { path: ${text(path)}, name: ${text(name)}, needs: ${needs ? `Some(${text(needs)})` : 'None'} },\n`;
}

/** The server's launcher finds the pages too. `npm run api` writes its table anew. */
it('names the pages that the launcher finds', async () => {
  const table =
    '//! The pages of the console: `npm run api` in `web/` makes this of `web/src/places.ts`.\n\n' +
    'use super::Page;\n\n' +
    '/// The pages, in the order in which the console names them.\n' +
    `pub(super) const PAGES: &[Page] = &[\n${places.map(page).join('')}];\n`;
  await expect(table).toMatchFileSnapshot('../../src/services/launcher/pages.rs');
});
