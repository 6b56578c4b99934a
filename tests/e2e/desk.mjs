// A service desk of a realistic size for the walks: its OpenAPI document, and a server that answers to those who have its key.
import { createServer } from 'node:http';

export const SECRET = 'canary-desk-key-7f3a';

const THINGS = [
  'ticket',
  'invoice',
  'customer',
  'contract',
  'payment',
  'refund',
  'product',
  'order',
  'shipment',
  'agent',
  'team',
  'queue',
  'survey',
  'article',
  'webhook',
  'report',
  'schedule',
  'calendar',
  'tag',
  'role',
];
const capital = (word) => word[0].toUpperCase() + word.slice(1);
const ref = (name) => ({ $ref: `#/components/schemas/${name}` });
const text = (description) => ({ type: 'string', description });

const schemaOf = (thing) => ({
  type: 'object',
  required: ['title'],
  properties: {
    id: { ...text(`Number of the ${thing}.`), readOnly: true },
    title: text(`What the ${thing} is called.`),
    note: text('What else is to be known, in the words of whoever wrote it.'),
    owner: ref('Person'),
    amount: ref('Money'),
    state: { type: 'string', enum: ['open', 'waiting', 'done'] },
    tags: { type: 'array', items: { type: 'string' } },
    created_at: { type: 'string', format: 'date-time', readOnly: true },
    due_on: { type: 'string', format: 'date' },
  },
});

function pathsOf(thing) {
  const name = capital(thing);
  const operation = (operationId, summary, body) => ({
    operationId,
    summary,
    tags: [name],
    description: `${summary}. An error names the field that was wrong.`,
    ...(body && { requestBody: { required: true, content: { 'application/json': { schema: body } } } }),
    responses: {
      200: { description: 'Done.', content: { 'application/json': { schema: ref(name) } } },
      404: { description: 'There is none.', content: { 'application/json': { schema: ref('Problem') } } },
    },
  });
  const id = { name: 'id', in: 'path', required: true, description: `Number of the ${thing}.`, schema: { type: 'string' } };
  const query = [
    { name: 'state', in: 'query', description: 'Only those in this state.', schema: { type: 'string', enum: ['open', 'waiting', 'done'] } },
    { $ref: '#/components/parameters/Limit' },
  ];
  const reply = {
    type: 'object',
    required: ['text'],
    properties: { text: text('What is said.'), internal: { type: 'boolean', description: 'Whether customers do not see it.' } },
  };
  return {
    [`/${thing}s`]: {
      get: { ...operation(`list${name}s`, `All ${thing}s, the oldest first`), parameters: query },
      post: operation(`create${name}`, `Makes a ${thing}`, ref(name)),
    },
    [`/${thing}s/{id}`]: {
      parameters: [id],
      get: operation(`get${name}`, `One ${thing} with all that is known of it`),
      put: operation(`replace${name}`, `Replaces a ${thing}`, ref(name)),
      patch: operation(`change${name}`, `Changes a ${thing}`, ref(name)),
      delete: operation(`delete${name}`, `Forgets a ${thing}`),
    },
    [`/${thing}s/{id}/replies`]: { parameters: [id], post: operation(`reply${name}`, `Answers on a ${thing}`, reply) },
    [`/${thing}s/{id}/history`]: { parameters: [id], get: operation(`history${name}`, `What was done with a ${thing} and by whom`) },
  };
}

/** 160 operations of 20 things. */
export const deskDocument = (base) => ({
  openapi: '3.0.3',
  info: { title: 'Service desk', version: '4.2.0', description: 'Tickets, invoices and the people behind them.' },
  servers: [{ url: base }],
  security: [{ key: [] }],
  paths: Object.assign({}, ...THINGS.map(pathsOf)),
  components: {
    securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Desk-Key' } },
    parameters: { Limit: { name: 'limit', in: 'query', description: 'Most that is answered.', schema: { type: 'integer', maximum: 200 } } },
    schemas: {
      Person: { type: 'object', properties: { name: text('Full name.'), email: { type: 'string', format: 'email' } } },
      Money: { type: 'object', properties: { amount: { type: 'number' }, currency: { type: 'string', enum: ['EUR', 'USD', 'JPY'] } } },
      Problem: { type: 'object', properties: { code: text('For programs.'), message: text('For people.') } },
      ...Object.fromEntries(THINGS.map((thing) => [capital(thing), schemaOf(thing)])),
    },
  },
});

/** The desk itself. It repeats the key in its answers, as some systems do. */
export async function startDesk() {
  const asked = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const key = request.headers['x-desk-key'] ?? '';
    asked.push({ method: request.method, url: request.url, key, body });
    const send = (status, data) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(data));
    };
    if (key !== SECRET) return send(401, { code: 'key', message: 'Who is that?' });
    if (request.method === 'GET' && request.url === '/desk/tickets/4711')
      return send(200, { id: '4711', title: 'The heron has no fish', owner: { name: 'Ines Albatros' }, state: 'open', asked_with: key });
    if (request.method === 'POST' && request.url === '/desk/tickets/4711/replies') return send(201, { id: 'R-1', said: JSON.parse(body).text });
    return send(404, { code: 'none', message: 'There is none.' });
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const host = `127.0.0.1:${server.address().port}`;
  return { asked, host, base: `http://${host}/desk`, stop: () => server.close() };
}
