// Writes the published JSON schemas from the ones the code checks with. Run it after changing one; a test compares them.
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Scenario } from '../src/gateway/scenario-schema.ts';
import { LedgerEntry } from '../src/protocol/ledger.ts';
import { RunPlan } from '../src/protocol/plan.ts';
import { SandboxRecord } from '../src/protocol/record.ts';
import { RunDetails } from '../src/protocol/run-details.ts';
import { RunEntry } from '../src/protocol/run-entry.ts';
import { RunRequest } from '../src/request/run-request.ts';

const SCHEMAS = {
  scenario: Scenario,
  'run-request': RunRequest,
  'run-plan': RunPlan,
  record: SandboxRecord,
  'ledger-entry': LedgerEntry,
  'run-entry': RunEntry,
  'run-details': RunDetails,
};

/** Text of each published file, by its name in schemas/. */
export function publishedSchemas() {
  const texts = Object.entries(SCHEMAS).map(([name, schema]) => {
    const published = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: `pi-sandbox/${name}.schema.json`,
      ...schema,
    };
    return [`${name}.schema.json`, `${JSON.stringify(published, null, 2)}\n`];
  });
  return Object.fromEntries(texts);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [name, text] of Object.entries(publishedSchemas())) {
    await writeFile(new URL(`../schemas/${name}`, import.meta.url), text);
  }
}
