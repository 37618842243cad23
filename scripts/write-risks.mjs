// Writes docs/risks.md from the table that the code goes by. Run it after changing one; a test compares them.
import { writeFile } from 'node:fs/promises';
import { riskPage } from './risk-page.ts';

await writeFile(new URL('../docs/risks.md', import.meta.url), riskPage());
