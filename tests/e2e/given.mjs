// What a walk finds there when it begins, made over the API: `call` of its world asks the server as the owner does.
import { signIn } from './first.mjs';
import { person, until } from './lib.mjs';

export const POLICY = `# Payment holds

A payment hold needs a reason code and a review date no later than 14 days ahead. It may be renewed once; after 28 days finance decides.

# Late fees

While a hold stands, due dates keep running. Late fees are disputed with the claim, not with the invoice.
`;
export const GARDEN = '# Roses\n\nRoses are pruned in March, above an outward bud. Water them in the morning.\n';

/** Calls a tool and gives what it answered. */
export async function invoke({ call }, tool, params) {
  const answer = await call('POST', `/api/tools/${tool}/invoke`, { params });
  if (!answer.success) throw new Error(`${tool}: ${JSON.stringify(answer)}`);
  return answer;
}

/** Commands run in the sandbox once a person was asked. */
export const askBeforeCommands = ({ call }) => call('PUT', '/api/settings', { exec: { mode: 'sandboxed', ask: 'always' } });

/** Hosts that may be reached though they are private. */
export const except = ({ call }, hosts) => call('PUT', '/api/settings', { outbound: { exceptions: hosts } });

/** Documents that can be found; their ids. */
export async function documents({ call }, texts) {
  const ids = [];
  for (const [title, text] of Object.entries(texts)) ids.push((await call('POST', '/api/knowledge/documents', { title, text })).id);
  for (const id of ids) await until('a document', async () => (await call('GET', `/api/knowledge/documents/${id}`)).status === 'ready');
  return ids;
}

/** A script, published with what it may do. */
export async function script({ call }, name, source, accept = []) {
  await call('PUT', `/api/scripts/${name}`, { source });
  await call('POST', `/api/scripts/${name}/publish`, { note: 'Over the API', accept });
}

/** Processes, from YAML. */
export const processes = ({ call }, text) => call('POST', '/api/processes/import/apply', { text });

/** A conversation in which somebody said this, and was answered or asked for an approval; its id. */
export async function talk({ call }, content) {
  const { id } = await call('POST', '/api/conversations', {});
  const stop = new AbortController();
  // The stream of a turn goes on while somebody is asked, so it is not read to its end.
  const turn = call('POST', `/api/conversations/${id}/messages`, { content }, stop.signal).catch(
    (error) => error.name === 'AbortError' || Promise.reject(error),
  );
  const rests = async () => {
    const { state, turn } = await call('GET', `/api/conversations/${id}`);
    return turn && state !== 'running';
  };
  await until('the turn to be over or to ask', rests);
  stop.abort();
  await turn;
  return id;
}

/** A system that is read from a document, with those operations that fit, its credentials, and put to use; its id. */
export async function system({ call }, document, { chosen = () => true, credentials, risks = {} } = {}) {
  const shown = await call('POST', '/api/catalog/import/preview', { source: { text: JSON.stringify(document) } });
  const operations = shown.operations
    .filter(({ operation }) => chosen(operation))
    .map(({ operation }) => ({ operation, risk: risks[operation.key] ?? null, description: null, when_to_use: null }));
  const fresh = { name: shown.title, base_url: shown.base_url, description: shown.description, auth: shown.auth };
  const { system_id: id } = await call('POST', '/api/catalog/import/apply', { system_id: null, system: fresh, operations, remove: [], format: shown.format });
  if (!credentials) return id;
  await call('PUT', `/api/catalog/systems/${id}/credentials`, credentials);
  await call('PUT', `/api/catalog/systems/${id}/status`, { status: 'active' });
  return id;
}

/** A user whose role has these permissions, and the browser in which they are signed in. */
export async function colleague({ browser, base, call }, { name, password }, permissions) {
  await user({ call }, { name, password }, permissions);
  const page = await person(browser);
  await signIn(page, base, name, password);
  await page.getByRole('navigation', { name: 'Main', exact: true }).waitFor();
  return page;
}

/** A user whose role has these permissions. */
export async function user({ call }, { name, password }, permissions) {
  await call('POST', '/api/roles', { name: `role-of-${name}`, permissions });
  await call('POST', '/api/users', { username: name, password, role: `role-of-${name}` });
}
