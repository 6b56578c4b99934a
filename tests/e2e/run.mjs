// The console, walked in Chromium against the real binary: `SATCHEL_BIN=target/debug/satchel node tests/e2e/run.mjs`.
// No test framework: prints a line for each walk, then `N passed, N failed`, and exits 1 where one failed.
import { catalogWalks } from './catalog.mjs';
import { chatWalks } from './chat.mjs';
import { firstWalks } from './first.mjs';
import { complaints, launch, person, same, Server, verdict, walk } from './lib.mjs';
import { governWalks } from './govern.mjs';
import { graphWalks, knowledgeWalks } from './knowledge.mjs';
import { lookWalks } from './look.mjs';
import { meaningWalks, memoryWalks, modelWalks } from './meaning.mjs';
import { startModel } from './model.mjs';
import { narrowWalks } from './narrow.mjs';
import { nestedWalks } from './nested.mjs';
import { offlineWalks } from './offline.mjs';
import { outsideWalks } from './outside.mjs';
import { peopleWalks } from './people.mjs';
import { processWalks } from './processes.mjs';
import { scriptWalks } from './scripts.mjs';
import { stateWalks } from './states.mjs';
import { talkWalks } from './talk.mjs';
import { toolWalks } from './tools.mjs';
import { widgetWalks } from './widgets.mjs';

if (!process.env.SATCHEL_BIN) {
  console.error('Set SATCHEL_BIN to the server, for instance target/debug/satchel.');
  process.exit(2);
}

const browser = await launch();
const model = await startModel();
const server = new Server({ SATCHEL_MODEL: 'openai:scripted', SATCHEL_MODEL_URL: model.url });
const alone = new Server();

try {
  await server.start();
  const owner = await person(browser);
  const world = { browser, server, owner, base: server.ready };
  await firstWalks(world);
  await chatWalks(world);
  await widgetWalks(world);
  await talkWalks(world);
  await toolWalks(world);
  await nestedWalks(world);
  await scriptWalks(world);
  await peopleWalks(world);
  await governWalks(world);
  await knowledgeWalks(world);
  await graphWalks(world);
  await meaningWalks(world);
  await modelWalks(world);
  await memoryWalks(world);
  await catalogWalks(world);
  await outsideWalks(world);
  await processWalks(world);
  await lookWalks(world);
  await narrowWalks(world);
  await stateWalks(world);
  await alone.start();
  await offlineWalks({ browser, server: alone, base: alone.ready });
  await walk('no page broke the policy or logged an error', null, () => same(complaints, [], 'complaints'));
} catch (failure) {
  await walk('the walks could be walked', null, () => {
    throw failure;
  });
} finally {
  await browser.close();
  await server.remove();
  await alone.remove();
  model.stop();
}
if (process.env.SATCHEL_E2E_LOG) console.log(server.log);
process.exit(verdict());
