// Who runs Satchel: the audit as it happens, the vault's key, a password, a key with few permissions, a role that changes.
import { signIn } from './first.mjs';
import { person, same, shoot, until, walk } from './lib.mjs';

const CLERK = { name: 'carl', password: 'a long enough password', next: 'another long password' };

export async function governWalks({ browser, owner, base }) {
  const send = (path, data) => owner.request.post(`${base}/api/${path}`, { data, headers: { origin: base } });

  await walk('what happens stands in the audit at once, without a reload', owner, async () => {
    await owner.goto(`${base}/audit`);
    await owner.getByText('Live', { exact: true }).waitFor();
    const entries = owner.getByRole('region', { name: 'Entries' });
    await entries.getByRole('row').nth(1).waitFor();
    const called = await send('tools/calculator/invoke', { params: { expression: '1234 + 4321' } });
    same(called.status(), 200, 'the call');
    await entries.getByRole('row').nth(1).getByText('1234 + 4321').waitFor();
  });

  await walk('the filtered tail takes in only what fits', owner, async () => {
    await owner.goto(`${base}/audit?outcome=failure`);
    await owner.getByText('Live', { exact: true }).waitFor();
    await send('tools/calculator/invoke', { params: { expression: '77 + 77' } });
    await send('tools/parse_json/invoke', { params: { data: '{' } });
    const entries = owner.getByRole('region', { name: 'Entries' });
    await entries.getByRole('row').nth(1).getByText('parse_json').waitFor();
    if ((await entries.textContent()).includes('77 + 77')) throw new Error('a success is among the failures');
  });

  await walk('what was kept from leaving stands in the ledger, and is found by its host', owner, async () => {
    for (const url of ['http://169.254.169.254/latest/meta-data/', 'http://localhost:1/']) {
      const answer = await send('tools/web_fetch/invoke', { params: { url } });
      same((await answer.json()).error.kind, 'denied', url);
    }
    await owner.goto(`${base}/outbound`);
    const rows = owner.getByRole('region', { name: 'Connections' }).getByRole('row');
    await rows
      .filter({ hasText: '169.254.169.254' })
      .first()
      .getByText(/^Refused/)
      .waitFor();
    await shoot(owner, 'outbound');
    await owner.getByRole('searchbox', { name: 'Host' }).fill('localhost');
    await rows.filter({ hasText: '169.254.169.254' }).first().waitFor({ state: 'detached' });
    await rows.filter({ hasText: 'localhost' }).first().getByRole('link', { name: 'web_fetch' }).click();
    await owner.getByRole('region', { name: 'Entries' }).getByRole('row').nth(1).getByText('web_fetch').waitFor();
  });

  await walk('the key of the vault is rotated, and what it holds still opens', owner, async () => {
    await owner.goto(`${base}/settings/vault`);
    await owner.getByRole('button', { name: 'Rotate the key' }).click();
    await owner.getByText(/wrapped with key/).waitFor();
    await shoot(owner, 'vault');
    await owner.goto(`${base}/settings/health`);
    await owner.getByRole('button', { name: 'Check again' }).waitFor();
    const vault = owner.locator('.chk').filter({ hasText: 'Vault' });
    await vault.getByText('Fine').waitFor({ state: 'attached' });
    await shoot(owner, 'health');
  });

  await walk('a role is made, given to a user, and changed while they work', owner, async () => {
    same((await send('roles', { name: 'clerk', permissions: ['host:fs.read'] })).status(), 201, 'the role');
    same((await send('users', { username: CLERK.name, password: CLERK.password, role: 'clerk' })).status(), 201, 'the user');
    const carl = await person(browser);
    await signIn(carl, base, CLERK.name, CLERK.password);
    await carl.getByRole('navigation', { name: 'Main', exact: true }).waitFor();
    await carl.goto(`${base}/tools`);
    await carl.getByRole('link', { name: 'read', exact: true }).waitFor();
    same(await carl.getByRole('link', { name: 'write', exact: true }).count(), 0, 'write, before');
    await owner.goto(`${base}/users/roles`);
    await owner.getByRole('button', { name: 'Edit clerk' }).click();
    const form = owner.getByRole('form', { name: 'Edit clerk' });
    await form.getByRole('checkbox', { name: /host:fs.write/ }).check();
    await shoot(owner, 'users-role');
    await form.getByRole('button', { name: 'Save clerk' }).click();
    await form.waitFor({ state: 'detached' });
    await carl.reload();
    await carl.getByRole('link', { name: 'write', exact: true }).waitFor();
    await carl.context().close();
  });

  const carl = await person(browser);

  await walk('a password is changed: the old one opens nothing, and other sessions end', carl, async () => {
    const other = await person(browser);
    for (const page of [carl, other]) {
      await signIn(page, base, CLERK.name, CLERK.password);
      await page.getByRole('navigation', { name: 'Main', exact: true }).waitFor();
    }
    await carl.goto(`${base}/users/account`);
    await carl.getByLabel('Current password').fill('not the password');
    await carl.getByLabel(/^New password/).fill(CLERK.next);
    await carl.getByRole('button', { name: 'Change the password' }).click();
    await carl.getByRole('alert').getByText('The password is as it was').waitFor();
    await carl.getByLabel('Current password').fill(CLERK.password);
    await carl.getByRole('button', { name: 'Change the password' }).click();
    await carl.getByText('The password is changed').waitFor();
    await other.reload();
    await other.getByRole('heading', { name: 'Sign in' }).waitFor();
    const login = (password) =>
      fetch(`${base}/api/auth/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ username: CLERK.name, password }),
      });
    same([(await login(CLERK.password)).status, (await login(CLERK.next)).status], [401, 200], 'the old and the new password');
    await other.context().close();
  });

  await walk('a key has only the permissions it was given', carl, async () => {
    await carl.goto(`${base}/users/keys`);
    await carl.getByRole('button', { name: 'Create a key' }).first().click();
    const form = carl.getByRole('form', { name: 'Create a key' });
    await form.getByLabel('What is it for?').fill('reading only');
    await form.getByRole('checkbox', { name: /only some/ }).check();
    await form.getByRole('checkbox', { name: /host:fs.read/ }).check();
    same(await form.getByRole('checkbox', { name: /users:manage/ }).count(), 0, 'permissions that are not theirs');
    await shoot(carl, 'users-key');
    await form.getByRole('button', { name: 'Create the key' }).click();
    const headers = { authorization: `Bearer ${await carl.locator('code.secret').textContent()}` };
    const names = async () => (await (await fetch(`${base}/api/tools`, { headers })).json()).map((tool) => tool.name);
    await until('the tools of the key', async () => (await names()).includes('read'));
    same((await names()).includes('write'), false, 'write with the key');
    await carl.getByRole('cell', { name: 'reading only', exact: true }).waitFor();
  });
  await carl.context().close();
}
