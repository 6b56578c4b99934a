// Who runs Satchel: the audit as it happens, the vault's key, a password, a key with few permissions, a role that changes.
import { signIn } from './first.mjs';
import { colleague, user } from './given.mjs';
import { person, same, shoot, until, walk } from './lib.mjs';

const CLERK = { name: 'carl', password: 'a long enough password', next: 'another long password' };

/** The answer to a call, whatever it is. */
const send = ({ owner, base }, tool, params) => owner.request.post(`${base}/api/tools/${tool}/invoke`, { data: { params }, headers: { origin: base } });

export function governWalks() {
  walk('what happens stands in the audit at once, without a reload', { firefox: true }, async ({ owner, base }) => {
    await send({ owner, base }, 'calculator', { expression: '1 + 1' });
    await owner.goto(`${base}/audit`);
    await owner.getByText('Live', { exact: true }).waitFor();
    const entries = owner.getByRole('region', { name: 'Entries' });
    await entries.getByRole('row').nth(1).waitFor();
    const called = await send({ owner, base }, 'calculator', { expression: '1234 + 4321' });
    same(called.status(), 200, 'the call');
    await entries.getByRole('row').nth(1).getByText('1234 + 4321').waitFor();
  });

  walk('the filtered tail takes in only what fits', { firefox: true }, async ({ owner, base }) => {
    await owner.goto(`${base}/audit?outcome=failure`);
    await owner.getByText('Live', { exact: true }).waitFor();
    await send({ owner, base }, 'calculator', { expression: '77 + 77' });
    await send({ owner, base }, 'parse_json', { data: '{' });
    const entries = owner.getByRole('region', { name: 'Entries' });
    await entries.getByRole('row').nth(1).getByText('parse_json').waitFor();
    if ((await entries.textContent()).includes('77 + 77')) throw new Error('a success is among the failures');
  });

  walk('the export holds what is shown, of the time that is chosen, and no more', { firefox: true }, async ({ owner, base, call }) => {
    const begun = Date.now();
    await call('POST', '/api/tools/calculator/invoke', { params: { expression: '1 +' } });
    await call('POST', '/api/tools/calculator/invoke', { params: { expression: '1 + 1' } });
    await owner.goto(`${base}/audit?outcome=failure`);
    const link = owner.getByRole('link', { name: 'Export' });
    const query = async () => URL.parse(await link.getAttribute('href'), base).searchParams;
    const exported = async () => {
      const text = await (await owner.request.get(`${base}${await link.getAttribute('href')}`)).text();
      const rows = text.split('\n').filter(Boolean).map(JSON.parse);
      return rows.map((row) => [row.outcome, row.arguments.expression]);
    };
    const failed = [['failure', '1 +']];

    await owner.getByLabel('Time', { exact: true }).selectOption('Last hour');
    await until('the last hour in the link', async () => (await query()).has('from'));
    const from = Date.parse((await query()).get('from')) + 3_600_000;
    same([from >= begun, from <= Date.now(), (await query()).has('to')], [true, true, false], 'whether that is the last hour');
    same(await exported(), failed, 'the failures of the last hour');
    await shoot(owner, 'audit-range');

    await owner.getByLabel('Time', { exact: true }).selectOption('From, to');
    await owner.getByLabel('To', { exact: true }).fill('2020-01-01T00:00');
    await owner.getByText('No entry fits').waitFor();
    same([(await query()).has('from'), await exported()], [false, []], 'the failures before the server was there');
    await owner.getByLabel('To', { exact: true }).fill('');
    await owner.getByLabel('From', { exact: true }).fill('2020-01-01T00:00');
    await until('a beginning without an end in the link', async () => (await query()).has('from') && !(await query()).has('to'));
    same(await exported(), failed, 'the failures since then');
  });

  walk('what was kept from leaving stands in the ledger, and is found by its host', async ({ owner, base }) => {
    for (const url of ['http://169.254.169.254/latest/meta-data/', 'http://localhost:1/']) {
      const answer = await send({ owner, base }, 'web_fetch', { url });
      same((await answer.json()).problem.kind, 'denied', url);
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

  walk('a setting that cannot be is told at its field, and what was saved is said', { provokes: ['400 PUT /api/settings'] }, async ({ owner, base }) => {
    await owner.goto(`${base}/settings/outbound`);
    const places = owner.getByLabel('Places that may be reached');
    const before = await places.inputValue();
    await places.fill('not a host!!');
    await owner.getByRole('button', { name: 'Save' }).click();
    await owner.getByText("'not a host!!' is not a host and port").waitFor();
    same(await places.getAttribute('aria-invalid'), 'true', 'the field that is wrong');
    await shoot(owner, 'settings-wrong');
    await places.fill('127.0.0.1:18199');
    await owner.getByRole('button', { name: 'Save' }).click();
    await owner.getByText(/^Saved: outbound exceptions/).waitFor();
    await shoot(owner, 'settings-saved');
    await places.fill(before);
    await owner.getByRole('button', { name: 'Save' }).click();
    await owner.getByText(/^Saved: outbound exceptions/).waitFor();
  });

  walk('a refused place of a system is allowed where the warning stands', async ({ owner, base, call }) => {
    const { id } = await call('POST', '/api/catalog/systems', { name: 'Closed', base_url: 'http://127.0.0.1:18198/api' });
    await owner.goto(`${base}/catalog/${id}`);
    await owner.getByRole('button', { name: 'Allow 127.0.0.1:18198' }).waitFor();
    await shoot(owner, 'catalog-allow');
    await owner.getByRole('button', { name: 'Allow 127.0.0.1:18198' }).click();
    await owner.getByRole('button', { name: 'Allow 127.0.0.1:18198' }).waitFor({ state: 'detached' });
    await owner.goto(`${base}/tools/web_fetch`);
    await owner.getByLabel(/^url/).fill('http://127.0.0.1:1/');
    await owner.keyboard.press('Control+Enter');
    await owner.getByRole('link', { name: 'Allow it in Settings, Outbound' }).click();
    await owner.getByLabel('Places that may be reached').waitFor();
  });

  walk('the key of the vault is rotated, and what it holds still opens', async ({ owner, base }) => {
    await owner.goto(`${base}/settings/vault`);
    await owner.getByRole('button', { name: 'Rotate the key' }).click();
    const question = owner.getByRole('group', { name: 'Rotate the key' });
    await question.getByText(/The key lies in .*secret\.key/).waitFor();
    await question.getByText(/A backup made before opens as it did, .* only the secrets in it need the vault's key/).waitFor();
    await shoot(owner, 'vault-question');
    await question.getByRole('button', { name: 'Keep this one' }).click();
    await question.waitFor({ state: 'detached' });
    same(await owner.getByText(/wrapped with key/).count(), 0, 'keys changed without a yes');
    await owner.getByRole('button', { name: 'Rotate the key' }).click();
    await question.getByRole('button', { name: 'Make a new key' }).click();
    await owner.getByText(/wrapped with key/).waitFor();
    await shoot(owner, 'vault');
    await owner.goto(`${base}/settings/health`);
    await owner.getByRole('button', { name: 'Check again' }).waitFor();
    const vault = owner.locator('.chk').filter({ hasText: 'Vault' });
    await vault.getByText('Fine').waitFor({ state: 'attached' });
    await shoot(owner, 'health');
  });

  walk('a role is changed while those who have it work', async (world) => {
    const { owner, base } = world;
    const carl = await colleague(world, CLERK, ['host:fs.read']);
    await carl.goto(`${base}/tools`);
    await carl.getByRole('link', { name: 'read', exact: true }).waitFor();
    same(await carl.getByRole('link', { name: 'write', exact: true }).count(), 0, 'write, before');
    await owner.goto(`${base}/users/roles`);
    await owner.getByRole('button', { name: 'Edit role-of-carl' }).click();
    const form = owner.getByRole('form', { name: 'Edit role-of-carl' });
    await form.getByRole('checkbox', { name: /host:fs.write/ }).check();
    await shoot(owner, 'users-role');
    await form.getByRole('button', { name: 'Save role-of-carl' }).click();
    await form.waitFor({ state: 'detached' });
    await carl.reload();
    await carl.getByRole('link', { name: 'write', exact: true }).waitFor();
  });

  walk('a password is changed: the old one opens nothing, and other sessions end', { provokes: ['* POST /api/auth/password', '401 *'] }, async (world) => {
    const { browser, base } = world;
    await user(world, CLERK, ['host:fs.read']);
    const [carl, other] = [await person(browser), await person(browser)];
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
  });

  walk('a key has only the permissions it was given', async (world) => {
    const { base } = world;
    const carl = await colleague(world, CLERK, ['catalog:read', 'catalog:write']);
    await carl.goto(`${base}/users/keys`);
    await carl.getByRole('button', { name: 'Create a key' }).first().click();
    const form = carl.getByRole('form', { name: 'Create a key' });
    await form.getByLabel('What is it for?').fill('reading only');
    await form.getByRole('checkbox', { name: /only some/ }).check();
    await form.getByRole('checkbox', { name: /catalog:read/ }).check();
    same(await form.getByRole('checkbox', { name: /users:manage/ }).count(), 0, 'permissions that are not theirs');
    await shoot(carl, 'users-key');
    await form.getByRole('button', { name: 'Create the key' }).click();
    const headers = { authorization: `Bearer ${await carl.locator('code.secret').textContent()}` };
    const names = async () => (await (await fetch(`${base}/api/tools`, { headers })).json()).map((tool) => tool.name);
    await until('the tools of the key', async () => (await names()).includes('list_catalog_systems'));
    same((await names()).includes('create_catalog_system'), false, 'a tool that writes with the key');
    await carl.getByRole('cell', { name: 'reading only', exact: true }).waitFor();
  });
}
