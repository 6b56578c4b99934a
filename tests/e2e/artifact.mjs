// What a stranger does with the file they downloaded, from the first start to a restore on an empty directory.
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ask } from './chat.mjs';
import { signIn } from './first.mjs';
import { askBeforeCommands } from './given.mjs';
import { note, same, shoot, until, walk } from './lib.mjs';
import { begun, FIRST, NAME, publish, testAll } from './scripts.mjs';
import { drop } from './talk.mjs';
import { caller, OWNER } from './worlds.mjs';

const run = promisify(execFile);
// For a command on the command line. None takes half a minute; one that waits for ever would stop the walk.
const COMMAND = 300_000;

/** The program on the command line, as a person calls it; what it printed. */
async function satchel(...args) {
  const options = {
    env: { PATH: process.env.PATH, HOME: tmpdir() },
    timeout: COMMAND,
    killSignal: 'SIGKILL',
  };
  const { stdout } = await run(process.env.SATCHEL_BIN, args, options);
  return stdout.trim();
}

/** A PDF of one page that says this. */
function pdf(text) {
  const content = `BT /F1 14 Tf 72 720 Td (${text}) Tj ET`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
  ];
  let file = '%PDF-1.4\n';
  const offsets = objects.map((object, n) => {
    const offset = file.length;
    file += `${n + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  return `${file}xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`;
}

/** The commands that ran, as the audit has them, the last one first. */
const commands = async (call) => (await call('GET', '/api/audit?tool=builtin:exec&outcome=success')).entries.map((entry) => entry.arguments.command);

const thread = (page) => page.getByRole('region', { name: 'Messages' });
const result = (page) => page.getByRole('region', { name: 'Result', exact: true });

/** The first run, through the link the server printed. */
async function setUp(page, server) {
  await page.goto(await server.link());
  await page.getByLabel('Name').fill(OWNER.name);
  await page.getByLabel('Password').fill(OWNER.password);
  await page.getByRole('button', { name: 'Make the account' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('radio', { name: /scripted/ }).check();
  await page.getByRole('button', { name: 'Connect and test' }).click();
  await page.getByRole('button', { name: 'Continue', exact: false }).filter({ hasNotText: 'all the same' }).click();
  await page.getByLabel('Question').fill('What is 17.5% of 2,480?');
  await page.getByRole('button', { name: 'Ask', exact: true }).click();
  await thread(page).getByText('17.5% of 2,480 is 434').waitFor();
}

/** Runs a shipped script by its form. */
async function runShipped(page, base) {
  await page.goto(`${base}/tools/unit_convert`);
  await page.getByLabel(/^value/).fill('5');
  await page.getByLabel(/^from/).fill('km');
  await page.getByLabel(/^to/).fill('m');
  await page.keyboard.press('Control+Enter');
  await result(page).getByText('5 km = 5000 m').first().waitFor();
}

/** Writes a script, tests it, publishes it, runs it. */
async function writeScript(page, base) {
  await begun(page, base, FIRST);
  await testAll(page);
  await publish(page, 'The first');
  await page.goto(`${base}/tools/${NAME}`);
  await page.getByLabel(/^sum/).fill('6 * 7');
  await page.keyboard.press('Control+Enter');
  await result(page).getByText('success').waitFor();
}

/** Lets commands run in the sandbox, and runs one by its form: it looks for the vault's key, and does not see it. */
async function runSandboxed(page, base, { call, data }) {
  await call('PUT', '/api/settings', { exec: { mode: 'sandboxed' } });
  const key = join(data, 'secret.key');
  same(existsSync(key), true, 'whether there is a key to be seen');
  await page.goto(`${base}/tools/exec`);
  // The sum tells what the shell said from what it was given.
  await page.getByLabel(/^command/i).fill(`if [ -e '${key}' ]; then echo seen $((40 + 2)); else echo unseen $((40 + 2)); fi`);
  await page.keyboard.press('Control+Enter');
  await result(page).getByText('unseen 42').first().waitFor();
}

/** Has a question asked before commands run, and approves one with another text than the model wrote. */
async function approveEdited(page, base, call) {
  const before = await commands(call);
  await askBeforeCommands({ call });
  await ask(page, base, 'Please run the greeting');
  const card = page.getByRole('form', { name: 'Approval: exec' });
  await card.getByLabel('Command').fill('echo edited by hand');
  await card
    .getByRole('button', { name: /^Approve/ })
    .first()
    .click();
  await thread(page).getByText('The command said: walked.').waitFor();
  same(await commands(call), ['echo edited by hand', ...before], 'the commands that ran');
  await page.reload();
  await thread(page)
    .locator('details.step')
    .filter({ hasText: / steps/ })
    .locator('summary')
    .first()
    .click();
  await thread(page).getByText('echo edited by hand').first().waitFor();
  await shoot(page, 'artifact-edited');
}

/** Whether the knowledge answers from the PDF. */
async function findFerry(call) {
  const { results } = await call('POST', '/api/knowledge/search', {
    query: 'how many cars does the ferry carry',
  });
  same([results[0]?.title, results[0]?.text.includes('nine cars')], ['ferry', true], 'what is found first');
}

/** Brings a PDF in, and finds what it says. */
async function ingest(page, base, call) {
  await page.goto(`${base}/knowledge`);
  await page.getByRole('button', { name: 'New collection' }).waitFor();
  const base64 = Buffer.from(pdf('The ferry to Hven leaves at dawn and carries nine cars.')).toString('base64');
  await drop(page, '.cols.knowledge', [{ name: 'ferry.pdf', mime: 'application/pdf', base64 }]);
  const read = async () => (await call('GET', '/api/knowledge/documents')).some((one) => one.status === 'ready');
  // On a machine that does much else the model takes its time.
  await until('the document', read, 240_000);
  await findFerry(call);
}

/** Makes a backup, loses everything else, and restores it; the directory beside holds what a careful person keeps elsewhere. */
async function loseAndRestore(server, beside) {
  const [file, phrase] = [join(beside, 'satchel.age'), join(beside, 'passphrase')];
  writeFileSync(phrase, 'six words that nobody else knows\n', { mode: 0o600 });
  const sealed = ['--passphrase-file', phrase];
  await satchel('backup', file, ...sealed, '--with-key', '--data', server.data);
  note(await satchel('backup', 'verify', file, ...sealed));
  await server.stop();
  rmSync(server.data, { recursive: true });
  same(existsSync(server.data), false, 'whether anything is left');
  await satchel('restore', file, ...sealed, '--data', server.data);
  await server.start();
}

export function artifactWalks() {
  walk(
    'the artifact is set up, used, backed up, lost and restored, and its audit stands',
    { from: 'empty', long: true, provokes: ['lost GET *', '401 GET *'] },
    async ({ owner, server, base }) => {
      await setUp(owner, server);
      const signedIn = async () => caller(base, (await owner.context().cookies()).map((one) => `${one.name}=${one.value}`).join('; '));
      let call = await signedIn();
      await runShipped(owner, base);
      await writeScript(owner, base);
      await runSandboxed(owner, base, { call, data: server.data });
      await ingest(owner, base, call);
      await approveEdited(owner, base, call);

      const beside = mkdtempSync(join(tmpdir(), 'satchel-artifact-'));
      try {
        const ran = await commands(call);
        const anchors = join(beside, 'anchors');
        writeFileSync(anchors, await satchel('audit', 'anchor', '--data', server.data));
        await loseAndRestore(server, beside);
        // A restore ends all sessions.
        await signIn(owner, base, OWNER.name, OWNER.password);
        await owner.getByRole('button', { name: 'Sign in' }).waitFor({ state: 'detached' });
        call = await signedIn();
        await runShipped(owner, base);
        await owner.goto(`${base}/tools/${NAME}`);
        await owner.getByRole('heading', { name: NAME }).waitFor();
        await findFerry(call);
        same(await commands(call), ran, 'the commands that ran, after the restore');
        const verdict = await satchel('audit', 'verify', '--anchors', anchors, '--data', server.data);
        note(verdict);
        same(/^The chain stands: [\d,]+ entries, [1-9]/.test(verdict), true, `whether '${verdict}' says that the chain stands and was met by its anchor`);
      } finally {
        rmSync(beside, { recursive: true, force: true });
      }
    },
  );
}
