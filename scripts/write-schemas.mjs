// Writes the published JSON schemas from the ones the code checks with. Run it after changing one; a test compares them.
import { writeFile } from 'node:fs/promises';
import { Scenario } from '../src/gateway/scenario-schema.ts';

const SCHEMAS = { scenario: Scenario };

for (const [name, schema] of Object.entries(SCHEMAS)) {
  const published = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `pi-sandbox/${name}.schema.json`,
    ...schema,
  };
  await writeFile(
    new URL(`../schemas/${name}.schema.json`, import.meta.url),
    `${JSON.stringify(published, null, 2)}\n`,
  );
}
