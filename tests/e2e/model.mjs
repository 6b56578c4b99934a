// A model that plays a script: an OpenAI-compatible server whose answers depend on the words of the last message.
// It never waits for a time: where a walk put a gate before a word, it stops there until the walk opens the gate.
import { createServer } from 'node:http';
import { MEDIA } from './media.mjs';

const widget = (type, props) => `:::widget{type="${type}"}\n${JSON.stringify(props)}\n:::`;

/** An answer with one widget of each kind, one that is broken and one that nobody may ask for. */
const DRAWN = [
  'The week in pictures.',
  widget('data-table', {
    title: 'Invoices',
    columns: [
      { key: 'id', label: 'Invoice' },
      { key: 'total', label: 'Total' },
    ],
    rows: [
      { id: 'INV-1', total: 1200 },
      { id: 'INV-2', total: 340.5 },
    ],
  }),
  widget('chart', {
    chartType: 'line',
    title: 'Response time',
    labels: ['Mon', 'Tue', 'Wed', 'Thu', 'Fri'],
    datasets: [
      { label: 'P50', data: [120, 115, 130, 125, 118] },
      { label: 'P99', data: [450, 480, 520, 490, 460] },
    ],
  }),
  widget('chart', {
    chartType: 'bar',
    title: 'Calls',
    labels: ['Payment', 'Auth', 'A service with a long name'],
    datasets: [{ label: 'Calls', data: [4200, 8900, 310] }],
  }),
  'Then it got *better*.',
  widget('timeline', {
    title: 'The incident',
    events: [
      { timestamp: '2026-02-23 14:30:00', title: 'Incident reported', description: 'The gateway answers 503', status: 'Critical' },
      { timestamp: '2026-02-23 14:58:00', title: 'Fix deployed' },
    ],
  }),
  widget('diff-viewer', { title: 'Configuration', before: { timeout: 30, level: 'INFO' }, after: { timeout: 60, level: 'INFO' } }),
  widget('key-value', {
    title: 'Connection',
    items: [
      { key: 'Host', value: 'db-1' },
      { key: 'Port', value: '5432' },
    ],
  }),
  widget('metric-card', {
    metrics: [
      { label: 'Users', value: '1,234', delta: '+12%', trend: 'up' },
      { label: 'Errors', value: '0.3%', delta: '-0.1%', trend: 'down' },
    ],
  }),
  widget('alert', { severity: 'warning', title: 'Nearly full', message: 'The quota is at 85%. <img src=x onerror=alert(1)>' }),
  widget('progress-bar', { value: 75, max: 100, label: 'Upload', variant: 'success' }),
  widget('code-block', { code: 'SELECT 1;', language: 'sql' }),
  widget('accordion', { sections: [{ title: 'How is it refunded?', content: 'Within five days.' }] }),
  widget('status-badge', { label: 'Healthy', status: 'success' }),
  widget('file', { name: 'q4.pdf', content_type: 'application/pdf', size: 20480, url: 'https://elsewhere.example/q4.pdf' }),
  widget('export', {
    title: 'Invoices of the week',
    format: 'csv',
    rows: [
      { invoice: 'INV-1', total: 1200 },
      { invoice: 'INV-2', total: 340.5 },
    ],
  }),
  widget('citation-card', { title: 'Payments', text: 'A hold lasts 14 days at most.', page: 3, score: 0.82 }),
  widget('image', { src: 'https://elsewhere.example/pixel.png', alt: 'A pixel' }),
  widget('confirmation', { confirmation_id: '1', tool_name: 'exec', risk_level: 'destructive' }),
  'That is all.',
].join('\n\n');

