/**
 * Builds dist/: the host side with tsc and as a bundle for the command line, the guest side bundled so that each file runs without
 * dependencies. Everything is built aside and then put in place, so that commands that run meanwhile find whole folders.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { bundleCli } from './bundle-cli.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const guestOnly = process.argv.includes('--guest');
const aside = join(root, `dist/.building-${process.pid}`);
const built = guestOnly ? ['images'] : ['src', 'cli', 'images'];

if (!guestOnly) {
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const project = join(root, 'tsconfig.build.json');
  execFileSync(process.execPath, [tsc, '-p', project, '--outDir', join(aside, 'src')], { stdio: 'inherit' });
  await bundleCli(root, join(aside, 'cli'));
}

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
  outdir: join(aside, 'images'),
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

mkdirSync(join(root, 'dist'), { recursive: true });
for (const name of built) {
  const [place, old] = [join(root, 'dist', name), join(aside, `old-${name}`)];
  if (existsSync(place)) renameSync(place, old);
  renameSync(join(aside, name), place);
}
rmSync(aside, { recursive: true, force: true });
