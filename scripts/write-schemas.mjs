// Writes the published JSON schemas from the ones the code checks with. Run it after changing one; a test compares them.
import { writeFile } from 'node:fs/promises';
import { publishedSchemas } from './published-schemas.ts';

for (const [name, text] of Object.entries(publishedSchemas())) {
  await writeFile(new URL(`../schemas/${name}`, import.meta.url), text);
}