/** Processes a model makes of what it is shown; the second cannot be one. */
const PROPOSED = {
  processes: [
    {
      name: 'Return of goods',
      category: 'Service',
      description: 'A customer sends something back.',
      steps: [
        { id: 'receive', name: 'Receive the parcel', who: 'Warehouse' },
        { id: 'inspect', name: 'Inspect it', depends_on: ['receive'] },
        { id: 'refund', name: 'Pay it back', who: 'Finance', depends_on: ['inspect'] },
      ],
    },
    {
      name: 'Going round',
      steps: [
        { id: 'a', name: 'A', depends_on: ['b'] },
        { id: 'b', name: 'B', depends_on: ['a'] },
      ],
    },
  ],
};
const FLOW = widget('flow-diagram', {
  title: 'In short',
  nodes: [
    { id: 'a', label: 'Record' },
    { id: 'b', label: 'Check' },
    { id: 'c', label: 'Welcome' },
  ],
  edges: [
    { from: 'a', to: 'b' },
    { from: 'b', to: 'c', label: 'when sound' },
  ],
});

/** What finds the tool that begins sessions. */
const SESSION = 'have another agent do a task in a session of its own';

/** What to do for a message: the tools to call first, one after the other, and the text once their results are there. */
const SCRIPTS = [
  { on: /17\.5%/, call: ['calculator', { expression: '2480 * 0.175' }], say: '17.5% of 2,480 is **434**. The calculator did the sum.' },
  { on: /run the greeting/i, call: ['exec', { command: 'echo walked' }], say: 'The command said: walked.' },
  { on: /note it down/i, call: ['write', { path: 'walk.txt', content: 'written on the walk' }], say: 'It is written to walk.txt.' },
  { on: /digest the week/i, call: ['walk_digest', { sum: '6 * 7' }], say: 'The week is digested.' },
  { on: /draw the week/i, say: DRAWN },
  {
    on: /ticket 4711/i,
    need: 'one ticket of the service desk, and answering on it',
    calls: [
      ['catalog__service_desk--get_ticket', { id: '4711' }],
      ['catalog__service_desk--reply_ticket', { id: '4711', body: { text: 'Fish is on its way.' } }],
    ],
    say: (results) => `Ticket 4711 is of ${/owner:\s+name: (.+)/.exec(results)?.[1] ?? 'nobody'}, and she knows now.`,
  },
  {
    on: /keep what stands on http/i,
    calls: (text) => [
      ['web_fetch', { url: /http\S+/.exec(text)[0] }],
      ['save_memory', { content: 'Reports go to the desk of the herons.', key: 'reports' }],
      ['write', { path: 'order.txt', content: 'Reports go to the desk of the herons.' }],
    ],
    say: 'It is kept.',
  },
  {
    on: /what does order\.txt say/i,
    calls: [
      ['read', { path: 'order.txt' }],
      ['write', { path: 'copy.txt', content: 'A copy.' }],
    ],
    say: 'It speaks of herons.',
  },
  {
    on: /enter the forecast/i,
    need: 'register an endpoint of a system of the catalog',
    call: ['create_system_endpoint', { system_id: 'Almanac', name: 'Forecast', method: 'GET', path: '/forecast', description: 'The weather of tomorrow.' }],
    say: 'The forecast waits for you.',
  },
  { on: /Which processes does this organization have/, say: JSON.stringify(PROPOSED) },
  { on: /how do we onboard/i, call: ['search_processes', { query: 'customer onboarding' }], say: `It begins with the record.\n\n${FLOW}` },
  { on: /payment hold/i, say: 'A payment hold lasts **14 days** at most and may be renewed once.[1] Not even [99] says more.' },
  { on: /take your time/i, say: Array.from({ length: 90 }, (_, n) => `word${n + 1}`).join(' ') + ' and the end.' },
  { on: /another word for swift/i, says: ['Swift is quick.', 'Swift is nimble.'] },
  { on: /break off/i, fail: true },
  {
    on: /have the herons counted/i,
    need: SESSION,
    call: ['sessions_spawn', { task: 'Count those at the weir and those at the pond.', blocking: true }],
    say: 'There are **seven** herons.',
  },
  {
    on: /prepare the heron report/i,
    need: SESSION,
    calls: [
      ['sessions_spawn', { task: 'Count those at the weir and those at the pond.', blocking: true }],
      ['sessions_spawn', { task: 'Run the greeting for them.', blocking: true }],
    ],
    say: 'The heron report is ready.',
  },
  {
    on: /reckon it in a program/i,
    need: 'run a program that calls several tools',
    call: [
      'run_code',
      {
        source:
          'let sum = 0;\nfor n in 1..6 { sum += tool("calculator", #{expression: `${n} * 7`}); }\ntool("list", #{action: "create", list: "Walked"});\n#{reckoned: sum}',
      },
    ],
    say: (results) => `The sum is ${/reckoned: (\d+)/.exec(results)?.[1] ?? 'lost'}.`,
  },
  { on: /paint a heron/i, need: 'make a picture from words', call: ['image', { action: 'generate', prompt: 'a heron' }], say: 'There it stands.' },
  { on: /read it to me/i, need: 'read a text aloud', call: ['tts', { text: 'The heron waits.' }], say: 'Press play.' },
  {
    on: /turn these notes/i,
    call: ['skill', { name: 'meeting-notes' }],
    say: (results) => (results.includes('is followed now') ? 'By the skill: three lists.' : 'No skill.'),
  },
  { on: /count those at the weir/i, call: ['calculator', { expression: '3 + 4' }], say: 'Seven: three at the weir and four at the pond.' },
  {
    on: /have it written down/i,
    need: SESSION,
    call: ['sessions_spawn', { task: 'Put the sum into sum.txt.', blocking: true }],
    say: 'It is written down.',
  },
  { on: /put the sum into/i, call: ['write', { path: 'sum.txt', content: '7' }], say: 'It stands in sum.txt.' },
  {
    on: /have somebody look/i,
    need: SESSION,
    call: ['sessions_spawn', { task: 'Take your time, and look.' }],
    say: (results) => (results.includes('and the end.') ? 'Somebody has looked.' : 'Somebody is looking.'),
  },
];

