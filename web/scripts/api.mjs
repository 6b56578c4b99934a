// Writes src/lib/api.d.ts from the server's document. Operation ids are dropped: they are not unique across modules,
// and the generator would merge operations that share one. `--check` fails where the file is not what the document says.
import { readFileSync, writeFileSync } from 'node:fs';
import openapiTS, { astToString } from 'openapi-typescript';

const here = (path) => new URL(path, import.meta.url);
const document = JSON.parse(readFileSync(here('../../openapi.json'), 'utf8'));
for (const path of Object.values(document.paths)) {
  for (const operation of Object.values(path)) delete operation?.operationId;
}

const head = '// Written by `npm run api` from openapi.json. Do not edit.\n';
const text = head + astToString(await openapiTS(document));
const target = here('../src/lib/api.d.ts');
if (!process.argv.includes('--check')) writeFileSync(target, text);
else if (readFileSync(target, 'utf8') !== text) {
  console.error('src/lib/api.d.ts is not what openapi.json says: run `npm run api` in web/ and commit the result.');
  process.exit(1);
}
