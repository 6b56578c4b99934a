// Backups: one is made, verified and downloaded in the console, and restored on the first page of another Satchel.
import { readFileSync } from 'node:fs';
import { signIn } from './first.mjs';
import { person, same, shoot, until, walk } from './lib.mjs';
import { Server } from './server.mjs';
import { OWNER } from './worlds.mjs';

/** What a link gives to whoever clicks it. */
async function downloaded(page, link) {
  const [file] = await Promise.all([page.waitForEvent('download'), link.click()]);
  return readFileSync(await file.path());
}

/** A backup of the whole server and the key that opens it, as a file chooser takes them. */
async function made({ owner, base, call }) {
  const { id } = await call('POST', '/api/backups', {});
  await until('the backup', async () => (await call('GET', `/api/backups/${id}`)).state === 'done');
  const file = async (name, path) => ({
    name,
    mimeType: 'application/octet-stream',
    buffer: await (await owner.request.get(`${base}${path}`)).body(),
  });
  return { backup: await file('satchel.age', `/api/backups/${id}/file`), key: await file('backup.key', '/api/backups/own/key') };
}

export function backupWalks() {
  walk('a backup is made, verified and downloaded with its key', { firefox: true }, async ({ owner, base }) => {
    await owner.goto(`${base}/settings/backup`);
    await owner.getByText('There is no backup yet').waitFor();
    await owner.getByRole('button', { name: 'Back up now' }).click();
    const row = owner.getByRole('list', { name: 'Backups' }).getByRole('listitem').first();
    await row.getByRole('button', { name: 'Verify' }).click();
    await row.getByText(/^verified/).waitFor();
    await shoot(owner, 'backup');
    const backup = await downloaded(owner, row.getByRole('link', { name: 'Download' }));
    same(backup.toString('latin1', 0, 21), 'age-encryption.org/v1', 'how the backup begins');
    const key = await downloaded(owner, owner.getByRole('link', { name: 'download it' }));
    same(key.toString('latin1').match(/^AGE-SECRET-KEY-1/gm)?.length, 1, 'keys in the key file');
  });

  walk('the schedule says when the next backup is made', async ({ owner, base }) => {
    await owner.goto(`${base}/settings/backup`);
    await owner.getByText('None is made by itself.').waitFor();
    await owner.getByLabel('How often').selectOption('daily');
    await owner.getByRole('button', { name: 'Save' }).click();
    await owner.getByText(/^The next one is made by itself/).waitFor();
  });

  // The page asks on while the server starts on what was restored.
  const provokes = ['400 POST /api/setup/restore', 'lost GET /api/setup*'];
  walk('a new Satchel restores a backup instead of being set up', { firefox: true, provokes }, async (world) => {
    const { browser, call } = world;
    await call('POST', '/api/memories', { content: 'The depot in Halden closes at noon.' });
    const { backup, key } = await made(world);
    const fresh = new Server();
    try {
      await fresh.start();
      const newcomer = await person(browser);
      await newcomer.goto(await fresh.link());
      await newcomer.getByRole('button', { name: 'Restore a backup' }).click();
      await newcomer.getByLabel(/^Backup, a file/).setInputFiles(backup);
      await newcomer.getByLabel(/^Key file/).setInputFiles({ ...backup, name: 'not-a-key' });
      await newcomer.getByRole('button', { name: 'Restore', exact: true }).click();
      await newcomer.getByText('Nothing was restored').waitFor();
      await newcomer.getByLabel(/^Key file/).setInputFiles(key);
      await shoot(newcomer, 'restore');
      await newcomer.getByRole('button', { name: 'Restore', exact: true }).click();
      await newcomer.getByRole('heading', { name: 'Sign in' }).waitFor();
      await signIn(newcomer, fresh.ready, OWNER.name, OWNER.password);
      await newcomer.getByRole('navigation', { name: 'Main', exact: true }).waitFor();
      await newcomer.goto(`${fresh.ready}/memory`);
      await newcomer.getByText('The depot in Halden closes at noon.').waitFor();
      same((await (await newcomer.request.get(`${fresh.ready}/api/setup`)).json()).needed, false, 'whether an owner is needed');
    } finally {
      await fresh.remove();
    }
  });
}