const textOf = (content) => (typeof content === 'string' ? content : Array.isArray(content) ? content.map((part) => part.text ?? '').join(' ') : '');

/** The next move: a call that has not been made since the person spoke, or words. */
export function move({ messages = [], tools = [] }) {
  const asked = messages.findLastIndex((message) => message.role === 'user');
  // A conversation keeps its first words as its title, unless they say what it is to be called.
  if (textOf(messages[0]?.content).startsWith('You name conversations'))
    return { text: /name the talk "([^"]+)"/.exec(textOf(messages[asked].content))?.[1] ?? '' };
  const script = SCRIPTS.find((one) => one.on.test(textOf(messages[asked]?.content)));
  if (!script) return { text: 'Noted.' };
  if (script.fail) return { fail: true };
  if (script.says) return { texts: script.says, asked: textOf(messages[asked].content) };
  const since = messages.slice(asked + 1);
  const made = since.flatMap((message) => message.tool_calls ?? []).map((call) => call.function.name);
  const calls = typeof script.calls === 'function' ? script.calls(textOf(messages[asked].content)) : (script.calls ?? [script.call ?? []]);
  const [name, args] = calls[made.filter((one) => one !== 'find_tools').length] ?? [];
  if (name) {
    const offered = tools.some((tool) => tool.function.name === name);
    if (offered || made.includes('find_tools')) return { call: { name, args } };
    return { call: { name: 'find_tools', args: { query: script.need ?? name } } };
  }
  const results = since
    .filter((message) => message.role === 'tool')
    .map((message) => textOf(message.content))
    .join('\n');
  return { text: typeof script.say === 'function' ? script.say(results) : script.say };
}

function deltas(next, id) {
  if (next.call) {
    const head = { index: 0, id: `call_${id}`, type: 'function', function: { name: next.call.name, arguments: '' } };
    const text = JSON.stringify(next.call.args);
    const half = Math.ceil(text.length / 2);
    const piece = (part) => ({ tool_calls: [{ index: 0, function: { arguments: part } }] });
    return [{ role: 'assistant', tool_calls: [head] }, piece(text.slice(0, half)), piece(text.slice(half))];
  }
  return next.text.split(/(?<= )/).map((content, n) => (n === 0 ? { role: 'assistant', content } : { content }));
}

