// A form for arguments that hold others: fields in fields, entries of a list, JSON where it goes deeper.
import { same, shoot, walk } from './lib.mjs';

const rule = {
  type: 'object',
  required: ['field'],
  properties: { field: { type: 'string', description: 'Which column' }, most: { type: 'integer', minimum: 1, maximum: 9 }, exact: { type: 'boolean' } },
};
const schema = {
  type: 'object',
  required: ['rules'],
  properties: {
    rules: { type: 'array', items: rule, minItems: 1, description: 'All of them must fit' },
    page: {
      type: 'object',
      description: 'Which part of the result',
      properties: { size: { type: 'integer' }, order: { type: 'string', enum: ['asc', 'desc'] } },
    },
    extra: { type: 'object', additionalProperties: true },
  },
};

export function nestedWalks() {
  walk(
    'nested arguments are fields, entries are added and removed, JSON is checked as it is typed',
    { provokes: ['400 POST /api/tools/parse_json/invoke'] },
    async ({ owner, base }) => {
      // No tool at hand has such arguments: one is given them on its way to the page.
      await owner.route(/\/api\/tools$/, async (route) => {
        const response = await route.fetch();
        const tools = await response.json();
        await route.fulfill({ response, json: tools.map((tool) => (tool.name === 'parse_json' ? { ...tool, parameters: schema } : tool)) });
      });
      let sent = null;
      await owner.route(/\/api\/tools\/parse_json\/invoke$/, async (route) => {
        sent = route.request().postDataJSON().params;
        await route.continue();
      });
      await owner.goto(`${base}/tools/parse_json`);
      const form = owner.getByRole('form', { name: 'Arguments of parse_json' });
      await form.getByRole('button', { name: 'Add to rules' }).click();
      await form.getByRole('button', { name: 'Add to rules' }).click();
      await form.getByRole('button', { name: 'Add to rules' }).click();
      await form.getByRole('button', { name: 'Remove rules 2' }).click();
      const [first, second] = [form.getByRole('group', { name: 'rules 1' }), form.getByRole('group', { name: 'rules 2' })];
      await first.getByLabel(/^field/).fill('total');
      await first.getByLabel(/^most/).fill('12');
      await first.getByLabel(/^exact/).selectOption('Yes');
      await form
        .getByRole('group', { name: /^page/ })
        .getByLabel(/^order/)
        .selectOption('desc');
      await form.getByLabel(/^extra/).fill('{"a": ');
      await form.getByText(/Not valid JSON/).waitFor();
      await owner.keyboard.press('Control+Enter');
      await first.getByText('Enter 9 or less').waitFor();
      await second.getByText('Fill in field').waitFor();
      await shoot(owner, 'tool-nested');
      same(sent, null, 'what was sent');
      await first.getByLabel(/^most/).fill('3');
      await second.getByLabel(/^field/).fill('due');
      await form.getByLabel(/^extra/).fill('{"a": 1}');
      await form.getByLabel(/^extra/).press('Control+Enter');
      await owner.getByRole('region', { name: 'Result', exact: true }).getByRole('alert').waitFor();
      same(sent, { rules: [{ field: 'total', most: 3, exact: true }, { field: 'due' }], page: { order: 'desc' }, extra: { a: 1 } }, 'what was sent');
    },
  );
}
