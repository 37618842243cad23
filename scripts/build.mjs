/** Builds dist/: the host side with tsc, the guest side bundled so that each file runs without dependencies. */
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { bundleCli } from './bundle-cli.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const guestOnly = process.argv.includes('--guest');

if (!guestOnly) {
  rmSync(join(root, 'dist/src'), { recursive: true, force: true });
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [tsc, '-p', join(root, 'tsconfig.build.json')], { stdio: 'inherit' });
  rmSync(join(root, 'dist/cli'), { recursive: true, force: true });
  await bundleCli(root);
}

rmSync(join(root, 'dist/images'), { recursive: true, force: true });
await build({
  entryPoints: {
    'guest/bridge': 'images/guest/bridge.mts',
    'guest/guard': 'images/guest/guard.mts',
    'build/tools': 'images/build/tools.mts',
    'build/assemble': 'images/build/assemble.mts',
    'build/finish': 'images/build/finish.mts',
    'build/self-check': 'images/build/self-check.mts',
  },
  absWorkingDir: root,
  outdir: join(root, 'dist/images'),
  outExtension: { '.js': '.mjs' },
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node24',
  // The same text on every machine: the image is named after a hash of these files.
  legalComments: 'none',
  charset: 'utf8',
  logLevel: 'warning',
});