const usage = { prompt_tokens: 120, completion_tokens: 24, total_tokens: 144 };

/** Where answers stop: a word, who waits for it to be reached, who waits for it to be opened. */
class Gates {
  constructor() {
    this.closed = new Map();
  }

  /** Closes one before a word. `reached` comes true when an answer stands before it; `open()` lets it go on. */
  before(word) {
    const gate = { word };
    gate.reached = new Promise((done) => (gate.arrive = done));
    gate.opened = new Promise((done) => (gate.open = () => (this.closed.delete(word), done())));
    this.closed.set(word, gate);
    return gate;
  }

  openAll() {
    for (const gate of this.closed.values()) gate.open();
  }

  async pass(text) {
    const gate = [...this.closed.values()].find(({ word }) => text?.split(/\s+/).includes(word));
    if (!gate) return;
    gate.arrive();
    await gate.opened;
  }
}

async function stream(response, next, id, gates) {
  const send = (data) => response.write(`data: ${JSON.stringify({ id: `chat_${id}`, object: 'chat.completion.chunk', model: 'scripted', ...data })}\n\n`);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const delta of deltas(next, id)) {
    await gates.pass(delta.content);
    if (response.destroyed) return;
    send({ choices: [{ index: 0, delta, finish_reason: null }] });
    // Each word leaves on its own, as a model's do.
    await new Promise(setImmediate);
  }
  send({ choices: [{ index: 0, delta: {}, finish_reason: next.call ? 'tool_calls' : 'stop' }] });
  send({ choices: [], usage });
  response.end('data: [DONE]\n\n');
}

function whole(response, next, id) {
  const calls = next.call
    ? { tool_calls: [{ id: `call_${id}`, type: 'function', function: { name: next.call.name, arguments: JSON.stringify(next.call.args) } }] }
    : {};
  const message = { role: 'assistant', content: next.text ?? null, ...calls };
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(
    JSON.stringify({ id: `chat_${id}`, model: 'scripted', choices: [{ index: 0, message, finish_reason: next.call ? 'tool_calls' : 'stop' }], usage }),
  );
}

/** How often each question was asked that has another answer each time. */
const times = new Map();

/** The answer whose turn it is. */
function turnOf({ texts, asked }) {
  const time = times.get(asked) ?? 0;
  times.set(asked, time + 1);
  return { text: texts[time % texts.length] };
}

async function answer(request, response, id, gates) {
  if (request.method === 'GET') {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ object: 'list', data: [{ id: 'scripted', object: 'model' }] }));
    return;
  }
  const media = MEDIA[request.url.split('/v1/')[1]];
  if (media) {
    await new Promise((done) => request.resume().on('end', done));
    response.writeHead(200, { 'content-type': media.type });
    response.end(media.body);
    return;
  }
  let text = '';
  for await (const chunk of request) text += chunk;
  const body = JSON.parse(text);
  if (body.model !== 'scripted') {
    response.writeHead(404, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: { message: `There is no model ${body.model}.` } }));
    return;
  }
  const made = move(body);
  const next = made.texts ? turnOf(made) : made;
  if (next.fail) {
    response.writeHead(400, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: { message: 'The script says no.' } }));
  } else if (body.stream) await stream(response, next, id, gates);
  else whole(response, next, id);
}

/** Starts the model on a free port; its base URL, and gates: `const gate = model.before('word12'); await gate.reached; gate.open()`. */
export async function startModel() {
  let served = 0;
  const gates = new Gates();
  const server = createServer((request, response) => {
    served += 1;
    answer(request, response, served, gates).catch(() => response.destroy());
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${server.address().port}/v1`,
    before: (word) => gates.before(word),
    stop: () => (gates.openAll(), server.closeAllConnections(), server.close()),
  };
}
