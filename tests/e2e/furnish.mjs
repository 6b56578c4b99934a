// Something on every page, for walks that look at all of them.
import { askBeforeCommands, documents, GARDEN, invoke, POLICY, processes, script, talk } from './given.mjs';
import { YAML } from './processes.mjs';
import { FIRST, MAY, NAME } from './scripts.mjs';

/** Fills a server; where things are. */
export async function furnish(world) {
  const { call } = world;
  await invoke(world, 'graph_upsert_node', { id: 'Orbit Parts', labels: ['Supplier'], props: { city: 'Halden' } });
  await invoke(world, 'graph_upsert_node', { id: 'Disputes', labels: ['Topic'] });
  await invoke(world, 'graph_upsert_edge', { src: 'Orbit Parts', rel: 'subject_of', dst: 'Disputes' });
  const [document] = await documents(world, { 'Payment policy': POLICY, Roses: GARDEN });
  await script(world, NAME, FIRST, MAY);
  await processes(world, YAML);
  await call('POST', '/api/memories', { content: 'The depot in Halden closes at noon.' });
  await invoke(world, 'calculator', { expression: '6 * 7' });
  await call('PUT', '/api/settings', { exec: { mode: 'sandboxed' } });
  await invoke(world, 'exec', { command: 'echo walked' });
  await askBeforeCommands(world);
  await talk(world, 'Draw the week, please');
  // One that waits for somebody, so that the inbox is not empty.
  await talk(world, 'Please run the greeting');
  const conversation = await talk(world, 'What is 17.5% of 2,480?');
  return { document, conversation };
}
