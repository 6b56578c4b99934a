// The catalog: a document is read, its cost shown, operations chosen, the system activated, called, and looked at.
import { createServer } from 'node:http';
import { except, system } from './given.mjs';
import { address, axe, person, same, shoot, until, walk } from './lib.mjs';
import { look, settled } from './look.mjs';

const operation = (summary, more = {}) => ({ summary, responses: { 200: { description: 'ok' } }, ...more });
const id = { name: 'id', in: 'path', required: true, description: 'Number of the route.', schema: { type: 'string' } };
const document = (url) => ({
  openapi: '3.1.0',
  info: { title: 'Routewise', version: '1', description: 'Plans and routes of the fleet.' },
  servers: [{ url: `${url}/api` }],
  components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
  paths: {
    '/routes': {
      get: operation('Routes of a day or a driver', {
        operationId: 'listRoutes',
        tags: ['Routes'],
        parameters: [{ name: 'day', in: 'query', schema: { type: 'string', format: 'date' } }],
      }),
    },
    '/routes/{id}': {
      parameters: [id],
      get: operation('One route with stops and times', {
        operationId: 'getRoute',
        tags: ['Routes'],
        parameters: [{ name: 'after', in: 'query', description: 'Number of a stop.', schema: { type: 'integer', format: 'int64' } }],
      }),
      patch: operation('Move a stop or change the driver', {
        operationId: 'changeRoute',
        tags: ['Routes'],
        requestBody: { content: { 'application/json': { schema: { type: 'object', properties: { driver: { type: 'string' } } } } } },
      }),
      delete: operation('Cancel a whole route', { operationId: 'cancelRoute', tags: ['Routes'] }),
    },
    '/routes/{id}/proof': {
      parameters: [id],
      post: operation('Hand in the signature of a delivery', {
        operationId: 'addProof',
        tags: ['Routes'],
        requestBody: {
          required: true,
          content: {
            'multipart/form-data': {
              schema: {
                required: ['signature'],
                properties: { signature: { type: 'string', format: 'binary', description: 'A picture of it.' }, signed_by: { type: 'string' } },
              },
            },
          },
        },
      }),
    },
    '/plans/{id}/optimise': { parameters: [id], post: { operationId: 'optimise', tags: ['Plans'], responses: {} } },
  },
});

const TOKEN = 'canary-token-1';

