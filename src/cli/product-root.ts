import { fileURLToPath } from 'node:url';

/** Folder of package.json, Dockerfile.pi and images/. Built code lies in dist/src/cli below it. */
export const productRoot = fileURLToPath(new URL('../../../', import.meta.url)).replace(/\/$/, '');
