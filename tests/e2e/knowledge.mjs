// Knowledge: brought in, searched with reasons, opened at the passage, explained where it was lost; and the graph.
import { ask } from './chat.mjs';
import { documents, GARDEN, invoke, POLICY } from './given.mjs';
import { address, axe, same, shoot, until, walk } from './lib.mjs';
import { drop } from './talk.mjs';

const base64 = (text) => Buffer.from(text).toString('base64');
const aside = (page) => page.getByRole('complementary', { name: 'Collections and uploads' });
const uploads = (page) => aside(page).getByRole('region', { name: 'Uploads' });
const search = (page) => page.getByRole('region', { name: 'Search', exact: true });

const ABOUT = { 'Payment policy': POLICY, Roses: GARDEN };
const QUESTION = 'how long may a payment hold last';

export function knowledgeWalks() {
  walk('a collection is made for some roles', { firefox: true }, async ({ owner, base }) => {
    await owner.goto(`${base}/knowledge`);
    await aside(owner).getByRole('button', { name: 'New collection' }).click();
    const form = owner.getByRole('form', { name: 'New collection' });
    await form.getByLabel('Name').fill('Garden');
    await form.getByRole('radio', { name: /Only these roles/ }).check();
    await form.getByRole('checkbox', { name: 'viewer' }).check();
    await shoot(owner, 'knowledge-collection');
    await form.getByRole('button', { name: 'Make the collection' }).click();
    await aside(owner)
      .getByRole('button', { name: /Garden, viewer/ })
      .waitFor();
  });

  walk('files are dropped, each shows how far it is, and what cannot be read says why', { firefox: true }, async ({ owner, base }) => {
    await owner.goto(`${base}/knowledge`);
    await aside(owner).getByRole('button', { name: 'New collection' }).waitFor();
    await drop(owner, '.cols.knowledge', [
      { name: 'policy.md', mime: 'text/markdown', base64: base64(POLICY) },
      { name: 'roses.md', mime: 'text/markdown', base64: base64(GARDEN) },
      { name: 'broken.pdf', mime: 'application/pdf', base64: base64('%PDF-1.7 and nothing more') },
    ]);
    const list = uploads(owner);
    await list.getByRole('status').filter({ hasText: '2 of 3 ready, 1 failed' }).waitFor();
    await shoot(owner, 'knowledge-uploads');
    const again = owner.waitForResponse((response) => response.url().endsWith('/retry'));
    await list.getByRole('button', { name: 'Try again' }).click();
    same((await again).status(), 202, 'the answer to another try');
    await list.getByRole('status').filter({ hasText: '1 failed' }).waitFor();
    await list.getByRole('button', { name: 'Remove' }).click();
    await list.getByText('broken.pdf').waitFor({ state: 'detached' });
  });

  walk('an upload shows how far it is, is cancelled, and taken up again', async ({ owner, base }) => {
    await owner.goto(`${base}/knowledge`);
    await aside(owner).getByRole('button', { name: 'New collection' }).waitFor();
    const posts = (url) => url.pathname === '/api/knowledge/documents';
    // The first try is held on its way, as a slow line would hold it.
    await owner.route(posts, (route) => (route.request().method() === 'POST' ? null : route.continue()));
    await drop(owner, '.cols.knowledge', [{ name: 'slow.md', mime: 'text/markdown', base64: base64('# Slow\n\nThe ferry crosses at dawn.\n') }]);
    const list = uploads(owner);
    await list.getByRole('progressbar', { name: 'slow.md' }).waitFor({ state: 'attached' });
    await list.getByText(/^sending/).waitFor();
    await list.getByRole('button', { name: 'Cancel slow.md' }).click();
    await list.getByText('Cancelled. Nothing of it is found.').waitFor();
    await shoot(owner, 'knowledge-cancelled');
    same(await axe(owner), [], 'what axe found');
    await owner.unrouteAll({ behavior: 'ignoreErrors' });
    await list.getByRole('button', { name: 'Try again' }).click();
    await list.getByRole('link', { name: 'Slow', exact: true }).waitFor();
  });

  walk('a question in other words finds the passage, with the reasons', { firefox: true }, async (world) => {
    const { owner, base } = world;
    await documents(world, ABOUT);
    await owner.goto(`${base}/knowledge`);
    await owner.getByLabel('Search knowledge').fill(QUESTION);
    const first = search(owner).getByRole('article').first();
    await first.getByText('A payment hold needs a reason code').waitFor();
    await first.locator('mark', { hasText: /hold/i }).first().waitFor();
    await first.getByText('Words').waitFor();
    await shoot(owner, 'knowledge');
    await search(owner).getByRole('switch', { name: 'Explain' }).uncheck();
    await first.getByText('Words').waitFor({ state: 'detached' });
  });

  walk('why a document was not found is said stage by stage', async (world) => {
    const { owner, base } = world;
    await documents(world, ABOUT);
    await owner.goto(`${base}/knowledge?q=${encodeURIComponent(QUESTION)}`);
    await search(owner).getByRole('article').first().waitFor();
    const options = search(owner).getByLabel('Document you expected');
    const roses = await options.locator('option').filter({ hasText: /roses/i }).first().getAttribute('value');
    await options.selectOption(roses);
    await search(owner).getByRole('link', { name: 'Open the document' }).waitFor();
    if ((await search(owner).locator('section ol li').count()) < 2) throw new Error('no stages');
    await shoot(owner, 'knowledge-why');
    same(await axe(owner), [], 'what axe found');
  });

  walk('a result opens its document at the passage', { firefox: true }, async (world) => {
    const { owner, base } = world;
    await documents(world, ABOUT);
    await owner.goto(`${base}/knowledge?q=${encodeURIComponent(QUESTION)}`);
    await search(owner).getByRole('article').first().waitFor();
    await search(owner).getByRole('article').first().getByRole('link').first().click();
    await until('the address of the passage', async () => /\/knowledge\/documents\/[^#]+#chunk=/.test(await address(owner)));
    const chosen = owner.locator('section[aria-current="true"]');
    await chosen.getByText('A payment hold needs a reason code').waitFor();
    await shoot(owner, 'knowledge-document');
    same(await axe(owner), [], 'what axe found');
  });

  walk('an answer cites the passage it rests on: pointed at it is shown, clicked it is opened', { firefox: true }, async (world) => {
    const { owner, base } = world;
    await documents(world, ABOUT);
    await ask(owner, base, 'How long may a payment hold last?');
    const chip = owner.getByRole('region', { name: 'Messages' }).getByRole('link', { name: /^Source 1: / });
    await chip.waitFor();
    await owner.getByText('Not even [99] says more.').waitFor();
    await owner.getByText('rests on 1 source').waitFor();
    await chip.hover();
    const passage = owner.getByRole('tooltip').filter({ hasText: 'A payment hold needs a reason code' });
    await until('the passage', () => passage.isVisible());
    await shoot(owner, 'chat-citation');
    same(await axe(owner), [], 'what axe found');
    await owner.getByRole('region', { name: 'Sources' }).getByRole('link').first().waitFor();
    await owner.reload();
    await owner.getByText('rests on 1 source').waitFor();
    await chip.click();
    await until('the address of the passage', async () => /\/knowledge\/documents\/[^#]+#chunk=/.test(await address(owner)));
    await owner.locator('section[aria-current="true"]').getByText('A payment hold needs a reason code').waitFor();
  });

  walk('text is added, listed, put in the trash and taken out again', async ({ owner, base }) => {
    await owner.goto(`${base}/knowledge/documents`);
    await owner.getByRole('button', { name: 'Upload' }).first().click();
    const form = owner.getByRole('form', { name: 'Add to knowledge' });
    await form.getByRole('button', { name: 'Text', exact: true }).click();
    await form.getByLabel('Title').fill('A note on ladders');
    await form.getByLabel(/^Text/).fill('Ladders stand on even ground. Two people carry a long one.');
    await form.getByRole('button', { name: 'Add the text' }).click();
    const row = owner.getByRole('listitem').filter({ hasText: 'A note on ladders' });
    await row.getByText('Ready').waitFor();
    await row.getByRole('button', { name: 'Delete A note on ladders' }).click();
    await row.waitFor({ state: 'detached' });
    await owner.getByLabel('State').selectOption('deleted');
    await row.getByRole('button', { name: 'Restore' }).click();
    await owner.getByLabel('State').selectOption('');
    await row.getByText('Ready').waitFor();
  });
}

export function graphWalks() {
  walk('the graph is searched, a node opened and its neighbours shown; the list says the same as the picture', async (world) => {
    const { owner, base } = world;
    await invoke(world, 'graph_upsert_node', { id: 'Orbit Parts', labels: ['Supplier'], props: { city: 'Halden' } });
    await invoke(world, 'graph_upsert_node', { id: 'Disputes', labels: ['Topic'] });
    await invoke(world, 'graph_upsert_edge', { src: 'Orbit Parts', rel: 'subject_of', dst: 'Disputes' });
    await owner.goto(`${base}/knowledge/graph`);
    await owner.getByLabel('Search the graph').fill('Orbit');
    const nodes = owner.getByRole('region', { name: 'Nodes' });
    await nodes.getByRole('button', { name: /Orbit Parts/ }).click();
    const panel = owner.getByRole('complementary', { name: 'Node' });
    await panel.getByRole('heading', { name: 'Orbit Parts' }).waitFor();
    const relation = panel.getByRole('button', { name: /subject_of/ });
    await relation.waitFor();
    await owner.getByRole('img', { name: /^Graph of \d+ nodes/ }).waitFor();
    await owner.getByRole('group', { name: 'Zoom' }).waitFor();
    await shoot(owner, 'knowledge-graph');
    same(await axe(owner), [], 'what axe found');
    await relation.focus();
    await owner.keyboard.press('Enter');
    await panel.getByRole('heading', { name: 'Disputes' }).waitFor();
  });
}