/** A system to be called, and what it was asked. */
async function startSystem() {
  const asked = [];
  const server = createServer((request, response) => {
    const one = { url: request.url, authorization: request.headers.authorization };
    asked.push(one);
    const pieces = [];
    request.on('data', (piece) => pieces.push(piece)).on('end', () => pieces.length && (one.body = Buffer.concat(pieces).toString('latin1')));
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(
      request.url === '/openapi.json'
        ? JSON.stringify(document(base))
        : '{"id": "R-7", "driver": "Mara", "stops": [{"at": "08:10", "place": "Depot", "serial": 9007199254740993}]}',
    );
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const host = `127.0.0.1:${server.address().port}`;
  const base = `http://${host}`;
  return { asked, host, base, stop: () => server.close() };
}

const mainOf = (page) => page.getByRole('main');
const find = (page) => page.getByRole('button', { name: 'Show what is in it' });

/** Declares a walk beside a system that may be called. */
const beside = (name, options, steps) =>
  walk(name, options, async (world) => {
    const system = await startSystem();
    try {
      await steps({ ...world, system, main: mainOf(world.owner) });
    } finally {
      system.stop();
    }
  });

/** The system, imported as a whole; its page. */
async function imported(world, more) {
  await except(world, [world.system.host]);
  const id = await system(world, document(world.system.base), more);
  await world.owner.goto(`${world.base}/catalog/${id}`);
  await mainOf(world.owner).getByRole('link', { name: 'getRoute' }).waitFor();
  return id;
}

/** The same, in use, with its token. */
const active = (world) => imported(world, { credentials: { token: TOKEN }, risks: { 'PATCH /routes/{id}': 'low_write' } });

/** The document, read from where it is; what may be chosen is shown. */
async function preview({ owner, base, system }) {
  await owner.goto(`${base}/catalog/import`);
  await owner.getByRole('button', { name: 'Address', exact: true }).click();
  await owner.getByLabel('Address of the document').fill(`${system.base}/openapi.json`);
  await find(owner).click();
}

export function catalogWalks() {
  walk('an empty catalog says what it is for, and Ctrl K leads to it', { firefox: true }, async ({ owner, base }) => {
    const main = mainOf(owner);
    await owner.goto(`${base}/chat`);
    await owner.getByRole('navigation', { name: 'Main', exact: true }).waitFor();
    await owner.keyboard.press('Control+k');
    await owner.getByRole('combobox', { name: 'Search or run anything' }).fill('catalog');
    await owner
      .getByRole('option', { name: /^Catalog/ })
      .first()
      .click();
    await main.getByRole('heading', { name: 'No system is connected yet' }).waitFor();
    await shoot(owner, 'catalog-empty');
    same(await axe(owner), [], 'what axe found');
  });

  beside(
    'a document is fetched, and what a private address needs is said',
    { provokes: ['* POST /api/catalog/import/preview'] },
    async ({ owner, base, system }) => {
      await preview({ owner, base, system });
      await owner.getByRole('alert').getByText('The document could not be read').waitFor();
      const exceptions = { outbound: { exceptions: [system.host] } };
      const put = await owner.evaluate(
        async (body) => (await fetch('/api/settings', { method: 'PUT', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })).status,
        exceptions,
      );
      same(put, 200, 'the answer to the exception');
      await owner.getByRole('button', { name: 'Show what is in it' }).click();
      await owner.getByRole('heading', { name: 'Import Routewise' }).waitFor();
    },
  );

  beside('operations are chosen with their risk and cost before anything is added', { firefox: true }, async (world) => {
    const { owner, main, system } = world;
    await except(world, [system.host]);
    await preview(world);
    await owner.getByRole('group', { name: 'Token cost' }).getByText('2 of 6').waitFor();
    await owner.getByRole('checkbox', { name: 'PATCH /routes/{id}' }).check();
    await owner.getByRole('checkbox', { name: 'POST /plans/{id}/optimise' }).check();
    await owner.getByRole('checkbox', { name: 'POST /routes/{id}/proof' }).check();
    await owner.getByRole('checkbox', { name: 'DELETE /routes/{id}' }).check();
    await owner.getByLabel('Describe POST /plans/{id}/optimise').fill('Puts the stops of a plan into the best order.');
    await owner.getByLabel('Risk of PATCH /routes/{id}').selectOption('low_write');
    await owner.reload();
    await owner.getByText('What you had chosen is back.').waitFor();
    await owner.getByRole('group', { name: 'Token cost' }).getByText('6 of 6').waitFor();
    await shoot(owner, 'catalog-import');
    same(await axe(owner), [], 'what axe found');
    await owner.getByRole('button', { name: 'Import 6 as draft' }).click();
    await main.getByRole('heading', { name: 'Routewise' }).waitFor();
    await main.getByRole('link', { name: 'getRoute' }).waitFor();
  });

  beside('credentials go in and are not shown, and the system is activated', {}, async (world) => {
    const { owner, main } = world;
    await imported(world);
    await owner.getByRole('button', { name: 'Set', exact: true }).click();
    const form = owner.getByRole('form', { name: 'Credentials' });
    await form.getByLabel(/^token/).fill(TOKEN);
    await form.getByRole('button', { name: 'Save' }).click();
    await owner.getByText('Credential: bearer token, set').waitFor();
    await owner.getByRole('button', { name: 'Activate' }).click();
    await main.getByRole('button', { name: 'Mark degraded', disabled: false }).waitFor();
    await shoot(owner, 'catalog-system');
    same(await axe(owner), [], 'what axe found');
    same((await owner.content()).includes(TOKEN), false, 'whether the page shows the token');
  });

  beside('an endpoint is called once with the stored credential, and large numbers are what they are', { firefox: true }, async (world) => {
    const { owner, main, system } = world;
    await active(world);
    await main.getByRole('link', { name: 'getRoute' }).click();
    const form = owner.getByRole('form', { name: 'Test call' });
    await form.getByLabel(/^id/).fill('R-7');
    await form.getByLabel(/^after/).fill('1234567890123456789');
    await owner.getByRole('button', { name: 'Call', exact: true }).click();
    await owner.getByText('Depot').waitFor();
    await owner.getByText('9007199254740993').first().waitFor();
    const call = system.asked.at(-1);
    same(call, { url: '/api/routes/R-7?after=1234567890123456789', authorization: `Bearer ${TOKEN}` }, 'what the system was asked');
    await shoot(owner, 'catalog-endpoint');
    same(await axe(owner), [], 'what axe found');
  });

  beside('a call that takes something away is made once its name was typed', {}, async (world) => {
    const { owner, main, system } = world;
    await active(world);
    await main.getByRole('link', { name: 'cancelRoute' }).click();
    await owner.getByRole('form', { name: 'Test call' }).getByLabel(/^id/).fill('R-7');
    const before = system.asked.length;
    await owner.getByRole('button', { name: 'Call', exact: true }).click();
    const asked = owner.getByRole('form', { name: 'Call cancelRoute?' });
    await asked.getByLabel('Type cancelRoute to confirm').press('Enter');
    same(system.asked.length, before, 'the calls before the name was typed');
    await shoot(owner, 'catalog-destructive');
    same(await axe(owner), [], 'what axe found');
    await asked.getByLabel('Type cancelRoute to confirm').fill('cancelRoute');
    await owner.keyboard.press('Enter');
    await owner.getByText('Depot').waitFor();
    same([system.asked.length - before, system.asked.at(-1).url], [1, '/api/routes/R-7'], 'what the system was asked');
  });

  beside('a system is not deprecated by a click', {}, async (world) => {
    const { owner, main } = world;
    await active(world);
    await main.getByRole('button', { name: 'Deprecate' }).click();
    await owner.getByRole('form', { name: 'Deprecate Routewise' }).waitFor();
    await shoot(owner, 'catalog-deprecate');
    same(await axe(owner), [], 'what axe found');
    await owner.keyboard.press('Escape');
    await main.getByRole('form', { name: 'Deprecate Routewise' }).waitFor({ state: 'detached' });
    await main.getByText('Active', { exact: true }).first().waitFor();
  });

  beside('a file of this machine is stored and sent', {}, async (world) => {
    const { owner, main, system } = world;
    await active(world);
    await main.getByRole('link', { name: 'addProof' }).click();
    const form = owner.getByRole('form', { name: 'Test call' });
    await form.getByLabel(/^id/).fill('R-7');
    const chosen = owner.waitForEvent('filechooser');
    await form.getByRole('button', { name: 'Choose a file for signature' }).click();
    await (await chosen).setFiles({ name: 'signature.png', mimeType: 'image/png', buffer: Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff]) });
    await until('the path', async () => (await form.getByLabel(/^signature/).inputValue()).endsWith('signature.png'));
    await form.getByLabel(/^signed_by/).fill('Mara');
    await shoot(owner, 'catalog-upload');
    same(await axe(owner), [], 'what axe found');
    await owner.getByRole('button', { name: 'Call', exact: true }).click();
    await owner.getByText('Depot').waitFor();
    const sent = system.asked.at(-1);
    same(
      [sent.url, sent.body.includes('filename="signature.png"'), sent.body.includes('\x89PNG\xff'), sent.body.includes('Mara')],
      ['/api/routes/R-7/proof', true, true, true],
      'what the system was sent',
    );
  });

  beside('what is changed by hand is kept by the next import', {}, async (world) => {
    const { owner, main, system } = world;
    await active(world);
    await main.getByRole('link', { name: 'getRoute' }).click();
    await owner.getByRole('tab', { name: 'Change' }).click();
    await owner.getByLabel('When to use it').fill('Somebody asks where a driver is.');
    await owner.getByRole('button', { name: 'Save', exact: true }).click();
    await owner.goto((await address(owner)).replace(/\/[^/]+$/, '/import'));
    await owner.getByRole('button', { name: 'Address', exact: true }).click();
    await owner.getByLabel('Address of the document').fill(`${system.base}/openapi.json`);
    await owner.getByRole('button', { name: 'Show what is in it' }).click();
    await owner.getByText('kept as changed by hand: when_to_use').waitFor();
    await shoot(owner, 'catalog-again');
    same(await axe(owner), [], 'what axe found');
  });

  for (const theme of ['light', 'dark']) {
    beside(`the catalog fits a narrow screen in ${theme}`, {}, async (world) => {
      const { browser, base, state, call, system } = world;
      const id = await active(world);
      const [endpoint] = await call('GET', `/api/catalog/systems/${id}/endpoints`);
      const page = await person(browser, { theme, width: 380, state });
      const found = [];
      for (const path of ['', `/${id}`, `/${id}/${endpoint.id}`, '/new', '/import']) {
        await page.goto(`${base}/catalog${path}`);
        await settled(page);
        found.push(...(await look(page, `/catalog${path.replace(id, 'system').replace(endpoint.id, 'endpoint')}`, theme, 380)));
      }
      await preview({ owner: page, base, system });
      await page.getByRole('heading', { name: 'Import Routewise' }).waitFor();
      found.push(...(await look(page, '/catalog-preview', theme, 380)));
      same(found, [], 'what axe found');
    });
  }
}
